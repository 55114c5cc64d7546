import { systemScope } from "../../../../server/src/postgres/database.ts";
import type { Tx } from "../../../../server/src/postgres/sql.ts";
import type { Amount, MoneyReport, Sent } from "../connector.ts";
import type { Engine } from "../engine.ts";
import { isOfOtherAccount } from "../orders/inquire-order.ts";
import { findOrder, inTransaction, newContextOf, withLease } from "../orders/leased-order.ts";
import { lockOrder } from "../orders/order.sql.ts";
import { isOrder, type Order, type OrderRow } from "../orders/order.ts";
import { refreshOrder } from "../orders/refresh-order.ts";
import { type Answer, unknownOutcome } from "../protocol/answer.ts";
import { parseWireTime } from "../protocol/wire-time.ts";
import { sendOnce } from "../provider/send-once.ts";
import {
  insertOperation,
  leaseOperation,
  markOperationSent,
  markOperationStoredError,
  rejectOperation,
  releaseOperation,
  reopenOperation,
  selectOperation,
  sumOperations,
} from "./money-operation.sql.ts";
import { toMoneyOperation, toWireOperation, type MoneyKind, type OperationRow } from "./operation.ts";
import { operationLookup, reportOperation, sendName } from "./refresh-operation.ts";

/** A capture or a refund that the gateway requests. */
export interface OperationCall {
  readonly kind: MoneyKind;
  /** The reference of the capture or the refund. */
  readonly operationReference: string;
  /** The reference of the order. */
  readonly reference: string;
  readonly account?: string | undefined;
  readonly amount: Amount;
  readonly isLast: boolean;
  readonly notAfter?: string | undefined;
}

const leaseSeconds = 30;

/** Captures or refunds. The same reference is always the same operation; a rejected one may be requested again. */
export async function requestOperation(engine: Engine, call: OperationCall): Promise<Answer> {
  const { kind, operationReference } = call;
  const order = await findOrder(engine, call.reference);
  if (!order || isOfOtherAccount(order, call.account)) return { code: "ORDER_NOT_EXIST" };
  if (!isOrder(order)) return { code: "ORDER_STATUS_INVALID" };
  // A webhook may be late: an order that is not paid yet for the connector is looked up first.
  if (order.state === "OPEN" || order.state === "PENDING" || order.state === null)
    await refreshOrder(engine, order);
  const claimed = await inTransaction(engine, (tx) => claimOperation(engine, tx, call));
  if ("code" in claimed) return claimed;
  const answer = await withLease(
    engine,
    {
      take: () =>
        inTransaction(
          engine,
          async (tx) =>
            (await tx.query<OperationRow>(leaseOperation(kind, operationReference, leaseSeconds)))[0],
        ),
      release: (tx) => tx.write(releaseOperation(kind, operationReference)),
    },
    (operation) =>
      operation.state === null
        ? sendOperation(engine, { call, order, operation })
        : Promise.resolve(operationAnswer(operation)),
  );
  return answer === "busy" ? unknownOutcome : answer;
}

export function operationAnswer(operation: OperationRow): Answer {
  if (operation.state === "REJECTED") return { code: operation.resultCode ?? "PROCESS_FAIL" };
  return { code: "SUCCESS", fields: { [operation.kind]: toWireOperation(operation) } };
}

/** Inserts the operation before the provider gets a message. The lock of the order keeps two requests within its amount. */
async function claimOperation(engine: Engine, tx: Tx, call: OperationCall): Promise<OperationRow | Answer> {
  const { kind, operationReference, amount } = call;
  const [order] = await tx.query<OrderRow>(lockOrder(call.reference));
  if (!order || !isOrder(order)) return { code: "ORDER_NOT_EXIST" };
  const [earlier] = await tx.query<OperationRow>(selectOperation(kind, operationReference));
  if (earlier && !isSame(earlier, call)) return { code: "REPEAT_REQ_INCONSISTENT" };
  if (earlier && earlier.state !== "REJECTED") return earlier;
  const now = engine.now();
  const isTooLate =
    call.notAfter !== undefined && now.getTime() > (parseWireTime(call.notAfter) ?? Number.POSITIVE_INFINITY);
  if (isTooLate) return { code: "MESSAGE_EXPIRED" };
  const refusal = await findRefusal(engine, tx, order, call);
  if (refusal !== undefined) return { code: refusal };
  const { reference, isLast } = call;
  const terms = { kind, reference: operationReference, orderReference: reference, isLast };
  const [operation] = await tx.query<OperationRow>(
    earlier
      ? reopenOperation(kind, operationReference)
      : insertOperation({ ...terms, currency: amount.currency, amountMinor: BigInt(amount.value) }, now),
  );
  if (!operation) throw new Error("An operation of a locked order was not stored.");
  return operation;
}

function isSame(earlier: OperationRow, { reference, amount }: OperationCall): boolean {
  return (
    earlier.orderReference === reference &&
    earlier.currency === amount.currency &&
    earlier.amountMinor === amount.value
  );
}

interface Sums {
  readonly capturedMinor: string;
  readonly refundedMinor: string;
  readonly hasLast: boolean;
  readonly captures: number;
  readonly refunds: number;
}

/** The first reason against the operation that the connector knows itself. */
async function findRefusal(
  { connector }: Engine,
  tx: Tx,
  order: Order,
  { kind, amount }: OperationCall,
): Promise<string | undefined> {
  const [sums] = await tx.query<Sums>(sumOperations(order.reference));
  if (!sums) throw new Error("A sum has no row.");
  const { facts } = connector;
  const minor = BigInt(amount.value);
  const isHeld = order.state === "AUTHORIZED" || (order.state === "LAPSED" && kind === "refund");
  if (kind === "capture") {
    if (!connector.capture || order.state !== "AUTHORIZED") return "ORDER_STATUS_INVALID";
    if (order.cancelState === "PROCESSING" || sums.hasLast) return "ORDER_STATUS_INVALID";
    if (amount.currency !== order.currency) return "CURRENCY_NOT_SUPPORT";
    const leftMinor = BigInt(order.amountMinor) - BigInt(sums.capturedMinor);
    if (minor > leftMinor) return "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT";
    return facts.captures === "ONE" && sums.captures > 0 ? "ORDER_STATUS_INVALID" : undefined;
  }
  if (!connector.refund || (order.state !== "PAID" && !(isHeld && sums.captures > 0)))
    return "ORDER_STATUS_INVALID";
  if (amount.currency !== order.currency) return "CURRENCY_NOT_SUPPORT";
  const takenMinor = BigInt(order.state === "PAID" ? order.amountMinor : sums.capturedMinor);
  if (minor > takenMinor - BigInt(sums.refundedMinor)) return "REFUND_AMOUNT_EXCEED";
  const isOnlyFull = facts.refunds === "FULL" && minor !== takenMinor;
  const isSecond = facts.refunds !== "MANY" && sums.refunds > 0;
  return isOnlyFull || isSecond ? "ORDER_STATUS_INVALID" : undefined;
}

interface OperationSend {
  readonly call: OperationCall;
  readonly order: Order;
  readonly operation: OperationRow;
}

async function sendOperation(engine: Engine, { call, order, operation }: OperationSend): Promise<Answer> {
  const { connector, now, log, meter } = engine;
  const { kind, reference } = operation;
  const contextOf = newContextOf(engine, order.account);
  if (!contextOf) return unknownOutcome;
  // The state of the order may have changed since the request began.
  const current = (await findOrder(engine, order.reference)) ?? order;
  const money = toMoneyOperation(operation, isOrder(current) ? current : order);
  const send = connector[kind]?.bind(connector);
  if (!send) return { code: "ORDER_STATUS_INVALID" };
  const sent = await sendOnce<MoneyReport>({
    record: { ...operation, reference: sendName(operation) },
    notAfterMs: call.notAfter === undefined ? undefined : parseWireTime(call.notAfter),
    facts: connector.facts,
    now,
    contextOf,
    markSent: (keyNumber, at) =>
      inTransaction(engine, async (tx) => tx.write(markOperationSent(kind, reference, keyNumber, at))),
    send: (context): Promise<Sent<MoneyReport>> => send(money, context),
    find: operationLookup(engine, operation, order),
  });
  meter.add("provider_calls", `${kind} ${sent.outcome}`);
  switch (sent.outcome) {
    case "unknown":
      log("warn", "The outcome of a capture or refund is unknown.", { reference, reason: sent.reason });
      if (sent.isStored)
        await inTransaction(engine, async (tx) => tx.write(markOperationStoredError(kind, reference)));
      return unknownOutcome;
    case "reported":
      return operationAnswer(await reportOperation(engine, operation, sent.report, true));
    case "rejected":
    case "expired":
    case "lost": {
      // Not sent, rejected, or never arrived: the provider did not act, and the gateway may request it again.
      const code =
        sent.outcome === "rejected"
          ? sent.resultCode
          : sent.outcome === "expired"
            ? "MESSAGE_EXPIRED"
            : "PROCESS_FAIL";
      await inTransaction(engine, async (tx) => tx.write(rejectOperation(kind, reference, code)));
      return { code };
    }
  }
}

export async function findOperation(
  { database }: Engine,
  kind: MoneyKind,
  reference: string,
): Promise<OperationRow | undefined> {
  const [row] = await database.reader(systemScope).query<OperationRow>(selectOperation(kind, reference));
  return row;
}
