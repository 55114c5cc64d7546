import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { nextAccountingDay } from "../core/accounting-day.ts";
import {
  addDays,
  batchesToJoin,
  cycles,
  idleDaysOf,
  categoryOf,
  lastWindowBy,
  newBatchStatus,
  sumBatch,
  settlementWindowFor,
  cycleWindowOf,
  businessDayAfter,
  type MovementSum,
  type Terms,
} from "./batch.ts";

const day = fc.nat({ max: 4000 }).map((days) => addDays("2024-01-01", days));
const terms = (fromDay: string, rest: Partial<Terms> = {}): Terms => ({
  fromDay,
  cycle: "D",
  daysAfter: 1,
  minimumMinor: 0n,
  reserveBasisPoints: 0,
  reserveDays: 0,
  settleIn: undefined,
  ...rest,
});

test("a week is from Monday to Sunday, and a month ends on its last day", () => {
  assert.deepEqual(cycleWindowOf("2026-11-18", "D"), { fromDay: "2026-11-18", toDay: "2026-11-18" });
  assert.deepEqual(cycleWindowOf("2026-11-18", "W"), { fromDay: "2026-11-16", toDay: "2026-11-22" });
  assert.deepEqual(cycleWindowOf("2026-11-22", "W"), { fromDay: "2026-11-16", toDay: "2026-11-22" });
  assert.deepEqual(cycleWindowOf("2028-02-10", "M"), { fromDay: "2028-02-01", toDay: "2028-02-29" });
});

test("business days exclude weekends and holidays", () => {
  const friday = "2026-11-20";
  const after = (from: string, days: number, ...holidays: readonly string[]): string =>
    businessDayAfter(from, days, new Set(holidays));
  assert.equal(after(friday, 0), friday);
  assert.equal(after(friday, 1), "2026-11-23");
  assert.equal(after(friday, 5), "2026-11-27");
  assert.equal(after("2026-11-21", 0), "2026-11-23");
  assert.equal(after("2026-11-21", 1), "2026-11-23");
  assert.equal(after(friday, 0, friday), "2026-11-23");
  assert.equal(after("2026-12-24", 1, "2026-12-25", "2026-12-28"), "2026-12-29");
});

test("a due day is a business day, with the agreed number of business days before it, for random holidays", () => {
  const isWeekend = (each: string): boolean => [0, 6].includes(new Date(`${each}T00:00:00Z`).getUTCDay());
  fc.assert(
    fc.property(day, fc.nat({ max: 20 }), fc.array(fc.nat({ max: 60 })), (from, days, offsets) => {
      const holidays = new Set(offsets.map((offset) => addDays(from, offset)));
      const due = businessDayAfter(from, days, holidays);
      assert.ok(due >= from && !isWeekend(due) && !holidays.has(due), due);
      let counted = 0;
      for (let each = nextAccountingDay(from); each <= due; each = nextAccountingDay(each))
        if (!isWeekend(each) && !holidays.has(each)) counted += 1;
      assert.ok(counted === days || (days === 0 && counted === 1), `${counted} working days`);
    }),
  );
});

const someTerms = fc
  .uniqueArray(fc.tuple(day, fc.constantFrom(...cycles)), {
    minLength: 1,
    maxLength: 4,
    selector: ([from]) => from,
  })
  .map((all) => all.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([from, cycle]) => terms(from, { cycle })));

test("windows have no gap and no overlap for random terms, and contain the day", () => {
  fc.assert(
    fc.property(someTerms, day, fc.nat({ max: 30 }), (all, movementDay, batches) => {
      let closedDay: string | undefined;
      for (let nth = 0; nth <= batches; nth += 1) {
        const window = settlementWindowFor(
          closedDay === undefined ? movementDay : nextAccountingDay(closedDay),
          all,
          closedDay,
        );
        assert.ok(window && window.fromDay <= window.toDay);
        if (closedDay !== undefined) {
          const [first = terms("")] = all;
          const expected = nextAccountingDay(closedDay);
          assert.equal(window.fromDay, expected < first.fromDay ? first.fromDay : expected);
        }
        assert.ok(
          all.every(({ fromDay }) => fromDay <= window.fromDay || fromDay > window.toDay),
          "one set of terms",
        );
        closedDay = window.toDay;
      }
    }),
  );
});

test("a movement of a closed day, or from before the first terms, goes into the next window", () => {
  const all = [terms("2026-11-10", { cycle: "W" })];
  assert.partialDeepStrictEqual(settlementWindowFor("2026-11-01", all, undefined), {
    fromDay: "2026-11-10",
    toDay: "2026-11-15",
  });
  assert.partialDeepStrictEqual(settlementWindowFor("2026-11-12", all, "2026-11-15"), {
    fromDay: "2026-11-16",
    toDay: "2026-11-22",
  });
  assert.equal(settlementWindowFor("2026-11-12", [], undefined), undefined);
});

test("movements are counted by their other account, and movements with providers by their effect", () => {
  const kinds = [
    ["payment", "provider receivable w", "gross"],
    ["capture", "provider receivable w", "gross"],
    ["payment", "fee revenue", "fees"],
    ["payment", "tax payable", "tax"],
    ["refund", "provider receivable w", "refunds"],
    ["refund reversal", "provider receivable w", "refunds"],
    ["refund reversal", "fee revenue", "fees"],
    ["cancel", "provider receivable w", "refunds"],
    ["cancel", "fee revenue", "fees"],
    ["dispute freeze", "merchant frozen M", "disputes"],
    ["dispute debit", "provider receivable w", "disputes"],
    ["anything", "adjustment", "other"],
  ] as const;
  for (const [effect, otherAccount, kind] of kinds)
    assert.equal(categoryOf({ effect, otherAccount }), kind, effect);
});

test("the last window by a day has ended, is after the closed days, and no later window has ended", () => {
  fc.assert(
    fc.property(someTerms, day, day, (all, movementDay, closedDay) => {
      const window = lastWindowBy(movementDay, all, closedDay);
      const next = settlementWindowFor(
        nextAccountingDay(window?.toDay ?? closedDay),
        all,
        window?.toDay ?? closedDay,
      );
      assert.ok(next && next.toDay > movementDay, "a later window has ended");
      if (window)
        assert.ok(
          window.fromDay > closedDay && window.fromDay <= window.toDay && window.toDay <= movementDay,
        );
    }),
  );
});

test("a merchant is idle after 30 days, or after the longest wait of its terms", () => {
  assert.equal(idleDaysOf({ daysAfter: 2, reserveDays: 0 }), 30);
  assert.equal(idleDaysOf({ daysAfter: 60, reserveDays: 0 }), 120);
  assert.equal(idleDaysOf({ daysAfter: 60, reserveDays: 180 }), 180);
});

test("a negative batch joins as few due batches as cover it, in their order", () => {
  const due = [5n, 3n, 9n].map((each, nth) => ({ batchId: String(nth), minor: each }));
  const joined = (lack: bigint): string =>
    batchesToJoin(due, lack)
      .map(({ batchId }) => batchId)
      .join("");
  assert.deepEqual([0n, 1n, 5n, 6n, 8n, 9n, 99n].map(joined), ["", "0", "0", "01", "01", "012", "012"]);
});

const minor = fc.bigInt({ min: -1_000_000n, max: 1_000_000n });
const movementSums: fc.Arbitrary<readonly MovementSum[]> = fc.array(
  fc.record({
    effect: fc.constantFrom(
      "payment",
      "capture",
      "refund",
      "refund reversal",
      "cancel",
      "dispute freeze",
      "other",
    ),
    otherAccount: fc.constantFrom(
      "provider receivable w",
      "fee revenue",
      "tax payable",
      "merchant frozen M",
      "adjustment",
    ),
    minor,
  }),
);

test("a batch is the sum of movements, carried batches and released reserve, minus the new reserve", () => {
  fc.assert(
    fc.property(
      movementSums,
      fc.nat({ max: 10_000 }),
      fc.bigInt({ min: 0n, max: 9999n }),
      minor,
      (all, reserve, released, carried) => {
        const sums = sumBatch(all, { reserveBasisPoints: reserve, reserveDays: 7 }, { released, carried });
        const total = all.reduce((sum, each) => sum + each.minor, released + carried);
        assert.equal(sums.net + sums.held, total);
        assert.equal(sums.reserve, released - sums.held);
        assert.ok(sums.held >= 0n && (sums.held === 0n || sums.net >= 0n), "it never makes a debt");
        assert.ok(
          sums.held * 10_000n <= (sums.gross > 0n ? sums.gross : 0n) * BigInt(reserve),
          "never more than its part",
        );
        const { gross, refunds, disputes, fees, tax, other } = sums;
        assert.equal(sums.net, gross + refunds + disputes + fees + tax + other + sums.reserve + sums.carried);
      },
    ),
  );
});

test("nothing is paid below the minimum, or if the sum is zero or negative", () => {
  assert.equal(newBatchStatus(1000n, 1000n), "DUE");
  assert.equal(newBatchStatus(999n, 1000n), "CARRIED");
  assert.equal(newBatchStatus(0n, 0n), "CARRIED");
  assert.equal(newBatchStatus(-5n, 0n), "CARRIED");
});
