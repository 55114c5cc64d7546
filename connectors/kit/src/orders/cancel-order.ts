import { type Answer, unknownOutcome } from "../protocol/answer.ts";
import type { CancelCall } from "../protocol/messages.schema.ts";
import { parseWireTime } from "../protocol/wire-time.ts";
import { idempotencyKey } from "../provider/send-once.ts";
import type { OrderReport } from "../connector.ts";
import type { Engine } from "../engine.ts";
import { errorPlace } from "../error-place.ts";
import { countCaptures } from "../money/money-operation.sql.ts";
import { systemScope } from "../../../../server/src/postgres/database.ts";
import { findOrder, inTransaction, newContextOf, withOrderLease } from "./leased-order.ts";
import { isOfOtherAccount } from "./inquire-order.ts";
import { isOrder, toKnownOrder, type Order, type OrderRow } from "./order.ts";
import { insertTombstone } from "./order.sql.ts";
import { refreshOrder, reportOrder } from "./refresh-order.ts";
import { orderAnswer } from "./submit.ts";

/**
 * Closes an order that is not paid, or releases a hold of which nothing was captured. An unknown reference gets a
 * tombstone, so a submit that is still on its way opens no order.
 */
export async function cancelOrder(engine: Engine, call: CancelCall): Promise<Answer> {
  const { reference, notAfter } = call;
  const isTooLate =
    notAfter !== undefined && engine.now().getTime() > (parseWireTime(notAfter) ?? Number.POSITIVE_INFINITY);
  const order =
    (await findOrder(engine, reference)) ?? (isTooLate ? undefined : await bury(engine, reference));
  if (!order) return { code: "MESSAGE_EXPIRED" };
  if (isOfOtherAccount(order, call.account)) return { code: "ORDER_NOT_EXIST" };
  if (!isOrder(order)) return orderAnswer(order);
  const answer = await withOrderLease(engine, reference, (leased) =>
    isOrder(leased) ? cancelLeased(engine, leased, isTooLate) : Promise.resolve(orderAnswer(leased)),
  );
  return answer === "busy" ? unknownOutcome : answer;
}

/** Inserts a tombstone. A race with a submit is possible: then the row is the order. */
async function bury(engine: Engine, reference: string): Promise<OrderRow | undefined> {
  const [row] = await inTransaction(engine, (tx) =>
    tx.query<OrderRow>(insertTombstone(reference, engine.now())),
  );
  return row ?? findOrder(engine, reference);
}

async function cancelLeased(engine: Engine, leased: Order, isTooLate: boolean): Promise<Answer> {
  const close = async (report: OrderReport): Promise<Answer> =>
    orderAnswer(await reportOrder(engine, leased.reference, report));
  // A row without a message: the process ended before it sent anything, and the lease keeps others from sending.
  if (leased.firstSentAt === null)
    return isTooLate
      ? { code: "MESSAGE_EXPIRED" }
      : close({ providerOrderId: leased.reference, state: "CLOSED" });
  const order = await resolveOutcome(engine, leased);
  if (order === "lost") return close({ providerOrderId: leased.reference, state: "CLOSED" });
  if (order === "unknown" || !isOrder(order)) return unknownOutcome;
  if (!["OPEN", "PENDING", "AUTHORIZED"].includes(order.state ?? "") || order.cancelState === "PROCESSING")
    return orderAnswer(order);
  if (order.state === "AUTHORIZED" && (await hasCaptures(engine, order))) return orderAnswer(order);
  if (isTooLate) return { code: "MESSAGE_EXPIRED" };
  return sendCancel(engine, order);
}

/** An order whose message had no answer is looked up first. */
async function resolveOutcome(engine: Engine, leased: Order): Promise<OrderRow | "lost" | "unknown"> {
  if (leased.state !== null) return leased;
  const refreshed = await refreshOrder(engine, leased);
  return typeof refreshed === "string" ? refreshed : refreshed.order;
}

async function hasCaptures({ database }: Engine, { reference }: Order): Promise<boolean> {
  const [row] = await database.reader(systemScope).query<{ count: number }>(countCaptures(reference));
  return (row?.count ?? 0) > 0;
}

/** A repeated cancel is harmless: the state of the order decides. After an unknown outcome the provider is asked. */
async function sendCancel(engine: Engine, order: Order): Promise<Answer> {
  const { connector, meter, log } = engine;
  const contextOf = newContextOf(engine, order.account);
  if (!contextOf) return unknownOutcome;
  const { reference } = order;
  const key = idempotencyKey(`cancel ${reference}`, order.sequence);
  const sent = await connector
    .cancel(toKnownOrder(order), contextOf(key))
    .catch((error: unknown) => ({ outcome: "unknown", reason: errorPlace(error) }) as const);
  meter.add("provider_calls", `cancel ${sent.outcome}`);
  if (sent.outcome === "reported") return orderAnswer(await reportOrder(engine, reference, sent.report));
  if (sent.outcome === "unknown")
    log("warn", "The outcome of a cancel is unknown.", { reference, reason: sent.reason });
  const refreshed = await refreshOrder(engine, order);
  return typeof refreshed === "string" ? unknownOutcome : orderAnswer(refreshed.order);
}
