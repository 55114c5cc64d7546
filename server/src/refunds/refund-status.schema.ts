import type { Meanings } from "../api/schemas.ts";
import type { RefundStatus } from "./refund.ts";

export const refundStatuses: Meanings<RefundStatus> = {
  PROCESSING: "The wallet has it, or will get it.",
  SUCCESS: "The buyer has the money back.",
  FAIL: "It did not go back; try again under a new id.",
};
