import assert from "node:assert/strict";
import { after, test } from "node:test";
import { examplePayment } from "../../test/examples/example-payment.ts";
import { connectAs } from "../../test/start/test-connection.ts";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";
import { openDatabase } from "../postgres/database.ts";
import { defaultTerms } from "../providers/connector.ts";
import type { OrderReport } from "../providers/provider.ts";
import { insertPayments } from "./payment.sql.ts";
import type { Payment } from "./payment.ts";
import { settlePaidBatch, type PaidCallback } from "./settle-paid-batch.tx.ts";

const { appUrl, superuserUrl } = await newTestDatabase("sandbox");
const database = openDatabase({
  url: appUrl,
  applicationName: "paid-together",
  connectionsMax: 1,
  onFault: () => undefined,
});
after(() => database.close());

const now = new Date("2026-11-15T10:05:00Z");
const context: PaidCallback["context"] = {
  environment: "sandbox",
  now,
  aheadMs: 0,
  randomBelow: (below) => Math.floor(Math.random() * below),
  secrets: {} as PaidCallback["context"]["secrets"],
  termsOf: () => defaultTerms,
};

let made = 0;

/** A payment of 12.50 EUR with a fee of 1 %, whose order the provider has accepted. */
function newPayment(clientId: string, fields: Partial<Payment> = {}): Payment {
  const name = String((made += 1)).padStart(4, "0");
  return examplePayment({
    clientId,
    paymentId: `2026111510000000000010100000000${name}`,
    paymentRequestId: `order-${name}`,
    notifyUrl: `https://${clientId.toLowerCase().replace("_", "-")}.example/notify`,
    feeBasisPoints: 100,
    order: {
      connector: "w",
      reference: `r-${name}`,
      account: undefined,
      registrationId: undefined,
      acceptedAt: now,
      nextAction: undefined,
      actionSequence: 0,
    },
    ...fields,
  });
}

function paidOf(payment: Payment, more: Partial<PaidCallback["event"]> = {}): PaidCallback {
  const { bucket, clientId, paymentId, order, amount = assert.fail() } = payment;
  return {
    event: {
      bucket,
      clientId,
      paymentId,
      connector: "w",
      eventId: `e-${paymentId}`,
      reference: order?.reference ?? "",
      ...more,
    },
    report: { state: "PAID", amount, paidAmount: amount, paidAt: now, sequence: 2 },
    context,
  };
}

async function insertGiven(...payments: readonly Payment[]): Promise<void> {
  const clientIds = payments.map(({ clientId }) => clientId);
  const done = await database.transaction(clientIds, (tx) => insertPayments(tx, payments, "drive-payment"));
  assert(done.outcome === "committed", String(Object(done).cause));
}

async function settleBatch(callbacks: readonly PaidCallback[], room = 10): Promise<readonly boolean[]> {
  const clientIds = callbacks.map(({ event }) => event.clientId);
  const done = await database.transaction(clientIds, (tx) => settlePaidBatch(tx, callbacks, () => room));
  assert(done.outcome === "committed", String(Object(done).cause));
  return done.value;
}

/** Reads the rows of a payment and its records from the database. */
async function rowsOf({ paymentId }: Payment): Promise<object | undefined> {
  const [row] = await asSuperuser<object>(
    `select status, sequence, paid_minor, captured_minor, provider_details as details,
       (select count(*)::int from payment_events e where e.payment_id = p.payment_id) as events,
       (select count(*)::int from provider_events w where w.payment_id = p.payment_id) as heard,
       (select string_agg(debit_account || ' > ' || credit_account || ' ' || amount_minor, '; ' order by line)
        from ledger_transfers l where l.subject_id = p.payment_id) as posted,
       (select count(*)::int from notifications n where n.subject_id = p.payment_id) as told,
       (select string_agg(j.job, ', ') from jobs j where j.subject_id = p.payment_id) as planned
     from payments p where payment_id = $1`,
    [paymentId],
    superuserUrl,
  );
  return row;
}

async function isLeased({ paymentId }: Payment): Promise<boolean | undefined> {
  const [row] = await asSuperuser<{ leased: boolean }>(
    `select not follows_merchant_clock and due_at > now() as leased from jobs
     join notifications on notification_id = jobs.subject_id where notifications.subject_id = $1`,
    [paymentId],
    superuserUrl,
  );
  return row?.leased;
}

const settledRows = (clientId: string): object => ({
  status: "SUCCESS",
  sequence: 2,
  paid_minor: "1250",
  captured_minor: "1250",
  details: null,
  events: 2,
  heard: 1,
  posted: `provider receivable w > merchant payable ${clientId} 1250; merchant payable ${clientId} > fee revenue 12`,
  told: 1,
  planned: null,
});

test("payments of several merchants are settled in one batch, each with its ledger rows and its webhook", async () => {
  const [one, other] = [newPayment("SANDBOX_A"), newPayment("SANDBOX_B")];
  await insertGiven(one, other);
  const callbacks = [paidOf(other), paidOf(one)];
  assert.deepEqual(await settleBatch(callbacks), [true, true]);
  assert.deepEqual(await rowsOf(one), settledRows("SANDBOX_A"));
  assert.deepEqual(await rowsOf(other), settledRows("SANDBOX_B"));
  assert.equal(await isLeased(one), true);
  assert.equal(callbacks[1]?.leased?.clientId, "SANDBOX_A");
});

test("a duplicate callback in a batch counts once, and a later duplicate is left to recordReport", async () => {
  const payment = newPayment("SANDBOX_A");
  await insertGiven(payment);
  assert.deepEqual(await settleBatch([paidOf(payment), paidOf(payment)]), [true, false]);
  assert.deepEqual(await settleBatch([paidOf(payment)]), [false]);
  assert.deepEqual(await rowsOf(payment), settledRows("SANDBOX_A"));
});

test("the batch skips other connectors, references and amounts, authorization holds, and final payments", async () => {
  const payment = newPayment("SANDBOX_A");
  const held = newPayment("SANDBOX_A", { captureMode: "MANUAL" });
  const ended = newPayment("SANDBOX_A", {
    status: "CANCELLED",
    resultCode: "ORDER_IS_CANCELED",
    cancelledAt: now,
  });
  await insertGiven(payment, held, ended);
  const amount = { currency: "EUR", minor: 1_300n };
  const tooMuch = paidOf(payment);
  const odd = [
    paidOf(payment, { connector: "other" }),
    paidOf(payment, { reference: "other" }),
    paidOf(payment, { paymentId: "nobody's" }),
    { ...tooMuch, report: { ...tooMuch.report, amount, paidAmount: amount } } as PaidCallback,
    paidOf(held),
    paidOf(ended),
  ];
  assert.deepEqual(
    await settleBatch(odd),
    odd.map(() => false),
  );
  assert.deepEqual(await rowsOf(payment), {
    status: "PROCESSING",
    sequence: 1,
    paid_minor: null,
    captured_minor: "0",
    details: null,
    events: 1,
    heard: 0,
    posted: null,
    told: 0,
    planned: "drive-payment",
  });
});

test("a batch stores the details of each order, and leaves a report with a card number to recordReport", async () => {
  const [plain, byCard, leaking] = ["A", "A", "A"].map(() => newPayment("SANDBOX_A")) as [
    Payment,
    Payment,
    Payment,
  ];
  await insertGiven(plain, byCard, leaking);
  const reportWith = (payment: Payment, more: Partial<OrderReport>): PaidCallback => {
    const callback = paidOf(payment);
    return { ...callback, report: { ...callback.report, ...more } as OrderReport };
  };
  const details = { cardLastFour: "1111" };
  const callbacks = [
    paidOf(plain),
    reportWith(byCard, { details }),
    reportWith(leaking, { details, hasCardNumber: true }),
  ];
  assert.deepEqual(await settleBatch(callbacks), [true, true, false]);
  const settled = settledRows("SANDBOX_A");
  assert.deepEqual(await rowsOf(plain), settled);
  assert.deepEqual(await rowsOf(byCard), { ...settled, details: JSON.stringify(details) });
  assert.partialDeepStrictEqual(await rowsOf(leaking), { status: "PROCESSING", details: null });
});

test("a merchant's callback settles no payment of another merchant, whatever id it names", async () => {
  const payment = newPayment("SANDBOX_A");
  await insertGiven(payment);
  assert.deepEqual(await settleBatch([paidOf(payment, { clientId: "SANDBOX_B" })]), [false]);
});

test("a worker delivers the webhook if its delivery queue is full or paused, or has a test fault", async () => {
  const payments = ["SANDBOX_C", "SANDBOX_D", "SANDBOX_E", "SANDBOX_F"].map((id) => newPayment(id));
  const [crowded, paused, faulty, nowhere] = payments as [Payment, Payment, Payment, Payment];
  const addressless = { ...nowhere, notifyUrl: undefined };
  await insertGiven(crowded, paused, faulty, addressless);
  await asSuperuser(
    `insert into paused_queues (bucket, client_id, queue, paused_at)
     values (1, 'SANDBOX_D', 'SANDBOX_D https://sandbox-d.example', now());
     insert into notification_faults (bucket, client_id, fault_request_id, kind, remaining, delay_seconds)
     values (1, 'SANDBOX_E', 'f', 'DROP', 1, 0)`,
    [],
    superuserUrl,
  );
  assert.deepEqual(await settleBatch([paidOf(crowded)], 0), [true]);
  const callbacks = [paused, faulty, addressless].map((payment) => paidOf(payment));
  assert.deepEqual(await settleBatch(callbacks), [true, true, true]);
  for (const payment of [crowded, paused, faulty, addressless]) assert.equal(await isLeased(payment), false);
  assert.deepEqual(
    callbacks.map(({ leased }) => leased),
    [undefined, undefined, undefined],
  );
});

test("a payment that another transaction has locked is skipped without waiting", async () => {
  const [locked, free] = [newPayment("SANDBOX_A"), newPayment("SANDBOX_B")];
  await insertGiven(locked, free);
  const holder = await connectAs("SANDBOX_A", appUrl);
  await holder.query("begin");
  await holder.query("select 1 from payments where payment_id = $1 for update", [locked.paymentId]);
  assert.deepEqual(await settleBatch([paidOf(locked), paidOf(free)]), [false, true]);
  await holder.query("rollback");
  assert.deepEqual(await settleBatch([paidOf(locked)]), [true]);
});

test("a batch leases at most as many webhooks of a delivery queue as it has capacity for", async () => {
  const payments = [newPayment("SANDBOX_A"), newPayment("SANDBOX_A"), newPayment("SANDBOX_B")];
  await insertGiven(...payments);
  const callbacks = payments.map((payment) => paidOf(payment));
  await settleBatch(callbacks, 1);
  assert.deepEqual(
    callbacks.map(({ leased }) => leased !== undefined),
    [true, false, true],
  );
});
