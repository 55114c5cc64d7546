import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bookDayOf, bookMonth, isBookDay, isBookMonth, nextBookDay, startOfBookDay } from "./book-day.ts";

test("a day of the books ends at midnight UTC+8", () => {
  assert.equal(bookDayOf(new Date("2026-11-16T15:59:59.999Z")), "2026-11-16");
  assert.equal(bookDayOf(new Date("2026-11-16T16:00:00.000Z")), "2026-11-17");
  assert.equal(startOfBookDay("2026-11-17").toISOString(), "2026-11-16T16:00:00.000Z");
  assert.equal(nextBookDay("2026-12-31"), "2027-01-01");
  assert.equal(nextBookDay("2028-02-28"), "2028-02-29");
});

test("every moment is in exactly the day that it lies between the ends of", () => {
  const moments = fc.date({ min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true });
  fc.assert(
    fc.property(moments, (moment) => {
      const day = bookDayOf(moment);
      assert.ok(startOfBookDay(day) <= moment && moment < startOfBookDay(nextBookDay(day)));
      assert.ok(isBookDay(day));
    }),
  );
});

test("what no calendar has is no day", () => {
  for (const text of ["2026-11-31", "2026-13-01", "2026-1-1", "2026-11-16T00", "today", ""])
    assert.equal(isBookDay(text), false, text);
});

test("a month of the books is from its first midnight to the next one's", () => {
  const ends = (month: string): readonly string[] =>
    Object.values(bookMonth(month)).map((end) => end.toISOString());
  assert.deepEqual(ends("2026-11"), ["2026-10-31T16:00:00.000Z", "2026-11-30T16:00:00.000Z"]);
  assert.deepEqual(ends("2026-12"), ["2026-11-30T16:00:00.000Z", "2026-12-31T16:00:00.000Z"]);
  assert.deepEqual(ends("2028-02"), ["2028-01-31T16:00:00.000Z", "2028-02-29T16:00:00.000Z"]);
  assert.deepEqual(["2026-13", "2026-1", "2026-11-01", "2026-12"].map(isBookMonth), [
    false,
    false,
    false,
    true,
  ]);
});
