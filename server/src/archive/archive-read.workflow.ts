import { parseLine, type Archive } from "./archive.ts";
import { findArchiveOf, listArchives, lockArchiveOf, updateArchiveErased } from "./archive.sql.ts";
import type { ClientKey } from "../core/client-key.ts";
import { parseId } from "../core/id.ts";
import { findPaymentByRecordId } from "../payments/timeline.sql.ts";
import { listColumnsAboutPeople } from "../postgres/column-classes.ts";
import { systemScope } from "../postgres/database.ts";
import type { Environment } from "../postgres/migrate.ts";
import type { Tx } from "../postgres/sql.ts";
import { listUnrecorded, readArchive, writeArchive } from "./archive-file.workflow.ts";
import { queryAsOwner, type Operator } from "../operator-session/owner-session.ts";
import { CommandFailed } from "../core/command-errors.ts";

export interface VerifiedArchive {
  readonly fileCount: number;
  readonly paymentCount: number;
  readonly byteCount: number;
  /** The problems of damaged archive files, one sentence per file. */
  readonly problems: readonly string[];
  /** Files without a record. */
  readonly unrecorded: readonly string[];
}

/**
 * `verifyArchive` reads every recorded file, and compares it with the record that was written when its rows were
 * deleted.
 */
export async function verifyArchive(
  { url, environment }: Operator,
  folder: string,
): Promise<VerifiedArchive> {
  const archives = await queryAsOwner(url, environment, systemScope, listArchives);
  const problems: string[] = [];
  for (const archive of archives) {
    const read = await readArchive(folder, archive);
    if ("problem" in read) problems.push(`${archive.file} ${read.problem}.`);
  }
  return {
    fileCount: archives.length,
    paymentCount: sumOf(archives, ({ paymentCount }) => paymentCount),
    byteCount: sumOf(archives, ({ byteCount }) => byteCount),
    problems,
    unrecorded: await listUnrecorded(folder, archives),
  };
}

function sumOf(archives: readonly Archive[], valueOf: (archive: Archive) => number): number {
  return archives.reduce((sum, archive) => sum + valueOf(archive), 0);
}

export function formatVerification({
  fileCount,
  paymentCount,
  byteCount,
  ...found
}: VerifiedArchive): string {
  const { problems, unrecorded } = found;
  const totals = `${fileCount} files of ${paymentCount} payments, ${byteCount} bytes`;
  return [
    ...problems,
    ...unrecorded.map(
      (file) =>
        `${file} is not recorded here: an interrupted run has left it, or it belongs to another installation.`,
    ),
    problems.length === 0
      ? `${totals}: all files are unchanged.`
      : `${totals}: ${problems.length} files are damaged.`,
  ].join("\n");
}

/** `findArchivedRows` returns the rows of an archived payment, as lines of JSON. */
export async function findArchivedRows(
  { url, environment }: Operator,
  folder: string,
  paymentId: string,
): Promise<readonly string[]> {
  const bucket = parseId(paymentId)?.bucket ?? 0;
  const payment = await queryAsOwner(url, environment, systemScope, (tx) =>
    findPaymentByRecordId(tx, { bucket, id: paymentId }),
  );
  const clientId = payment?.clientId ?? "";
  const archive = await queryAsOwner(url, environment, [clientId], (tx) =>
    findArchiveOf(tx, { bucket, clientId }, paymentId),
  );
  if (!archive) throw new CommandFailed(`Payment ${paymentId} is not in the archive.`);
  return linesOfPayment(await readArchiveText(folder, archive), paymentId);
}

async function readArchiveText(folder: string, archive: Archive): Promise<string> {
  const read = await readArchive(folder, archive);
  if ("problem" in read) throw new CommandFailed(`${archive.file} in ${folder} ${read.problem}.`);
  return read.text;
}

function linesOfPayment(text: string, paymentId: string): readonly string[] {
  return text.split("\n").filter((line) => parseLine(line)?.paymentId === paymentId);
}

/**
 * `eraseFromArchive` removes the buyer's personal data of a payment from its archive file: it writes a new file, which
 * replaces the old one when the transaction commits. It returns the old file, which can then be deleted; undefined if
 * the payment is not in the archive.
 */
export async function eraseFromArchive(
  tx: Tx,
  environment: Environment,
  folder: string | undefined,
  { key, paymentId }: { readonly key: ClientKey; readonly paymentId: string },
): Promise<string | undefined> {
  const archive = await lockArchiveOf(tx, key, paymentId);
  if (!archive) return undefined;
  if (folder === undefined)
    throw new CommandFailed(
      `A part of the payment is archived in ${archive.file}. Give the archive's folder with --archive ` +
        "DIR, to erase it there, too.",
    );
  const text = await readArchiveText(folder, archive);
  const erasedText = text
    .split("\n")
    .map((line) => (parseLine(line)?.paymentId === paymentId ? clearPersonalData(line) : line))
    .join("\n");
  const erasedArchive = await writeArchive(folder, environment, archive, erasedText);
  const readBack = await readArchive(folder, erasedArchive);
  if ("problem" in readBack || readBack.text !== erasedText)
    throw new CommandFailed(
      `${erasedArchive.file} was not written correctly, so nothing was erased. Check the disk.`,
    );
  await updateArchiveErased(tx, erasedArchive);
  // A repeated erasure produces the same file.
  return archive.file === erasedArchive.file ? undefined : archive.file;
}

/**
 * `clearPersonalData` clears the personal columns of an archived row. The list of personal columns is the one that
 * the erasure in the database uses.
 */
function clearPersonalData(line: string): string {
  const { paymentId, table, row } = JSON.parse(line) as {
    paymentId: string;
    table: string;
    row: Record<string, unknown>;
  };
  const personal = listColumnsAboutPeople().find((each) => each.table === table && each.class === "personal");
  const cleared = Object.fromEntries(
    (personal?.columns ?? []).filter((name) => name in row).map((name) => [name, null]),
  );
  return JSON.stringify({ paymentId, table, row: { ...row, ...cleared } });
}
