import { bucketOf } from "../../core/bucket.ts";
import { isRefusal } from "../../core/result.ts";
import { findReport } from "../../reports/report.sql.ts";
import { reportEnd, type ReportName, type ReportPart } from "../../reports/report.ts";
import type { Tx } from "../../postgres/sql.ts";
import { queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { writeLines } from "../framework/csv-file.ts";

const statementTimeoutMs = 10 * 60 * 1000;
/** Maximum number of lines in memory. */
const pageLines = 5_000;

export interface ReportRequest {
  readonly report: ReportName;
  readonly clientId: string;
  readonly fromDay?: string;
  readonly toDay?: string;
  readonly batchId?: string;
  /** Folder for the file, which gets its own name; standard output if absent. */
  readonly folder: string | undefined;
}

export interface WrittenReport {
  readonly file: string;
  readonly lineCount: number;
}

/** `writeReport` writes a report page by page. It returns the file name and the number of lines. */
export async function writeReport(
  { url, environment }: Operator,
  { folder, clientId, ...selection }: ReportRequest,
  onProgress: (lineCount: number) => void = () => undefined,
): Promise<WrittenReport> {
  const key = { bucket: bucketOf(clientId), clientId };
  const readPage = async (tx: Tx, cursor: string | undefined): Promise<ReportPart> => {
    const page = { ...selection, limit: pageLines, ...(cursor !== undefined && { cursor }) };
    const part = await findReport(tx, key, page);
    if (isRefusal(part)) throw new CommandFailed(part.detail ?? "This report does not exist.");
    return part;
  };
  const write = async (tx: Tx): Promise<WrittenReport> => {
    let lineCount = 0;
    let part = await readPage(tx, undefined);
    const lines = async function* (): AsyncGenerator<string> {
      yield `${part.head}\r\n`;
      for (;;) {
        yield part.lines.map((line) => `${line}\r\n`).join("");
        lineCount += part.lines.length;
        onProgress(lineCount);
        if (part.nextCursor === undefined) break;
        part = await readPage(tx, part.nextCursor);
      }
      yield `${reportEnd}\r\n`;
    };
    const file = folder === undefined ? part.file : `${folder}/${part.file}`;
    await writeLines(folder === undefined ? undefined : file, lines());
    return { file, lineCount };
  };
  // The report uses index lookups only, as the portal does. Otherwise each page would read whole tables again.
  return queryAsOwner(url, environment, [clientId], write, { statementTimeoutMs, readsWholeTables: false });
}
