/** Thrown if a job needs a connector that was removed. The job waits until the connector exists again. */
export class ConnectorRemovedError extends Error {
  override readonly name = "ConnectorRemovedError";
  readonly connector: string;

  constructor(connector: string) {
    super(`Connector ${connector} does not exist. Add it again with \`tollgate connector add\`.`);
    this.connector = connector;
  }
}

/** Settings by which the gateway reaches one payment provider. */
export interface Connector {
  readonly name: string;
  readonly url: string;
  /** The gateway's client id at the provider, in requests that the gateway sends. */
  readonly partnerId: string;
  /** The provider's public key (SubjectPublicKeyInfo in DER), which verifies its responses and callbacks. */
  readonly publicKey: Uint8Array;
  /** The provider's previous or next public key during a key rotation; accepted as well while it is set. */
  readonly otherPublicKey?: Uint8Array | undefined;
  /** TLS files on the machines of the gateway, for a provider that requires a client certificate or has its own CA. */
  readonly tls?: ProviderTlsFiles | undefined;
  /** Version of the gateway key that signs requests to this provider; pinned until the operator rotates it. */
  readonly gatewayKeyVersion: number;
  /** The payment methods that the connector serves; `*` for all methods that no other connector lists. */
  readonly paymentMethodTypes: readonly string[];
  /** Whether the provider is a simulator, which moves no money. Live refuses simulators. */
  readonly simulator: boolean;
  /** When an operator disabled the connector for new payments; undefined if it is enabled. */
  readonly disabledAt?: Date | undefined;
  readonly terms: ConnectorTerms;
}

/** Paths of PEM files. */
export interface ProviderTlsFiles {
  readonly certificateFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** The file with the CAs that replace those that Node trusts. */
  readonly caFile?: string | undefined;
}

/** The rules of a provider's payment methods, and whether its requests are idempotent. */
export interface ConnectorTerms {
  /** How often a payment can be refunded. FULL: one refund of the whole amount. ONCE: one refund, also of a part. */
  readonly refunds: "NONE" | "FULL" | "ONCE" | "MANY";
  readonly refundWindowDays: number;
  /** How often authorized money can be captured; NONE if the provider does not support authorizations. */
  readonly captures: "NONE" | "ONE" | "MANY";
  /** Until when a paid payment can be cancelled. DAY: until 00:15 (UTC+8) of the next day. WEEK: seven days. */
  readonly cancelPaid: "NEVER" | "DAY" | "WEEK";
  /**
   * Idempotency: whether a reference that is sent twice takes effect once. If not, the gateway does not retry a request
   * whose outcome is unknown.
   */
  readonly idempotentByReference: boolean;
  /**
   * Quiet time in seconds after a send. During this time the gateway does not believe "not found", because the message
   * may still be in flight.
   */
  readonly quietSeconds: number;
  /** Whether the gateway refuses in-store payments until the provider has accepted the store. */
  readonly demandsRegistration: boolean;
  /** The currencies that the provider accepts; an empty list means all. */
  readonly currencies: readonly string[];
}

/** Current state of a connector. */
export interface ConnectorState {
  readonly createdAt: Date;
  /** Whether a worker found within the last minute that the provider does not respond. */
  readonly isSilent: boolean;
  /** Number of jobs that need this connector. */
  readonly jobCount: number;
}

/** Default terms of a connector. */
export const defaultTerms: ConnectorTerms = {
  refunds: "MANY",
  refundWindowDays: 365,
  captures: "MANY",
  cancelPaid: "DAY",
  idempotentByReference: true,
  quietSeconds: 120,
  demandsRegistration: false,
  currencies: [],
};

const allMethods = "*";
/**
 * Format of a payment method's name. The gateway sends a text with another format to no provider, because it is a
 * mistake.
 */
const methodNamePattern = /^[A-Z0-9_]{1,64}$/;

/**
 * `connectorUrlProblem` returns why a provider's URL is invalid. Live requires TLS. A literal loopback address is
 * allowed for a sidecar that adds TLS or a client certificate. A host name of loopback is not allowed, because its DNS
 * record could change later.
 */
export function connectorUrlProblem(text: string, environment: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return `${text} is not a URL of http or https.`;
  if (url.username || url.password || url.hash || url.search)
    return `${url.origin} must not have a user, query or fragment.`;
  const isLoopback = /^(127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (environment === "live" && url.protocol !== "https:" && !isLoopback)
    return `${url.origin} must use https in live, unless it is a loopback address.`;
  return undefined;
}

/**
 * `connectorFor` returns the connector for a payment method: one that lists it, or else one that serves all methods.
 */
export function connectorFor(
  connectors: readonly Connector[],
  paymentMethodType: string,
): Connector | undefined {
  if (paymentMethodType === allMethods) return undefined;
  const findServing = (type: string): Connector | undefined =>
    connectors.find(({ paymentMethodTypes }) => paymentMethodTypes.includes(type));
  return (
    findServing(paymentMethodType) ??
    (methodNamePattern.test(paymentMethodType) ? findServing(allMethods) : undefined)
  );
}
