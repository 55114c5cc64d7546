import type { Meanings } from "../contract/schemas.ts";
import type { CaptureStatus } from "./capture.ts";

export const captureStatuses: Meanings<CaptureStatus> = {
  PROCESSING: "The capture is in progress at the payment provider.",
  SUCCESS: "The money was captured.",
  FAIL: "The capture failed; try again with a new id.",
};
