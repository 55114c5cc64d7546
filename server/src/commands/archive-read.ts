import { readLine, type Archive } from "../archive/archive.ts";
import { findArchiveOf, listArchives, lockArchiveOf, updateArchiveErased } from "../archive/archive.sql.ts";
import type { ClientKey } from "../core/client-key.ts";
import { addressOf } from "../core/id.ts";
import { findPaymentOf } from "../payments/timeline.sql.ts";
import { columnsOfPeople } from "../postgres/column-classes.ts";
import { systemScope } from "../postgres/database.ts";
import type { Environment } from "../postgres/migrate.ts";
import type { Tx } from "../postgres/sql.ts";
import { listUnrecorded, readArchive, writeArchive } from "./archive-file.ts";
import { asOwner, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";

export interface VerifiedArchive {
  readonly fileCount: number;
  readonly paymentCount: number;
  readonly byteCount: number;
  /** What is wrong, a sentence for each file. */
  readonly problems: readonly string[];
  /** Files that no record names. */
  readonly unrecorded: readonly string[];
}

/** Reads every file that the database knows of, and holds it against what was recorded when its rows were deleted. */
export async function verifyArchive(
  { url, environment }: Operator,
  folder: string,
): Promise<VerifiedArchive> {
  const archives = await asOwner(url, environment, systemScope, listArchives);
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

function sumOf(archives: readonly Archive[], of: (archive: Archive) => number): number {
  return archives.reduce((sum, archive) => sum + of(archive), 0);
}

export function verifiedText({ fileCount, paymentCount, byteCount, ...found }: VerifiedArchive): string {
  const { problems, unrecorded } = found;
  const whole = `${fileCount} files of ${paymentCount} payments, ${byteCount} bytes`;
  return [
    ...problems,
    ...unrecorded.map(
      (file) =>
        `${file} is not recorded here: a run that was cut off has left it, or it is another installation's.`,
    ),
    problems.length === 0
      ? `${whole}: each as it was written.`
      : `${whole}: ${problems.length} are not whole.`,
  ].join("\n");
}

/** The rows of an archived payment, as lines of JSON. */
export async function findArchivedRows(
  { url, environment }: Operator,
  folder: string,
  paymentId: string,
): Promise<readonly string[]> {
  const bucket = addressOf(paymentId)?.bucket ?? 0;
  const owned = await asOwner(url, environment, systemScope, (tx) =>
    findPaymentOf(tx, { bucket, id: paymentId }),
  );
  const clientId = owned?.clientId ?? "";
  const archive = await asOwner(url, environment, [clientId], (tx) =>
    findArchiveOf(tx, { bucket, clientId }, paymentId),
  );
  if (!archive) throw new Impossible(`There is no payment ${paymentId} in the archive.`);
  return linesOf(await textOf(folder, archive), paymentId);
}

async function textOf(folder: string, archive: Archive): Promise<string> {
  const read = await readArchive(folder, archive);
  if ("problem" in read) throw new Impossible(`${archive.file} below ${folder} ${read.problem}.`);
  return read.text;
}

function linesOf(text: string, paymentId: string): readonly string[] {
  return text.split("\n").filter((line) => readLine(line)?.paymentId === paymentId);
}

/**
 * Takes what the rows of a payment say about its buyer out of its file: another file is written, and takes the place of the first when the
 * transaction commits. Gives the file that nobody needs from then on; undefined when the payment is not in the archive.
 */
export async function eraseArchived(
  tx: Tx,
  environment: Environment,
  folder: string | undefined,
  { key, paymentId }: { readonly key: ClientKey; readonly paymentId: string },
): Promise<string | undefined> {
  const archive = await lockArchiveOf(tx, key, paymentId);
  if (!archive) return undefined;
  if (folder === undefined)
    throw new Impossible(
      `A part of it is in the archive, in ${archive.file}. Say where that is, with --archive DIR: it is erased there, too.`,
    );
  const text = await textOf(folder, archive);
  const slim = text
    .split("\n")
    .map((line) => (readLine(line)?.paymentId === paymentId ? withoutPeople(line) : line))
    .join("\n");
  const erased = await writeArchive(folder, environment, archive, slim);
  const again = await readArchive(folder, erased);
  if ("problem" in again || again.text !== slim)
    throw new Impossible(`${erased.file} was not written well: nothing was erased. Look at the disk.`);
  await updateArchiveErased(tx, erased);
  // Erased once more, it is the same file.
  return archive.file === erased.file ? undefined : archive.file;
}

/** The line with its personal columns emptied, by the same list as in the database. */
function withoutPeople(line: string): string {
  const { paymentId, table, row } = JSON.parse(line) as {
    paymentId: string;
    table: string;
    row: Record<string, unknown>;
  };
  const personal = columnsOfPeople().find((each) => each.table === table && each.class === "personal");
  const empty = Object.fromEntries(
    (personal?.columns ?? []).filter((name) => name in row).map((name) => [name, null]),
  );
  return JSON.stringify({ paymentId, table, row: { ...row, ...empty } });
}
