import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  drawnOrder,
  pdfText,
  popplerMissing,
  textLines,
  visualOrder,
} from "../../test/documents/pdf-text.ts";
import { formatStatementCsv, statementFileName, createStatementPdf } from "./statement-file.ts";
import { calculateClosing, calculateNet, type StatementLine } from "./statement.ts";

const statementKey = { clientId: "SANDBOX_COFFEE", currency: "EUR", month: "2026-11" } as const;

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
      position: { atMicros: "1794700000000000", subjectId: "s", effect: "payment" },
    })),
  { maxLength: 12 },
);

test("a statement in parts equals the statement in one file, and its closing balance is the sum of opening and lines", () => {
  fc.assert(
    fc.property(
      lines,
      fc.bigInt(-1_000n, 1_000n),
      fc.integer({ min: 1, max: 5 }),
      (all, openingMinor, size) => {
        const whole = formatStatementCsv(
          statementKey,
          { openingMinor, lines: all },
          { isFirst: true, isLast: true },
        );
        let [text, balance, index] = ["", openingMinor, 0];
        do {
          const part = { openingMinor: balance, lines: all.slice(index, index + size) };
          const ends = { isFirst: index === 0, isLast: index + size >= all.length };
          text += formatStatementCsv(statementKey, part, ends);
          balance = calculateClosing(part);
          index += size;
        } while (index < all.length);
        assert.equal(text, whole);
        const sum = all.reduce((minor, line) => minor + calculateNet(line), openingMinor);
        const last = whole.trimEnd().split("\r\n").at(-1)?.split(",") ?? [];
        assert.deepEqual([last[3], Number(last[8])], ["closing", Number(sum) / 100]);
      },
    ),
  );
});

test("a month without a movement closes with its opening balance", { skip: popplerMissing }, async () => {
  const read = textLines(pdfText(await createStatementPdf(statementKey, undefined, 1214n, [])));
  assert.deepEqual(read.slice(-2), ["opening 12.14", "closing 12.14"]);
  assert.equal(statementFileName(statementKey, "PDF"), "STATEMENT_SANDBOX_COFFEE_EUR_2026-11.pdf");
});

test("a statement prints merchant names in all scripts", { skip: popplerMissing }, async () => {
  const days = [{ day: "2026-11-02", grossMinor: 1250n, feeMinor: -36n, taxMinor: 0n, lineCount: 1 }];
  for (const name of ["咖啡馆有限公司", "ร้านกาแฟน้ำหวาน", "مقهى الرياض 24", "Łódzka Palarnia Kawy Żółw"]) {
    const read = textLines(pdfText(await createStatementPdf(statementKey, name, 0n, days)));
    assert.ok(
      read.map(drawnOrder).includes(visualOrder(`Merchant: SANDBOX_COFFEE ${name}`.normalize("NFKC"))),
      read.join("\n"),
    );
    assert.ok(read.includes("2026-11-02 12.50 -0.36 0.00 12.14 12.14"));
  }
});
