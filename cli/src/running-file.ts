import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunningTollgate } from "../../clients/typescript/src/start-tollgate.ts";

/**
 * The address and the keys that a caller of the gateway needs. The names are an interface, because other programs read
 * them.
 */
export interface Ready extends RunningTollgate {
  readonly shopUrl: string;
  /** The page that accepts test cards; buyers reach it through checkout. */
  readonly cardUrl: string;
  /** The page of the demo point of sale; only for this machine, because every visitor can refund there. */
  readonly tillUrl: string;
  readonly docsUrl: string;
  /** The portal, as the link that signs the developer in; absent if it is not built. */
  readonly portalUrl?: string;
  /** The operator console, as the link that signs the developer in. */
  readonly operatorUrl?: string;
  /** The API of the operator console (`serve-staff`); absent if the portal is not built. */
  readonly staffUrl?: string;
  /** Metrics of `serve` and `work`, for Prometheus. */
  readonly serveMetricsUrl: string;
  readonly workMetricsUrl: string;
  readonly effectsFile: string;
  readonly httpsBaseUrl?: string;
  readonly certificateFile?: string;
}

/** The contents of `running.json`: first only the process id, then also the addresses when the start is ready. */
interface RunningFile {
  readonly pid: number;
  readonly baseUrl?: string;
}

/** The lock of a folder: two starts in it would share one database and one journal. */
export interface Lock {
  /** Whether the last holder of the lock was killed. Parts of a killed holder may still be stopping. */
  readonly wasKilled: boolean;
  announce(running: object): Promise<void>;
  release(): Promise<void>;
}

function runningFileIn(folder: string): string {
  return join(folder, "running.json");
}

/** Acquires the lock (a pid file), or throws with the address of the holder. */
export async function lockDataFolder(folder: string): Promise<Lock> {
  const file = runningFileIn(folder);
  const write = (running: object, flag: "w" | "wx"): Promise<void> =>
    writeFile(file, `${JSON.stringify({ pid: process.pid, ...running })}\n`, { mode: 0o600, flag });
  const isLocked = await write({}, "wx").then(
    () => false,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
      return true;
    },
  );
  if (isLocked) {
    const lockHolder = await readRunningFile(folder);
    if (lockHolder && isAlive(lockHolder.pid)) throw new Error(describeRunning(folder, lockHolder));
    // The existing file is from a start that was killed, so it is overwritten.
    await write({}, "w");
  }
  return {
    wasKilled: isLocked,
    announce: (running) => write(running, "w"),
    release: () => rm(file, { force: true }),
  };
}

/** Reads the contents of the file. The start that wrote the file may have ended. */
async function readRunningFile(folder: string): Promise<RunningFile | undefined> {
  try {
    return JSON.parse(await readFile(runningFileIn(folder), "utf8")) as RunningFile;
  } catch {
    return undefined;
  }
}

/** The start that runs in the folder and is ready; undefined if there is none. */
export async function findRunning(folder: string): Promise<(RunningFile & Ready) | undefined> {
  const runningFile = await readRunningFile(folder);
  return runningFile?.baseUrl !== undefined && isAlive(runningFile.pid)
    ? (runningFile as RunningFile & Ready)
    : undefined;
}

function describeRunning(folder: string, { pid, baseUrl }: RunningFile): string {
  const address = baseUrl === undefined ? "and is still starting" : `at ${baseUrl}`;
  return (
    `Tollgate already runs in ${folder}, ${address} (process ${pid}). Use it, stop it with \`kill ${pid}\`, ` +
    `or start another with --folder OTHER. If process ${pid} is not Tollgate, remove ${runningFileIn(folder)}.`
  );
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process is alive and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
