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
  /** When a pending refund completes automatically; without it, control must finish it. */
  readonly finishTime?: string;
}

/** A refund as the provider protocol writes it. */
export function refundOnTheWire(refund: Refund): object {
  const { reference, refundReference, walletRefundId, state, amount, refundTime } = refund;
  return { reference, refundReference, walletRefundId, state, amount, ...(refundTime && { refundTime }) };
}
