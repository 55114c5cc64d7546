import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { statementCsv, statementName, statementPdf } from "./statement-file.ts";
import { closingOf, netOf, type StatementLine } from "./statement.ts";

const of = { clientId: "SANDBOX_COFFEE", currency: "EUR", month: "2026-11" } as const;

const lines = fc.array(
  fc
    .tuple(fc.bigInt(-10_000n, 10_000n), fc.bigInt(-500n, 0n))
    .map(([grossMinor, feeMinor]): StatementLine => ({
      subjectId: "s",
      effect: "payment",
      at: new Date("2026-11-02T10:00:00Z"),
      grossMinor,
      feeMinor,
      taxMinor: 0n,
      place: { atMicros: "1794700000000000", subjectId: "s", effect: "payment" },
    })),
  { maxLength: 12 },
);

test("in parts a statement is the same as at once, and ends with what opening and lines come to", () => {
  fc.assert(
    fc.property(
      lines,
      fc.bigInt(-1_000n, 1_000n),
      fc.integer({ min: 1, max: 5 }),
      (all, openingMinor, size) => {
        const whole = statementCsv(of, { openingMinor, lines: all }, { isFirst: true, isLast: true });
        let [text, balance, index] = ["", openingMinor, 0];
        do {
          const part = { openingMinor: balance, lines: all.slice(index, index + size) };
          const ends = { isFirst: index === 0, isLast: index + size >= all.length };
          text += statementCsv(of, part, ends);
          balance = closingOf(part);
          index += size;
        } while (index < all.length);
        assert.equal(text, whole);
        const sum = all.reduce((minor, line) => minor + netOf(line), openingMinor);
        const last = whole.trimEnd().split("\r\n").at(-1)?.split(",") ?? [];
        assert.deepEqual([last[3], Number(last[8])], ["closing", Number(sum) / 100]);
      },
    ),
  );
});

test("a month without a movement closes with what it opened with", () => {
  const text = statementPdf(of, 1214n, []).toString("latin1");
  assert.match(text, /\(opening +12\.14\) Tj T\*\n\(closing +12\.14\) Tj/);
  assert.equal(statementName(of, "PDF"), "STATEMENT_SANDBOX_COFFEE_EUR_2026-11.pdf");
});
