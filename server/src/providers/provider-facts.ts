import type { EvidenceType } from "./dispute-values.ts";

/** The version of the provider protocol. The gateway speaks no other. */
export const protocolVersion = "1.1";

/** An inquiry of the provider protocol that a provider may lack. */
export type ProviderQuery = "order" | "capture" | "refund" | "dispute" | "registration";

/** A group of optional data that a connector may want in requests. */
export type DataGroup =
  | "buyer"
  | "device"
  | "browser"
  | "address"
  | "goods"
  | "locale"
  | "descriptor"
  | "metadata";

/** The facts that a provider states about itself: the response to `facts`. */
export interface ProviderFacts {
  readonly protocolVersion: string;
  /** The name and version of the connector, or of the provider's own program. */
  readonly name: string;
  readonly softwareVersion: string;
  /**
   * How long after its first arrival a repeated message takes no second effect. Absent: without limit. 0: a repeated message
   * acts again.
   */
  readonly idempotencyWindowSeconds?: number;
  /** How long after it was sent a message may still take effect. */
  readonly quietSeconds?: number;
  /** Whether the provider rejects a message that arrives after its `notAfter`. */
  readonly enforcesNotAfter?: boolean;
  /** How long the provider holds authorized money, unless the order states it. */
  readonly holdSeconds?: number;
  /** How long after a payment it can be refunded. */
  readonly refundWindowSeconds?: number;
  readonly refunds: "NONE" | "FULL" | "ONCE" | "MANY";
  readonly captures: "NONE" | "ONE" | "MANY";
  readonly cancelPaid: "NEVER" | "DAY" | "WEEK";
  /** The accepted currencies; an empty list means all. */
  readonly currencies: readonly ProviderCurrency[];
  /** The payment methods; an empty list means any. */
  readonly paymentMethodTypes: readonly string[];
  /** The inquiries that the provider answers. */
  readonly queries: readonly ProviderQuery[];
  readonly wants: readonly DataGroup[];
  /** The types of evidence that the provider distinguishes. It accepts any other document as OTHER. */
  readonly evidenceTypes: readonly EvidenceType[];
  readonly callbacks: readonly ("order" | "capture" | "refund" | "dispute" | "authorization")[];
}

export interface ProviderCurrency {
  readonly currency: string;
  /**
   * Digits after the decimal point of the provider's own amounts, if they differ from ISO 4217. The connector converts;
   * amounts of the provider protocol are always in the minor units of ISO 4217.
   */
  readonly minorUnits?: number;
}

/**
 * `toProviderEvidenceType` returns the type under which a provider accepts a document: OTHER if the provider does not
 * distinguish the merchant's type. A provider without facts gets the merchant's type.
 */
export function toProviderEvidenceType(
  facts: Pick<ProviderFacts, "evidenceTypes"> | undefined,
  type: EvidenceType,
): EvidenceType {
  return facts === undefined || facts.evidenceTypes.includes(type) ? type : "OTHER";
}
