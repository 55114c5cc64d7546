/** The words with which wallets tell of disputes, and with which we tell merchants. */
export const disputeTypes = ["CHARGEBACK", "RETRIEVAL_REQUEST", "COMPLIANCE_REQUEST", "RDR"] as const;

/** RDR: the scheme decides without asking the merchant. */
export type DisputeType = (typeof disputeTypes)[number];

export const judgedResults = [
  "ACCEPT_BY_CUSTOMER",
  "ACCEPT_BY_MERCHANT",
  "VALIDATE_SUCCESS",
  "VALIDATE_FAIL",
] as const;

/** By the customer: the merchant keeps the money. By the merchant: the buyer gets it back. */
export type JudgedResult = (typeof judgedResults)[number];

export const acceptReasons = ["MERCHANT_ACCEPTED", "TIMEOUT", "MANUAL_PROCESSING_ACCEPTED"] as const;

export type AcceptReason = (typeof acceptReasons)[number];
