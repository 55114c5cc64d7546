import { toAmount } from "../core/money.ts";
import { toWireResult } from "../core/result.ts";
import { formatWireTime } from "../core/request-time.ts";
import { returnResultInfo } from "./payment-result-info.ts";
import type { Payment } from "./payment.ts";

/**
 * `isNotifiable` returns whether the merchant gets a webhook for this payment status. There is no webhook for a cancel,
 * because the merchant requested it.
 */
export function isNotifiable({ status }: Payment): boolean {
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
    result: toWireResult(code),
    paymentId: payment.paymentId,
    paymentRequestId: payment.paymentRequestId,
    ...(payment.amount && { paymentAmount: toAmount(payment.amount) }),
    ...(payment.paidAmount && { actualPaymentAmount: toAmount(payment.paidAmount) }),
    paymentCreateTime: formatWireTime(payment.createdAt.getTime()),
    ...(payment.paidAt && { paymentTime: formatWireTime(payment.paidAt.getTime()) }),
    ...(payment.authExpiresAt && { authExpiryTime: formatWireTime(payment.authExpiresAt.getTime()) }),
    ...returnResultInfo(payment),
    ...(payment.metadata && { metadata: payment.metadata }),
    sequence: payment.sequence,
  };
  return Buffer.from(JSON.stringify(body), "utf8");
}
