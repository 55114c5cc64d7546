import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { makeDataFolder, startLocalServer, type LocalOptions, type LocalServer } from "./local-server.ts";

/** A PostgreSQL server of our own that leaves nothing behind. */
export interface ThrowAwayPostgres extends Omit<LocalServer, "stop"> {
  readonly binFolder: string;
  stop(): Promise<void>;
}

const run = promisify(execFile);

export async function startThrowAwayPostgres(
  options: Omit<LocalOptions, "port">,
): Promise<ThrowAwayPostgres> {
  const binFolder = await findBinFolder();
  const folder = await mkdtemp(join(tmpdir(), "tollgate-postgres-"));
  const place = { binFolder, folder, password: randomBytes(24).toString("base64url") };
  await makeDataFolder(place);
  const server = await startLocalServer(place, { ...options, port: await freePort() });
  // Runs behind the server's own exit hook, which has ended it by then.
  const leaveNothing = (): void => {
    // An exit hook cannot await, and the server needs a moment to let go of its files.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once("exit", leaveNothing);
  return {
    ...server,
    binFolder,
    async stop() {
      process.off("exit", leaveNothing);
      // Immediate shutdown: a throw-away server needs no checkpoint.
      await server.stop("SIGQUIT");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Where the server's binaries are: of the system's PostgreSQL, newest first. */
export async function findBinFolder(): Promise<string> {
  const installed = await readdir("/usr/lib/postgresql").catch(() => []);
  const [newest] = installed.filter((name) => /^\d+$/.test(name)).sort((a, b) => Number(b) - Number(a));
  if (newest) return `/usr/lib/postgresql/${newest}/bin`;
  try {
    return (await run("pg_config", ["--bindir"])).stdout.trim();
  } catch {
    throw new Error("PostgreSQL's server was not found. On Debian: apt-get install postgresql.");
  }
}

export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
