import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findCell } from "../cells/home.sql.ts";
import type { AtPayout } from "../core/crash-point.ts";
import { systemScope } from "../postgres/database.ts";
import { findNewestHandedOver, listFileStatuses, type KeptFile } from "../settlement/payout-file.sql.ts";
import {
  findConfirmedResync,
  findOpenResync,
  insertResync,
  updateResyncConfirmed,
} from "../settlement/payout-resync.sql.ts";
import { actAsOwner, asOwner, nameOf, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";

/**
 * The bank folder: `FILE.xml` is for the bank, and `handed-over/BANK/FILE.xml` is a copy that stays. The copies outlive the database:
 * a database that was restored to an earlier moment does not know the newest copy, and must not pay the same batches again. Cells that
 * share a folder have a folder of copies each. Order of writing: `FILE.xml.part`, the copy, and then `FILE.xml` by renaming the first. So
 * a copy without `FILE.xml.part` says that the bank may have the file, and a copy with it says that the bank never had it.
 */
const copiesOf = (folder: string, bank: string, cell: string | undefined): string =>
  join(folder, "handed-over", bank, ...(cell === undefined ? [] : [cell]));

/** The name of no file, for `payout resync`. */
export const noFile = "none";

/**
 * Refuses a payout run when the bank folder and the database do not agree on the newest file that was handed over: one of them was
 * restored, or is another one.
 */
export async function checkFolder(
  { url, environment }: Operator,
  { bank, folder }: { readonly bank: string; readonly folder: string },
): Promise<void> {
  // In this order, because another run may hand a file over meanwhile: its row comes before its copy, and its copy before it is handed over.
  const { cell, newest, confirmed } = await asOwner(url, environment, systemScope, async (tx) => ({
    cell: await findCell(tx),
    newest: await findNewestHandedOver(tx, bank),
    confirmed: await findConfirmedResync(tx, bank),
  }));
  const copies = await listCopies(folder, bank, cell);
  const statusOf = await asOwner(url, environment, systemScope, (tx) => listFileStatuses(tx, copies));
  // Two people have stated what became of the files up to this one.
  const statedUpTo = confirmed && confirmed.newestFile !== noFile ? confirmed.newestFile : "";
  const later = copies.filter((fileId) => fileId > statedUpTo);
  const unknown = later.filter((fileId) => !statusOf.has(fileId));
  const dropped = later.filter((fileId) => statusOf.get(fileId) === "DROPPED");
  const ways =
    `If the bank has received it, run \`tollgate payout recover --bank ${bank} PATH\` for each such file, with its copy. If not, or if the copies ` +
    `are lost, two people state the newest file with \`tollgate payout resync --bank ${bank} --folder FOLDER --newest FILE\`.`;
  if (unknown.length > 0)
    throw new Impossible(
      `The bank folder has payout files that this database does not know (${unknown.join(", ")}): it was restored to an earlier ` +
        `moment. No payout is made. ${ways}`,
    );
  if (dropped.length > 0)
    throw new Impossible(
      `The bank folder has payout files that this database has dropped (${dropped.join(", ")}): it was restored to an earlier moment, and ` +
        "its plan was dropped afterwards. No payout is made. If the bank has received one, hold its merchants (`tollgate payout hold`) until " +
        `it is corrected by hand. Then two people run \`tollgate payout resync --bank ${bank} --folder FOLDER --newest FILE\`.`,
    );
  const isStatedSince = confirmed && newest?.handedOverAt && confirmed.confirmedAt > newest.handedOverAt;
  if (newest && !isStatedSince && !copies.includes(newest.fileId))
    throw new Impossible(
      `The bank folder has no copy of ${newest.fileId}, the payout file that was handed over last: it is another folder, or it was ` +
        `restored. No payout is made. ${ways}`,
    );
}

/** The file ids of the copies, the oldest first: an id begins with its time. */
export async function listCopies(
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

/** The file ids of the copies whose files the bank may have. */
export async function listSent(
  folder: string,
  bank: string,
  cell: string | undefined,
): Promise<readonly string[]> {
  const copies = await listCopies(folder, bank, cell);
  const unsent = new Set(copies.length > 0 ? await readdir(folder) : []);
  return copies.filter((fileId) => !unsent.has(partOf(`${fileId}.xml`)));
}

const partOf = (path: string): string => `${path}.part`;

/**
 * States which payout file of a bank is the newest in its folder, after a restore. The first person requests it, a second one confirms it
 * with the same command.
 */
export async function resyncFolder(
  operator: Operator,
  { bank, folder, newest }: { readonly bank: string; readonly folder: string; readonly newest: string },
): Promise<"requested" | "confirmed"> {
  const by = nameOf(operator);
  return actAsOwner(operator, systemScope, async (tx) => {
    const newestCopy = (await listCopies(folder, bank, await findCell(tx))).at(-1) ?? noFile;
    if (newest !== newestCopy)
      throw new Impossible(`The newest copy in the folder is ${newestCopy}, and you stated ${newest}.`);
    const after = { newest };
    const request = await findOpenResync(tx, bank, newest);
    const isOwn = request?.isOwn === true && operator.environment === "live" && operator.by?.alone !== true;
    if (request && !isOwn) {
      await updateResyncConfirmed(tx, { bank, newestFile: newest, requestedAt: request.requestedAt }, by);
      return { value: "confirmed", audit: { act: "payout resync", subject: bank, after } };
    }
    if (isOwn) throw new Impossible("Your login has requested it: another person confirms it.");
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
  readonly file: KeptFile;
}

const pathsOf = ({ folder, cell, file: { bank, fileId } }: FolderFile) => ({
  path: join(folder, `${fileId}.xml`),
  copy: join(copiesOf(folder, bank, cell), `${fileId}.xml`),
});

/** Writes a file to the folder, for the bank and as a copy that stays. Returns the path of the former. */
export async function writeToBank(place: FolderFile, text: string, at: AtPayout): Promise<string> {
  const { folder, cell, file } = place;
  const { path, copy } = pathsOf(place);
  await mkdir(dirname(copy), { recursive: true, mode: 0o700 });
  if (file.isRecovered || (await listSent(folder, file.bank, cell)).includes(file.fileId)) {
    await writeWhole(copy, text);
    if (!file.isRecovered) await writeWhole(path, text);
    return path;
  }
  await writeSynced(partOf(path), text);
  // The copy of a file that the bank never had may have other lines: accounts were ended since.
  await rm(copy, { force: true });
  await writeWhole(copy, text);
  at("after-file-written");
  await rename(partOf(path), path);
  await syncEntries(path);
  return path;
}

/** Removes what an earlier run has left of a file that the bank never had. */
export async function removeUnsent(place: FolderFile): Promise<void> {
  const { path, copy } = pathsOf(place);
  // In this order: a copy alone says that the bank may have the file.
  await rm(copy, { force: true });
  await rm(partOf(path), { force: true });
}

/** Whole or not at all: under a temporary name, synchronised to disk, and then renamed. The bank's program never reads half a file. */
async function writeWhole(path: string, text: string): Promise<void> {
  const found = await readFile(path, "utf8").catch(() => undefined);
  if (found === text) return;
  if (found !== undefined) throw new Error(`${path} exists already, with other content.`);
  const temporary = `${path}.tmp`;
  await writeSynced(temporary, text);
  await rename(temporary, path);
  await syncEntries(path);
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncEntries(path);
}

/** Synchronises the names in the folder of a path to disk. */
async function syncEntries(path: string): Promise<void> {
  const folder = await open(dirname(path));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
