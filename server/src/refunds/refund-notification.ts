import { toAmount } from "../core/money.ts";
import { results } from "../core/result.ts";
import { wireTime } from "../core/request-time.ts";
import type { Refund } from "./refund.ts";

/** The body of notifyRefund, as bytes that every attempt repeats. The sequence is the payment's. */
export function refundNotificationBody(refund: Refund, sequence: number): Buffer {
  const { status, message } = results[refund.resultCode];
  const body = {
    notifyType: "REFUND_RESULT",
    result: { resultCode: refund.resultCode, resultStatus: status, resultMessage: message },
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
