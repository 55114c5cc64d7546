import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { ourBank, newSettlementFixture, statusReport } from "../../../test/examples/settlement-fixture.ts";
import { prepareTestGateway, writeTestFile } from "../../../test/start/test-gateway.ts";
import { addDays } from "../../settlement/batch.ts";
import { bookDeal, setQuote } from "./fx.ts";
import { importBankReports } from "../../settlement/payouts/import-bank-reports.workflow.ts";
import { runPayouts } from "../../settlement/payouts/run-payouts.workflow.ts";
import { checkSettlement, closeSettlement } from "../../settlement/close-settlement.workflow.ts";

/** One day of three merchants that sell in EUR. Two of them are paid in another currency. */
interface Day {
  readonly sales: readonly (readonly [merchant: number, minor: bigint])[];
  readonly refunds: readonly (readonly [merchant: number, minor: bigint])[];
  /** Refunds that are dated on the next day and arrive before this day is closed. */
  readonly early: readonly (readonly [merchant: number, minor: bigint])[];
  /** New FX rates, with prices in thousandths; empty if there are none. */
  readonly rates: readonly { readonly to: "JPY" | "USD"; readonly price: number; readonly margin: number }[];
  readonly refuses: readonly boolean[];
  readonly deals: readonly { readonly to: "JPY" | "USD"; readonly part: number; readonly price: number }[];
}

const settleIn = ["USD", "JPY", undefined] as const;
const merchantWith = (max: bigint) => fc.tuple(fc.nat({ max: 2 }), fc.bigInt({ min: 1n, max }));
const to = fc.constantFrom("JPY" as const, "USD" as const);
const anyDay: fc.Arbitrary<Day> = fc.record({
  sales: fc.array(merchantWith(100_000n), { maxLength: 4 }),
  refunds: fc.array(merchantWith(40_000n), { maxLength: 2 }),
  early: fc.array(merchantWith(20_000n), { maxLength: 1 }),
  rates: fc.array(
    fc.record({
      to,
      price: fc.integer({ min: 1, max: 200_000 }),
      margin: fc.integer({ min: 0, max: 200_000 }),
    }),
    { maxLength: 2 },
  ),
  refuses: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  deals: fc.array(
    fc.record({ to, part: fc.integer({ min: 1, max: 100 }), price: fc.integer({ min: 1, max: 250_000 }) }),
    { maxLength: 2 },
  ),
});

const firstDay = "2026-10-05";
/** Number of random histories, about six seconds each: `EXCHANGE_LIVES=50`. */
const simulationCount = Number(process.env["EXCHANGE_LIVES"] ?? 2);

/** An independent model of the ledger: plain sums by account and currency. */
interface Model {
  readonly sums: Map<string, bigint>;
  readonly merchants: readonly ModelMerchant[];
  /** Rates for merchants as fractions, by currency. */
  readonly quotes: Map<string, { readonly top: bigint; readonly bottom: bigint }>;
}

interface ModelMerchant {
  readonly clientId: string;
  readonly settleIn: "USD" | "JPY" | undefined;
  open: { readonly day: string; readonly minor: bigint }[];
  carried: bigint;
  /** The last day covered by a batch; empty before the first. */
  closedDay: string;
  /** Due batches with their day. */
  due: { readonly day: string; readonly currency: string; readonly minor: bigint }[];
}

function postToModel({ sums }: Model, debit: string, credit: string, currency: string, minor: bigint): void {
  for (const [account, change] of [
    [debit, minor],
    [credit, -minor],
  ] as const)
    sums.set(`${account} ${currency}`, (sums.get(`${account} ${currency}`) ?? 0n) + change);
}

const payableMinor = ({ sums }: Model, { clientId }: ModelMerchant, currency: string): bigint =>
  -(sums.get(`merchant payable ${clientId} ${currency}`) ?? 0n);

function roundHalfEven(top: bigint, bottom: bigint): bigint {
  const twice = (top % bottom) * 2n;
  const whole = top / bottom;
  return twice > bottom || (twice === bottom && whole % 2n === 1n) ? whole + 1n : whole;
}

/**
 * Closes each day of the model separately, as a daily cycle does. Then it closes the carried sum, if that can be paid
 * although there were no movements.
 */
function closeModel(model: Model, merchant: ModelMerchant, through: string): void {
  if (merchant.settleIn && !model.quotes.has(merchant.settleIn)) return;
  const days = [...new Set(merchant.open.map(({ day }) => day))].toSorted().filter((day) => day <= through);
  for (const day of days) closeDay(model, merchant, day);
  const { carried, settleIn: into } = merchant;
  if (carried === 0n || merchant.closedDay >= through) return;
  const isPayable =
    carried < 0n
      ? merchant.due.some(({ currency }) => currency === "EUR")
      : !into || (payableMinor(model, merchant, "EUR") >= carried && convertMinor(model, into, carried) > 0n);
  if (isPayable) closeDay(model, merchant, through);
}

function closeDay(model: Model, merchant: ModelMerchant, day: string): void {
  const { clientId, settleIn: into } = merchant;
  const dueItems = merchant.open.filter((each) => each.day <= day);
  merchant.open = merchant.open.filter((each) => each.day > day);
  merchant.closedDay = day;
  const moved = dueItems.reduce((sum, { minor }) => sum + minor, merchant.carried);
  const net = moved < 0n ? moved + mergeDueBatches(merchant, -moved) : moved;
  merchant.carried = net;
  if (net <= 0n) return;
  if (!into) merchant.due.push({ day, currency: "EUR", minor: net });
  else {
    const got = convertMinor(model, into, net);
    if (got === 0n || payableMinor(model, merchant, "EUR") < net) return;
    postToModel(model, `merchant payable ${clientId}`, `exchange EUR/${into}`, "EUR", net);
    postToModel(model, `exchange EUR/${into}`, `merchant payable ${clientId}`, into, got);
    merchant.due.push({ day, currency: into, minor: got });
  }
  merchant.carried = 0n;
}

/** Covers a negative sum with batches due in EUR, newest first, as few as possible. */
function mergeDueBatches(merchant: ModelMerchant, lack: bigint): bigint {
  let joined = 0n;
  const latestFirst = merchant.due
    .filter(({ currency }) => currency === "EUR")
    .toSorted((a, b) => (a.day < b.day ? 1 : -1));
  for (const batch of latestFirst) {
    if (joined >= lack) break;
    joined += batch.minor;
    merchant.due = merchant.due.filter((each) => each !== batch);
  }
  return joined;
}

function convertMinor({ quotes }: Model, into: "JPY" | "USD", minor: bigint): bigint {
  const quote = quotes.get(into);
  return quote ? roundHalfEven(minor * quote.top, quote.bottom * (into === "JPY" ? 100n : 1n)) : 0n;
}

test("random sales, refunds, rates, closes, rejected payouts and deals: each account equals the model, and no amount is lost", async () => {
  await fc.assert(fc.asyncProperty(fc.array(anyDay, { minLength: 1, maxLength: 5 }), simulateDays), {
    numRuns: simulationCount,
  });
});

async function simulateDays(days: readonly Day[]): Promise<void> {
  const { database } = await prepareTestGateway("sandbox");
  const settlement = newSettlementFixture(database);
  const { operator } = settlement;
  const folder = mkdtempSync(join(tmpdir(), "tollgate-exchange-"));
  for (const currency of ["EUR", "JPY", "USD"]) await settlement.openBank(currency);
  const merchants: ModelMerchant[] = [];
  for (const into of settleIn) {
    const clientId = await settlement.openMerchant({ terms: { settleIn: into } });
    merchants.push({ clientId, settleIn: into, open: [], carried: 0n, closedDay: "", due: [] });
  }
  const model: Model = {
    sums: new Map(),
    merchants: merchants.toSorted((a, b) => (a.clientId < b.clientId ? -1 : 1)),
    quotes: new Map(),
  };
  let deals = 0;

  async function sell(into: "JPY" | "USD", part: number, price: number): Promise<void> {
    const account = `exchange EUR/${into}`;
    const heldMinor = -(model.sums.get(`${account} EUR`) ?? 0n);
    const promised = model.sums.get(`${account} ${into}`) ?? 0n;
    const soldMinor = (heldMinor * BigInt(part)) / 100n;
    if (soldMinor === 0n) return;
    const boughtMinor = 1n + (soldMinor * BigInt(price)) / 1000n;
    const share = roundHalfEven(promised * soldMinor, heldMinor);
    deals += 1;
    await bookDeal(operator, { pair: `EUR/${into}`, reference: `DEAL-${deals}`, soldMinor, boughtMinor });
    postToModel(model, account, "clearing", "EUR", soldMinor);
    postToModel(model, "clearing", account, into, boughtMinor);
    postToModel(model, account, "exchange gain and loss", into, boughtMinor - share);
  }

  async function quote(into: "JPY" | "USD", price: number, margin: number): Promise<void> {
    const text = `${Math.floor(price / 1000)}.${String(price % 1000).padStart(3, "0")}`;
    const marginMillionths = BigInt(margin);
    await setQuote(operator, {
      pair: `EUR/${into}`,
      price: text,
      marginMillionths,
      from: undefined,
      until: "2099-12-31",
    });
    model.quotes.set(into, {
      top: BigInt(price) * (1_000_000n - marginMillionths),
      bottom: 1_000_000_000n,
    });
  }

  async function closeAndPay(day: string, refuses: readonly boolean[]): Promise<void> {
    await closeSettlement(operator, { day });
    for (const merchant of model.merchants) closeModel(model, merchant, day);
    const ran = await runPayouts(operator, { bank: ourBank, folder, format: "pain.001.001.09" });
    const expected = model.merchants.flatMap((merchant) => {
      const inOrder = merchant.due.toSorted((a, b) => (a.day < b.day ? -1 : 1));
      const covered = inOrder.filter(({ currency, minor }) => {
        const transit = `payout in transit ${merchant.clientId}`;
        if (payableMinor(model, merchant, currency) < minor) return false;
        postToModel(model, `merchant payable ${merchant.clientId}`, transit, currency, minor);
        return true;
      });
      merchant.due = merchant.due.filter((each) => !covered.includes(each));
      return covered.map((each) => ({ merchant, ...each }));
    });
    const format = (clientId: string, currency: string, minor: bigint): string =>
      `${clientId} ${currency} ${minor}`;
    assert.deepEqual(
      ran.claimed.map(({ clientId, amount }) => format(clientId, amount.currency, amount.minor)).toSorted(),
      expected.map(({ merchant, currency, minor }) => format(merchant.clientId, currency, minor)).toSorted(),
    );
    const reports = ran.claimed.map((payout, nth) => {
      const isRefused = refuses[nth] ?? false;
      const merchant = merchants.find(({ clientId }) => clientId === payout.clientId);
      assert.ok(merchant);
      const [transit, { currency, minor }] = [`payout in transit ${payout.clientId}`, payout.amount];
      postToModel(
        model,
        transit,
        isRefused ? `merchant payable ${payout.clientId}` : "clearing",
        currency,
        minor,
      );
      const at = expected.findIndex((each) => each.merchant === merchant && each.minor === minor);
      const [batch] = expected.splice(at, 1);
      if (isRefused && batch) merchant.due.push(batch);
      return isRefused
        ? { endToEndId: payout.payoutId, status: "RJCT", reason: "AC04" }
        : { endToEndId: payout.payoutId, status: "ACSC" };
    });
    if (reports.length > 0)
      await importBankReports(
        operator,
        writeTestFile(
          `answer-${ran.claimed[0]?.payoutId}.xml`,
          statusReport(ran.files[0]?.fileId ?? "", reports),
        ),
      );
  }

  async function compare(): Promise<void> {
    const rows = await settlement.rows<{ account: string; minor: string }>(
      `select account || ' ' || currency as account, sum(minor)::text as minor from ledger_transfers
       cross join lateral (values (debit_account, amount_minor), (credit_account, -amount_minor)) as side (account, minor)
       group by 1 having sum(minor) <> 0 order by 1`,
    );
    assert.deepEqual(
      rows.map(({ account, minor }) => [account, BigInt(minor)]),
      [...model.sums].filter(([, minor]) => minor !== 0n).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
    for (const { clientId, due, carried, open, ...merchant } of merchants)
      for (const currency of ["EUR", "JPY", "USD"]) {
        const owed =
          due.filter((each) => each.currency === currency).reduce((sum, { minor }) => sum + minor, 0n) +
          (currency === "EUR" ? open.reduce((sum, { minor }) => sum + minor, carried) : 0n);
        assert.equal(
          await settlement.owedMinor(clientId, currency),
          owed,
          `${merchant.settleIn}: what we owe is what is due, and what is in no batch`,
        );
      }
  }

  for (const [nth, day] of days.entries()) {
    const date = addDays(firstDay, nth);
    const post = async (
      [index, minor]: readonly [number, bigint],
      kind: "paid" | "refunded",
      on: string,
    ): Promise<void> => {
      const merchant = merchants[index];
      assert.ok(merchant);
      const { clientId } = merchant;
      const postMovement = kind === "paid" ? settlement.postPayment : settlement.postRefund;
      await postMovement(clientId, minor, `${on}T10:00:00+08:00`);
      const change = kind === "paid" ? minor : -minor;
      merchant.open.push({ day: on, minor: change });
      postToModel(model, "provider receivable w", `merchant payable ${clientId}`, "EUR", change);
    };
    for (const each of day.sales) await post(each, "paid", date);
    for (const each of day.refunds) await post(each, "refunded", date);
    for (const each of day.early) await post(each, "refunded", addDays(date, 1));
    for (const { to: into, price, margin } of day.rates) await quote(into, price, margin);
    await closeAndPay(date, day.refuses);
    for (const { to: into, part, price } of day.deals) await sell(into, part, price);
    await compare();
  }

  await quote("USD", 1_083, 4_000);
  await quote("JPY", 163_240, 4_000);
  await closeAndPay(addDays(firstDay, days.length), []);
  for (const into of ["JPY", "USD"] as const) {
    await sell(into, 100, 1_000);
    for (const currency of ["EUR", into])
      assert.equal(await settlement.balance(`exchange EUR/${into}`, currency), 0n, "all is sold");
  }
  await compare();
  assert.deepEqual(await checkSettlement(operator), []);
  rmSync(folder, { recursive: true, force: true });
}
