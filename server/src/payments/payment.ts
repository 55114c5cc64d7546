import type { Lifecycle } from "../core/lifecycle.ts";
import type { Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";

export type PaymentStatus = "PROCESSING" | "PENDING" | "SUCCESS" | "FAIL" | "CANCELLED";

/** A success is undone only by a cancel inside its window; a failure or a cancel never changes. */
export const paymentLifecycle = {
  PROCESSING: ["PENDING", "SUCCESS", "FAIL", "CANCELLED"],
  PENDING: ["SUCCESS", "FAIL"],
  SUCCESS: ["CANCELLED"],
  FAIL: [],
  CANCELLED: [],
} as const satisfies Lifecycle<PaymentStatus>;

export type ProductCode = "CASHIER_PAYMENT" | "AGREEMENT_PAYMENT" | "IN_STORE_PAYMENT";

export interface Payment {
  readonly paymentId: string;
  readonly paymentRequestId: string;
  readonly productCode: ProductCode;
  readonly status: PaymentStatus;
  /** Why it ended as it did; PAYMENT_IN_PROCESS until then. */
  readonly resultCode: ResultCode;
  /** Absent when a cancel came for a payment that nobody had asked for. */
  readonly amount: Money | undefined;
  /** What the buyer really paid; differs from the amount only with a quote or a coupon. */
  readonly paidAmount: Money | undefined;
  readonly createdAt: Date;
  /** When the money was taken; starts the cancel and refund windows. */
  readonly paidAt: Date | undefined;
  /** Counts the changes of this payment, so that a receiver can tell the newer of two messages. */
  readonly sequence: number;
}

export function isInStore(payment: Payment): boolean {
  return payment.productCode === "IN_STORE_PAYMENT";
}
