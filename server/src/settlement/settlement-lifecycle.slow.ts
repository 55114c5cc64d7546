import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import { ourBank, newSettlementFixture, statusReport } from "../../test/examples/settlement-fixture.ts";
import { newRandom, type Random } from "../../test/merchant-year/hash-random.ts";
import { prepareTestGateway, writeTestFile } from "../../test/start/test-gateway.ts";
import { addDays, cycles, idleDaysOf, type Terms } from "./batch.ts";
import { importBankReports } from "./payouts/import-bank-reports.workflow.ts";
import { runPayouts } from "./payouts/run-payouts.workflow.ts";
import { checkSettlement, closeSettlement } from "./close-settlement.workflow.ts";

const seed = process.env["SETTLEMENT_SEED"] ?? "1";
const { database } = await prepareTestGateway("sandbox");
const fixture = newSettlementFixture(database);
const { operator } = fixture;
const folder = mkdtempSync(join(tmpdir(), "tollgate-lives-"));
await fixture.openBank();

const beginsOn = "2026-04-01";
const sellingDays = 36;
/** The window of a month can end 31 days after a movement. */
const windowDays = 31;
/** Because of weekends and holidays, a batch is due at most this number of days after its business days. */
const dueDays = 10;

interface Life {
  readonly clientId: string;
  readonly terms: Omit<Terms, "fromDay">;
  readonly random: Random;
}

function randomTerms(random: Random): Life["terms"] {
  const reserveDays = random.pick([0, 0, 5, 20]);
  return {
    cycle: random.pick(cycles),
    daysAfter: random.between(0, 3),
    minimumMinor: BigInt(random.pick([0, 1_000, 8_000])),
    reserveBasisPoints: reserveDays === 0 ? 0 : random.pick([500, 2_000]),
    reserveDays,
    settleIn: undefined,
  };
}

/** Number of days after the last movement within which a merchant is fully paid (docs/operating/payouts.md). */
const paidWithin = ({ reserveDays, daysAfter }: Life["terms"]): number =>
  windowDays + reserveDays + windowDays + idleDaysOf({ reserveDays, daysAfter }) + windowDays + dueDays;

/** Simulates a day in which a merchant sells, refunds at most its balance, or does nothing. */
async function liveDay({ clientId, random }: Life, day: string): Promise<void> {
  const at = `${day}T0${random.between(0, 7)}:00:00Z`;
  const happens = random.between(0, 9);
  if (happens < 4)
    await fixture.postPayment(clientId, BigInt(random.between(1, 6_000)), at, random.pick([0, 250]));
  if (happens < 4 || happens > 6) return;
  const owed = await fixture.owedMinor(clientId);
  const minor = (owed * BigInt(random.between(1, 100))) / 100n;
  if (minor > 0n) await fixture.postRefund(clientId, minor, at);
}

/** Pays batches that are due by a day. The bank rejects a few payouts, so that their batches are due again. */
async function payOut(day: string, random: Random): Promise<void> {
  const { claimed, files } = await runPayouts(operator, {
    bank: ourBank,
    folder,
    format: "pain.001.001.09",
    day,
  });
  for (const { amount } of claimed) assert.ok(amount.minor > 0n);
  const statusChanges = claimed.map(({ payoutId }) => ({
    endToEndId: payoutId,
    ...(random.between(1, 4) === 1 ? { status: "RJCT", reason: "AC01" } : { status: "ACSC" }),
  }));
  const [file] = files;
  if (file)
    await importBankReports(operator, writeTestFile("answer.xml", statusReport(file.fileId, statusChanges)));
}

/** Checks that the merchant's balance equals the sum of its open batches, when all movements are in batches. */
async function checkOwed(): Promise<void> {
  const wrongRows = await fixture.rows(
    `select b.client_id, b.open, l.owed from (
       select client_id, coalesce(sum(net_minor) filter (where status = 'DUE' or status = 'CARRIED' and carried_to is null), 0) as open
       from settlement_batches group by client_id) as b
     join (select client_id, sum(case when credit_account = 'merchant payable ' || client_id then amount_minor else -amount_minor end) as owed
       from ledger_transfers where 'merchant payable ' || client_id in (debit_account, credit_account) group by client_id) as l
       using (client_id)
     where b.open <> l.owed`,
  );
  assert.deepEqual(wrongRows, []);
}

test(`some days after the last movement the balance is zero, for random merchants (seed ${seed})`, async () => {
  const random = newRandom(`lives ${seed}`);
  const lives: Life[] = [];
  for (let nth = 0; nth < 6; nth += 1) {
    const merchantRandom = random.fork(`merchant ${nth}`);
    const terms = randomTerms(merchantRandom);
    lives.push({ clientId: await fixture.openMerchant({ terms }), terms, random: merchantRandom });
  }
  const bank = random.fork("bank");
  for (let nth = 0; nth < sellingDays; nth += 1) {
    const day = addDays(beginsOn, nth);
    for (const life of lives) await liveDay(life, day);
    await closeSettlement(operator, { day });
    if (nth % 3 === 0) await payOut(day, bank);
  }

  const lastDay = addDays(beginsOn, sellingDays - 1);
  const longest = Math.max(...lives.map(({ terms }) => paidWithin(terms)));
  for (let nth = 6; nth <= longest + 6; nth += 6) {
    const day = addDays(lastDay, nth);
    await closeSettlement(operator, { day });
    // At the end the bank executes all payouts.
    await payOut(day, nth + 40 < longest ? bank : { ...bank, between: () => 2 });
    if (nth > windowDays) await checkOwed();
  }
  for (const { clientId, terms } of lives) {
    const owed = [await fixture.owedMinor(clientId), await fixture.balance(`merchant reserve ${clientId}`)];
    assert.deepEqual(owed, [0n, 0n], `${clientId} ${inspect(terms)}`);
  }
  assert.deepEqual(await checkSettlement(operator), []);
  // Each movement must be in one batch, and sales minus refunds and fees must be paid out.
  const [sums] = await fixture.rows<{ moved: string; paid: string; twice: string }>(
    `select (select sum(gross_minor + refunds_minor + fees_minor + tax_minor) from settlement_batches)::text as moved,
       (select sum(amount_minor) from payouts where status = 'PAID')::text as paid,
       (select count(*) from (select from settlement_items group by bucket, subject_id, effect having count(*) > 1) as s)::text as twice`,
  );
  assert.deepEqual([sums?.paid, sums?.twice], [sums?.moved, "0"]);
});
