import assert from "node:assert/strict";
import { writeFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { settlementCsv } from "../../test/examples/settlement-csv.ts";
import { bucketOf } from "../core/bucket.ts";
import { reconcile, type ReconciliationResult } from "./reconcile.workflow.ts";
import { importSettlementFile } from "./import-settlement-file.workflow.ts";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";

const database = await newTestDatabase("sandbox");
const folder = await mkdtemp(join(tmpdir(), "tollgate-matching-"));
after(() => rm(folder, { recursive: true, force: true }));
const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
const clientId = "SANDBOX_COFFEE";
const bucket = bucketOf(clientId);

function rows<Row extends object>(text: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
  return asSuperuser<Row>(text, values, database.superuserUrl);
}

for (const name of ["w", "v"]) {
  await rows(
    `insert into connectors (name, url, partner_id, public_key, payment_method_types)
     values ($1, 'http://w.example', 'p', '', '{}')`,
    name,
  );
}

let recordCount = 0;
/** Builds an id from time, bucket, kind and number. */
const newId = (): string =>
  `20261110100000000${String(bucket).padStart(4, "0")}01${String((recordCount += 1) * 10).padStart(12, "0")}`;

/** Inserts a payment of 2026-11-10 with its ledger posting, unless the caller omits the posting. */
async function givenPaid(
  time: string,
  { connector = "w", posted = "1250", currency = "EUR", isCredit = false }: Given = {},
): Promise<string> {
  const id = newId();
  await rows(
    `insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code,
       currency, amount_minor, paid_currency, paid_minor, captured_minor, created_at, paid_at, connector, provider_reference)
     values ($1, $2, $3, $2, 'CASHIER_PAYMENT', 'SUCCESS', 'SUCCESS', 'EUR', 1250, 'EUR', 1250, 1250, $4, $4, $5,
       'order-' || $2)`,
    bucket,
    id,
    clientId,
    at(time),
    connector,
  );
  if (posted) await givenPosted(id, "payment", time, { connector, posted, currency, isCredit });
  return id;
}

interface Given {
  readonly connector?: string;
  readonly posted?: string;
  readonly currency?: string;
  readonly isCredit?: boolean;
}

async function givenPosted(id: string, effect: string, time: string, given: Required<Given>): Promise<void> {
  const accounts = [`provider receivable ${given.connector}`, `merchant payable ${clientId}`];
  const [debit, credit] = given.isCredit ? accounts.toReversed() : accounts;
  await rows(
    `insert into ledger_transfers
       (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
     values ($1, $2, $3, 1, $4, $5, $6, $7, $8, $9)`,
    bucket,
    id,
    effect,
    clientId,
    debit,
    credit,
    given.currency,
    given.posted,
    at(time),
  );
}

const at = (time: string): string => `2026-11-10T${time}+00:00`;
const line = (id: string, time: string, amount = "1250", currency = "EUR"): string =>
  `payment,order-${id},order-${id},${id},${currency},${amount},${at(time)}`;

let files = 0;
async function importLines(connector: string, ...lines: readonly string[]): Promise<readonly unknown[]> {
  const file = join(folder, `${(files += 1)}.csv`);
  await writeFile(file, settlementCsv(lines));
  const { rowCount, imported } = await importSettlementFile(operator, { connector, file });
  return [rowCount, imported?.newCount, imported?.repeatCount];
}

interface Asked {
  readonly connector?: string;
  readonly until?: string;
}

/**
 * Runs `reconcile`; returns kind and subject of each break. A run of one day must find the same breaks, except those of
 * balances and reserves.
 */
async function runReconciliation({ connector, until }: Asked = {}): Promise<readonly string[]> {
  const request = { connector, until: until && at(until) };
  const { breaks } = await reconcile(operator, request);
  const ofTheDay = await reconcile(operator, { ...request, day: "2026-11-10" });
  const ofPayments = breaks.filter(({ kind }) => kind !== "balance" && kind !== "open refunds");
  assert.deepEqual(ofTheDay.breaks, ofPayments, "a run of the day finds the same");
  return breaks.map(({ kind, paymentId, reference }) => nameOf(kind, paymentId ?? reference));
}

const nameOf = (kind: string, id: string): string => `${kind}: ${id.slice(-12)}`;

test("an empty database has nothing to reconcile", async () => {
  assert.deepEqual(
    await reconcile(operator, { connector: undefined, until: undefined }).then(({ totals }) => totals),
    [],
  );
});

test("a movement is open until the provider's files reach it, and then a break", async () => {
  const [early, late] = [await givenPaid("10:00:00"), await givenPaid("10:00:01")];
  assert.deepEqual(await runReconciliation(), []);
  const otherPayment = await givenPaid("10:00:01");
  await importLines("w", line(otherPayment, "10:00:01.900"));
  // The last second before the cut-off is incomplete: the file may not have all its movements, so the later payment is
  // not missing yet.
  assert.deepEqual(await runReconciliation(), [nameOf("missing at the provider", early)]);
  assert.deepEqual(await runReconciliation({ until: "10:00:03" }), [
    nameOf("missing at the provider", early),
    nameOf("missing at the provider", late),
  ]);

  // A run with an earlier cut-off neither finds the break nor resolves it.
  assert.deepEqual(await runReconciliation({ until: "10:00:01" }), [
    nameOf("missing at the provider", early),
  ]);
  const [unresolved] = await rows<{ count: number }>(
    "select count(*)::int as count from breaks where resolved_at is null",
  );
  assert.equal(unresolved?.count, 2);
  assert.deepEqual(await importLines("w", line(early, "10:00:00"), line(late, "10:00:01.950")), [2, 2, 0]);
  const { breaks, resolvedCount } = await reconcile(operator, { connector: "w", until: at("11:00:00") });
  assert.deepEqual([breaks, resolvedCount], [[], 2]);
});

test("a break that returns is a new one, and the first stays resolved", async () => {
  const id = await givenPaid("10:10:00");
  for (const [minor, breaks] of [
    [1249, [nameOf("captured sum", id)]],
    [1250, []],
    [1249, [nameOf("captured sum", id)]],
    [1248, [nameOf("captured sum", id)]],
  ] as const) {
    await rows("update payments set captured_minor = $1 where payment_id = $2", minor, id);
    assert.deepEqual(await runReconciliation(), breaks);
  }
  const known = await rows(
    `select resolved_at is not null as resolved, sums -> 'written' ->> 'minor' as minor from breaks
     where payment_id = $1 order by break_id`,
    id,
  );
  assert.deepEqual(known, [
    { resolved: true, minor: "1249" },
    { resolved: false, minor: "1248" },
  ]);
  await rows("update payments set captured_minor = 1250 where payment_id = $1", id);
  assert.deepEqual(await runReconciliation(), []);
});

test("the ledger is compared with the records, without any file", async () => {
  const less = await givenPaid("12:00:00", { posted: "1249" });
  const dollars = await givenPaid("12:00:01", { currency: "USD" });
  const wrongWay = await givenPaid("12:00:02", { isCredit: true });
  const withoutPosting = await givenPaid("12:00:03", { posted: "" });
  const correctPosting = { posted: "1250", currency: "EUR", isCredit: false };
  await givenPosted(withoutPosting, "payment", "12:00:03", { ...correctPosting, connector: "v" });
  const nobodys = newId();
  await givenPosted(nobodys, "refund", "12:00:04", { ...correctPosting, connector: "w", isCredit: true });
  assert.deepEqual(await runReconciliation({ connector: "w" }), [
    nameOf("other amount", less),
    nameOf("other currency", dollars),
    nameOf("other amount", wrongWay),
    nameOf("missing in the ledger", withoutPosting),
    nameOf("only in the ledger", `${nobodys} refund`),
  ]);
  assert.deepEqual(await runReconciliation({ connector: "v" }), [
    nameOf("only in the ledger", withoutPosting),
  ]);
});

test("rows with two times are two movements; one time with other content is a changed row", async () => {
  const [one, two, three] = [
    await givenPaid("13:00:00"),
    await givenPaid("13:00:01"),
    await givenPaid("13:00:02"),
  ];
  const ids = [one, two, three];
  const found = async (): Promise<readonly string[]> =>
    (await runReconciliation({ connector: "w" })).filter((each) =>
      ids.some((id) => each.endsWith(nameOf("", id))),
    );
  await importLines("w", ...ids.map((id, index) => line(id, `13:00:0${index}`)));
  assert.deepEqual(await found(), []);
  // Imports are idempotent: overlapping files in any order add nothing.
  assert.deepEqual(await importLines("w", line(three, "13:00:02"), line(two, "13:00:01")), [2, 0, 0]);
  const newLines = [
    line(one, "13:00:05"),
    line(two, "13:00:01", "1"),
    line(three, "13:00:02", "1250", "USD"),
  ];
  assert.deepEqual(await importLines("w", ...newLines), [3, 0, 3]);
  assert.deepEqual(await importLines("w", ...newLines, line(one, "13:00:00")), [4, 0, 0]);
  assert.deepEqual(await found(), [
    nameOf("twice at the provider", one),
    nameOf("changed row", two),
    nameOf("changed row", three),
  ]);
  assert.deepEqual(
    await importLines("v", line(one, "13:00:00"), line(one, "13:00:00"), line(one, "13:00:00")),
    [3, 1, 2],
  );
});

test("the stored sums equal the sums of their rows", async () => {
  const id = await givenPaid("14:00:00");
  const before = new Set(await runReconciliation());
  const fresh = async (): Promise<readonly string[]> =>
    (await runReconciliation()).filter((each) => !before.has(each));
  await rows("update payments set refunded_minor = 300 where payment_id = $1", id);
  assert.deepEqual(await fresh(), [nameOf("refunded sum", id)]);
  const refund = `insert into refunds (bucket, refund_id, client_id, refund_request_id, payment_id, status, result_code,
      currency, amount_minor, fingerprint, connector, reference, created_at, finished_at)
    values ($1, $2, $3, $2, $4, $5, 'SUCCESS', 'EUR', $6, '', 'w', $2, now(), $7)`;
  await rows(refund, bucket, newId(), clientId, id, "FAIL", 77, new Date());
  await rows(refund, bucket, newId(), clientId, id, "PROCESSING", 300, null);
  assert.deepEqual(await fresh(), [nameOf("open refunds", clientId)]);
  await rows(
    "insert into reserves (bucket, client_id, currency, open_refunds_minor) values ($1, $2, 'EUR', 300)",
    bucket,
    clientId,
  );
  assert.deepEqual(await fresh(), []);

  // A pending cancel reserves the paid amount minus the fee: 12.50 minus 0.36.
  const cancelled = await givenPaid("14:00:01");
  await rows("update payments set fee_basis_points = 290 where payment_id = $1", cancelled);
  await rows(
    `insert into reversals (bucket, reversal_id, payment_id, client_id, connector, reference, status, currency,
       amount_minor, created_at, reason)
     values ($1, $2, $3, $4, 'w', $2, 'PROCESSING', 'EUR', 1250, now(), 'CANCEL')`,
    bucket,
    newId(),
    cancelled,
    clientId,
  );
  assert.deepEqual(await fresh(), [nameOf("open refunds", clientId)]);
  await rows("update reserves set open_refunds_minor = 300 + 1214");
  assert.deepEqual(await fresh(), []);

  // The fee rule is 2.9 % and 0.30, with 19 % tax. A refund needs its amount and fee, minus the returned fee.
  await rows(
    "update payments set fee_terms = 'FEE_1:29000:30:0::190000:A:0' where payment_id = $1",
    cancelled,
  );
  assert.deepEqual(await fresh(), [nameOf("open refunds", clientId)]);
  await rows("update reserves set open_refunds_minor = 300 + 1171");
  assert.deepEqual(await fresh(), []);
  const changes =
    "returned_fee_minor = 15, returned_tax_minor = 3, charged_fee_minor = 25, charged_tax_minor = 5";
  await rows(`update refunds set ${changes} where status = 'PROCESSING'`);
  assert.deepEqual(await fresh(), [nameOf("open refunds", clientId)]);
  await rows("update reserves set open_refunds_minor = 300 - 18 + 30 + 1171");
  assert.deepEqual(await fresh(), []);

  await rows("update payments set captured_minor = 1249 where payment_id = $1", cancelled);
  assert.deepEqual(await fresh(), [nameOf("captured sum", cancelled)]);
  await rows("update payments set captured_minor = 1250 where payment_id = $1", cancelled);

  await rows("update payments set disputed_minor = 400 where payment_id = $1", id);
  assert.deepEqual(await fresh(), [nameOf("disputed sum", id)]);
  await rows(
    `insert into disputes (bucket, dispute_id, client_id, payment_id, connector, provider_dispute_id, provider_sequence, type,
       status, currency, amount_minor, frozen_minor, reason_code, reason_message, source, defendable, created_at)
     values ($1, $2, $3, $4, 'w', $2, 1, 'CHARGEBACK', 'CREATED', 'EUR', 400, 400, '', '', '', true, now())`,
    bucket,
    newId(),
    clientId,
    id,
  );
  assert.deepEqual(await fresh(), []);

  // An unpaid payment must have no captured amount.
  const unpaid = `update payments set status = 'PROCESSING', paid_at = null, paid_minor = null, paid_currency = null
    where payment_id = $1`;
  const startedPayment = await givenPaid("14:00:02", { posted: "" });
  await rows(`alter table payments disable trigger payment_follows_its_lifecycle`);
  await rows(unpaid, startedPayment);
  assert.deepEqual(await fresh(), [nameOf("captured sum", startedPayment)]);
  await rows("update payments set captured_minor = 0 where payment_id = $1", startedPayment);

  await rows("select roll_up_balances()");
  assert.deepEqual(await fresh(), []);
  await rows("update balances set amount_minor = amount_minor + 1 where account = 'provider receivable w'");
  const { breaks } = await reconcile(operator, { connector: undefined, until: undefined });
  const balances = breaks.filter(({ kind }) => kind === "balance");
  assert.deepEqual(
    balances.map(({ subject, currency }) => `${subject} ${currency}`),
    ["provider receivable w EUR", "provider receivable w USD"],
  );
});

test("a run of one day counts only its payments, compares payments with breaks again, and compares no balances", async () => {
  const later = (): Promise<ReconciliationResult> =>
    reconcile(operator, { connector: undefined, until: undefined, day: "2026-11-12" });
  const namesIn = ({ breaks }: ReconciliationResult): readonly string[] =>
    breaks.map(({ kind, reference }) => `${kind} ${reference}`);
  const matchedIn = ({ totals }: ReconciliationResult): number =>
    totals.reduce((sum, { matchedCount }) => sum + matchedCount, 0);
  await importLines("w", line(await givenPaid("15:00:02"), "15:00:02"));
  await runReconciliation();
  const before = await later();
  // A run of one day does not compare balances, so it leaves the earlier balance breaks unchanged.
  assert.ok(before.breaks.every(({ kind }) => kind !== "balance"));
  assert.equal(before.resolvedCount, 0);

  const broken = await givenPaid("15:00:00", { posted: "1249" });
  await importLines("w", line(broken, "15:00:00"));
  await runReconciliation();
  const found = await later();
  assert.deepEqual(
    namesIn(found).filter((name) => !namesIn(before).includes(name)),
    [`other amount order-${broken}`],
  );
  assert.equal(matchedIn(found), matchedIn(before));
  await rows("alter table ledger_transfers disable trigger all");
  await rows("update ledger_transfers set amount_minor = 1250 where subject_id = $1", broken);
  const mended = await later();
  assert.deepEqual([namesIn(mended), mended.resolvedCount], [namesIn(before), 1]);
  assert.equal(matchedIn(mended), matchedIn(before) + 1, "the one that had a break, and no other");
});

for (const day of ["yesterday", "2026-11-31", "2026-11-1", "2026-11-10T00:00:00Z"])
  test(`${day} is not a valid day`, async () => {
    await assert.rejects(reconcile(operator, { connector: undefined, until: undefined, day }), {
      message: "--day must be a calendar day, such as 2026-11-16.",
    });
  });

test("the roles of serve and work can read neither files nor breaks", async () => {
  for (const table of ["settlement_files", "settlement_rows", "settlement_repeats", "breaks"]) {
    for (const url of [database.appUrl, database.workUrl]) {
      await assert.rejects(asSuperuser(`select from ${table}`, [], url), { code: "42501" });
    }
  }
});
