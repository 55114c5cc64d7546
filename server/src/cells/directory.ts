import { bucketCount, bucketOf } from "../core/bucket.ts";
import type { DirectoryEntries } from "./home.ts";

/** The home cells of all merchants, for routing. A stale copy only adds one forwarding hop. */
export interface Directory {
  /**
   * The version of the directory, which increases with every change. Of two directories, the one with the higher
   * version is valid.
   */
  readonly version: number;
  /** Maps a cell to the address at which other cells reach it. */
  readonly cells: ReadonlyMap<string, DirectoryCell>;
  /** The owner of each bucket, by its number. */
  readonly buckets: readonly string[];
  /** Clients whose home cell differs, or once differed, from the owner of their bucket. */
  readonly clients: ReadonlyMap<string, { readonly cell: string; readonly epoch: number }>;
}

export interface DirectoryCell {
  /** An origin, such as http://10.1.0.5:8080. */
  readonly url: string;
  /** The region of the cell, if the fleet has several: an edge proxy routes to cells of its own region only. */
  readonly region?: string | undefined;
  /** The origin of the cell's metrics and health pages, for operators only. */
  readonly operators?: string | undefined;
}

/** The JSON form of a directory: buckets are ranges with both ends included. */
interface DirectoryJson {
  readonly version: number;
  readonly cells: Readonly<Record<string, DirectoryCell>>;
  readonly buckets: readonly { readonly from: number; readonly to: number; readonly cell: string }[];
  readonly clients: Readonly<Record<string, { readonly cell: string; readonly epoch: number }>>;
}

export const cellForm = /^[a-z][a-z0-9-]{0,31}$/;
const clientForm = /^[A-Za-z0-9_]{1,64}$/;

/**
 * `parseDirectory` parses a directory. It throws if any part is invalid, because a partial directory would route
 * merchants to wrong cells.
 */
export function parseDirectory(text: string): Directory {
  const {
    version,
    cells = {},
    buckets: ranges = [],
    clients = {},
  } = JSON.parse(text) as Partial<DirectoryJson>;
  if (version === undefined || !Number.isSafeInteger(version) || version < 1)
    throw new Error("The directory has no valid version.");
  for (const [name, { url, region = name, operators = url }] of Object.entries(cells)) {
    if (!cellForm.test(name)) throw new Error(`${name} is not a valid name of a cell.`);
    if (!cellForm.test(region)) throw new Error(`${region} is not a valid name of a region.`);
    if ([url, operators].some((each) => !/^https?:/.test(each) || URL.parse(each)?.origin !== each))
      throw new Error(`Addresses of cell ${name} must be http(s)://host:port.`);
  }
  const requireCell = (cell: string): string => {
    if (!Object.hasOwn(cells, cell))
      throw new Error(`The directory refers to ${cell}, which is not one of its cells.`);
    return cell;
  };
  const buckets: string[] = [];
  for (const { from, to, cell } of ranges)
    for (let bucket = from; bucket <= to; bucket += 1) {
      if (buckets[bucket] !== undefined) throw new Error(`Bucket ${bucket} has two owners.`);
      buckets[bucket] = requireCell(cell);
    }
  for (let bucket = 0; bucket < bucketCount; bucket += 1)
    if (buckets[bucket] === undefined) throw new Error(`Bucket ${bucket} has no owner.`);
  if (buckets.length !== bucketCount) throw new Error(`Bucket numbers must be 0 to ${bucketCount - 1}.`);
  for (const [clientId, { cell, epoch }] of Object.entries(clients)) {
    if (!clientForm.test(clientId) || !Number.isSafeInteger(epoch))
      throw new Error(`${clientId} is not a valid client entry.`);
    requireCell(cell);
  }
  return {
    version,
    cells: new Map(Object.entries(cells)),
    buckets,
    clients: new Map(Object.entries(clients)),
  };
}

export function serializeDirectory({ version, cells, buckets, clients }: Directory): string {
  const ranges: { from: number; to: number; cell: string }[] = [];
  for (const [bucket, cell] of buckets.entries()) {
    const last = ranges.at(-1);
    if (last?.cell === cell) last.to = bucket;
    else ranges.push({ from: bucket, to: bucket, cell });
  }
  const json: DirectoryJson = {
    version,
    cells: Object.fromEntries(cells),
    buckets: ranges,
    clients: Object.fromEntries(clients),
  };
  return JSON.stringify(json);
}

export function findDirectoryEntries(directory: Directory | undefined, clientId: string): DirectoryEntries {
  if (!directory) return {};
  return { entry: directory.clients.get(clientId), bucketOwner: directory.buckets[bucketOf(clientId)] };
}

/**
 * `withHome` returns the next version with the new home of a client; the same directory if it knows of a later move.
 */
export function withHome(
  directory: Directory,
  clientId: string,
  home: { readonly cell: string; readonly epoch: number },
): Directory {
  const current = directory.clients.get(clientId);
  if (current && current.epoch >= home.epoch) return directory;
  const clients = new Map(directory.clients).set(clientId, home);
  return { ...directory, version: directory.version + 1, clients };
}

/**
 * `withBucket` returns the next version with the new owner of a bucket; the same directory if it is already the owner.
 */
export function withBucket(directory: Directory, bucket: number, cell: string): Directory {
  if (directory.buckets[bucket] === cell) return directory;
  return { ...directory, version: directory.version + 1, buckets: directory.buckets.with(bucket, cell) };
}
