import { bucketCount, bucketOf } from "../core/bucket.ts";
import type { Listed } from "./home.ts";

/** Where merchants live, for whoever wants to find the way: a copy may be old, and then costs a detour. */
export interface Directory {
  /** Grows with every change; of two directories the higher counts. */
  readonly version: number;
  /** Cell → where it is reached by others of the fleet. */
  readonly cells: ReadonlyMap<string, DirectoryCell>;
  /** The owner of each bucket, by its number. */
  readonly buckets: readonly string[];
  /** Clients that do not live with their bucket, or have not always. */
  readonly clients: ReadonlyMap<string, { readonly cell: string; readonly epoch: number }>;
}

export interface DirectoryCell {
  /** An origin: http://10.1.0.5:8080. */
  readonly url: string;
  /** Where it stands, if the fleet has several regions: an edge leads to cells of its own region alone. */
  readonly region?: string | undefined;
  /** The origin of its metrics and health, for operators alone. */
  readonly operators?: string | undefined;
}

/** As it is written: buckets as ranges with both ends. */
interface Written {
  readonly version: number;
  readonly cells: Readonly<Record<string, DirectoryCell>>;
  readonly buckets: readonly { readonly from: number; readonly to: number; readonly cell: string }[];
  readonly clients: Readonly<Record<string, { readonly cell: string; readonly epoch: number }>>;
}

export const cellForm = /^[a-z][a-z0-9-]{0,31}$/;
const clientForm = /^[A-Za-z0-9_]{1,64}$/;

/** Parses a directory. Throws when it is not one, and says why: half of one would lead merchants astray. */
export function readDirectory(text: string): Directory {
  const { version, cells = {}, buckets: ranges = [], clients = {} } = JSON.parse(text) as Partial<Written>;
  if (version === undefined || !Number.isSafeInteger(version) || version < 1)
    throw new Error("The directory has no version.");
  for (const [name, { url, region = name, operators = url }] of Object.entries(cells)) {
    if (!cellForm.test(name)) throw new Error(`${name} is no name of a cell.`);
    if (!cellForm.test(region)) throw new Error(`${region} is no name of a region.`);
    if ([url, operators].some((each) => !/^https?:/.test(each) || URL.parse(each)?.origin !== each))
      throw new Error(`Addresses of ${name} have to be http(s)://host:port.`);
  }
  const known = (cell: string): string => {
    if (!Object.hasOwn(cells, cell))
      throw new Error(`The directory names ${cell}, which is none of its cells.`);
    return cell;
  };
  const buckets: string[] = [];
  for (const { from, to, cell } of ranges)
    for (let bucket = from; bucket <= to; bucket += 1) {
      if (buckets[bucket] !== undefined) throw new Error(`Bucket ${bucket} has two owners.`);
      buckets[bucket] = known(cell);
    }
  for (let bucket = 0; bucket < bucketCount; bucket += 1)
    if (buckets[bucket] === undefined) throw new Error(`Bucket ${bucket} has no owner.`);
  if (buckets.length !== bucketCount) throw new Error(`Buckets are 0 to ${bucketCount - 1}.`);
  for (const [clientId, { cell, epoch }] of Object.entries(clients)) {
    if (!clientForm.test(clientId) || !Number.isSafeInteger(epoch))
      throw new Error(`${clientId} is no client.`);
    known(cell);
  }
  return {
    version,
    cells: new Map(Object.entries(cells)),
    buckets,
    clients: new Map(Object.entries(clients)),
  };
}

export function writeDirectory({ version, cells, buckets, clients }: Directory): string {
  const ranges: { from: number; to: number; cell: string }[] = [];
  for (const [bucket, cell] of buckets.entries()) {
    const last = ranges.at(-1);
    if (last?.cell === cell) last.to = bucket;
    else ranges.push({ from: bucket, to: bucket, cell });
  }
  const written: Written = {
    version,
    cells: Object.fromEntries(cells),
    buckets: ranges,
    clients: Object.fromEntries(clients),
  };
  return JSON.stringify(written);
}

export function listedIn(directory: Directory | undefined, clientId: string): Listed {
  if (!directory) return {};
  return { client: directory.clients.get(clientId), bucket: directory.buckets[bucketOf(clientId)] };
}

/** The next version, with where a client has moved to; the same directory when it knows of a later move. */
export function withHome(
  directory: Directory,
  clientId: string,
  home: { readonly cell: string; readonly epoch: number },
): Directory {
  const known = directory.clients.get(clientId);
  if (known && known.epoch >= home.epoch) return directory;
  const clients = new Map(directory.clients).set(clientId, home);
  return { ...directory, version: directory.version + 1, clients };
}

/** The next version, with the new owner of a bucket; the same directory when it is the owner already. */
export function withBucket(directory: Directory, bucket: number, cell: string): Directory {
  if (directory.buckets[bucket] === cell) return directory;
  return { ...directory, version: directory.version + 1, buckets: directory.buckets.with(bucket, cell) };
}
