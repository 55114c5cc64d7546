import { approval, eventRefusal, type Order } from "../wallet/order.ts";
import { changeState, type Wallet } from "../wallet/wallet.ts";
import {
  tombstoneReport,
  isName,
  isTime,
  isTooLate,
  malformed,
  orderAnswer,
  received,
  type Verb,
} from "./verb.ts";

/**
 * Closes an order permanently if it is neither paid nor declined, and releases a hold of which nothing was captured. An
 * unknown reference gets a tombstone, so that a submit in transit is rejected later. A cancel that arrives after its
 * `notAfter` closes nothing, because the buyer may have approved in the meantime.
 */
export const cancel: Verb = {
  name: "cancel",
  act(wallet, fields) {
    const { reference, notAfter } = fields;
    if (!isName(reference) || (notAfter !== undefined && !isTime(notAfter))) {
      wallet.record(received("cancel", fields, "malformed"));
      return malformed(isName(reference) ? "notAfter" : "reference");
    }
    const order = wallet.book.order(reference);
    const isOver = order ? eventRefusal(order, "close", wallet.now()) : wallet.book.isTombstoned(reference);
    if (!isOver && isTooLate(wallet, fields)) {
      wallet.record(received("cancel", fields, "too-late"));
      return { code: "MESSAGE_EXPIRED" };
    }
    if (order) return orderAnswer(wallet, close(wallet, order));
    wallet.record(received("cancel", fields, "tombstoned"));
    if (!wallet.book.isTombstoned(reference))
      wallet.record({ kind: "tombstone", reference, because: "cancel" });
    return { code: "SUCCESS", fields: tombstoneReport(reference) };
  },
};

function close(wallet: Wallet, order: Order): Order {
  const { reference, paymentId } = order;
  const log = (outcome: "closed" | "unchanged"): void =>
    wallet.record(received("cancel", { reference, paymentId }, outcome));
  if (eventRefusal(order, "close", wallet.now())) {
    log("unchanged");
    return order;
  }
  const canPay = order.state !== "AUTHORIZED";
  const hasPaid = canPay && wallet.faults.take(["pay-on-cancel"], { verb: "cancel", reference, paymentId });
  const paid = { by: "buyer", paidAmount: order.amount } as const;
  if (hasPaid && approval(order) === "pay") {
    log("unchanged");
    return changeState(wallet, order, { kind: "paid", ...paid });
  }
  // With the fault pay-on-cancel, the buyer's approval of a manual order is only a hold, and this same call releases
  // the hold again.
  const held = hasPaid ? changeState(wallet, order, { kind: "authorized", ...paid }) : order;
  log("closed");
  return changeState(wallet, held, { kind: "closed", by: "gateway" });
}
