import { renewExpiredCode } from "../wallet/wallet.ts";
import {
  tombstoneReport,
  isHidden,
  isOfOtherAccount,
  isReference,
  malformed,
  orderAnswer,
  type Verb,
} from "./verb.ts";

/** Returns the state of an order. */
export const inquire: Verb = {
  name: "inquire",
  act(wallet, fields) {
    const { reference } = fields;
    if (!isReference(reference)) return malformed("reference");
    if (isHidden(wallet, "submit", reference)) return { code: "ORDER_NOT_EXIST" };
    const order = wallet.projection.order(reference);
    if (isOfOtherAccount(fields, order)) return { code: "ORDER_NOT_EXIST" };
    if (order) return orderAnswer(wallet, renewExpiredCode(wallet, order));
    if (wallet.projection.isTombstoned(reference))
      return { code: "SUCCESS", fields: tombstoneReport(reference) };
    return { code: "ORDER_NOT_EXIST" };
  },
};
