import type { Amount } from "./amount.ts";

/** A refund to the buyer, under way or done. */
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
  /** When a processing refund finishes by itself; if undefined, control finishes it. */
  readonly finishTime?: string;
}

/** A refund as the wallet protocol writes it. */
export function refundOnTheWire(refund: Refund): object {
  const { reference, refundReference, walletRefundId, state, amount, refundTime } = refund;
  return { reference, refundReference, walletRefundId, state, amount, ...(refundTime && { refundTime }) };
}
