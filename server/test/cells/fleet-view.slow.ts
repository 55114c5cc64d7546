import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Operator } from "../../src/operator-session/owner-session.ts";
import type { CellOperators } from "../../src/operators/cells/cell-operators.ts";
import { findCellStatuses, statusTable } from "../../src/operators/cells/cells-status.ts";
import { addConnector } from "../../src/operators/providers/connector-settings.ts";
import { findProviderReceivables } from "../../src/operators/reconciliation/provider-receivables.ts";
import { bucketOf } from "../../src/core/bucket.ts";
import { reconcileAllCells } from "../../src/operators/reconciliation/reconcile-cells.ts";
import { reconcile } from "../../src/reconciliation/reconcile.workflow.ts";
import { moveBucket } from "../../src/moves/move-bucket.workflow.ts";
import { moveMerchant } from "../../src/moves/move-merchant.workflow.ts";
import { asSuperuser, rolePassword } from "../start/test-database.ts";
import { call, pathOf, type TestMerchant } from "../start/test-gateway.ts";
import { newMerchantIn, startTestFleet, type TestCell } from "./test-fleet.ts";

const fleet = await startTestFleet();
const [a, b, c] = fleet.cells;

const publicKeyFile = join(fleet.folder, "provider.pem");
const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
writeFileSync(publicKeyFile, publicKey.export({ format: "pem", type: "spki" }));
for (const { database } of fleet.cells)
  await addConnector(database.ownerUrl, "sandbox", {
    name: "gcash",
    url: "http://127.0.0.1:1",
    publicKeyFile,
    partnerId: "tollgate",
    paymentMethodTypes: ["*"],
    simulator: true,
  });

function operatorIn({ database }: TestCell): Operator {
  return { url: database.ownerUrl, environment: "sandbox" };
}

function operators(): CellOperators {
  return {
    directory: fleet.directory(),
    operators: new Map(fleet.cells.map((cell) => [cell.name, operatorIn(cell)])),
  };
}

/** Cancels an order that does not exist, which makes a payment that was never paid; returns its id. */
async function createUnpaidPayment(
  { serve }: TestCell,
  merchant: TestMerchant,
  paymentRequestId: string,
): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    const body = JSON.stringify({ paymentRequestId });
    const { json } = await call(serve.url, merchant, { path: pathOf("sandbox", "payments/cancel"), body });
    if (json.result["resultStatus"] === "S") return String(json["paymentId"]);
    assert.ok(tries < 100, JSON.stringify(json));
    await delay(100);
  }
}

/** Adds a line to the provider's settlement file in every cell, with which this payment is paid. */
async function addSettlementLine(paymentId: string): Promise<void> {
  for (const { database } of fleet.cells)
    await asSuperuser(
      `with file as (
         insert into settlement_files (connector, name, sha256, row_count, newest_at, imported_at)
         values ('gcash', $1::text, sha256(convert_to($1::text, 'UTF8')), 1, now(), now()) returning file_id)
       insert into settlement_rows (connector, kind, operation_reference, reference, payment_id, currency, amount_minor, at, file_id, line)
       select 'gcash', 'payment', 'ref-' || $1::text, 'ref-' || $1::text, $1::text, 'EUR', 1000, now() - interval '1 minute', file_id, 1 from file`,
      [paymentId],
      database.superuserUrl,
    );
}

const tomorrow = new Date(Date.now() + 24 * 3600 * 1000).toISOString();
const reconcileOptions = { connector: undefined, until: tomorrow };

/** Cell → payments that are paid in the settlement file and not in the cell. */
async function missingPaymentsByCell(options: object = {}): Promise<Record<string, readonly string[]>> {
  const { json } = await reconcileAllCells(operators(), { ...reconcileOptions, ...options });
  const { cells } = json as {
    readonly cells: Record<string, { readonly breaks: readonly { kind: string; paymentId: string }[] }>;
  };
  return Object.fromEntries(
    Object.entries(cells).map(([cell, { breaks }]) => {
      assert.ok(breaks.every(({ kind }) => kind === "missing here"));
      return [cell, breaks.map(({ paymentId }) => paymentId).sort()];
    }),
  );
}

/** A payment of bucket 1000 that no cell knows. */
const unknownPaymentId = "20261117120000000100001000000000001";

test("a line of a provider's settlement file for the fleet is a break once, in the merchant's home cell", async () => {
  const [coffee, books] = [await newMerchantIn(b, "Coffee"), await newMerchantIn(a, "Books")];
  const paidBeforeMove = await createUnpaidPayment(a, books, "before");
  await moveMerchant({
    clientId: books.clientId,
    sourceUrl: a.database.ownerUrl,
    targetUrl: b.database.ownerUrl,
    goal: "move",
    onStep: () => undefined,
  });
  // This payment's bucket belongs to the first cell, but the first cell does not have the payment.
  const paidAfterMove = await createUnpaidPayment(a, books, "after");
  const ownPayment = await createUnpaidPayment(b, coffee, "own");
  for (const paymentId of [paidBeforeMove, paidAfterMove, ownPayment, unknownPaymentId])
    await addSettlementLine(paymentId);
  const expected = { a: [], b: [paidBeforeMove, paidAfterMove, ownPayment].sort(), c: [unknownPaymentId] };
  assert.deepEqual(await missingPaymentsByCell(), expected);
  assert.deepEqual(await missingPaymentsByCell({ day: new Date().toISOString().slice(0, 10) }), expected);
  // Reconciliation of one cell alone cannot query other cells, so it reports this payment as a break.
  const { breaks } = await reconcile(operatorIn(a), reconcileOptions);
  assert.deepEqual(
    breaks.map(({ paymentId }) => paymentId),
    [paidAfterMove],
  );
});

test("payments that a lost cell no longer has are listed with exact amounts", async () => {
  const { text } = await reconcileAllCells(operators(), reconcileOptions);
  assert.match(text, /missing here[^\n]*10\.00/);
  assert.match(text, /All cells: 4 breaks\.$/);
});

test("an unknown payment is a break of the bucket's new owner, and not of the previous one", async () => {
  const before = await missingPaymentsByCell();
  await moveBucket(operatorIn(c), {
    bucket: 1_000,
    to: "b",
    targetUrl: b.database.ownerUrl,
    onStep: () => undefined,
    onMoved: () => Promise.resolve(),
  });
  const expected = { ...before, b: [...(before["b"] ?? []), unknownPaymentId].sort(), c: [] };
  assert.deepEqual(await missingPaymentsByCell(), expected);
});

test("every cell is listed as ready or silent, with its merchants and inconsistencies", async () => {
  const [first, second, third] = await findCellStatuses(operators());
  assert.deepEqual(
    [first?.cell, first?.health, first?.buckets, first?.counts?.gone, first?.problems],
    ["a", "ready", "0-340", 1, []],
  );
  assert.deepEqual([second?.counts?.arrived, second?.counts?.merchants], [1, 2]);
  assert.match(first?.version ?? "", /^\d/);
  assert.equal(third?.health, "ready");
  const swappedOperators = new Map([...operators().operators, ["c", operatorIn(a)]]);
  process.kill(c.serve.pid, "SIGSTOP");
  try {
    const statuses = await findCellStatuses({ ...operators(), operators: swappedOperators });
    assert.deepEqual(
      statuses.map(({ health }) => health),
      ["ready", "ready", "silent"],
    );
    assert.match(statusTable(statuses), /c: its database belongs to cell a/);
  } finally {
    process.kill(c.serve.pid, "SIGCONT");
  }
});

test("support reads the fleet with its own login", async () => {
  const url = new URL(a.database.ownerUrl);
  const login = `${url.pathname.slice(1)}_support`;
  await asSuperuser(
    `create role ${login} login password '${rolePassword}' in role tollgate_support;
     grant connect on database ${url.pathname.slice(1)} to ${login}`,
  );
  after(() => asSuperuser(`drop owned by ${login}; drop role ${login}`, [], a.database.superuserUrl));
  url.username = login;
  const only = new Map([["a", { url: url.href, environment: "sandbox" } as const]]);
  const [first] = await findCellStatuses({ ...operators(), operators: only });
  assert.deepEqual([first?.problems, first?.counts?.gone], [[], 1]);
});

test("a person's request about a merchant is routed to its home, and has an unknown outcome while that is silent", async () => {
  const merchant = await newMerchantIn(c, "Shoes");
  const requestAsPerson = (): Promise<Response> =>
    fetch(`${a.serve.url}/console/payments`, {
      method: "POST",
      headers: { "client-id": merchant.clientId, "content-type": "application/json" },
      body: "{}",
    });
  // The home cell serves no console in this test, so the home cell itself returns 404.
  assert.equal((await requestAsPerson()).status, 404);
  process.kill(c.serve.pid, "SIGSTOP");
  try {
    const answer = await requestAsPerson();
    const { result } = (await answer.json()) as { readonly result: Readonly<Record<string, string>> };
    assert.deepEqual([answer.status, answer.headers.get("retry-after")], [200, "1"]);
    assert.equal(result["resultCode"], "UNKNOWN_EXCEPTION");
  } finally {
    process.kill(c.serve.pid, "SIGCONT");
  }
});

test("a provider's receivable for the fleet includes a merchant that moved once, and what the provider paid", async () => {
  const { clientId } = await newMerchantIn(a, "Tea");
  const post = (cell: TestCell, client: string, [debit, credit]: readonly [string, string], minor: number) =>
    asSuperuser(
      `insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
       values ($1, 'subject', 'payment', 1, $2, $3, $4, 'EUR', $5, now())`,
      [bucketOf(client), client, debit, credit, minor],
      cell.database.superuserUrl,
    );
  await post(a, clientId, ["provider receivable gcash", `merchant payable ${clientId}`], 1000);
  await moveMerchant({
    clientId,
    sourceUrl: a.database.ownerUrl,
    targetUrl: b.database.ownerUrl,
    goal: "move",
    onStep: () => undefined,
  });
  await post(c, "HOUSE", ["clearing", "provider receivable gcash"], 400);
  const receivables = async (cells: readonly TestCell[]): Promise<readonly bigint[]> =>
    (await findProviderReceivables(cells.map(operatorIn))).map(({ minor }) => minor);
  assert.deepEqual(await Promise.all([[a], [b], [c]].map(receivables)), [[], [1000n], [-400n]]);
  assert.deepEqual(await receivables(fleet.cells), [600n]);
});
