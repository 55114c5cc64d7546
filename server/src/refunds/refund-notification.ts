import { toAmount } from "../core/money.ts";
import { wireResult } from "../core/result.ts";
import { wireTime } from "../core/request-time.ts";
import type { Refund } from "./refund.ts";

/** The body of notifyRefund, as bytes that every attempt repeats. The sequence is the payment's. */
export function refundNotificationBody(refund: Refund, sequence: number): Buffer {
  const body = {
    notifyType: "REFUND_RESULT",
    result: wireResult(refund.resultCode),
    refundStatus: refund.status,
    refundRequestId: refund.refundRequestId,
    refundId: refund.refundId,
    paymentId: refund.paymentId,
    refundAmount: toAmount(refund.amount),
    ...(refund.status === "SUCCESS" &&
      refund.finishedAt && { refundTime: wireTime(refund.finishedAt.getTime()) }),
    ...(refund.metadata && { metadata: refund.metadata }),
    sequence,
  };
  return Buffer.from(JSON.stringify(body), "utf8");
}
