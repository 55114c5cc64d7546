import { systemScope } from "../../../../server/src/postgres/database.ts";
import type { MoneyReport, OrderReport, WebhookEvent } from "../connector.ts";
import { refreshDispute } from "../disputes/refresh-dispute.ts";
import type { Engine } from "../engine.ts";
import { ownAccount } from "../provider/account-secrets.ts";
import { selectOperation, selectOperationByProviderId } from "../money/money-operation.sql.ts";
import type { MoneyKind, OperationRow } from "../money/operation.ts";
import { refreshOperation, reportOperation } from "../money/refresh-operation.ts";
import { inTransaction } from "../orders/leased-order.ts";
import { selectOrder, selectOrderByProviderId } from "../orders/order.sql.ts";
import { isOrder, type OrderRow } from "../orders/order.ts";
import { refreshOrder, reportOrder } from "../orders/refresh-order.ts";
import { finishEvent, takeDueEvents, type EventRow } from "./inbox.sql.ts";

const countMax = 20;
/** A webhook about an unknown subject can overtake the answer to our message, but not for a day. */
const giveUpMs = 24 * 3600 * 1000;

/** Handles due events of the inbox; returns their number. */
export async function handleEvents(engine: Engine): Promise<number> {
  const now = engine.now();
  const events = await inTransaction(engine, (tx) => tx.query<EventRow>(takeDueEvents(now, countMax)));
  await Promise.all(events.map((row) => handleEvent(engine, row)));
  return events.length;
}

async function handleEvent(engine: Engine, row: EventRow): Promise<void> {
  const { event, eventId, account, receivedAt } = row;
  const isHandled =
    event.subject === "dispute"
      ? await handleDisputeEvent(engine, row)
      : event.subject === "order"
        ? await handleOrderEvent(engine, event)
        : await handleMoneyEvent(engine, event, event.subject);
  const isTooOld = engine.now().getTime() - receivedAt.getTime() > giveUpMs;
  if (!isHandled && !isTooOld) return;
  if (!isHandled)
    engine.log("error", "A webhook event has no known subject, and is dropped.", { eventId, account });
  await inTransaction(engine, async (tx) => tx.write(finishEvent(account, eventId)));
}

/** A dispute can be new, so its order is known only after the look-up. */
async function handleDisputeEvent(engine: Engine, { event, account }: EventRow): Promise<boolean> {
  const { disputes } = engine.connector;
  if (!disputes) return true;
  const orderAccount = event.account ?? (account === ownAccount ? null : account);
  return (await refreshDispute(engine, event.providerId ?? "", orderAccount)) !== undefined;
}

async function handleOrderEvent(engine: Engine, event: WebhookEvent): Promise<boolean> {
  const { reference, providerId } = event;
  const reader = engine.database.reader(systemScope);
  const statement =
    reference === undefined ? selectOrderByProviderId(providerId ?? "") : selectOrder(reference);
  const [order] = await reader.query<OrderRow>(statement);
  if (!order || !isOrder(order)) return false;
  if (engine.connector.findOrder) return typeof (await refreshOrder(engine, order)) !== "string";
  // Without a look-up, the verified webhook is the only source.
  if (event.report) await reportOrder(engine, order.reference, event.report as OrderReport);
  return true;
}

async function handleMoneyEvent(engine: Engine, event: WebhookEvent, kind: MoneyKind): Promise<boolean> {
  const { reference, providerId } = event;
  const reader = engine.database.reader(systemScope);
  const statement =
    reference === undefined
      ? selectOperationByProviderId(kind, providerId ?? "")
      : selectOperation(kind, reference);
  const [operation] = await reader.query<OperationRow>(statement);
  if (!operation) return false;
  const canLookUp = kind === "capture" ? engine.connector.findCapture : engine.connector.findRefund;
  if (canLookUp) return typeof (await refreshOperation(engine, operation)) !== "string";
  if (event.report) await reportOperation(engine, operation, event.report as MoneyReport, false);
  return true;
}
