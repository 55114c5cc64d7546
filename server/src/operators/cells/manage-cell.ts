import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { cellForm, parseDirectory, type Directory } from "../../cells/directory.ts";
import { renderEdgeFiles, type EdgeOptions } from "../../cells/edge.ts";
import {
  findCell,
  insertCell,
  insertOwnBuckets,
  listOwnBuckets,
  listUsedBuckets,
} from "../../cells/home.sql.ts";
import { bucketCount } from "../../core/bucket.ts";
import { systemScope } from "../../postgres/database.ts";
import { signDocument } from "../../signing/signed-document.ts";
import { actAsOwner, queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { CommandFailed, UsageError } from "../../core/command-errors.ts";
import { readDirectoryKey, replaceFile } from "./directory-file.ts";

export interface OwnCell {
  /** The name of this cell; undefined if the installation is not a cell. */
  readonly cell: string | undefined;
  readonly buckets: readonly number[];
}

export async function findOwnCell({ url, environment }: Operator): Promise<OwnCell> {
  return queryAsOwner(url, environment, systemScope, async (tx) => ({
    cell: await findCell(tx),
    buckets: await listOwnBuckets(tx),
  }));
}

/**
 * `initCell` makes an installation a cell that owns these buckets. The buckets must include those of all its merchants.
 */
export async function initCell(operator: Operator, name: string, buckets: readonly number[]): Promise<void> {
  if (!cellForm.test(name))
    throw new UsageError("A cell name has lower case letters, digits and dashes, and begins with a letter.");
  await actAsOwner(operator, systemScope, async (tx) => {
    const currentCell = await findCell(tx);
    if (currentCell !== undefined)
      throw new CommandFailed(`This installation is already the cell ${currentCell}.`);
    const missing = (await listUsedBuckets(tx)).filter((bucket) => !buckets.includes(bucket));
    if (missing.length > 0)
      throw new CommandFailed(
        `This installation has merchants in the buckets ${missing.join(", ")}. Add them to --buckets.`,
      );
    await insertCell(tx, name);
    await insertOwnBuckets(tx, buckets);
    const after = { cell: name, buckets: formatBuckets(buckets) };
    return { value: undefined, audit: { act: "cell init", subject: `cell ${name}`, after } };
  });
}

/** Parses `0-340,1000` to bucket numbers. */
export function parseBuckets(text: string): readonly number[] {
  const buckets = text.split(",").flatMap((range) => {
    const [, from = "", to = from] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(range.trim()) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === "" || last >= bucketCount || first > last)
      throw new UsageError(
        `Buckets must be numbers from 0 to ${bucketCount - 1} or ranges, such as 0-340,1000.`,
      );
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  return [...new Set(buckets)].toSorted((left, right) => left - right);
}

export function formatBuckets(buckets: readonly number[]): string {
  const ranges: { from: number; to: number }[] = [];
  for (const bucket of buckets) {
    const last = ranges.at(-1);
    if (last?.to === bucket - 1) last.to = bucket;
    else ranges.push({ from: bucket, to: bucket });
  }
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}

/** `signDirectory` validates a directory file and signs it. */
export async function signDirectory(from: string, privateKeyFile: string, to: string): Promise<Directory> {
  const text = await readFile(from, "utf8");
  const directory = parseDirectory(text);
  const key = await readDirectoryKey(privateKeyFile);
  await replaceFile(to, signDocument("directory", JSON.stringify(JSON.parse(text)), key));
  return directory;
}

/**
 * Writes the edge proxy's files, each by atomic rename, because HAProxy may read the previous file at the same time.
 */
export async function writeEdge(directory: Directory, options: EdgeOptions): Promise<void> {
  await mkdir(options.folder, { recursive: true });
  for (const [name, text] of Object.entries(renderEdgeFiles(directory, options)))
    await replaceFile(join(options.folder, name), text as string);
}
