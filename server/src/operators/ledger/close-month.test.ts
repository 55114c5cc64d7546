import assert from "node:assert/strict";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { bucketOf } from "../../core/bucket.ts";
import { connectAs, transactionOn } from "../../../test/start/test-connection.ts";
import { newTestDatabase } from "../../../test/start/test-database.ts";
import { insertEffect } from "../../ledger/transfer.sql.ts";
import { payableAccount, receivableAccount, refundEffect, type Effect } from "../../ledger/transfer.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { exportLedger } from "./ledger-export.ts";
import { reconcile } from "../../reconciliation/reconcile.workflow.ts";
import { closeMonth, findClosedMonths } from "./close-month.ts";
import { computeTrialBalance, trialBalanceTable } from "./trial-balance-table.ts";

const database = await newTestDatabase("sandbox");
const operator = { url: database.ownerUrl, environment: "sandbox", by: { name: "ada" } } as const;
const clients = ["SANDBOX_COFFEE", "SANDBOX_TEA"];
const connections = new Map(
  await Promise.all(clients.map(async (id) => [id, await connectAs(id, database.appUrl)] as const)),
);

interface Posted {
  readonly clientId: string;
  readonly effect: Effect;
  readonly at: Date;
}
const postings: Posted[] = [];

async function post(posted: Posted): Promise<void> {
  const { clientId, effect, at } = posted;
  const connection = connections.get(clientId);
  assert.ok(connection);
  const tx = transactionOn(connection);
  const subjectId = `subject-${postings.length}`;
  insertEffect(tx, { bucket: bucketOf(clientId), clientId, subjectId }, effect, at);
  await Promise.all(tx.written);
  postings.push(posted);
}

const sale = (clientId: string, currency: string, minor: bigint): Effect => ({
  name: "payment",
  transfers: [
    { debit: receivableAccount("w"), credit: payableAccount(clientId), amount: { currency, minor } },
    { debit: payableAccount(clientId), credit: "fee revenue", amount: { currency, minor: 7n } },
  ],
});

const movements = fc.record({
  clientId: fc.constantFrom(...clients),
  currency: fc.constantFrom("EUR", "JPY"),
  minor: fc.bigInt({ min: 1n, max: 10n ** 15n }),
  isRefund: fc.boolean(),
  // Half of the times are in the first moment of a day.
  hour: fc.oneof(
    fc.nat({ max: 24 * 60 }),
    fc.nat({ max: 59 }).map((day) => 24 * day + 16),
  ),
});

test("a trial balance contains all postings until the end of the day, and sums to zero", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(movements, { maxLength: 12 }), fc.nat({ max: 59 }), async (moved, dayIndex) => {
      for (const { clientId, currency, minor, isRefund, hour } of moved) {
        const effect = isRefund
          ? refundEffect(clientId, "w", { currency, minor })
          : sale(clientId, currency, minor);
        await post({ clientId, effect, at: new Date(Date.UTC(2025, 9, 1, hour)) });
      }
      const day = new Date(Date.UTC(2025, 9, 1 + dayIndex)).toISOString().slice(0, 10);
      const { accounts, isZero, totals, names } = await computeTrialBalance(operator, day);
      assert.equal(isZero, true);
      // The model calculates midnight UTC+8 itself, without the functions that it tests.
      const end = Date.UTC(2025, 9, 2 + dayIndex) - 8 * 3600 * 1000;
      const expected = new Map<string, bigint>();
      for (const { effect, at } of postings)
        for (const { debit, credit, amount } of at.getTime() < end ? effect.transfers : [])
          for (const [account, sign] of [
            [debit, 1n],
            [credit, -1n],
          ] as const) {
            const key = `${account} ${amount.currency}`;
            expected.set(key, (expected.get(key) ?? 0n) + sign * amount.minor);
          }
      const found = accounts.map((each) => [
        `${each.account} ${each.currency}`,
        each.debitMinor - each.creditMinor,
      ]);
      assert.deepEqual(new Map(found as [string, bigint][]), new Map(expected));
      for (const { currency, debitMinor } of totals)
        assert.equal(
          names.filter((each) => each.currency === currency).reduce((sum, each) => sum + each.debitMinor, 0n),
          debitMinor,
        );
    }),
    { numRuns: 15 },
  );
  assert.match(
    trialBalanceTable(await computeTrialBalance(operator, "2025-12-31"), true),
    /debits equal credits/,
  );
});

test("a posting into a closed month is a break, and a later one is not", async () => {
  const posted = { clientId: "SANDBOX_COFFEE", effect: sale("SANDBOX_COFFEE", "EUR", 1_000n) };
  await post({ ...posted, at: new Date("2025-11-30T15:59:59.999Z") });
  const now = new Date("2025-11-30T17:00:00Z");
  await assert.rejects(closeMonth(operator, "2025-11", new Date(now.getTime() - 1)), CommandFailed);
  const closed = await closeMonth(operator, "2025-11", now);
  assert.equal(closed.month, "2025-11");
  assert.deepEqual(
    (await findClosedMonths(operator)).map(({ month }) => month),
    ["2025-11"],
  );
  await assert.rejects(closeMonth(operator, "2025-11", now), /is already closed/);
  await assert.rejects(closeMonth(operator, "2025-10", now), /all months before/);

  const breaksOfMonth = async (): Promise<readonly string[]> => {
    const { breaks } = await reconcile(operator, { connector: undefined, until: undefined });
    return breaks.filter(({ kind }) => kind === "closed month").map(({ subject }) => subject);
  };
  await post({ ...posted, at: new Date("2025-11-30T16:00:00Z") });
  assert.deepEqual(await breaksOfMonth(), []);
  await post({ ...posted, at: new Date("2025-10-03T10:00:00Z") });
  assert.deepEqual((await breaksOfMonth()).toSorted(), [
    "fee revenue",
    "merchant payable SANDBOX_COFFEE",
    "provider receivable w",
  ]);
  // A reversing entry leaves the sums unchanged and is detected nevertheless.
  const undo = {
    name: "cancel",
    transfers: posted.effect.transfers.map(({ debit, credit, amount }) => ({
      debit: credit,
      credit: debit,
      amount,
    })),
  } as const;
  await post({ clientId: "SANDBOX_COFFEE", effect: undo, at: new Date("2025-10-03T10:00:00Z") });
  assert.ok((await breaksOfMonth()).includes("provider receivable w"));
});

test("the journal has two lines for each row, and its debits equal its credits", async () => {
  const file = join(await mkdtemp(join(tmpdir(), "tollgate-journal-")), "journal.csv");
  const rowCount = await exportLedger(operator, { month: "2025-10", file });
  const [head, ...lines] = (await readFile(file, "utf8")).trimEnd().split("\r\n");
  assert.equal(head, "day,time,entry,accountNumber,account,subAccount,currency,debit,credit,merchant");
  assert.equal(lines.length, 2 * rowCount);
  const isInMonth = ({ at }: Posted): boolean =>
    at >= new Date("2025-09-30T16:00:00Z") && at < new Date("2025-10-31T16:00:00Z");
  assert.equal(
    rowCount,
    postings.filter(isInMonth).reduce((sum, { effect }) => sum + effect.transfers.length, 0),
  );
  const sums = lines
    .map((line) => line.split(","))
    .filter((cells) => cells[6] === "EUR")
    .reduce((sum, cells) => sum + toMinor(cells[7]) - toMinor(cells[8]), 0n);
  assert.equal(sums, 0n);
});

const toMinor = (decimal = ""): bigint => (decimal === "" ? 0n : BigInt(decimal.replace(".", "")));
