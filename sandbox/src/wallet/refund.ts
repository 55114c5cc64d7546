import type { Amount } from "./amount.ts";

/** A refund, pending or completed. */
export interface Refund {
  readonly reference: string;
  readonly paymentId: string;
  readonly walletOrderId: string;
  readonly refundReference: string;
  readonly walletRefundId: string;
  readonly state: "PROCESSING" | "DONE";
  readonly amount: Amount;
  /** When it has completed. */
  readonly refundTime?: string;
  /**
   * The time at which a pending refund completes automatically. If it is not set, the control API must complete the
   * refund.
   */
  readonly finishTime?: string;
}

/** A refund as the provider protocol writes it. */
export function refundOnTheWire(refund: Refund): object {
  const { reference, refundReference, walletRefundId, state, amount, refundTime } = refund;
  return { reference, refundReference, walletRefundId, state, amount, ...(refundTime && { refundTime }) };
}
