import type { Meanings } from "../contract/schemas.ts";
import type { RefundStatus } from "./refund.ts";

export const refundStatuses: Meanings<RefundStatus> = {
  PROCESSING: "The refund is in progress at the payment provider.",
  SUCCESS: "The money was returned to the buyer.",
  FAIL: "The refund failed; try again with a new id.",
};
