import { moneyAnswer } from "./money-verb.ts";
import { isHidden, isOfOtherAccount, isReference, malformed, type Verb } from "./verb.ts";

/** Returns the state of a refund. */
export const inquireRefund: Verb = {
  name: "inquire-refund",
  act(wallet, fields) {
    const { refundReference } = fields;
    if (!isReference(refundReference)) return malformed("refundReference");
    const record = wallet.projection.moneyRecord("refund", refundReference);
    const order = record && wallet.projection.order(record.reference);
    if (!record || isHidden(wallet, "refund", refundReference) || isOfOtherAccount(fields, order))
      return { code: "ORDER_NOT_EXIST" };
    return moneyAnswer(record);
  },
};
