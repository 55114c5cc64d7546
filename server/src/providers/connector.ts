import type { ProviderAccounts } from "./provider-account.ts";
import type { ProviderFacts } from "./provider-facts.ts";

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
  /** The terms that the operator has set; the provider's facts do not change them. Absent: none. */
  readonly operatorTerms?: readonly string[] | undefined;
  /** The facts that the provider has stated; undefined if it was never asked. */
  readonly facts?: ProviderFacts | undefined;
  readonly factsAt?: Date | undefined;
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
   * How long after the first send an idempotent provider recognises a repeated message. After it the gateway sends the
   * message never again. Undefined: without limit.
   */
  readonly idempotencyWindowSeconds?: number | undefined;
  /**
   * Quiet time in seconds after a send. During this time the gateway does not believe "not found", because the message
   * may still be in flight.
   */
  readonly quietSeconds: number;
  /** Length of an authorization hold, unless the provider states the end of a hold with its order. */
  readonly holdSeconds: number;
  /** Whether the gateway refuses in-store payments until the provider has accepted the store. */
  readonly demandsRegistration: boolean;
  /** The currencies that the provider accepts; an empty list means all. */
  readonly currencies: readonly string[];
  /** Whether orders carry the merchant's account at the provider. `required`: only merchants with an account can pay. */
  readonly accounts: (typeof accountRules)[number];
  /** The order of connectors that serve the same payment method, the lowest number first. */
  readonly priority: number;
}

export const accountRules = ["none", "optional", "required"] as const;

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
  holdSeconds: 7 * 24 * 3600,
  demandsRegistration: false,
  currencies: [],
  accounts: "none",
  priority: 100,
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

/** The fields of a connector by which the gateway chooses it for a payment. */
export type EligibleConnector = Pick<Connector, "name" | "paymentMethodTypes" | "disabledAt" | "terms">;

/**
 * `connectorFor` returns a merchant's connector for a payment method, of those that list the method, or else of those
 * that serve all other methods. It skips connectors that require an account that the merchant does not have. The order:
 * enabled connectors, then those with an account of the merchant, then by priority, then by name. A disabled connector
 * is returned if there is no other, so that the payment is refused as retryable.
 */
export function connectorFor<Candidate extends EligibleConnector>(
  connectors: readonly Candidate[],
  paymentMethodType: string,
  accounts: ProviderAccounts,
): Candidate | undefined {
  return connectorsOf(connectors, paymentMethodType)
    .filter(({ name, terms }) => terms.accounts !== "required" || accounts.has(name))
    .toSorted(compareConnectors(accounts))[0];
}

/** The connectors that serve a payment method: those that list it, or else those with `*`. */
function connectorsOf<Candidate extends EligibleConnector>(
  connectors: readonly Candidate[],
  paymentMethodType: string,
): readonly Candidate[] {
  if (paymentMethodType === allMethods) return [];
  const thatServe = (type: string): readonly Candidate[] =>
    connectors.filter(({ paymentMethodTypes }) => paymentMethodTypes.includes(type));
  const listed = thatServe(paymentMethodType);
  return listed.length > 0 || !methodNamePattern.test(paymentMethodType) ? listed : thatServe(allMethods);
}

/** A payment method that several connectors list, in the order of choice for a merchant without accounts. */
export interface SharedMethod {
  readonly paymentMethodType: string;
  readonly connectors: readonly string[];
}

/** `sharedMethodsOf` returns the payment methods that a connector and others list. */
export function sharedMethodsOf(
  connector: EligibleConnector,
  connectors: readonly EligibleConnector[],
): readonly SharedMethod[] {
  return connector.paymentMethodTypes
    .map((paymentMethodType) => ({
      paymentMethodType,
      connectors: connectors
        .filter((each) => each.paymentMethodTypes.includes(paymentMethodType))
        .toSorted(compareConnectors(new Map()))
        .map(({ name }) => name),
    }))
    .filter((shared) => shared.connectors.length > 1);
}

/** Compares connectors by the order of choice: enabled, with an account of the merchant, by priority, by name. */
function compareConnectors(
  accounts: ProviderAccounts,
): (left: EligibleConnector, right: EligibleConnector) => number {
  return (left, right) =>
    Number(left.disabledAt !== undefined) - Number(right.disabledAt !== undefined) ||
    Number(hasAccount(right, accounts)) - Number(hasAccount(left, accounts)) ||
    left.terms.priority - right.terms.priority ||
    (left.name < right.name ? -1 : 1);
}

function hasAccount({ name, terms }: EligibleConnector, accounts: ProviderAccounts): boolean {
  return terms.accounts !== "none" && accounts.has(name);
}
