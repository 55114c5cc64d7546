import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bookDayOf, isBookDay, nextBookDay, startOfBookDay } from "./book-day.ts";

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
