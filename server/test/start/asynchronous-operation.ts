import assert from "node:assert/strict";
import {
  amount,
  approvePayment,
  sendRequest,
  rows,
  type ApprovedPayment,
  type AsynchronousProvider,
  type TestTill,
} from "./asynchronous-provider.ts";
import type { ProviderRequest } from "./scripted-provider.ts";
import { eventually } from "./test-process.ts";

/** A merchant's request whose result a provider reports later. */
export interface Operation {
  readonly verb: "capture" | "refund" | "cancel";
  readonly captureMode: "AUTOMATIC" | "MANUAL";
  /** The field of a callback, and the name of the request to the provider. */
  readonly kind: "capture" | "refund";
  readonly table: string;
  readonly idColumn: string;
  readonly body: (paymentId: string, number: number) => object;
}

export const capture: Operation = {
  verb: "capture",
  captureMode: "MANUAL",
  kind: "capture",
  table: "captures",
  idColumn: "capture_id",
  body: (paymentId, number) => ({
    captureRequestId: `c${number}-${paymentId}`,
    paymentId,
    captureAmount: amount,
  }),
};
export const refund: Operation = {
  verb: "refund",
  captureMode: "AUTOMATIC",
  kind: "refund",
  table: "refunds",
  idColumn: "refund_id",
  body: (paymentId, number) => ({
    refundRequestId: `r${number}-${paymentId}`,
    paymentId,
    refundAmount: amount,
  }),
};
/** The cancel of a paid payment, which is a refund at the provider. */
export const cancel: Operation = {
  verb: "cancel",
  captureMode: "AUTOMATIC",
  kind: "refund",
  table: "reversals",
  idColumn: "reversal_id",
  body: (paymentId) => ({ paymentId }),
};
/** The cancel of an authorized payment, which releases its hold. */
export const release: Operation = { ...cancel, captureMode: "MANUAL" };

interface MoneyRecord {
  readonly id: string;
  readonly reference: string;
  readonly status: string;
  readonly isAccepted: boolean;
}

/** An operation that the provider has accepted. */
export interface Begun {
  readonly payment: ApprovedPayment;
  readonly record: MoneyRecord;
}

/** The newest capture, refund or reversal of a payment. */
export async function findRecord(
  till: TestTill,
  { table, idColumn }: Operation,
  paymentId: string,
): Promise<MoneyRecord | undefined> {
  const [record] = await rows<MoneyRecord>(
    till,
    `select ${idColumn} as id, reference, status, accepted_at is not null as "isAccepted"
     from ${table} where payment_id = $1 order by created_at desc limit 1`,
    paymentId,
  );
  return record;
}

export async function waitForStatus(
  till: TestTill,
  operation: Operation,
  paymentId: string,
  status: string,
): Promise<void> {
  await eventually(
    15_000,
    () => findRecord(till, operation, paymentId),
    (record) => record?.status === status,
  );
}

let paymentCount = 0;

/** Approves a payment, and begins an operation on it, which the provider accepts. */
export async function begin(till: TestTill, operation: Operation, method = "GCASH"): Promise<Begun> {
  paymentCount += 1;
  const payment = await approvePayment(till, `asynchronous-${paymentCount}`, operation.captureMode, method);
  return { payment, record: await beginAgain(till, operation, payment) };
}

export async function beginAgain(
  till: TestTill,
  operation: Operation,
  { paymentId }: ApprovedPayment,
  number = 1,
): Promise<MoneyRecord> {
  const { result } = await sendRequest(till, operation.verb, operation.body(paymentId, number));
  assert.equal(result["resultStatus"], "U", JSON.stringify(result));
  const record = await eventually(
    30_000,
    () => findRecord(till, operation, paymentId),
    (found) => found?.isAccepted === true && found.status === "PROCESSING",
  );
  return record ?? assert.fail();
}

/** The content of a callback about a capture or a refund. */
export function moneyContent(
  { kind }: Operation,
  { payment: { reference }, record }: Begun,
  state: string,
  more: object = {},
): object {
  return { [kind]: { reference, [`${kind}Reference`]: record.reference, state, amount, ...more } };
}

/** Number of requests that a provider got about an order, a capture or a refund. */
export function countRequests({ requests }: AsynchronousProvider, verb: string, reference: string): number {
  const isCounted = ({ fields, ...sent }: ProviderRequest): boolean =>
    sent.verb === verb &&
    [fields.captureReference, fields.refundReference, fields.reference].includes(reference);
  return requests.filter(isCounted).length;
}

/** Number of ledger effects of an operation. A cancel is posted under the id of its payment. */
export async function countEffects(
  till: TestTill,
  { record: { id }, payment: { paymentId } }: Begun,
): Promise<number> {
  const [row] = await rows<{ effects: number }>(
    till,
    `select count(distinct (subject_id, effect))::int as effects from ledger_transfers
     where subject_id = $1 or (subject_id = $2 and effect = 'cancel')`,
    id,
    paymentId,
  );
  return row?.effects ?? 0;
}
