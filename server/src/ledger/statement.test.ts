import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bucketOf } from "../core/bucket.ts";
import {
  accountingDayOf,
  accountingMonth,
  nextAccountingDay,
  startOfAccountingDay,
} from "../core/accounting-day.ts";
import { connectAs, transactionOn } from "../../test/start/test-connection.ts";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";
import { rollUpBalances } from "./balance.sql.ts";
import { findStatement, listStatementDays } from "./statement.sql.ts";
import {
  calculateClosing,
  formatStatementCursor,
  findDaysRefusal,
  calculateNet,
  parseStatementCursor,
  type StatementLine,
} from "./statement.ts";
import { insertClosedMonth } from "./trial-balance.sql.ts";
import { insertEffect } from "./transfer.sql.ts";
import {
  disputeFreezeEffect,
  disputeReleaseEffect,
  owedChange,
  payableAccount,
  receivableAccount,
  refundEffect,
  type Effect,
} from "./transfer.ts";

const { appUrl, superuserUrl } = await newTestDatabase("sandbox");
const clientId = "SANDBOX_COFFEE";
const key = { bucket: bucketOf(clientId), clientId };
const client = await connectAs(clientId, appUrl);
const otherClient = await connectAs("SANDBOX_TEA", appUrl);

interface PostedEffect {
  readonly subjectId: string;
  readonly effect: Effect;
  readonly at: Date;
}

async function post(
  connection: typeof client,
  merchantClientId: string,
  { subjectId, effect, at }: PostedEffect,
): Promise<void> {
  const tx = transactionOn(connection);
  const subject = { bucket: bucketOf(merchantClientId), clientId: merchantClientId, subjectId };
  insertEffect(tx, subject, effect, at);
  await Promise.all(tx.written);
}

/** A payment with our fee and its tax. */
function sale(of: string, currency: string, minor: bigint): Effect {
  const [fee, tax] = [(minor * 290n) / 10_000n, (minor * 25n) / 10_000n];
  const debit = payableAccount(of);
  return {
    name: "payment",
    transfers: [
      { debit: receivableAccount("w"), credit: debit, amount: { currency, minor } },
      { debit, credit: "fee revenue", amount: { currency, minor: fee } },
      { debit, credit: "tax payable", amount: { currency, minor: tax } },
    ].filter(({ amount }) => amount.minor > 0n),
  };
}

/** Random times from a small set, so that many movements share one; several are at the very end of a day. */
const moments = fc.oneof(
  fc.constantFrom(
    "2026-11-14T16:00:00.000Z",
    "2026-11-15T15:59:59.999Z",
    "2026-11-15T16:00:00.000Z",
    "2026-11-17T15:59:59.999Z",
  ),
  fc.integer({ min: 0, max: 96 }).map((hour) => new Date(Date.UTC(2026, 10, 14, hour)).toISOString()),
);

const effects: fc.Arbitrary<Effect> = fc
  .tuple(fc.constantFrom("EUR", "JPY"), fc.bigInt({ min: 1n, max: 1_000_000n }), fc.nat({ max: 3 }))
  .map(([currency, minor, kind]) => {
    const amount = { currency, minor };
    if (kind === 0) return refundEffect(clientId, "w", amount);
    if (kind === 1) return disputeFreezeEffect(clientId, amount);
    if (kind === 2) return disputeReleaseEffect(clientId, amount);
    return sale(clientId, currency, minor);
  });

const balanceChange = ({ effect }: PostedEffect, currency: string): bigint =>
  effect.transfers
    .filter(({ amount }) => amount.currency === currency)
    .reduce((sum, transfer) => sum + owedChange(transfer, clientId), 0n);

/** Reads all pages of a statement. Each page must open with the closing balance of the previous page. */
async function readPages(currency: string, from: Date, until: Date, limit: number) {
  const lines: StatementLine[] = [];
  let position: ReturnType<typeof parseStatementCursor> | undefined;
  let opening: bigint | undefined;
  let closing: bigint | undefined;
  for (;;) {
    const part = await findStatement(transactionOn(client), key, {
      currency,
      from,
      until,
      after: position,
      limit,
    });
    const pageLines = part.lines.slice(0, limit);
    if (closing !== undefined) assert.equal(part.openingMinor, closing);
    opening ??= part.openingMinor;
    closing = calculateClosing({ openingMinor: part.openingMinor, lines: pageLines });
    lines.push(...pageLines);
    const last = pageLines.at(-1);
    if (part.lines.length <= limit || !last) return { opening, closing, lines };
    position = parseStatementCursor(formatStatementCursor(last.position));
  }
}

test("the days of a statement include the last millisecond of the last day, and not the next day", async () => {
  const days = { from: startOfAccountingDay("2026-09-01"), until: startOfAccountingDay("2026-09-03") };
  const moment = (at: Date, offsetMs: number): Date => new Date(at.getTime() + offsetMs);
  const times = [moment(days.from, -1), days.from, moment(days.until, -1), days.until];
  for (const [index, at] of times.entries())
    await post(client, clientId, {
      subjectId: `end-of-day-${index}`,
      effect: sale(clientId, "USD", 10n ** BigInt(index)),
      at,
    });
  const { openingMinor, days: statementDays } = await listStatementDays(transactionOn(client), key, {
    currency: "USD",
    ...days,
  });
  assert.equal(openingMinor, 1n);
  assert.deepEqual(
    statementDays.map(({ day, grossMinor }) => [day, grossMinor]),
    [
      ["2026-09-01", 10n],
      ["2026-09-02", 100n],
    ],
  );
});

test("a statement equals the ledger, for every range of days and every page size", async () => {
  const postings: PostedEffect[] = [];
  const steps = fc.array(fc.tuple(moments, effects), { minLength: 1, maxLength: 12 });
  const queries = fc.tuple(
    fc.nat({ max: 4 }),
    fc.nat({ max: 3 }),
    fc.integer({ min: 1, max: 7 }),
    fc.boolean(),
  );
  await fc.assert(
    fc.asyncProperty(steps, queries, async (movements, [first, length, limit, rollsUp]) => {
      for (const [time, effect] of movements) {
        const posted = { subjectId: `subject-${postings.length}`, effect, at: new Date(time) };
        postings.push(posted);
        await post(client, clientId, posted);
      }
      if (rollsUp) await rollUpBalances(transactionOn(client));
      const fromDay = new Date(Date.UTC(2026, 10, 14 + first)).toISOString().slice(0, 10);
      let toDay = fromDay;
      for (let days = 0; days < length; days += 1) toDay = nextAccountingDay(toDay);
      for (const currency of ["EUR", "JPY"]) {
        const until = startOfAccountingDay(nextAccountingDay(toDay));
        const { opening, closing, lines } = await readPages(
          currency,
          startOfAccountingDay(fromDay),
          until,
          limit,
        );
        const sumWhere = (matches: (day: string) => boolean): bigint =>
          postings
            .filter(({ at }) => matches(accountingDayOf(at)))
            .reduce((sum, posted) => sum + balanceChange(posted, currency), 0n);
        assert.equal(
          opening,
          sumWhere((day) => day < fromDay),
        );
        assert.equal(
          closing,
          sumWhere((day) => day <= toDay),
        );
        const within = postings.filter(
          (posted) =>
            accountingDayOf(posted.at) >= fromDay &&
            accountingDayOf(posted.at) <= toDay &&
            posted.effect.transfers.some(({ amount }) => amount.currency === currency),
        );
        assert.deepEqual(
          lines.map(({ subjectId }) => subjectId).toSorted(),
          within.map(({ subjectId }) => subjectId).toSorted(),
        );
        for (const line of lines) {
          const posted = postings.find(({ subjectId }) => subjectId === line.subjectId);
          assert.ok(posted);
          assert.equal(calculateNet(line), balanceChange(posted, currency));
          assert.equal(line.at.getTime(), posted.at.getTime());
        }
      }
    }),
    { numRuns: 25 },
  );
});

test("a statement of an old month starts from the nearest closed month, and is the same as without closed months", async () => {
  const old = "SANDBOX_OLD";
  const [oldClient, superuser] = await Promise.all([
    connectAs(old, appUrl),
    connectAs(undefined, superuserUrl),
  ]);
  const oldKey = { bucket: bucketOf(old), clientId: old };
  // Every third movement is at the first moment of an accounting day, and several share their time.
  for (let nth = 0; nth < 40; nth += 1) {
    const at = new Date(Date.UTC(2024, 0, 1 + Math.floor(nth / 2) * 6, nth % 3 === 0 ? 16 : 5));
    const sold = sale(old, nth % 4 === 0 ? "JPY" : "EUR", 100n + BigInt(nth));
    await post(oldClient, old, { subjectId: `old-${String(nth).padStart(2, "0")}`, effect: sold, at });
  }
  const readAll = async (): Promise<unknown[]> => {
    const parts: unknown[] = [];
    for (let day = "2023-12-30"; day < "2024-05-05"; day = nextAccountingDay(nextAccountingDay(day))) {
      const window = { from: startOfAccountingDay(day), until: startOfAccountingDay("2024-05-10"), limit: 3 };
      for (const currency of ["EUR", "JPY"]) {
        const query = { ...window, currency };
        const first = await findStatement(transactionOn(oldClient), oldKey, { ...query, after: undefined });
        const after = first.lines[2]?.position;
        parts.push(
          first,
          after && (await findStatement(transactionOn(oldClient), oldKey, { ...query, after })),
        );
      }
    }
    return parts;
  };
  const withoutClosedMonths = await readAll();
  for (const month of ["2024-01", "2024-03"])
    await insertClosedMonth(transactionOn(superuser), { month, ...accountingMonth(month) }, new Date());
  assert.deepEqual(await readAll(), withoutClosedMonths);

  const openingOf = async (day: string): Promise<bigint> => {
    const [from, until] = [startOfAccountingDay(day), startOfAccountingDay(nextAccountingDay(day))];
    const query = { currency: "EUR", from, until, after: undefined, limit: 1 };
    return (await findStatement(transactionOn(oldClient), oldKey, query)).openingMinor;
  };
  const days = ["2024-01-20", "2024-02-10", "2024-02-20", "2024-04-02", accountingDayOf(new Date())];
  const openings: bigint[] = [];
  for (const day of days) openings.push(await openingOf(day));
  // A closing balance that is one higher for January, and ten higher for March, shows from which one a statement starts.
  for (const [month, more] of [
    ["2024-01", 1],
    ["2024-03", 10],
  ] as const)
    await asSuperuser(
      "update closed_sums set amount_minor = amount_minor - $1 where client = $2 and month = $3",
      [more, old, month],
      superuserUrl,
    );
  const changes = await Promise.all(
    days.map(async (day, nth) => (await openingOf(day)) - (openings[nth] ?? 0n)),
  );
  assert.deepEqual(changes, [1n, 1n, 1n, 10n, 0n]);
  await asSuperuser(
    "insert into client_homes (bucket, client, state, epoch) values ($1, $2, 'here', 1)",
    [oldKey.bucket, old],
    superuserUrl,
  );
  assert.equal(
    await openingOf("2024-02-10"),
    openings[1],
    "the months were closed before the merchant was moved here",
  );
  await Promise.all([oldClient.end(), superuser.end()]);
});

test("a line separates fee and tax, and contains no movement of another merchant", async () => {
  const at = new Date("2026-12-01T10:00:00Z");
  await post(otherClient, "SANDBOX_TEA", { subjectId: "tea", effect: sale("SANDBOX_TEA", "EUR", 1250n), at });
  const query = {
    currency: "EUR",
    from: startOfAccountingDay("2026-12-01"),
    until: startOfAccountingDay("2026-12-02"),
    after: undefined,
    limit: 10,
  };
  const teaKey = { bucket: bucketOf("SANDBOX_TEA"), clientId: "SANDBOX_TEA" };
  const { openingMinor, lines } = await findStatement(transactionOn(otherClient), teaKey, query);
  assert.equal(openingMinor, 0n);
  assert.deepEqual(
    lines.map(({ effect, grossMinor, feeMinor, taxMinor }) => ({ effect, grossMinor, feeMinor, taxMinor })),
    [{ effect: "payment", grossMinor: 1250n, feeMinor: -36n, taxMinor: -3n }],
  );
  assert.deepEqual((await findStatement(transactionOn(client), teaKey, query)).lines, []);
});

test("a statement has existing days in order, and covers at most a month", () => {
  assert.equal(findDaysRefusal("2026-12-01", "2026-12-31"), undefined);
  for (const [from, to] of [
    ["2026-11-31", "2026-12-01"],
    ["2026-11-30", "2026-11-31"],
    ["2026-12-01", "2026-11-30"],
    ["2026-12-01", "2027-01-01"],
  ] as const)
    assert.equal(findDaysRefusal(from, to)?.refused, "PARAM_ILLEGAL", `${from} ${to}`);
});
