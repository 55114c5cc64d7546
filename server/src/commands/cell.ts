import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { cellForm, readDirectory, type Directory } from "../cells/directory.ts";
import { edgeFiles, type EdgeOptions } from "../cells/edge.ts";
import {
  findCell,
  insertCell,
  insertOwnBuckets,
  listOwnBuckets,
  listUsedBuckets,
} from "../cells/home.sql.ts";
import { bucketCount } from "../core/bucket.ts";
import { systemScope } from "../postgres/database.ts";
import { signDocument } from "../signing/signed-document.ts";
import { actAsOwner, asOwner, type Operator } from "./as-owner.ts";
import { Impossible, UsageError } from "./command.ts";
import { directoryKeyIn, replaceFile } from "./directory-file.ts";

export interface CellShown {
  /** Undefined for an installation that is none. */
  readonly cell: string | undefined;
  readonly buckets: readonly number[];
}

export async function findOwnCell({ url, environment }: Operator): Promise<CellShown> {
  return asOwner(url, environment, systemScope, async (tx) => ({
    cell: await findCell(tx),
    buckets: await listOwnBuckets(tx),
  }));
}

/** Makes an installation a cell that owns these buckets; those of its merchants have to be among them. */
export async function becomeCell(
  operator: Operator,
  name: string,
  buckets: readonly number[],
): Promise<void> {
  if (!cellForm.test(name))
    throw new UsageError("A cell's name has small letters, digits and dashes, and begins with a letter.");
  await actAsOwner(operator, systemScope, async (tx) => {
    const found = await findCell(tx);
    if (found !== undefined) throw new Impossible(`This installation is the cell ${found} already.`);
    const missing = (await listUsedBuckets(tx)).filter((bucket) => !buckets.includes(bucket));
    if (missing.length > 0)
      throw new Impossible(
        `Merchants of the buckets ${missing.join(", ")} live here: it has to own those as well.`,
      );
    await insertCell(tx, name);
    await insertOwnBuckets(tx, buckets);
    const after = { cell: name, buckets: bucketsText(buckets) };
    return { value: undefined, audit: { act: "cell become", subject: `cell ${name}`, after } };
  });
}

/** `0-340,1000` as numbers. */
export function bucketsIn(text: string): readonly number[] {
  const buckets = text.split(",").flatMap((range) => {
    const [, from = "", to = from] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(range.trim()) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === "" || last >= bucketCount || first > last)
      throw new UsageError(
        `Buckets are numbers from 0 to ${bucketCount - 1} and ranges of them, such as 0-340,1000.`,
      );
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  return [...new Set(buckets)].toSorted((one, other) => one - other);
}

export function bucketsText(buckets: readonly number[]): string {
  const ranges: { from: number; to: number }[] = [];
  for (const bucket of buckets) {
    const last = ranges.at(-1);
    if (last?.to === bucket - 1) last.to = bucket;
    else ranges.push({ from: bucket, to: bucket });
  }
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}

/** Signs a directory that somebody wrote, or another program did. Refuses one that would lead nowhere. */
export async function signDirectory(from: string, privateKeyFile: string, to: string): Promise<Directory> {
  const text = await readFile(from, "utf8");
  const directory = readDirectory(text);
  const key = await directoryKeyIn(privateKeyFile);
  await replaceFile(to, signDocument("directory", JSON.stringify(JSON.parse(text)), key));
  return directory;
}

/** Writes the edge's files, each whole: HAProxy may be reading the one before. */
export async function writeEdge(directory: Directory, options: EdgeOptions): Promise<void> {
  await mkdir(options.folder, { recursive: true });
  for (const [name, text] of Object.entries(edgeFiles(directory, options)))
    await replaceFile(join(options.folder, name), text as string);
}
