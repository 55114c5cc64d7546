import { systemScope } from "../../../../server/src/postgres/database.ts";
import type { Tx } from "../../../../server/src/postgres/sql.ts";
import { insertCallback } from "../callbacks/outbox.sql.ts";
import type { Context, DisputeReport } from "../connector.ts";
import type { Engine } from "../engine.ts";
import { errorPlace } from "../error-place.ts";
import { inTransaction, newContextOf } from "../orders/leased-order.ts";
import { selectOrderByProviderId } from "../orders/order.sql.ts";
import { isOrder, type Order, type OrderRow } from "../orders/order.ts";
import { idempotencyKey } from "../provider/send-once.ts";
import { insertDispute, lockDispute, updateDispute, type DisputeRow } from "./dispute.sql.ts";

const firstPollMs = 3_600_000;

/** The dispute in the form of the provider protocol. */
export function toWireDispute({ report, sequence, orderReference }: DisputeRow, paymentId: string): object {
  const { providerOrderId: _, ...fields } = report;
  return { reference: orderReference, paymentId, ...fields, sequence };
}

/** The context of a call about a dispute; undefined if the connector has no secrets of the account. */
export function disputeContext(
  engine: Engine,
  account: string | null,
  providerDisputeId: string,
): Context | undefined {
  return newContextOf(engine, account)?.(idempotencyKey(`dispute ${providerDisputeId}`, 1));
}

/** Asks the provider about a dispute and records the answer. Returns undefined without an answer, or without its order. */
export async function refreshDispute(
  engine: Engine,
  providerDisputeId: string,
  account: string | null,
): Promise<DisputeRow | undefined> {
  const { connector, meter } = engine;
  const context = disputeContext(engine, account, providerDisputeId);
  if (!context || !connector.disputes) return undefined;
  const found = await connector.disputes
    .find(providerDisputeId, context, account ?? undefined)
    .catch((error: unknown) => ({ outcome: "unknown", reason: errorPlace(error) }) as const);
  meter.add("provider_calls", `find dispute ${found.outcome}`);
  return found.outcome === "found" ? reportDispute(engine, found.report) : undefined;
}

/** Records a report about a dispute. Returns undefined if the order of the dispute is unknown. */
export async function reportDispute(engine: Engine, report: DisputeReport): Promise<DisputeRow | undefined> {
  const reader = engine.database.reader(systemScope);
  const [order] = await reader.query<OrderRow>(selectOrderByProviderId(report.providerOrderId));
  if (!order || !isOrder(order)) return undefined;
  return inTransaction(engine, (tx) => recordDispute(tx, order, report, engine.now()));
}

/** A new dispute, or a change of its state, gets a callback in the same transaction. */
async function recordDispute(tx: Tx, order: Order, report: DisputeReport, now: Date): Promise<DisputeRow> {
  const isOpen = report.state === "OPEN" || report.state === "DEFENDED";
  const pollAt = isOpen ? new Date(now.getTime() + firstPollMs) : undefined;
  const [inserted] = await tx.query<DisputeRow>(insertDispute(report, order.reference, pollAt));
  const [locked] = inserted ? [inserted] : await tx.query<DisputeRow>(lockDispute(report.providerDisputeId));
  if (!locked) throw new Error("A dispute that exists was not found.");
  if (!inserted && locked.state === report.state) return locked;
  const [changed] = inserted
    ? [inserted]
    : await tx.query<DisputeRow>(updateDispute(report, locked.sequence + 1, pollAt));
  if (!changed) throw new Error("A locked dispute was not updated.");
  const { reference, paymentId, callbackUrl } = order;
  const eventId = `dispute-${report.providerDisputeId}-${changed.sequence}`;
  const body = { eventId, reference, dispute: toWireDispute(changed, paymentId) };
  tx.write(insertCallback(eventId, callbackUrl, body, now));
  return changed;
}
