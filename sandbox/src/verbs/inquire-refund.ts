import { refundOnTheWire } from "../wallet/refund.ts";
import { isHidden, isReference, malformed, type Verb } from "./verb.ts";

/** Returns the state of a refund. */
export const inquireRefund: Verb = {
  name: "inquire-refund",
  act(wallet, { refundReference }) {
    if (!isReference(refundReference)) return malformed("refundReference");
    const refund = wallet.projection.refund(refundReference);
    if (!refund || isHidden(wallet, "refund", refundReference)) return { code: "ORDER_NOT_EXIST" };
    return { code: "SUCCESS", fields: { refund: refundOnTheWire(refund) } };
  },
};
