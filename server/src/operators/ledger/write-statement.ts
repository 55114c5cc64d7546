import { writeFile } from "node:fs/promises";
import { accountingMonth, isAccountingMonth } from "../../core/accounting-day.ts";
import { bucketOf } from "../../core/bucket.ts";
import { formatStatementCsv, createStatementPdf } from "../../ledger/statement-file.ts";
import { findMerchantName, findStatement, listStatementDays } from "../../ledger/statement.sql.ts";
import type { StatementPosition } from "../../ledger/statement.ts";
import type { Tx } from "../../postgres/sql.ts";
import { queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { UsageError } from "../../core/command-errors.ts";
import { writeLines } from "../framework/csv-file.ts";

export interface StatementRequest {
  readonly clientId: string;
  readonly currency: string;
  readonly month: string;
  readonly format: "csv" | "pdf";
  readonly file: string;
}

const statementTimeoutMs = 10 * 60 * 1000;
const pageLines = 5_000;

/**
 * `writeStatement` writes a merchant's statement of a month: each movement as CSV, or a line for each day as PDF. It
 * returns the number of movements.
 */
export async function writeStatement(
  { url, environment }: Operator,
  request: StatementRequest,
): Promise<{ readonly file: string; readonly lineCount: number }> {
  const { clientId, month, format, file } = request;
  if (!isAccountingMonth(month)) throw new UsageError("--month must be a month, such as 2026-11.");
  const write = format === "csv" ? writeCsv : writePdf;
  const lineCount = await queryAsOwner(url, environment, [clientId], (tx) => write(tx, request), {
    statementTimeoutMs,
    readsWholeTables: false,
  });
  return { file, lineCount };
}

async function writeCsv(tx: Tx, request: StatementRequest): Promise<number> {
  const { clientId, currency, month, file } = request;
  const key = { bucket: bucketOf(clientId), clientId };
  let lineCount = 0;
  const parts = async function* (): AsyncGenerator<string> {
    let after: StatementPosition | undefined;
    do {
      const window = { currency, ...accountingMonth(month), after, limit: pageLines };
      const { openingMinor, lines: found } = await findStatement(tx, key, window);
      const lines = found.slice(0, pageLines);
      const isFirst = after === undefined;
      after = found.length > pageLines ? lines.at(-1)?.position : undefined;
      lineCount += lines.length;
      yield formatStatementCsv(request, { openingMinor, lines }, { isFirst, isLast: after === undefined });
    } while (after);
  };
  await writeLines(file, parts());
  return lineCount;
}

async function writePdf(tx: Tx, request: StatementRequest): Promise<number> {
  const { clientId, currency, month, file } = request;
  const key = { bucket: bucketOf(clientId), clientId };
  const { openingMinor, days } = await listStatementDays(tx, key, { currency, ...accountingMonth(month) });
  await writeFile(
    file,
    await createStatementPdf(request, await findMerchantName(tx, key), openingMinor, days),
  );
  return days.reduce((sum, day) => sum + day.lineCount, 0);
}
