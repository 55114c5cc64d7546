/** Values for disputes in the provider protocol and in the public API. */
export const disputeTypes = ["CHARGEBACK", "RETRIEVAL_REQUEST", "COMPLIANCE_REQUEST", "RDR"] as const;

/** RDR (rapid dispute resolution): the scheme decides without an answer of the merchant. */
export type DisputeType = (typeof disputeTypes)[number];

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
