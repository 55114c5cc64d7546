/** How a wallet is reached, as the operator set it up. */
export interface Connector {
  readonly name: string;
  readonly url: string;
  /** How the wallet knows us: the client id in what we send it. */
  readonly partnerId: string;
  /** SubjectPublicKeyInfo; what the wallet's answers and callbacks are verified with. */
  readonly publicKey: Uint8Array;
  /** The payment methods that it serves; `*` for all that no other names. */
  readonly paymentMethodTypes: readonly string[];
  /** A simulator moves no money. Live refuses to work with one. */
  readonly simulator: boolean;
}

/** The connector for a payment method: one that names it, or else one that takes all. */
export function connectorFor(
  connectors: readonly Connector[],
  paymentMethodType: string,
): Connector | undefined {
  return (
    connectors.find(({ paymentMethodTypes }) => paymentMethodTypes.includes(paymentMethodType)) ??
    connectors.find(({ paymentMethodTypes }) => paymentMethodTypes.includes("*"))
  );
}
