import { planEnd } from "../wallet/end-operation.ts";
import { approvalEvent, eventRefusal, type Order } from "../wallet/order.ts";
import { changeCancel, changeState, type Wallet } from "../wallet/wallet.ts";
import {
  tombstoneReport,
  isOfOtherAccount,
  isReference,
  isTime,
  isTooLate,
  malformed,
  orderAnswer,
  callRecord,
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
    if (!isReference(reference) || (notAfter !== undefined && !isTime(notAfter))) {
      wallet.record(callRecord("cancel", fields, "malformed"));
      return malformed(isReference(reference) ? "notAfter" : "reference");
    }
    const order = wallet.projection.order(reference);
    if (isOfOtherAccount(fields, order)) {
      wallet.record(callRecord("cancel", fields, "refused"));
      return { code: "ORDER_NOT_EXIST" };
    }
    const hasActed = order
      ? order.cancel?.state === "PROCESSING" || eventRefusal(order, "close", wallet.now())
      : wallet.projection.isTombstoned(reference);
    if (!hasActed && isTooLate(wallet, fields)) {
      wallet.record(callRecord("cancel", fields, "too-late"));
      return { code: "MESSAGE_EXPIRED" };
    }
    if (order) return orderAnswer(wallet, close(wallet, order));
    wallet.record(callRecord("cancel", fields, "tombstoned"));
    if (!wallet.projection.isTombstoned(reference))
      wallet.record({ kind: "tombstone", reference, because: "cancel" });
    return { code: "SUCCESS", fields: tombstoneReport(reference) };
  },
};

function close(wallet: Wallet, order: Order): Order {
  const { reference, paymentId } = order;
  const log = (outcome: "closed" | "unchanged" | "repeated" | "started"): void =>
    wallet.record(callRecord("cancel", { reference, paymentId }, outcome));
  if (order.cancel?.state === "PROCESSING") {
    log("repeated");
    return order;
  }
  if (eventRefusal(order, "close", wallet.now())) {
    log("unchanged");
    return order;
  }
  const pending = wallet.faults.take(["cancel-pending"], { verb: "cancel", reference, paymentId });
  if (pending) {
    log("started");
    return changeCancel(wallet, order, { kind: "cancel-started", ...planEnd(pending, wallet.now()) });
  }
  const canPay = order.state !== "AUTHORIZED";
  const hasPaid = canPay && wallet.faults.take(["pay-on-cancel"], { verb: "cancel", reference, paymentId });
  const paid = { by: "buyer", paidAmount: order.amount } as const;
  if (hasPaid && approvalEvent(order) === "pay") {
    log("unchanged");
    return changeState(wallet, order, { kind: "paid", ...paid });
  }
  // With the fault pay-on-cancel, the buyer's approval of a manual order is only a hold, and this same call releases
  // the hold again.
  const authorizedOrder = hasPaid ? changeState(wallet, order, { kind: "authorized", ...paid }) : order;
  log("closed");
  return changeState(wallet, authorizedOrder, { kind: "closed", by: "gateway" });
}
