/** Values for disputes in the provider protocol and in the public API. */
export const disputeTypes = [
  "CHARGEBACK",
  "RETRIEVAL_REQUEST",
  "COMPLIANCE_REQUEST",
  "RDR",
  "FRAUD_WARNING",
] as const;

/**
 * RDR (rapid dispute resolution): the scheme decides without an answer of the merchant. FRAUD_WARNING (TC40, SAFE): the
 * card issuer reports fraud, and no money moves.
 */
export type DisputeType = (typeof disputeTypes)[number];

/** `takesAnswer` returns false for a dispute that is final in its first report. */
export function takesAnswer(type: DisputeType): boolean {
  return type !== "RDR" && type !== "FRAUD_WARNING";
}

/** The types of evidence that a provider may want, and that a merchant's document may have. */
export const evidenceTypes = [
  "RECEIPT",
  "PROOF_OF_DELIVERY",
  "CUSTOMER_COMMUNICATION",
  "REFUND_POLICY",
  "TERMS_ACCEPTED",
  "SERVICE_RECORD",
  "DUPLICATE_EXPLANATION",
  "IDENTITY",
  "OTHER",
] as const;

export type EvidenceType = (typeof evidenceTypes)[number];

export const judgedResults = [
  "ACCEPT_BY_CUSTOMER",
  "ACCEPT_BY_MERCHANT",
  "VALIDATE_SUCCESS",
  "VALIDATE_FAIL",
] as const;

/**
 * The result of a dispute. ACCEPT_BY_CUSTOMER: the merchant keeps the money. ACCEPT_BY_MERCHANT: the buyer gets the
 * money back.
 */
export type JudgedResult = (typeof judgedResults)[number];

export const acceptReasons = ["MERCHANT_ACCEPTED", "TIMEOUT", "MANUAL_PROCESSING_ACCEPTED"] as const;

export type AcceptReason = (typeof acceptReasons)[number];
