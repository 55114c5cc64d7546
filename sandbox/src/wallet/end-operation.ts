import { heldMinor, eventRefusal, type Order } from "./order.ts";
import type { MoneyRecord, MoneyTerms, PlannedEnd } from "./money-record.ts";
import type { Fault } from "./faults.ts";
import { changeCancel, changeState, type Wallet } from "./wallet.ts";
import { exactTime } from "./wire-time.ts";

/** How an operation ends by itself that a fault keeps pending. Without a delay, the control API must end it. */
export function planEnd({ delayMs, outcome, resultCode }: Fault, nowMs: number): PlannedEnd {
  if (delayMs === 0) return {};
  const finishTime = exactTime(nowMs + delayMs);
  return { finishTime, ...(outcome === "FAILED" && { failsWith: resultCode }) };
}

/** Completes a capture, a new or a pending one: the shop has the money. The last capture releases the rest. */
export function finishMoney(wallet: Wallet, terms: MoneyTerms): void {
  const { kind, reference, paymentId, providerOrderId, moneyReference, providerMoneyId, amount } = terms;
  const named = { reference, paymentId, providerOrderId, amount };
  if (kind === "refund") {
    const refund = { refundReference: moneyReference, providerRefundId: providerMoneyId };
    return wallet.record({ kind: "refunded", ...named, ...refund });
  }
  const releasedMinor = terms.isLast ? restMinor(wallet, terms) : 0n;
  wallet.record({
    kind: "captured",
    ...named,
    captureReference: moneyReference,
    providerCaptureId: providerMoneyId,
    // The release is in the same line of the journal, because a crash between two lines would leave a hold that is
    // never released.
    ...(releasedMinor > 0n && { released: { ...amount, value: String(releasedMinor) } }),
  });
}

/** The rest of a hold after its last capture. A pending capture is not in the held amount any more. */
function restMinor({ projection }: Wallet, { providerOrderId, providerMoneyId, amount }: MoneyTerms): bigint {
  const order = projection.orderById(providerOrderId);
  if (!order) return 0n;
  const isPending = projection.moneyRecordById(providerMoneyId) !== undefined;
  return heldMinor(order) - (isPending ? 0n : BigInt(amount.value));
}

/** Fails a pending capture or refund, or a refund that was done: its money has come back from the buyer's bank. */
export function failMoney(wallet: Wallet, record: MoneyRecord, resultCode: string): void {
  const { kind, reference, paymentId, providerOrderId, moneyReference, providerMoneyId } = record;
  const named = { reference, paymentId, providerOrderId, amount: record.amount, resultCode };
  if (kind === "capture") {
    const capture = { captureReference: moneyReference, providerCaptureId: providerMoneyId };
    return wallet.record({ kind: "capture-failed", ...named, ...capture });
  }
  wallet.record({
    kind: "refund-failed",
    ...named,
    refundReference: moneyReference,
    providerRefundId: providerMoneyId,
    ...(record.state === "DONE" && { isReversal: true }),
  });
}

/** Ends a pending cancel: closes the order, or fails if `resultCode` is set or the order can not be closed any more. */
export function endCancel(wallet: Wallet, order: Order, resultCode?: string): void {
  const failure =
    resultCode ??
    (eventRefusal(order, "close", wallet.now()) === undefined ? undefined : "ORDER_STATUS_INVALID");
  if (failure === undefined) changeState(wallet, order, { kind: "closed", by: "gateway" });
  else changeCancel(wallet, order, { kind: "cancel-failed", resultCode: failure });
}
