import { isArrivalOver, lookUp } from "../provider/send-once.ts";
import type { OrderReport } from "../connector.ts";
import type { Engine } from "../engine.ts";
import { inTransaction, newContextOf, orderLookup } from "./leased-order.ts";
import { isOrder, type OrderRow } from "./order.ts";
import { recordOrderReport } from "./record-order-report.tx.ts";

/** Records a report about an order. A report that contradicts the recorded state changes nothing, and alerts the operator. */
export async function reportOrder(engine: Engine, reference: string, report: OrderReport): Promise<OrderRow> {
  const { now, log, meter } = engine;
  const { order, isContradiction } = await inTransaction(engine, (tx) =>
    recordOrderReport(tx, reference, report, now()),
  );
  if (isContradiction) {
    meter.add("contradictions", "order");
    log("error", "The provider's report contradicts the recorded order.", { reference, state: report.state });
  }
  return order;
}

/** `lost`: the provider has no such order, and no message can reach it any more. */
export type RefreshedOrder = { readonly outcome: "found"; readonly order: OrderRow } | "lost" | "unknown";

/** `refreshOrder` asks the provider about an order, and records the answer. */
export async function refreshOrder(engine: Engine, order: OrderRow): Promise<RefreshedOrder> {
  const { connector, now, meter } = engine;
  if (!isOrder(order) || order.firstSentAt === null) return "unknown";
  const contextOf = newContextOf(engine, order.account);
  if (!contextOf) return "unknown";
  const found = await lookUp({ record: order, contextOf, find: orderLookup(engine, order) });
  meter.add("provider_calls", `findOrder ${found.outcome}`);
  if (found.outcome === "found")
    return { outcome: "found", order: await reportOrder(engine, order.reference, found.report) };
  const isLost =
    found.outcome === "not found" &&
    order.state === null &&
    isArrivalOver(order, connector.facts, now().getTime());
  return isLost ? "lost" : "unknown";
}
