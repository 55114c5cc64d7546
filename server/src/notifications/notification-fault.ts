/** Fault injection in the sandbox: faults that a merchant can configure for its webhooks. */
export const faultKinds = {
  DUPLICATE: "The webhook is sent twice.",
  REORDER: "The webhook is sent after later ones.",
  DELAY: "The webhook is sent later.",
  DROP: "The first attempt is dropped; the next one is sent.",
  CORRUPT_SIGNATURE: "The signature is invalid.",
  STALE: "The signature is ten minutes old.",
} as const;

export type FaultKind = keyof typeof faultKinds;

export interface NotificationFault {
  readonly kind: FaultKind;
  readonly delaySeconds: number;
}
