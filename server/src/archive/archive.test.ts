import assert from "node:assert/strict";
import { test } from "node:test";
import {
  contentProblem,
  countRows,
  archiveFileName,
  formatLine,
  monthsBetween,
  parseLine,
  retentionReason,
  type ArchivedRow,
} from "./archive.ts";

const now = new Date("2026-11-17T00:00:00Z");
const daysAgo = (days: number): Date => new Date(now.getTime() - days * 24 * 3600 * 1000);
const paymentId = "20251115093000123047601530017744120";
const candidate = { paymentId, openRecords: [], movedAt: daysAgo(400), refundWindowDays: 365 };

test("a payment is archived when no record is open, no refund is possible, and half a year has passed", () => {
  assert.equal(retentionReason(candidate, now), undefined);
  assert.equal(retentionReason({ ...candidate, openRecords: ["a dispute"] }, now), "open");
  assert.equal(retentionReason({ ...candidate, movedAt: daysAgo(364) }, now), "recent");
  assert.equal(retentionReason({ ...candidate, movedAt: daysAgo(365) }, now), undefined);
  assert.equal(retentionReason({ ...candidate, refundWindowDays: 730 }, now), "recent");
  const unpaid = { ...candidate, refundWindowDays: 0 };
  assert.equal(retentionReason({ ...unpaid, movedAt: daysAgo(179) }, now), "recent");
  assert.equal(retentionReason({ ...unpaid, movedAt: daysAgo(180) }, now), undefined);
});

test("months continue over the end of a year, and ids start with their month", () => {
  assert.deepEqual(
    monthsBetween("2025-11", "2026-02").map(({ month }) => month),
    ["2025-11", "2025-12", "2026-01"],
  );
  assert.deepEqual(monthsBetween("2025-12", "2026-01"), [
    { month: "2025-12", idFrom: "202512", idBefore: "202601" },
  ]);
  assert.deepEqual(monthsBetween("2026-01", "2026-01"), []);
});

const rows: readonly ArchivedRow[] = [
  { paymentId, table: "payment_events", row: '{"sequence":1}' },
  { paymentId, table: "notifications", row: '{"position":12345678901234567890,"body":"\\\\x7d0a"}' },
];

test("a row is read back with all digits", () => {
  assert.deepEqual(
    rows.map((row) => parseLine(formatLine(row).trimEnd())),
    rows,
  );
  for (const line of ["", "{}", formatLine({ ...rows[0]!, table: "clients" as never }).trimEnd()])
    assert.equal(parseLine(line), undefined);
});

test("a missing row, line end or payment is detected", () => {
  const text = rows.map(formatLine).join("");
  const record = { paymentCount: 1, rowCounts: countRows(rows) };
  assert.equal(contentProblem(text, record), undefined);
  assert.equal(contentProblem(formatLine(rows[0]!), record), "has 0 rows of notifications instead of 1");
  assert.equal(contentProblem(text.slice(0, -1), record), "has an invalid line");
  assert.equal(contentProblem(text, { ...record, paymentCount: 2 }), "has 1 payments instead of 2");
});

test("files with different content have different names", () => {
  const file = { archiveId: 7, month: "2025-11", sha256: "1a".repeat(32) };
  assert.equal(archiveFileName(file), "2025-11/00000007-1a1a1a1a1a1a1a1a.ndjson.gz");
  assert.notEqual(archiveFileName({ ...file, sha256: "1b".repeat(32) }), archiveFileName(file));
});
