import { execFile, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { chown, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";

/** A PostgreSQL server of our own that leaves nothing behind. */
export interface ThrowAwayPostgres {
  /** The address of a database of this name, for the superuser. */
  url(database: string): string;
  /** The process id of the server, for tests that measure it or kill it. */
  readonly pid: number;
  readonly port: number;
  readonly binFolder: string;
  /** Resolves when the server has ended, by `stop` or by itself, with its status or the signal. */
  readonly exited: Promise<number | string>;
  /** Runs one statement as the superuser, for set-up. */
  execute(database: string, statement: string): Promise<void>;
  stop(): Promise<void>;
}

export interface ThrowAwayOptions {
  /** Without it fsync is off: right for tests, wrong for measuring. */
  readonly durable: boolean;
  /** For example `{ max_connections: "200" }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

const run = promisify(execFile);
/** The user `nobody`: PostgreSQL refuses to run as root. */
const nobody = 65_534;
const startTimeoutMs = 20_000;

export async function startThrowAwayPostgres({
  durable,
  settings,
}: ThrowAwayOptions): Promise<ThrowAwayPostgres> {
  const binFolder = await findBinFolder();
  const folder = await mkdtemp(join(tmpdir(), "tollgate-postgres-"));
  const identity = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  if ("uid" in identity) await chown(folder, nobody, nobody);

  const password = randomBytes(24).toString("base64url");
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  if ("uid" in identity) await chown(passwordFile, nobody, nobody);
  const data = join(folder, "data");
  const initdb = [
    "-D",
    data,
    "-U",
    "postgres",
    "-A",
    "scram-sha-256",
    `--pwfile=${passwordFile}`,
    "-E",
    "UTF8",
  ];
  await run(join(binFolder, "initdb"), [...initdb, "--locale=C", "--no-sync"], { ...identity, cwd: folder });
  await rm(passwordFile);

  const port = await freePort();
  const server = spawn(
    join(binFolder, "postgres"),
    ["-D", data, ...serverFlags(folder, port, durable, settings)],
    {
      ...identity,
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const exited = new Promise<number | string>((resolve) => {
    server.once("exit", (code, signal) => resolve(code ?? signal ?? 0));
  });
  // Exit hook: a process that ends with an error never calls `stop`.
  const leaveNothing = (): void => {
    server.kill("SIGQUIT");
    // An exit hook cannot await, and the server needs a moment to let go of its files.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once("exit", leaveNothing);
  const url = (database: string): string => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  await untilReady(server, url("postgres"));
  return {
    url,
    port,
    binFolder,
    exited,
    pid: server.pid ?? 0,
    execute: (database, statement) => execute(url(database), statement),
    async stop() {
      process.off("exit", leaveNothing);
      await stop(server, folder);
    },
  };
}

function serverFlags(
  folder: string,
  port: number,
  durable: boolean,
  settings: ThrowAwayOptions["settings"],
): string[] {
  const all = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: folder,
    max_connections: "200",
    shared_buffers: "128MB",
    ...(!durable && { fsync: "off", full_page_writes: "off", synchronous_commit: "off" }),
    ...settings,
  };
  return Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
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

async function untilReady(server: ChildProcess, url: string): Promise<void> {
  let said = "";
  server.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-4_000);
  });
  const giveUpAtMs = performance.now() + startTimeoutMs;
  while (performance.now() < giveUpAtMs && server.exitCode === null) {
    const client = new Client({ connectionString: url });
    client.on("error", () => undefined);
    const connected = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    if (connected) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  server.kill("SIGKILL");
  throw new Error(`PostgreSQL did not start:\n${said}`);
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function stop(server: ChildProcess, folder: string): Promise<void> {
  if (server.exitCode === null && server.signalCode === null) {
    const ended = new Promise((resolve) => server.once("exit", resolve));
    // Immediate shutdown: a throw-away server needs no checkpoint.
    server.kill("SIGQUIT");
    await ended;
  }
  await rm(folder, { recursive: true, force: true });
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
