import { Type } from "typebox";
import { Time, withDescription, type Meanings } from "../contract/schemas.ts";
import type { RefundStatus } from "./refund.ts";

export const refundStatuses: Meanings<RefundStatus> = {
  PROCESSING: "The refund is in progress at the payment provider.",
  SUCCESS: "The money was returned to the buyer.",
  FAIL: "The refund failed, or the buyer's bank returned the money; try again with a new id.",
};

/** The field by which a merchant distinguishes a refund that failed from a refund that failed after it had succeeded. */
export const refundReversalTime = Type.Optional(
  withDescription(
    Time,
    "When the refund failed after it had succeeded, because the buyer's bank returned the money; only with `FAIL`. " +
      "The refund's effect on your balance is reversed.",
  ),
);
