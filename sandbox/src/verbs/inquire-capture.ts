import { moneyAnswer } from "./money-verb.ts";
import { isHidden, isOfOtherAccount, isReference, malformed, type Verb } from "./verb.ts";

/** Returns the state of a capture. */
export const inquireCapture: Verb = {
  name: "inquire-capture",
  act(wallet, fields) {
    const { captureReference } = fields;
    if (!isReference(captureReference)) return malformed("captureReference");
    const record = wallet.projection.moneyRecord("capture", captureReference);
    const order = record && wallet.projection.order(record.reference);
    if (!record || isHidden(wallet, "capture", captureReference) || isOfOtherAccount(fields, order))
      return { code: "ORDER_NOT_EXIST" };
    return moneyAnswer(record);
  },
};
