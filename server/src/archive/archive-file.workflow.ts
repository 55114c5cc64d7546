import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { contentProblem, archiveFileName, type Archive } from "./archive.ts";
import { sha256 } from "../core/digest.ts";
import type { Environment } from "../postgres/migrate.ts";

const [compress, decompress] = [promisify(gzip), promisify(gunzip)];

/** The facts of an archive file that do not follow from its content. */
type ArchiveFacts = Omit<Archive, "file" | "sha256" | "byteCount">;

/**
 * `writeArchive` writes the text as a file of the archive. When it returns, the file is durable on disk under its name;
 * after a crash before that, no file with this name exists.
 */
export async function writeArchive(
  folder: string,
  environment: Environment,
  facts: ArchiveFacts,
  text: string,
): Promise<Archive> {
  const bytes = await compress(text);
  const hash = sha256(bytes).toString("hex");
  const file = archiveFileName({ ...facts, sha256: hash });
  const archive = { ...facts, file, sha256: hash, byteCount: bytes.length };
  await writeDurably(dirname(join(folder, file)), [
    { path: join(folder, file), bytes },
    { path: join(folder, manifestFile(file)), bytes: formatManifest(environment, archive) },
  ]);
  return archive;
}

/**
 * `formatManifest` returns the record of a file, which is stored next to it for readers who have only the folder. The
 * checksum is also in the audit log, whose head is signed.
 */
function formatManifest(environment: Environment, archive: Archive): Uint8Array {
  const manifest = { format: "tollgate archive 1", environment, ...archive };
  return Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
}

function manifestFile(file: string): string {
  return file.replace(/\.ndjson\.gz$/, ".json");
}

interface NewFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** `writeDurably` writes files of one folder, which is created if it does not exist. */
async function writeDurably(folder: string, files: readonly NewFile[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await Promise.all(files.map(writeUnfinished));
  for (const { path } of files) await rename(unfinishedPath(path), path);
  // A new file survives a crash only after its folder is synced, and a new folder only after its parent folder is
  // synced.
  for (const each of [folder, dirname(folder)]) await syncFolder(each);
}

/** Writes a file under another name. So after a crash, a file with its final name is complete. */
async function writeUnfinished({ path, bytes }: NewFile): Promise<void> {
  const handle = await open(unfinishedPath(path), "w", 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function unfinishedPath(path: string): string {
  return `${path}.unfinished`;
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** `readArchive` reads a file from disk again and compares it with its record. It returns its text, or the problem. */
export async function readArchive(
  folder: string,
  archive: Archive,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  const bytes = await readFile(join(folder, archive.file)).catch(ignoreMissingFile);
  if (!bytes) return { problem: "is missing" };
  if (bytes.length !== archive.byteCount)
    return { problem: `has ${bytes.length} bytes instead of ${archive.byteCount}` };
  if (sha256(bytes).toString("hex") !== archive.sha256)
    return { problem: "has another checksum than recorded" };
  const text = await decompress(bytes).then(
    (content) => content.toString("utf8"),
    () => undefined,
  );
  const problem = text === undefined ? "cannot be unpacked" : contentProblem(text, archive);
  return problem === undefined ? { text: text ?? "" } : { problem };
}

/**
 * `listUnrecorded` lists files in the folder that no record names: left by a crash, by an interrupted erasure, or by
 * another installation.
 */
export async function listUnrecorded(
  folder: string,
  archives: readonly Archive[],
): Promise<readonly string[]> {
  const recorded = new Set(archives.flatMap(({ file }) => [file, manifestFile(file)]));
  const monthFolders = (await readdir(folder, { withFileTypes: true })).filter(
    (entry) => entry.isDirectory() && /^\d{4}-\d\d$/.test(entry.name),
  );
  const files = await Promise.all(
    monthFolders.map(async ({ name }) =>
      (await readdir(join(folder, name))).map((file) => `${name}/${file}`),
    ),
  );
  return files
    .flat()
    .filter((file) => /^\d{8}-[0-9a-f]{16}\./.test(basename(file)) && !recorded.has(file))
    .sort();
}

/**
 * `folderExists` only checks whether the archive's folder exists and never creates it. If the archive's disk is not
 * mounted, a new folder would be on another disk.
 */
export async function folderExists(path: string): Promise<boolean> {
  return (await stat(path).catch(ignoreMissingFile))?.isDirectory() ?? false;
}

export async function removeArchive(folder: string, file: string): Promise<void> {
  for (const each of [file, manifestFile(file)]) await rm(join(folder, each), { force: true });
  await syncFolder(dirname(join(folder, file)));
}

function ignoreMissingFile(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}
