import { closeSync, openSync, readFileSync, readSync } from "node:fs";

const pageBytes = 4_096;
const pagemapEntryBytes = 8;

type Region = readonly [from: number, to: number];

/** Which of these bytes are anywhere in the memory of a process, as a core dump would contain them. */
export function findInMemory(pid: number, patterns: Readonly<Record<string, Buffer>>): readonly string[] {
  const found = new Set<string>();
  const memory = openSync(`/proc/${pid}/mem`, "r");
  const pagemap = openSync(`/proc/${pid}/pagemap`, "r");
  try {
    for (const [from, to] of writableRegions(pid).flatMap((region) => presentRuns(pagemap, region))) {
      const bytes = readAt(memory, to - from, from);
      for (const [name, each] of Object.entries(patterns)) if (bytes.includes(each)) found.add(name);
    }
  } finally {
    closeSync(memory);
    closeSync(pagemap);
  }
  return [...found].sort();
}

/**
 * Returns the writable regions of a process's memory. Read-only memory, such as a mapped program file, contains no
 * secret.
 */
function writableRegions(pid: number): readonly Region[] {
  const lines = readFileSync(`/proc/${pid}/maps`, "utf8").split("\n");
  return lines
    .filter((line) => / rw/.test(line))
    .map((line) => {
      const [, from = "", to = ""] = /^([0-9a-f]+)-([0-9a-f]+) /.exec(line) ?? [];
      return [Number.parseInt(from, 16), Number.parseInt(to, 16)] as const;
    });
}

/** Returns the parts of a region that are present. Most reserved memory was never used, and would take long to read. */
function presentRuns(pagemap: number, [from, to]: Region): readonly Region[] {
  const runs: [number, number][] = [];
  const entries = readAt(
    pagemap,
    ((to - from) / pageBytes) * pagemapEntryBytes,
    (from / pageBytes) * pagemapEntryBytes,
  );
  for (let at = 0; at < entries.length / pagemapEntryBytes; at += 1) {
    // The two highest bits of a pagemap entry show that the page is in memory or swapped out.
    if ((entries.readUInt8(at * pagemapEntryBytes + 7) & 0xc0) === 0) continue;
    const address = from + at * pageBytes;
    const last = runs.at(-1);
    if (last?.[1] === address) last[1] += pageBytes;
    else runs.push([address, address + pageBytes]);
  }
  return runs;
}

/** Reads bytes of a file of /proc. Errors are ignored, because the process may have unmapped the region. */
function readAt(file: number, length: number, at: number): Buffer {
  const bytes = Buffer.alloc(length);
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, length, at));
  } catch {
    return bytes.subarray(0, 0);
  }
}
