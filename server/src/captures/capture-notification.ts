import { toAmount } from "../core/money.ts";
import { wireTime } from "../core/request-time.ts";
import { wireResult } from "../core/result.ts";
import type { Capture } from "./capture.ts";

/**
 * `captureNotificationBody` returns the body of `notifyCapture`. The bytes are stored, so that each delivery attempt
 * sends the same body.
 */
export function captureNotificationBody(capture: Capture, sequence: number): Buffer {
  const { captureRequestId, captureId, paymentId, amount, finishedAt } = capture;
  const body = {
    notifyType: "CAPTURE_RESULT",
    result: wireResult(capture.resultCode),
    captureRequestId,
    captureId,
    paymentId,
    captureAmount: toAmount(amount),
    ...(capture.status === "SUCCESS" && finishedAt && { captureTime: wireTime(finishedAt.getTime()) }),
    sequence,
  };
  return Buffer.from(JSON.stringify(body), "utf8");
}
