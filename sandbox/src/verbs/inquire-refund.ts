import { refundOnTheWire } from "../wallet/refund.ts";
import { isHidden, isName, malformed, type Verb } from "./verb.ts";

/** Returns the state of a refund. */
export const inquireRefund: Verb = {
  name: "inquire-refund",
  act(wallet, { refundReference }) {
    if (!isName(refundReference)) return malformed("refundReference");
    const refund = wallet.book.refund(refundReference);
    if (!refund || isHidden(wallet, "refund", refundReference)) return { code: "ORDER_NOT_EXIST" };
    return { code: "SUCCESS", fields: { refund: refundOnTheWire(refund) } };
  },
};
