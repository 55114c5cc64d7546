import { approval, eventRefusal, type Order } from "../order.ts";
import { changeState, type Wallet } from "../wallet.ts";
import { closedForGood, isName, malformed, orderAnswer, received, type Verb } from "./verb.ts";

/**
 * Closes an order for good, if nobody has paid or declined it; a hold of which nothing was captured is let
 * go. A reference that was never seen is closed
 * too: a submit that is still on its way must find the door shut.
 */
export const cancel: Verb = {
  name: "cancel",
  act(wallet, fields) {
    const { reference } = fields;
    if (!isName(reference)) {
      wallet.record(received("cancel", fields, "malformed"));
      return malformed("reference");
    }
    const order = wallet.book.order(reference);
    if (order) return orderAnswer(wallet, close(wallet, order));
    wallet.record(received("cancel", fields, "tombstoned"));
    if (!wallet.book.isTombstoned(reference))
      wallet.record({ kind: "tombstone", reference, because: "cancel" });
    return { code: "SUCCESS", fields: closedForGood(reference) };
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
  // What the buyer approves of a manual order is only held, and this same call lets it go again.
  const held = hasPaid ? changeState(wallet, order, { kind: "authorized", ...paid }) : order;
  log("closed");
  return changeState(wallet, held, { kind: "closed", by: "gateway" });
}
