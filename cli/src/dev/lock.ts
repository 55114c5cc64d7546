import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Ready } from "./ready.ts";

/** What a start tells about itself in `running.json`, once it is ready more than its process id. */
interface Announced {
  readonly pid: number;
  readonly baseUrl?: string;
}

/** The lock of a folder: two starts in it would share one database and one journal. */
export interface Lock {
  /** Whether the last holder was killed; its parts may still be leaving. */
  readonly wasKilled: boolean;
  announce(running: object): Promise<void>;
  release(): Promise<void>;
}

function announcementIn(folder: string): string {
  return join(folder, "running.json");
}

/** Takes the lock (a pid file), or throws with where the holder can be reached. */
export async function lockPlace(folder: string): Promise<Lock> {
  const file = announcementIn(folder);
  const write = (running: object, flag: "w" | "wx"): Promise<void> =>
    writeFile(file, `${JSON.stringify({ pid: process.pid, ...running })}\n`, { mode: 0o600, flag });
  const isTaken = await write({}, "wx").then(
    () => false,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
      return true;
    },
  );
  if (isTaken) {
    const holder = await readAnnounced(folder);
    if (holder && isAlive(holder.pid)) throw new Error(alreadyRuns(folder, holder));
    // Left by a start that was killed.
    await write({}, "w");
  }
  return {
    wasKilled: isTaken,
    announce: (running) => write(running, "w"),
    release: () => rm(file, { force: true }),
  };
}

/** What the file tells, of a start that may be over. */
async function readAnnounced(folder: string): Promise<Announced | undefined> {
  try {
    return JSON.parse(await readFile(announcementIn(folder), "utf8")) as Announced;
  } catch {
    return undefined;
  }
}

/** What runs in the folder and is ready; undefined if nothing is. */
export async function findRunning(folder: string): Promise<(Announced & Ready) | undefined> {
  const announced = await readAnnounced(folder);
  return announced?.baseUrl !== undefined && isAlive(announced.pid)
    ? (announced as Announced & Ready)
    : undefined;
}

function alreadyRuns(folder: string, { pid, baseUrl }: Announced): string {
  const where = baseUrl === undefined ? "and is still starting" : `at ${baseUrl}`;
  return (
    `Tollgate already runs in ${folder}, ${where} (process ${pid}). Use that one, end it with \`kill ${pid}\`, ` +
    `or start another with --folder OTHER. If process ${pid} is no Tollgate, remove ${announcementIn(folder)}.`
  );
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process is alive, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
