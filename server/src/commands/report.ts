import { bucketOf } from "../core/bucket.ts";
import { isRefusal } from "../core/result.ts";
import { findReport } from "../reports/report.sql.ts";
import { reportEnd, type ReportName, type ReportPart } from "../reports/report.ts";
import type { Tx } from "../postgres/sql.ts";
import { asOwner, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";
import { writeLines } from "./csv-file.ts";

const statementTimeoutMs = 10 * 60 * 1000;
/** So many lines are in memory. */
const pageLines = 5_000;

export interface ReportToWrite {
  readonly report: ReportName;
  readonly clientId: string;
  readonly fromDay?: string;
  readonly toDay?: string;
  readonly batchId?: string;
  /** A folder, in which the file gets its own name; standard output without one. */
  readonly folder: string | undefined;
}

export interface Written {
  readonly file: string;
  readonly lineCount: number;
}

/** Writes a report as it is read, page by page; says what it is called, and how many lines it has. */
export async function writeReport(
  { url, environment }: Operator,
  { folder, clientId, ...asked }: ReportToWrite,
  onProgress: (lineCount: number) => void = () => undefined,
): Promise<Written> {
  const key = { bucket: bucketOf(clientId), clientId };
  const pageAt = async (tx: Tx, cursor: string | undefined): Promise<ReportPart> => {
    const page = { ...asked, limit: pageLines, ...(cursor !== undefined && { cursor }) };
    const part = await findReport(tx, key, page);
    if (isRefusal(part)) throw new Impossible(part.detail ?? "There is no such report.");
    return part;
  };
  const write = async (tx: Tx): Promise<Written> => {
    let lineCount = 0;
    let part = await pageAt(tx, undefined);
    const lines = async function* (): AsyncGenerator<string> {
      yield `${part.head}\r\n`;
      for (;;) {
        yield part.lines.map((line) => `${line}\r\n`).join("");
        lineCount += part.lines.length;
        onProgress(lineCount);
        if (part.nextCursor === undefined) break;
        part = await pageAt(tx, part.nextCursor);
      }
      yield `${reportEnd}\r\n`;
    };
    const file = folder === undefined ? part.file : `${folder}/${part.file}`;
    await writeLines(folder === undefined ? undefined : file, lines());
    return { file, lineCount };
  };
  // By key, as the portal asks: a page that read whole tables would do so again for each of the next.
  return asOwner(url, environment, [clientId], write, { statementTimeoutMs, readsWholeTables: false });
}
