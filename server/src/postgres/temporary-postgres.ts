import { execFile } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  createDataFolder,
  startLocalServer,
  type LocalServerOptions,
  type LocalServer,
} from "./local-server.ts";

/** A temporary PostgreSQL server whose files are removed. */
export interface TemporaryPostgres extends Omit<LocalServer, "stop"> {
  readonly binFolder: string;
  stop(): Promise<void>;
}

const run = promisify(execFile);

export async function startTemporaryPostgres(
  options: Omit<LocalServerOptions, "port">,
): Promise<TemporaryPostgres> {
  const binFolder = await findBinFolder();
  const folder = await mkdtemp(join(tmpdir(), "tollgate-postgres-"));
  const files = { binFolder, folder, password: randomBytes(24).toString("base64url") };
  await createDataFolder(files);
  const server = await startLocalServer(files, { ...options, port: await findFreePort() });
  // The hook is registered after the server's own exit hook, which has ended the server before this hook runs.
  const removeFolder = (): void => {
    // An exit hook cannot await, so it blocks for 300 ms, because the server needs a moment to close its files.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once("exit", removeFolder);
  return {
    ...server,
    binFolder,
    async stop() {
      process.off("exit", removeFolder);
      // Immediate shutdown: a temporary server needs no checkpoint.
      await server.stop("SIGQUIT");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Finds the folder of PostgreSQL's server programs, newest version first. */
export async function findBinFolder(): Promise<string> {
  const installedVersions = await readdir("/usr/lib/postgresql").catch(() => []);
  const [newest] = installedVersions
    .filter((name) => /^\d+$/.test(name))
    .sort((a, b) => Number(b) - Number(a));
  if (newest) return `/usr/lib/postgresql/${newest}/bin`;
  try {
    return (await run("pg_config", ["--bindir"])).stdout.trim();
  } catch {
    throw new Error("PostgreSQL's server programs were not found. On Debian: apt-get install postgresql.");
  }
}

/**
 * A free port. It is below the range of ephemeral ports (from 32768 on Linux, from 49152 elsewhere), which the system
 * could assign to another socket before the caller listens on it.
 */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < portAttempts; tries += 1) {
    const port = randomInt(portsFrom, portsUntil);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`None of ${portAttempts} ports from ${portsFrom} to ${portsUntil} is free.`);
}

const [portsFrom, portsUntil, portAttempts] = [12_000, 32_000, 100] as const;

export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
