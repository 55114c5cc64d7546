import { closedForGood, isHidden, isName, malformed, orderAnswer, type Verb } from "./verb.ts";

/** Says what has become of an order. */
export const inquire: Verb = {
  name: "inquire",
  act(wallet, { reference }) {
    if (!isName(reference)) return malformed("reference");
    if (isHidden(wallet, "submit", reference)) return { code: "ORDER_NOT_EXIST" };
    const order = wallet.book.order(reference);
    if (order) return orderAnswer(wallet, order);
    if (wallet.book.isTombstoned(reference)) return { code: "SUCCESS", fields: closedForGood(reference) };
    return { code: "ORDER_NOT_EXIST" };
  },
};
