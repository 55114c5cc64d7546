import { type Answer, unknownOutcome } from "../protocol/answer.ts";
import type { OrderCall } from "../protocol/messages.schema.ts";
import type { Engine } from "../engine.ts";
import { findOrder } from "./leased-order.ts";
import { isFinal, isOrder, type OrderRow } from "./order.ts";
import { refreshOrder } from "./refresh-order.ts";
import { orderAnswer } from "./submit.ts";

const notFound: Answer = { code: "ORDER_NOT_EXIST" };

/** A provider with separate accounts answers a call for another account as for an unknown order. */
export function isOfOtherAccount(order: OrderRow, account: string | undefined): boolean {
  return isOrder(order) && order.account !== (account ?? null);
}

/**
 * Returns the state of an order. An order that can still change is looked up at the provider first; if the provider does
 * not answer, the recorded state counts.
 */
export async function inquireOrder(engine: Engine, { reference, account }: OrderCall): Promise<Answer> {
  const order = await findOrder(engine, reference);
  if (!order || isOfOtherAccount(order, account)) return notFound;
  if (isFinal(order)) return orderAnswer(order);
  // The row exists, and no message was sent: a repeated submit will send it.
  if (isOrder(order) && order.firstSentAt === null) return notFound;
  const refreshed = await refreshOrder(engine, order);
  if (refreshed === "lost") return notFound;
  const current = refreshed === "unknown" ? order : refreshed.order;
  return current.state === null ? unknownOutcome : orderAnswer(current);
}
