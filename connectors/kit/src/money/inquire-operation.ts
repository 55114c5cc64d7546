import { type Answer, unknownOutcome } from "../protocol/answer.ts";
import type { Engine } from "../engine.ts";
import { isOfOtherAccount } from "../orders/inquire-order.ts";
import { findOrder } from "../orders/leased-order.ts";
import type { MoneyKind } from "./operation.ts";
import { refreshOperation } from "./refresh-operation.ts";
import { findOperation, operationAnswer } from "./request-operation.ts";

const notFound: Answer = { code: "ORDER_NOT_EXIST" };

export interface OperationInquiry {
  readonly kind: MoneyKind;
  readonly operationReference: string;
  readonly account?: string | undefined;
}

/** Returns the state of a capture or a refund. One that can still change is looked up at the provider first. */
export async function inquireOperation(
  engine: Engine,
  { kind, operationReference, account }: OperationInquiry,
): Promise<Answer> {
  const operation = await findOperation(engine, kind, operationReference);
  const order = operation && (await findOrder(engine, operation.orderReference));
  if (!operation || !order || isOfOtherAccount(order, account)) return notFound;
  // A rejected operation does not exist at the provider.
  if (operation.state === "REJECTED") return notFound;
  if (operation.state === null && operation.firstSentAt === null) return notFound;
  if (operation.state === "DONE" || operation.state === "FAILED") return operationAnswer(operation);
  const refreshed = await refreshOperation(engine, operation);
  if (refreshed === "lost") return notFound;
  const current = refreshed === "unknown" ? operation : refreshed.operation;
  return current.state === null ? unknownOutcome : operationAnswer(current);
}
