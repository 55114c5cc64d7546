import type { MoneyReport } from "../connector.ts";
import type { Engine } from "../engine.ts";
import { findOrder, inTransaction, newContextOf } from "../orders/leased-order.ts";
import { isOrder, type Order } from "../orders/order.ts";
import { isArrivalOver, lookUp, type SendOptions } from "../provider/send-once.ts";
import { toMoneyOperation, type OperationRow } from "./operation.ts";
import { recordOperationReport } from "./record-operation-report.tx.ts";

/** The name under which a message about the operation is sent: a capture and a refund may have the same reference. */
export function sendName({ kind, reference }: Pick<OperationRow, "kind" | "reference">): string {
  return `${kind} ${reference}`;
}

/** The look-up of a capture or a refund, if the connector has one. */
export function operationLookup(
  { connector }: Engine,
  operation: OperationRow,
  order: Order,
): SendOptions<MoneyReport>["find"] {
  const find = (operation.kind === "capture" ? connector.findCapture : connector.findRefund)?.bind(connector);
  return find && ((context) => find(toMoneyOperation(operation, order), context));
}

/**
 * Records a report about a capture or a refund. `isInResponse`: the gateway gets it as a response, so it needs no
 * callback.
 */
export async function reportOperation(
  engine: Engine,
  operation: OperationRow,
  report: MoneyReport,
  isInResponse: boolean,
): Promise<OperationRow> {
  const { now, log, meter } = engine;
  const recorded = await inTransaction(engine, (tx) =>
    recordOperationReport(tx, operation, report, { now: now(), isInResponse }),
  );
  if (recorded.isContradiction) {
    const { kind, reference } = operation;
    meter.add("contradictions", kind);
    log("error", "The provider's report contradicts the recorded operation.", {
      reference,
      state: report.state,
    });
  }
  return recorded.operation;
}

/** `lost`: the provider has no such operation, and no message can reach it any more. */
export type RefreshedOperation =
  | { readonly outcome: "found"; readonly operation: OperationRow }
  | "lost"
  | "unknown";

/** Asks the provider about an operation, and records the answer. */
export async function refreshOperation(engine: Engine, operation: OperationRow): Promise<RefreshedOperation> {
  const { connector, meter, now } = engine;
  const order = await findOrder(engine, operation.orderReference);
  const contextOf = order && newContextOf(engine, order.account);
  if (!order || !isOrder(order) || !contextOf) return "unknown";
  const record = { ...operation, reference: sendName(operation) };
  const found = await lookUp({ record, contextOf, find: operationLookup(engine, operation, order) });
  meter.add("provider_calls", `find ${operation.kind} ${found.outcome}`);
  if (found.outcome === "found")
    return { outcome: "found", operation: await reportOperation(engine, operation, found.report, false) };
  const isLost =
    found.outcome === "not found" &&
    operation.state === null &&
    isArrivalOver(operation, connector.facts, now().getTime());
  return isLost ? "lost" : "unknown";
}
