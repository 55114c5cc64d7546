/** Fault injection: what can go wrong with a notification on demand, in the sandbox. */
export const faultKinds = {
  DUPLICATE: "It comes twice.",
  REORDER: "It comes after what is told in the seconds to come.",
  DELAY: "It comes later.",
  DROP: "It does not come; the next attempt does.",
  CORRUPT_SIGNATURE: "Its signature does not fit.",
  STALE: "It was signed ten minutes ago.",
} as const;

export type FaultKind = keyof typeof faultKinds;

export interface NotificationFault {
  readonly kind: FaultKind;
  readonly delaySeconds: number;
}
