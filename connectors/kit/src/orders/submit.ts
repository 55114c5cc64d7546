import { type Answer, unknownOutcome } from "../protocol/answer.ts";
import type { SubmitCall } from "../protocol/messages.schema.ts";
import { parseWireTime } from "../protocol/wire-time.ts";
import { sendOnce } from "../provider/send-once.ts";
import type { Context, NewOrder, OrderReport } from "../connector.ts";
import type { Engine } from "../engine.ts";
import { hashContent, isOrder, toWireOrder, type Order, type OrderRow } from "./order.ts";
import { findOrder, inTransaction, newContextOf, orderLookup, withOrderLease } from "./leased-order.ts";
import { insertOrder, insertTombstone, markOrderSent, markOrderStoredError } from "./order.sql.ts";
import { reportOrder } from "./refresh-order.ts";

/** Creates an order at the provider. The same reference is always the same order, and a repeat returns its state. */
export async function submit(engine: Engine, call: SubmitCall): Promise<Answer> {
  const contextOf = newContextOf(engine, call.account ?? null);
  if (!contextOf)
    return { code: "MERCHANT_NOT_REGISTERED", detail: "No secrets of this account exist here." };
  const notAfterMs = parseWireTime(call.notAfter) ?? 0;
  const contentHash = hashContent(call);
  const row = await claimOrder(engine, call, { contentHash, isTooLate: engine.now().getTime() > notAfterMs });
  if (row === "too late") return { code: "ORDER_IS_CLOSED", fields: { order: closedOrder(call.reference) } };
  if (isOrder(row) && !contentHash.equals(row.contentHash ?? Buffer.alloc(0)))
    return { code: "REPEAT_REQ_INCONSISTENT" };
  if (row.state !== null) return orderAnswer(row);
  const answer = await withOrderLease(engine, call.reference, async (order) => {
    if (order.state !== null || !isOrder(order)) return orderAnswer(order);
    return sendOrder(engine, { call, order, contextOf, notAfterMs });
  });
  return answer === "busy" ? unknownOutcome : answer;
}

function closedOrder(reference: string): object {
  return { reference, state: "CLOSED" };
}

export function orderAnswer(order: OrderRow): Answer {
  return { code: "SUCCESS", fields: { order: toWireOrder(order) } };
}

/** Inserts the row of the order before the provider gets a message, or returns the row of an earlier request. */
async function claimOrder(
  engine: Engine,
  call: SubmitCall,
  { contentHash, isTooLate }: { readonly contentHash: Buffer; readonly isTooLate: boolean },
): Promise<OrderRow | "too late"> {
  const earlier = await findOrder(engine, call.reference);
  if (earlier) return earlier;
  const now = engine.now();
  const [inserted] = await inTransaction(engine, (tx) =>
    tx.query<OrderRow>(
      isTooLate ? insertTombstone(call.reference, now) : insertOrder(call, contentHash, now),
    ),
  );
  // A race: another process has inserted the order in the meantime.
  const row = inserted ?? (await findOrder(engine, call.reference));
  if (!row) throw new Error("An order that exists was not found.");
  return inserted && isTooLate ? "too late" : row;
}

interface SubmitContext {
  readonly call: SubmitCall;
  readonly order: Order;
  readonly contextOf: (idempotencyKey: string) => Context;
  readonly notAfterMs: number;
}

async function sendOrder(
  engine: Engine,
  { call, order, contextOf, notAfterMs }: SubmitContext,
): Promise<Answer> {
  const { connector, now, log, meter } = engine;
  const { reference } = call;
  const sent = await sendOnce<OrderReport>({
    record: order,
    notAfterMs,
    facts: connector.facts,
    now,
    contextOf,
    markSent: (keyNumber, at) =>
      inTransaction(engine, async (tx) => tx.write(markOrderSent(reference, keyNumber, at))),
    send: async (context) =>
      unsupported(connector, call) ?? (await connector.create(toNewOrder(call), context)),
    find: orderLookup(engine, order),
  });
  meter.add("provider_calls", `create ${sent.outcome}`);
  if (sent.outcome === "unknown") {
    log("warn", "The outcome of an order is unknown.", { reference, reason: sent.reason });
    if (sent.isStored) await inTransaction(engine, async (tx) => tx.write(markOrderStoredError(reference)));
    return unknownOutcome;
  }
  const report = sent.outcome === "reported" ? sent.report : closedReport(sent);
  const providerOrderId = report.providerOrderId || reference;
  return orderAnswer(await reportOrder(engine, reference, { ...report, providerOrderId }));
}

/** Declines an order by a code or a token that the connector does not accept. */
function unsupported(
  { acceptsPaymentCodes = false, acceptsAgreementTokens = false }: Engine["connector"],
  { paymentCode, agreementToken }: SubmitCall,
): { readonly outcome: "rejected"; readonly resultCode: string } | undefined {
  if (paymentCode !== undefined && !acceptsPaymentCodes)
    return { outcome: "rejected", resultCode: "INVALID_CODE" };
  if (agreementToken !== undefined && !acceptsAgreementTokens)
    return { outcome: "rejected", resultCode: "INVALID_ACCESS_TOKEN" };
  return undefined;
}

/** An order that the provider rejected is declined. An order that never arrived, or expired, is closed. */
function closedReport(
  sent:
    | { readonly outcome: "rejected"; readonly resultCode: string }
    | { readonly outcome: "expired" | "lost" },
): OrderReport {
  return sent.outcome === "rejected"
    ? { providerOrderId: "", state: "DECLINED", resultCode: sent.resultCode }
    : { providerOrderId: "", state: "CLOSED" };
}

/** The author's code gets the fields of an order, and none of the gateway's addresses. */
function toNewOrder(call: SubmitCall): NewOrder {
  const { notAfter: _notAfter, callbackUrl: _callbackUrl, capture = "AUTOMATIC", ...order } = call;
  return { ...order, capture };
}
