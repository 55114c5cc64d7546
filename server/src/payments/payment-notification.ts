import { toAmount } from "../core/money.ts";
import { wireResult } from "../core/result.ts";
import { wireTime } from "../core/request-time.ts";
import type { Payment } from "./payment.ts";

/**
 * `isTold` returns whether the merchant gets a webhook for this payment status. There is no webhook for a cancel,
 * because the merchant requested it.
 */
export function isTold({ status }: Payment): boolean {
  return status === "SUCCESS" || status === "FAIL" || status === "PENDING";
}

/**
 * `paymentNotificationBody` returns the body of `notifyPayment`. The bytes are stored, so that each delivery attempt
 * sends the same body.
 */
export function paymentNotificationBody(payment: Payment): Buffer {
  const code = payment.status === "PENDING" ? "SUCCESS" : payment.resultCode;
  const body = {
    notifyType: payment.status === "PENDING" ? "PAYMENT_PENDING" : "PAYMENT_RESULT",
    result: wireResult(code),
    paymentId: payment.paymentId,
    paymentRequestId: payment.paymentRequestId,
    ...(payment.amount && { paymentAmount: toAmount(payment.amount) }),
    ...(payment.paidAmount && { actualPaymentAmount: toAmount(payment.paidAmount) }),
    paymentCreateTime: wireTime(payment.createdAt.getTime()),
    ...(payment.paidAt && { paymentTime: wireTime(payment.paidAt.getTime()) }),
    ...(payment.authExpiresAt && { authExpiryTime: wireTime(payment.authExpiresAt.getTime()) }),
    ...(payment.metadata && { metadata: payment.metadata }),
    sequence: payment.sequence,
  };
  return Buffer.from(JSON.stringify(body), "utf8");
}
