import type { Amount } from "./amount.ts";

/** Money on its way back to the buyer, or there. */
export interface Refund {
  readonly reference: string;
  readonly paymentId: string;
  readonly walletOrderId: string;
  readonly refundReference: string;
  readonly walletRefundId: string;
  readonly state: "PROCESSING" | "DONE";
  readonly amount: Amount;
  /** Once it is done. */
  readonly refundTime?: string;
  /** When one that is processing becomes done by itself; without it, control has to say so. */
  readonly finishTime?: string;
}

/** A refund as the wallet protocol writes it. */
export function refundOnTheWire(refund: Refund): object {
  const { reference, refundReference, walletRefundId, state, amount, refundTime } = refund;
  return { reference, refundReference, walletRefundId, state, amount, ...(refundTime && { refundTime }) };
}
