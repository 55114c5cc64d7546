import assert from "node:assert/strict";
import { test } from "node:test";
import { leaseSeconds } from "../jobs/job.sql.ts";
import type { Statement, Tx } from "../postgres/sql.ts";
import { findPayment, insertPayments, paymentColumns } from "./payment.sql.ts";
import { examplePayment } from "../../test/examples/example-payment.ts";

/** Notes what it is asked, and gives these rows. */
function recordingTx(rows: readonly object[]): { readonly tx: Tx; readonly sent: Statement[] } {
  const sent: Statement[] = [];
  const query = async <Row>(statement: Statement): Promise<Row[]> => {
    sent.push(statement);
    return rows as Row[];
  };
  return { tx: { query, write: () => undefined }, sent };
}

test("new payments are written by one statement, with one list a column", async () => {
  const { tx, sent } = recordingTx([]);
  const notifyUrl = "https://shop.example/notify";
  await insertPayments(tx, [examplePayment({ notifyUrl, referenceOrderId: "ORD-1" })], "drive-payment");
  const [statement] = sent;
  assert(statement);
  assert.ok(statement.text.replaceAll(/\s+/g, " ").includes(insertedPayments));
  assert.deepEqual(statement.values, [
    [1],
    ["20261115100000000000101000000000001"],
    ["SANDBOX_A"],
    ["order-1"],
    ["CASHIER_PAYMENT"],
    ["PROCESSING"],
    ["PAYMENT_IN_PROCESS"],
    ["EUR"],
    [1250n],
    [1],
    [new Date("2026-11-15T10:00:00Z")],
    [null],
    ["GCASH"],
    ["Two coffees"],
    ["ORD-1"],
    [null],
    [null],
    [notifyUrl],
    [null],
    ["w"],
    ["r"],
    [new Date("2026-11-15T10:14:00Z")],
    [null],
    [null],
    ["AUTOMATIC"],
    [0],
    [null],
    [null],
    [null],
    "drive-payment",
    leaseSeconds,
    "drive-payment",
  ]);
});

const insertedPayments =
  "insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code, " +
  "currency, amount_minor, sequence, created_at, fingerprint, payment_method_type, order_description, " +
  "reference_order_id, order_shown, redirect_url, notify_url, metadata, connector, wallet_reference, expires_at, cancel_requested_at, cancelled_at, " +
  "capture_mode, fee_basis_points, fee_terms, scenario, sealed_code) " +
  "select * from unnest($1::smallint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], " +
  "$8::text[], $9::bigint[], $10::int[], $11::timestamptz[], $12::bytea[], $13::text[], $14::text[], " +
  "$15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[], $22::timestamptz[], " +
  "$23::timestamptz[], $24::timestamptz[], $25::text[], $26::int[], $27::text[], $28::text[], $29::bytea[]) " +
  "on conflict (bucket, client_id, payment_request_id) do nothing";

test("every column of a payment is read into the field that it is written from", async () => {
  const cells = paymentColumns.map(([name, type], index) => ({ name, ...cellOf(type, index) }));
  const row = Object.fromEntries(cells.map(({ name, selected }) => [name, selected]));
  const payment = await findPayment(recordingTx([row]).tx, { bucket: 0, clientId: "" }, "");
  assert(payment);
  const written = paymentColumns.map(([name, , read]) => [name, read(payment)]);
  assert.deepEqual(
    Object.fromEntries(written),
    Object.fromEntries(cells.map(({ name, sent }) => [name, sent])),
  );
});

/** A value that no other column has: as `pg` gives it, and as it is sent. */
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
