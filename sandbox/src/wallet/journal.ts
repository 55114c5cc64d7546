import { open, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import type { Effect, Line } from "./effect.ts";
import { exactTime } from "./wire-time.ts";

/** Append-only log, the authoritative record of this wallet. All other state is derived from it. */
export interface Journal {
  /** Numbers a line and queues it. It is durable after `onDisk` has resolved. */
  append(effect: Effect, nowMs: number): Line;
  /** Resolves when every line appended so far is durable (fdatasync). */
  onDisk(): Promise<void>;
  /** Lines after number `since`, as written, at most `countMax`. */
  read(since: number, countMax: number): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface JournalOptions {
  readonly file: string;
  /** Called with every line of the file, in order, when the journal is opened (replay). */
  readonly each: (line: Line) => void;
  /**
   * Called when a write fails. After that, the state in memory has changes that are not on disk, and must not be
   * reported.
   */
  readonly onFault: (cause: unknown) => void;
}

/** Opens or creates the file. A torn last line (a crash) was never acknowledged, and is dropped. */
export async function openJournal({ file, each, onFault }: JournalOptions): Promise<Journal> {
  const handle = await open(file, "a+", 0o600);
  const ends = await readLines(handle, each);
  await syncFolder(dirname(file));

  let queued: string[] = [];
  let waiters: { readonly upTo: number; readonly resolve: () => void }[] = [];
  let onDiskCount = ends.length - 1;
  let writing: Promise<void> | undefined;

  async function write(): Promise<void> {
    // Group commit: lines that queue up during an fdatasync are written in one batch, so one sync serves many callers.
    while (queued.length > 0) {
      const batch = queued;
      queued = [];
      await handle.appendFile(batch.join(""));
      await handle.datasync();
      onDiskCount += batch.length;
      const upTo = onDiskCount;
      for (const waiter of waiters) if (waiter.upTo <= upTo) waiter.resolve();
      waiters = waiters.filter((waiter) => waiter.upTo > upTo);
    }
    writing = undefined;
  }

  const onDisk = async (): Promise<void> => {
    const upTo = ends.length - 1;
    if (upTo > onDiskCount) await new Promise<void>((resolve) => waiters.push({ upTo, resolve }));
  };

  return {
    append(effect, nowMs) {
      const line: Line = { n: ends.length, at: exactTime(nowMs), ...effect };
      const text = `${JSON.stringify(line)}\n`;
      ends.push((ends.at(-1) ?? 0) + Buffer.byteLength(text));
      queued.push(text);
      writing ??= Promise.resolve().then(write).catch(onFault);
      return line;
    },
    onDisk,
    async read(since, countMax) {
      await onDisk();
      // The interval ends at the last durable line, because other callers may have appended lines that are not on disk
      // yet.
      const first = Math.min(since, onDiskCount);
      const last = Math.min(first + countMax, onDiskCount);
      const start = ends[first] ?? 0;
      const bytes = Buffer.alloc((ends[last] ?? 0) - start);
      await handle.read(bytes, 0, bytes.length, start);
      return bytes.toString("utf8").split("\n").slice(0, -1);
    },
    async close() {
      await onDisk();
      await handle.close();
    },
  };
}

/**
 * Reads all lines. Returns the end of each line in bytes. Entry 0 is the start of the file, so entry n is the end of
 * line n.
 */
async function readLines(handle: FileHandle, each: (line: Line) => void): Promise<number[]> {
  const bytes = await handle.readFile();
  const ends = [0];
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
    const line = JSON.parse(bytes.toString("utf8", start, end)) as Line;
    if (line.n !== ends.length)
      throw new Error(`Line ${ends.length} of the journal has the number ${line.n}.`);
    each(line);
    start = end + 1;
    ends.push(start);
  }
  if (start < bytes.length) {
    await handle.truncate(start);
    await handle.sync();
  }
  return ends;
}

/** Syncs the folder as well, because a new file's name is durable only then. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync();
  await handle.close();
}
