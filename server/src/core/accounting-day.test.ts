import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  accountingDayOf,
  accountingMonth,
  isAccountingDay,
  isAccountingMonth,
  nextAccountingDay,
  startOfAccountingDay,
} from "./accounting-day.ts";

test("a book day ends at midnight UTC+8", () => {
  assert.equal(accountingDayOf(new Date("2026-11-16T15:59:59.999Z")), "2026-11-16");
  assert.equal(accountingDayOf(new Date("2026-11-16T16:00:00.000Z")), "2026-11-17");
  assert.equal(startOfAccountingDay("2026-11-17").toISOString(), "2026-11-16T16:00:00.000Z");
  assert.equal(nextAccountingDay("2026-12-31"), "2027-01-01");
  assert.equal(nextAccountingDay("2028-02-28"), "2028-02-29");
});

test("every moment is in exactly one book day", () => {
  const moments = fc.date({ min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true });
  fc.assert(
    fc.property(moments, (moment) => {
      const day = accountingDayOf(moment);
      assert.ok(startOfAccountingDay(day) <= moment && moment < startOfAccountingDay(nextAccountingDay(day)));
      assert.ok(isAccountingDay(day));
    }),
  );
});

test("a date that no calendar has is rejected", () => {
  for (const text of ["2026-11-31", "2026-13-01", "2026-1-1", "2026-11-16T00", "today", ""])
    assert.equal(isAccountingDay(text), false, text);
});

test("a book month is from its first midnight to that of the next month", () => {
  const ends = (month: string): readonly string[] =>
    Object.values(accountingMonth(month)).map((end) => end.toISOString());
  assert.deepEqual(ends("2026-11"), ["2026-10-31T16:00:00.000Z", "2026-11-30T16:00:00.000Z"]);
  assert.deepEqual(ends("2026-12"), ["2026-11-30T16:00:00.000Z", "2026-12-31T16:00:00.000Z"]);
  assert.deepEqual(ends("2028-02"), ["2028-01-31T16:00:00.000Z", "2028-02-29T16:00:00.000Z"]);
  assert.deepEqual(["2026-13", "2026-1", "2026-11-01", "2026-12"].map(isAccountingMonth), [
    false,
    false,
    false,
    true,
  ]);
});
