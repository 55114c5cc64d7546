import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findCell } from "../../cells/home.sql.ts";
import type { PayoutCrashPointHook } from "../../core/crash-point.ts";
import { systemScope } from "../../postgres/database.ts";
import { findNewestHandedOver, listFileStatuses, type StoredPayoutFile } from "./payout-file.sql.ts";
import {
  findConfirmedResync,
  findOpenResync,
  insertResync,
  updateResyncConfirmed,
} from "./payout-resync.sql.ts";
import {
  actAsOwner,
  readAsOwner,
  operatorName,
  type Operator,
} from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";

/**
 * The folder of the copies in the bank folder. In the bank folder, `FILE.xml` is for the bank, and
 * `handed-over/BANK/FILE.xml` is a permanent copy. The copies outlive the database: after a restore, the database does
 * not know the newest copy and must not pay the same batches again. Cells that share a folder have separate folders for
 * copies. Write order: `FILE.xml.part`, the copy, then rename `FILE.xml.part` to `FILE.xml`. So if there is a copy
 * without `FILE.xml.part`, the bank may have the file; if both exist, the bank never received it.
 */
const copiesOf = (folder: string, bank: string, cell: string | undefined): string =>
  join(folder, "handed-over", bank, ...(cell === undefined ? [] : [cell]));

/** The value of `--newest` for a bank folder without a payout file. */
export const noPayoutFile = "none";

/**
 * `checkBankFolder` rejects a payout run if the bank folder and the database disagree on the newest file that was
 * handed over. In that case the folder or the database was restored, or the folder is the wrong one.
 */
export async function checkBankFolder(
  operator: Operator,
  { bank, folder }: { readonly bank: string; readonly folder: string },
): Promise<void> {
  // The database is read before the folder, because a concurrent run may hand a file over: its row is written before
  // its copy, and its copy before the bank's file.
  const { cell, newest, confirmed } = await readAsOwner(operator, systemScope, async (tx) => ({
    cell: await findCell(tx),
    newest: await findNewestHandedOver(tx, bank),
    confirmed: await findConfirmedResync(tx, bank),
  }));
  const copies = await listCopyIds(folder, bank, cell);
  const statusOf = await readAsOwner(operator, systemScope, (tx) => listFileStatuses(tx, copies));
  // The newest file whose outcome, with that of all files before it, two people have stated.
  const confirmedUpTo = confirmed && confirmed.newestFile !== noPayoutFile ? confirmed.newestFile : "";
  const later = copies.filter((fileId) => fileId > confirmedUpTo);
  const unknown = later.filter((fileId) => !statusOf.has(fileId));
  const dropped = later.filter((fileId) => statusOf.get(fileId) === "DROPPED");
  const instructions =
    `If the bank received it, run \`tollgate payout recover --bank ${bank} PATH\` for each such file, with the ` +
    "path of its copy. If not, or if the copies are lost, two people must state the newest file with " +
    `\`tollgate payout resync --bank ${bank} --folder FOLDER --newest FILE\`.`;
  if (unknown.length > 0)
    throw new CommandFailed(
      `The bank folder has payout files that this database does not know (${unknown.join(", ")}), so the ` +
        `database was restored to an earlier time. No payouts were made. ${instructions}`,
    );
  if (dropped.length > 0)
    throw new CommandFailed(
      `The bank folder has payout files that this database has dropped (${dropped.join(", ")}), so the ` +
        "database was restored to an earlier time and the plan was dropped afterwards. No payouts were made. If " +
        "the bank received one of them, hold its merchants (`tollgate payout hold`) until it is corrected by " +
        `hand. Then two people must run \`tollgate payout resync --bank ${bank} --folder FOLDER --newest FILE\`.`,
    );
  const isConfirmedSince = confirmed && newest?.handedOverAt && confirmed.confirmedAt > newest.handedOverAt;
  if (newest && !isConfirmedSince && !copies.includes(newest.fileId))
    throw new CommandFailed(
      `The bank folder has no copy of ${newest.fileId}, the last payout file that was handed over. It is the ` +
        `wrong folder, or it was restored. No payouts were made. ${instructions}`,
    );
}

/** Lists the file ids of the copies, oldest first; an id begins with its time. */
export async function listCopyIds(
  folder: string,
  bank: string,
  cell: string | undefined,
): Promise<readonly string[]> {
  const names = await readdir(copiesOf(folder, bank, cell)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names.flatMap((name) => /^(\d{35})\.xml$/.exec(name)?.[1] ?? []).sort();
}

/** Lists the file ids of copies whose files the bank may have. */
export async function listSentFileIds(
  folder: string,
  bank: string,
  cell: string | undefined,
): Promise<readonly string[]> {
  const copies = await listCopyIds(folder, bank, cell);
  const unsent = new Set(copies.length > 0 ? await readdir(folder) : []);
  return copies.filter((fileId) => !unsent.has(partPathOf(`${fileId}.xml`)));
}

const partPathOf = (path: string): string => `${path}.part`;

/**
 * `resyncFolder` records the newest payout file of a bank in its folder, after a restore. The first person requests the
 * record, the second confirms it with the same command.
 */
export async function resyncFolder(
  operator: Operator,
  { bank, folder, newest }: { readonly bank: string; readonly folder: string; readonly newest: string },
): Promise<"requested" | "confirmed"> {
  const by = operatorName(operator);
  return actAsOwner(operator, systemScope, async (tx) => {
    const newestCopy = (await listCopyIds(folder, bank, await findCell(tx))).at(-1) ?? noPayoutFile;
    if (newest !== newestCopy)
      throw new CommandFailed(
        `The newest copy in the folder is ${newestCopy}, not ${newest}. Check --newest and --folder.`,
      );
    const after = { newest };
    const request = await findOpenResync(tx, bank, newest);
    const isOwn = request?.isOwn === true && operator.environment === "live" && operator.by?.alone !== true;
    if (request && !isOwn) {
      await updateResyncConfirmed(tx, { bank, newestFile: newest, requestedAt: request.requestedAt }, by);
      return { value: "confirmed", audit: { act: "payout resync", subject: bank, after } };
    }
    if (isOwn)
      throw new CommandFailed("You requested this with this login, so another person must confirm it.");
    await insertResync(tx, { bank, newestFile: newest, by });
    return {
      value: "requested",
      audit: { act: "payout resync", subject: bank, after: { ...after, isRequest: true } },
    };
  });
}

interface FolderFile {
  readonly folder: string;
  readonly cell: string | undefined;
  readonly file: StoredPayoutFile;
}

const folderPathsOf = ({ folder, cell, file: { bank, fileId } }: FolderFile) => ({
  path: join(folder, `${fileId}.xml`),
  copy: join(copiesOf(folder, bank, cell), `${fileId}.xml`),
});

/** Writes a file and its permanent copy to the bank folder. Returns the path of the bank's file. */
export async function writeBankFile(
  folderFile: FolderFile,
  text: string,
  atCrashPoint: PayoutCrashPointHook,
): Promise<string> {
  const { folder, cell, file } = folderFile;
  const { path, copy } = folderPathsOf(folderFile);
  await mkdir(dirname(copy), { recursive: true, mode: 0o700 });
  if (file.isRecovered || (await listSentFileIds(folder, file.bank, cell)).includes(file.fileId)) {
    await writeFileAtomically(copy, text);
    if (!file.isRecovered) await writeFileAtomically(path, text);
    return path;
  }
  await writeFileSynced(partPathOf(path), text);
  // The old copy is deleted: the bank never received its file, which may have other lines now, because accounts can
  // end.
  await rm(copy, { force: true });
  await writeFileAtomically(copy, text);
  atCrashPoint("after-file-written");
  await rename(partPathOf(path), path);
  await syncEntries(path);
  return path;
}

/** Deletes leftovers of an earlier run for a file that the bank never received. */
export async function deleteUnsentFile(folderFile: FolderFile): Promise<void> {
  const { path, copy } = folderPathsOf(folderFile);
  // The copy is deleted before the part file, because a copy alone means that the bank may have the file.
  await rm(copy, { force: true });
  await rm(partPathOf(path), { force: true });
}

/**
 * Writes a file atomically: under a temporary name, fsync, then rename. The bank's program never reads a partial
 * file.
 */
async function writeFileAtomically(path: string, text: string): Promise<void> {
  const found = await readFile(path, "utf8").catch(() => undefined);
  if (found === text) return;
  if (found !== undefined) throw new Error(`${path} already exists with other content.`);
  const temporary = `${path}.tmp`;
  await writeFileSynced(temporary, text);
  await rename(temporary, path);
  await syncEntries(path);
}

async function writeFileSynced(path: string, text: string): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncEntries(path);
}

/** Writes the directory entry of a path to disk (fsync). */
async function syncEntries(path: string): Promise<void> {
  const folder = await open(dirname(path));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
