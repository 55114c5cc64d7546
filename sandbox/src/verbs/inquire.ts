import { tombstoneReport, isHidden, isName, malformed, orderAnswer, type Verb } from "./verb.ts";

/** Returns the state of an order. */
export const inquire: Verb = {
  name: "inquire",
  act(wallet, { reference }) {
    if (!isName(reference)) return malformed("reference");
    if (isHidden(wallet, "submit", reference)) return { code: "ORDER_NOT_EXIST" };
    const order = wallet.book.order(reference);
    if (order) return orderAnswer(wallet, order);
    if (wallet.book.isTombstoned(reference)) return { code: "SUCCESS", fields: tombstoneReport(reference) };
    return { code: "ORDER_NOT_EXIST" };
  },
};
