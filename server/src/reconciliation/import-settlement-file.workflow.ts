import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { FileProblem } from "../core/file-problem.ts";
import {
  insertSettlementFile,
  createStagingTable,
  insertStagedRows,
  type ImportCounts,
} from "./settlement-file.sql.ts";
import { lockReconciliation } from "./compare.sql.ts";
import { newSettlementReader, type SettlementRow } from "./settlement-row.ts";
import { house } from "../ledger/account.ts";
import type { Tx } from "../postgres/sql.ts";
import { listConnectors } from "../providers/connector.sql.ts";
import { actAsOwner, type Operator } from "../operator-session/owner-session.ts";

interface SettlementFileSource {
  readonly connector: string;
  readonly file: string;
}

export interface ImportedFile {
  readonly rowCount: number;
  /** The rows that the import added; absent if the same file was already imported, so that nothing changed. */
  readonly imported: ImportCounts | undefined;
}

const sizeMaxBytes = 1024 ** 3;
const batchSize = 5_000;
/** Statement timeout: the last step of the import of a large file is one long statement. */
const statementTimeoutMs = 10 * 60 * 1000;

/**
 * `importSettlementFile` imports a provider's settlement file in one transaction, so that an invalid file changes
 * nothing.
 */
export async function importSettlementFile(
  operator: Operator,
  { connector, file }: SettlementFileSource,
  now = new Date(),
): Promise<ImportedFile> {
  return actAsOwner(
    operator,
    [house],
    async (tx) => {
      await lockReconciliation(tx);
      await requireConnector(tx, connector);
      await createStagingTable(tx);
      const sha256 = createHash("sha256");
      let rowCount = 0;
      for await (const rows of readRows(file, (bytes) => sha256.update(bytes))) {
        await insertStagedRows(tx, rows);
        rowCount += rows.length;
      }
      const settlementFile = { connector, name: basename(file), sha256: sha256.digest(), rowCount };
      const imported = await insertSettlementFile(tx, settlementFile, now);
      const after = {
        name: settlementFile.name,
        sha256: settlementFile.sha256.toString("hex"),
        rowCount,
        ...imported,
      };
      const audit = { act: "settlement import", subject: connector, after };
      return { value: { rowCount, imported }, audit: imported && audit };
    },
    { statementTimeoutMs },
  );
}

export async function requireConnector(tx: Tx, name: string): Promise<void> {
  const names = (await listConnectors(tx)).map((connector) => connector.name);
  if (names.includes(name)) return;
  throw new Error(`There is no connector ${name}. Connectors: ${names.join(", ") || "none"}.`);
}

/** Streams the rows of a file in batches, so that memory does not grow with the file. */
async function* readRows(
  file: string,
  onBytes: (bytes: Buffer) => void,
): AsyncGenerator<readonly SettlementRow[]> {
  const reader = newSettlementReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const textOf = (bytes?: Buffer): string => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
    } catch {
      throw new FileProblem(reader.line(), "The file is not UTF-8 from this line on.");
    }
  };
  let rows: SettlementRow[] = [];
  let sizeBytes = 0;
  for await (const chunk of createReadStream(file)) {
    const bytes = chunk as Buffer;
    sizeBytes += bytes.length;
    if (sizeBytes > sizeMaxBytes)
      throw new FileProblem(reader.line(), "The file is larger than 1 GiB. Split it.");
    onBytes(bytes);
    rows.push(...reader.read(textOf(bytes)));
    if (rows.length >= batchSize) {
      yield rows;
      rows = [];
    }
  }
  rows.push(...reader.read(textOf()), ...reader.end());
  if (rows.length > 0) yield rows;
}
