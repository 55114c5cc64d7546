import type { Meanings } from "../api/schemas.ts";
import type { CaptureStatus } from "./capture.ts";

export const captureStatuses: Meanings<CaptureStatus> = {
  PROCESSING: "The wallet has it, or will get it.",
  SUCCESS: "The money was taken.",
  FAIL: "It was not taken; try again under a new id.",
};
