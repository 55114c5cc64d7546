import type { Amount } from "./amount.ts";

export type MoneyKind = "capture" | "refund";
export type MoneyState = "PROCESSING" | "DONE" | "FAILED";

/** How an accepted operation ends by itself. */
export interface PlannedEnd {
  /** If it is not set, the control API must end the operation. */
  readonly finishTime?: string;
  /** The result code, if the operation fails at `finishTime`. */
  readonly failsWith?: string;
}

/** The terms of a capture or a refund; immutable. */
export interface MoneyTerms {
  readonly kind: MoneyKind;
  readonly reference: string;
  readonly paymentId: string;
  readonly providerOrderId: string;
  /** The reference of the capture or the refund. */
  readonly moneyReference: string;
  /** The wallet's own id of the capture or the refund. */
  readonly providerMoneyId: string;
  readonly amount: Amount;
  /** Whether it is the last capture of its hold. */
  readonly isLast?: boolean;
}

/** A capture or a refund in its current state. */
export interface MoneyRecord extends MoneyTerms, PlannedEnd {
  readonly state: MoneyState;
  /** Version of its state. */
  readonly sequence: number;
  /** When it was done; a refund that failed afterwards keeps it. */
  readonly doneTime?: string;
  /** Why it failed. */
  readonly resultCode?: string;
}

/** A capture or a refund as the provider protocol writes it. */
export function moneyOnTheWire(record: MoneyRecord): object {
  const { kind, reference, moneyReference, providerMoneyId, state, amount, doneTime, resultCode } = record;
  return {
    reference,
    [`${kind}Reference`]: moneyReference,
    [kind === "capture" ? "providerCaptureId" : "providerRefundId"]: providerMoneyId,
    state,
    amount,
    ...(doneTime && { [`${kind}Time`]: doneTime }),
    ...(resultCode && { resultCode }),
  };
}
