import { toAmount } from "../core/money.ts";
import { formatWireTime } from "../core/request-time.ts";
import { toWireResult } from "../core/result.ts";
import type { Capture } from "./capture.ts";

/**
 * `buildCaptureNotification` returns the body of `notifyCapture`. The bytes are stored, so that each delivery attempt
 * sends the same body.
 */
export function buildCaptureNotification(capture: Capture, sequence: number): Buffer {
  const { captureRequestId, captureId, paymentId, amount, finishedAt } = capture;
  const body = {
    notifyType: "CAPTURE_RESULT",
    result: toWireResult(capture.resultCode),
    captureRequestId,
    captureId,
    paymentId,
    captureAmount: toAmount(amount),
    ...(capture.status === "SUCCESS" && finishedAt && { captureTime: formatWireTime(finishedAt.getTime()) }),
    sequence,
  };
  return Buffer.from(JSON.stringify(body), "utf8");
}
