import assert from "node:assert/strict";
import { test } from "node:test";
import { chartWindow, fillMissingPoints } from "./payment-count.ts";

const now = Date.parse("2026-11-15T09:30:00Z");
const at = (text: string): number => Date.parse(text);

test("a chart has hours for a few days, days for more, and thirty days by default", () => {
  const window = (from?: string, until?: string): readonly unknown[] | undefined => {
    const range = {
      fromMs: from === undefined ? undefined : at(from),
      untilMs: until === undefined ? undefined : at(until),
    };
    const found = chartWindow(range, now);
    return found && [found.span, found.from.toISOString(), found.until.toISOString()];
  };
  assert.deepEqual(window(), ["day", "2026-10-16T00:00:00.000Z", "2026-11-16T00:00:00.000Z"]);
  assert.deepEqual(window("2026-11-15T07:10:00Z"), [
    "hour",
    "2026-11-15T07:00:00.000Z",
    "2026-11-15T10:00:00.000Z",
  ]);
  assert.equal(window("2026-11-16T00:00:00Z"), undefined);
  assert.equal(window("2020-11-16T00:00:00Z"), undefined);
});

test("an hour without payments has a point with zeros", () => {
  const window = chartWindow({ fromMs: now - 2 * 3_600_000, untilMs: now }, now) ?? assert.fail();
  const point = {
    startsAt: new Date("2026-11-15T08:00:00Z"),
    paymentCount: 3,
    successCount: 2,
    failCount: 1,
  };
  const points = fillMissingPoints(window, [{ ...point, cancelCount: 0, paidMinor: 2500n }]);
  assert.deepEqual(
    points.map(({ startsAt, paymentCount }) => [startsAt.toISOString().slice(11, 13), paymentCount]),
    [
      ["07", 0],
      ["08", 3],
      ["09", 0],
    ],
  );
});
