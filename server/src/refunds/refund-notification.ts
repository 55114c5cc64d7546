import { toAmount } from "../core/money.ts";
import { toWireResult } from "../core/result.ts";
import { formatWireTime } from "../core/request-time.ts";
import type { Refund } from "./refund.ts";

/**
 * `refundNotificationBody` returns the body of `notifyRefund`. The bytes are stored, so that each delivery attempt
 * sends the same body. `sequence` is the version of the payment.
 */
export function refundNotificationBody(refund: Refund, sequence: number): Buffer {
  const body = {
    notifyType: "REFUND_RESULT",
    result: toWireResult(refund.resultCode),
    refundStatus: refund.status,
    refundRequestId: refund.refundRequestId,
    refundId: refund.refundId,
    paymentId: refund.paymentId,
    refundAmount: toAmount(refund.amount),
    ...(refund.status === "SUCCESS" &&
      refund.finishedAt && { refundTime: formatWireTime(refund.finishedAt.getTime()) }),
    ...(refund.reversedAt && { refundReversalTime: formatWireTime(refund.reversedAt.getTime()) }),
    ...(refund.metadata && { metadata: refund.metadata }),
    sequence,
  };
  return Buffer.from(JSON.stringify(body), "utf8");
}
