import type { Tx } from "../../../../server/src/postgres/sql.ts";
import { insertCallback } from "../callbacks/outbox.sql.ts";
import type { MoneyReport } from "../connector.ts";
import type { OrderRow } from "../orders/order.ts";
import { selectOrder } from "../orders/order.sql.ts";
import { lockOperation, updateOperation } from "./money-operation.sql.ts";
import { decideOperationChange, toWireOperation, type MoneyKind, type OperationRow } from "./operation.ts";

const firstPollMs = 30_000;

export interface OperationKey {
  readonly kind: MoneyKind;
  readonly reference: string;
}

export interface RecordedOperation {
  readonly operation: OperationRow;
  readonly isContradiction: boolean;
}

/** Records what the provider reports about a capture or a refund. `isInResponse`: the gateway gets it as a response. */
export async function recordOperationReport(
  tx: Tx,
  { kind, reference }: OperationKey,
  report: MoneyReport,
  { now, isInResponse }: { readonly now: Date; readonly isInResponse: boolean },
): Promise<RecordedOperation> {
  const [operation] = await tx.query<OperationRow>(lockOperation(kind, reference));
  if (!operation) throw new Error("A report is recorded only for an operation that was requested.");
  const change = decideOperationChange(operation, report);
  if (change === "same") return { operation, isContradiction: false };
  if (change === "contradiction") return { operation, isContradiction: true };
  const pollAt = change.state === "PROCESSING" ? new Date(now.getTime() + firstPollMs) : undefined;
  const [changed] = await tx.query<OperationRow>(updateOperation(kind, reference, change, pollAt));
  const [order] = await tx.query<OrderRow>(selectOrder(operation.orderReference));
  if (!changed || !order) throw new Error("A locked operation was not updated.");
  if (!isInResponse && order.callbackUrl !== null) {
    const eventId = `${kind}-${reference}-${changed.sequence}`;
    const body = { eventId, reference: order.reference, [kind]: toWireOperation(changed) };
    tx.write(insertCallback(eventId, order.callbackUrl, body, now));
  }
  return { operation: changed, isContradiction: false };
}
