import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { leaseSeconds } from "../jobs/job.sql.ts";
import type { Statement, Tx } from "../postgres/sql.ts";
import { findPayment, insertPayments, paymentColumns } from "./payment.sql.ts";
import type { Payment } from "./payment.ts";
import { examplePayment } from "../../test/examples/example-payment.ts";

/** A fake transaction that records each statement and returns these rows. */
function recordingTx(rows: readonly object[]): { readonly tx: Tx; readonly sent: Statement[] } {
  const sent: Statement[] = [];
  const query = async <Row>(statement: Statement): Promise<Row[]> => {
    sent.push(statement);
    return rows as Row[];
  };
  return { tx: { query, write: (statement) => void sent.push(statement) }, sent };
}

test("new payments are inserted by one statement, with one array per column", async () => {
  const { tx, sent } = recordingTx([]);
  const notifyUrl = "https://shop.example/notify";
  await insertPayments(tx, [examplePayment({ notifyUrl, referenceOrderId: "ORD-1" })], "drive-payment");
  assert.equal(sent.length, 1);
  const { text = "", values = [] } = sent[0] ?? {};
  const [, names = "", lists = ""] = inserted.exec(text.replaceAll(/\s+/g, " ")) ?? [];
  const columns = names.split(", ");
  const parameters = lists.split(", ").map((list, index) => list.startsWith(`$${index + 1}::`));
  assert.deepEqual(
    parameters,
    columns.map(() => true),
  );
  const written = columns.map((name, index) => [name, values[index]] as const);
  assert.deepEqual(Object.fromEntries(written.filter(([, list]) => !isDeepStrictEqual(list, [null]))), {
    bucket: [1],
    payment_id: ["20261115100000000000101000000000001"],
    client_id: ["SANDBOX_A"],
    payment_request_id: ["order-1"],
    product_code: ["CASHIER_PAYMENT"],
    status: ["PROCESSING"],
    result_code: ["PAYMENT_IN_PROCESS"],
    currency: ["EUR"],
    amount_minor: [1250n],
    sequence: [1],
    created_at: [new Date("2026-11-15T10:00:00Z")],
    notify_url: [notifyUrl],
    reference_order_id: ["ORD-1"],
    order_description: ["Two coffees"],
    payment_method_type: ["GCASH"],
    connector: ["w"],
    provider_reference: ["r"],
    expires_at: [new Date("2026-11-15T10:14:00Z")],
    capture_mode: ["AUTOMATIC"],
    fee_basis_points: [0],
  });
  assert.deepEqual(values.slice(columns.length), ["drive-payment", leaseSeconds, "drive-payment"]);
});

test("data for the provider takes one statement more, only with data and only for a payment that is new", async () => {
  const orderData = { locale: { userRegion: "DE" } };
  const statementsFor = async (payment: Payment, isNew: boolean): Promise<readonly string[]> => {
    const { tx, sent } = recordingTx(isNew ? [{ payment_id: payment.paymentId }] : []);
    await insertPayments(tx, [payment], "drive-payment");
    return sent.map(({ text }) => /insert into (\w+)/.exec(text)?.[1] ?? "");
  };
  assert.deepEqual(await statementsFor(examplePayment(), true), ["payments"]);
  assert.deepEqual(await statementsFor(examplePayment({ orderData }), true), ["payments", "order_data"]);
  assert.deepEqual(await statementsFor(examplePayment({ orderData }), false), ["payments"]);
});

const inserted =
  /insert into payments \(([^)]*)\) select \* from unnest\((.*?)\) on conflict \(bucket, client_id, payment_request_id\) do nothing/;

test("each column of a payment is read into the field from which it is written", async () => {
  // An action is in next_action or in the other two columns, so the test fills those.
  const cells = paymentColumns.map(([name, type], index) =>
    name === "next_action" ? { name, selected: null, sent: undefined } : { name, ...cellOf(type, index) },
  );
  const row = Object.fromEntries(cells.map(({ name, selected }) => [name, selected]));
  const payment = await findPayment(recordingTx([row]).tx, { bucket: 0, clientId: "" }, "");
  assert(payment);
  const written = paymentColumns.map(([name, , read]) => [name, read(payment)]);
  assert.deepEqual(
    Object.fromEntries(written),
    Object.fromEntries(cells.map(({ name, sent }) => [name, sent])),
  );
});

/** A value that no other column has: as `pg` returns it, and as the gateway sends it. */
function cellOf(
  type: (typeof paymentColumns)[number][1],
  index: number,
): { readonly selected: unknown; readonly sent: unknown } {
  const same = (value: unknown): { selected: unknown; sent: unknown } => ({ selected: value, sent: value });
  switch (type) {
    case "smallint":
    case "int":
      return same(index);
    case "bigint":
      return { selected: `${index}`, sent: BigInt(index) };
    case "text":
      return same(`text ${index}`);
    case "bytea":
      return same(Buffer.from([index]));
    case "timestamptz":
      return same(new Date(index));
  }
}
