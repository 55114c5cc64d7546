/** A job needs a connector that was removed. The job's row names it, and the job waits until it is back. */
export class ConnectorGone extends Error {
  override readonly name = "ConnectorGone";
  readonly connector: string;

  constructor(connector: string) {
    super(`There is no connector ${connector}.`);
    this.connector = connector;
  }
}

/** How a wallet is reached, as the operator set it up. */
export interface Connector {
  readonly name: string;
  readonly url: string;
  /** How the wallet knows us: the client id in what we send it. */
  readonly partnerId: string;
  /** SubjectPublicKeyInfo; what the wallet's answers and callbacks are verified with. */
  readonly publicKey: Uint8Array;
  /** The key that it has left, or goes to next: taken as well, for as long as it is set. */
  readonly otherPublicKey?: Uint8Array | undefined;
  /** Files on the machines that serve, for a wallet that demands a client certificate or has a CA of its own. */
  readonly tls?: WalletTlsFiles | undefined;
  /** Version of our key that signs calls to this wallet; pinned until the operator rotates it. */
  readonly gatewayKeyVersion: number;
  /** The payment methods that it serves; `*` for all that no other names. */
  readonly paymentMethodTypes: readonly string[];
  /** A simulator moves no money. Live refuses to work with one. */
  readonly simulator: boolean;
  /** Since when nothing new is begun with it, by an operator's word. */
  readonly disabledAt?: Date | undefined;
  readonly terms: ConnectorTerms;
}

/** Paths of PEM files. */
export interface WalletTlsFiles {
  readonly certificateFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** In place of the CAs that Node trusts. */
  readonly caFile?: string | undefined;
}

/** What a wallet's payment methods allow, and whether its calls are idempotent. */
export interface ConnectorTerms {
  /** FULL: once and all of it; ONCE: once, a part as well. */
  readonly refunds: "NONE" | "FULL" | "ONCE" | "MANY";
  readonly refundWindowDays: number;
  /** How often held money can be captured; NONE when the wallet cannot hold money. */
  readonly captures: "NONE" | "ONE" | "MANY";
  /** Until when a payment that was made can be cancelled. DAY: until 00:15 (UTC+8) of the next day. */
  readonly cancelPaid: "NEVER" | "DAY" | "WEEK";
  /** Idempotency: whether a reference sent twice acts once. If not, an unknown outcome is not retried. */
  readonly idempotentByReference: boolean;
  /** Quiet period after a send, in which "not found" is not believed: the message may still be in flight. */
  readonly quietSeconds: number;
  /** Whether payments in a store are refused until the wallet has accepted the store. */
  readonly demandsRegistration: boolean;
  /** The currencies that it takes; none named is all. */
  readonly currencies: readonly string[];
}

/** How a wallet is at the moment. */
export interface ConnectorState {
  readonly createdAt: Date;
  /** Whether a worker has found within the last minute that it does not answer. */
  readonly isSilent: boolean;
  /** Jobs that need it. */
  readonly jobCount: number;
}

/** What a connector allows unless the operator says otherwise. */
export const usualTerms: ConnectorTerms = {
  refunds: "MANY",
  refundWindowDays: 365,
  captures: "MANY",
  cancelPaid: "DAY",
  idempotentByReference: true,
  quietSeconds: 120,
  demandsRegistration: false,
  currencies: [],
};

const takesAll = "*";
/** The form of a method's name. Any other text is a mistake, and no wallet is asked about it. */
const methodName = /^[A-Z0-9_]{1,64}$/;

/**
 * What is wrong with a wallet's address. Live demands TLS. A literal loopback address is allowed for a
 * side-car that adds TLS, or a client certificate; a host name is not, because its DNS could lead elsewhere
 * tomorrow.
 */
export function connectorUrlProblem(text: string, environment: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return `${text} is no URL of http or https.`;
  if (url.username || url.password || url.hash || url.search)
    return `${url.origin} has to come without user, query and fragment.`;
  const isOurMachine = /^(127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (environment === "live" && url.protocol !== "https:" && !isOurMachine)
    return `${url.origin} has to be https in live, unless it is a loopback address.`;
  return undefined;
}

/** The connector for a payment method: one that names it, or else one that takes all. */
export function connectorFor(
  connectors: readonly Connector[],
  paymentMethodType: string,
): Connector | undefined {
  if (paymentMethodType === takesAll) return undefined;
  const serving = (type: string): Connector | undefined =>
    connectors.find(({ paymentMethodTypes }) => paymentMethodTypes.includes(type));
  return serving(paymentMethodType) ?? (methodName.test(paymentMethodType) ? serving(takesAll) : undefined);
}
