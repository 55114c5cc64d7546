import type { Tx } from "../../../../server/src/postgres/sql.ts";
import { insertCallback } from "../callbacks/outbox.sql.ts";
import type { OrderReport } from "../connector.ts";
import { decideChange, isFinal, isOrder, toWireOrder, type OrderRow } from "./order.ts";
import { lockOrder, updateOrder } from "./order.sql.ts";

/** First poll of an order without a change. Most providers send a webhook earlier. */
const firstPollMs = 30_000;

export interface RecordedOrder {
  readonly order: OrderRow;
  /** The report contradicts the recorded state, so it changed nothing. */
  readonly isContradiction: boolean;
}

/**
 * Records what the provider reports about an order, and stores a callback for a change that the gateway may not know
 * from a response.
 */
export async function recordOrderReport(
  tx: Tx,
  reference: string,
  report: OrderReport,
  now: Date,
): Promise<RecordedOrder> {
  const [order] = await tx.query<OrderRow>(lockOrder(reference));
  if (!order || !isOrder(order))
    throw new Error("A report is recorded only for an order that was submitted.");
  const change = decideChange(order, report);
  if (change === "same") return { order, isContradiction: false };
  if (change === "contradiction") return { order, isContradiction: true };
  const pollAt = isFinal(change) ? undefined : new Date(now.getTime() + firstPollMs);
  const [changed] = await tx.query<OrderRow>(updateOrder(reference, change, pollAt));
  if (!changed) throw new Error("A locked order was not updated.");
  // The response to the submit reports the first state.
  const isFirst = order.state === null && change.state === "OPEN";
  if (!isFirst) {
    const eventId = `${reference}-${changed.sequence}`;
    tx.write(
      insertCallback(eventId, order.callbackUrl, { eventId, reference, order: toWireOrder(changed) }, now),
    );
  }
  return { order: changed, isContradiction: false };
}
