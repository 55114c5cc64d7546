import assert from "node:assert/strict";
import { test } from "node:test";
import {
  mergeAuditLogs,
  pageRowCount,
  type AuditPage,
  type AuditRow,
  type AuditSource,
  type Cursors,
  type AuditLog,
} from "../src/audit/merge-audit-logs.ts";

/** `createSource` returns an audit log with rows at these minutes, newest last. It returns pages as the servers do. */
function createSource(where: AuditLog, minutes: readonly number[]): AuditSource {
  const all = minutes
    .map((minute, index): AuditRow => {
      const at = new Date(minute * 60_000).toISOString();
      return { where, seq: index + 1, at, by: { kind: "provider" }, act: "x", subject: "", changes: [] };
    })
    .toReversed();
  return {
    name: where,
    where,
    async query(cursor) {
      const from = all.filter(({ seq }) => cursor === undefined || seq < Number(cursor));
      const rows = from.slice(0, pageRowCount);
      const last = rows.at(-1);
      return { rows, ...(last && from.length > pageRowCount && { nextCursor: String(last.seq) }) };
    },
  };
}

const isFatal = (error: unknown): boolean => error instanceof Error && error.message === "NOT_SIGNED_IN";

async function allPages(sources: readonly AuditSource[]): Promise<AuditPage[]> {
  const pages: AuditPage[] = [];
  for (let next: Cursors | undefined = {}; next && pages.length < 50;) {
    const page: AuditPage = await mergeAuditLogs(sources, next, isFatal);
    pages.push(page);
    ({ next } = page);
  }
  return pages;
}

const summarize = (pages: readonly AuditPage[]): string[] =>
  pages.flatMap(({ rows }) => rows.map(({ where, at }) => `${Date.parse(at) / 60_000} ${where}`));
const minutesTo = (until: number, step: number): number[] =>
  Array.from({ length: Math.ceil(until / step) }, (_, index) => index * step);

test("several audit logs are merged into one list, newest first, without duplicate or missing rows", async () => {
  const minutes = { accounts: minutesTo(400, 1), sandbox: minutesTo(400, 7), live: [398.5, 399.5] } as const;
  const wheres = ["accounts", "sandbox", "live"] as const;
  const pages = await allPages(wheres.map((where) => createSource(where, minutes[where])));
  const expected = wheres
    .flatMap((where) => minutes[where].map((minute) => ({ minute, where })))
    .toSorted((one, other) => other.minute - one.minute);
  assert.deepEqual(
    summarize(pages).map((text) => Number(text.split(" ")[0])),
    expected.map(({ minute }) => minute),
  );
  assert.equal(new Set(summarize(pages)).size, expected.length);
  assert.ok(pages.slice(0, -1).every(({ rows }) => rows.length === pageRowCount));
});

test("a source whose clock was set back keeps its own order and loses no row", async () => {
  const back = [...minutesTo(60, 1), ...minutesTo(60, 1)];
  const pages = await allPages([createSource("accounts", back), createSource("sandbox", minutesTo(60, 2))]);
  assert.equal(summarize(pages).length, 150);
  const accountsRows = pages.flatMap(({ rows }) => rows.filter(({ where }) => where === "accounts"));
  assert.deepEqual(
    accountsRows.map(({ seq }) => seq),
    back.map((_, index) => back.length - index),
  );
});

test("a source that fails is named, and the others are shown", async () => {
  const error = new Error("no connection");
  const failedSource: AuditSource = { name: "live", where: "live", query: () => Promise.reject(error) };
  const pages = await allPages([createSource("accounts", minutesTo(60, 1)), failedSource]);
  assert.deepEqual(
    pages.map(({ rows, missing }) => [rows.length, missing]),
    [
      [50, [{ where: "live", error }]],
      [10, []],
    ],
  );
});

test("without a session no rows are shown, even if other sources respond", async () => {
  const ask = (): Promise<never> => Promise.reject(new Error("NOT_SIGNED_IN"));
  const sources = [
    createSource("accounts", minutesTo(3, 1)),
    { name: "live", where: "live", query: ask } as const,
  ];
  await assert.rejects(allPages(sources), { message: "NOT_SIGNED_IN" });
});
