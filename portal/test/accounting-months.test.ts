import assert from "node:assert/strict";
import { test } from "node:test";
import { listMonths, currentMonth } from "../src/balance/accounting-months.ts";

test("a book month begins at midnight UTC+8", () => {
  assert.equal(currentMonth(Date.parse("2026-11-30T15:59:59.999Z")), "2026-11");
  assert.equal(currentMonth(Date.parse("2026-11-30T16:00:00Z")), "2026-12");
});

test("the choice has the last two years, and the month in the URL", () => {
  const months = listMonths("2026-02", "2026-01");
  assert.deepEqual(
    [months.length, months[0], months[1], months[2], months.at(-1)],
    [24, "2026-02", "2026-01", "2025-12", "2024-03"],
  );
  assert.equal(listMonths("2026-02", "2019-05").at(-1), "2019-05");
});
