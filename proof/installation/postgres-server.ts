import { execFile, execFileSync, spawn, type ChildProcess } from "node:child_process";
import { chownSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { findBinFolder, findFreePort } from "../../server/src/postgres/temporary-postgres.ts";

/** One PostgreSQL server whose data folder outlives its processes, so that it can crash and restart. */
export interface PostgresServer {
  readonly name: string;
  readonly port: number;
  url(database: string): string;
  /** Starts the server, and returns the time until it accepted connections, in ms. */
  start(): Promise<number>;
  /** Sends SIGKILL to the postmaster and all its children at once, like a power cut. */
  kill(): Promise<void>;
  /** Shuts the server down fast, as for a minor update: PostgreSQL closes open connections. */
  stop(): Promise<void>;
  /** Sends SIGSTOP to all processes. The kernel still accepts connections, but the server does not respond. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** All of its processes, the postmaster first, for measurements and CPU quotas. */
  pids(): Promise<readonly number[]>;
  execute<Row extends object>(database: string, statement: string): Promise<readonly Row[]>;
  /** Kills the server and removes its folder. */
  remove(): Promise<void>;
  /** Kills the server without waiting, for exit handlers. */
  killNow(): void;
}

export interface ServerOptions {
  readonly name: string;
  /** Parent folder of all servers of a cluster. */
  readonly folder: string;
  readonly password: string;
  /** Whether it fsyncs. */
  readonly durable: boolean;
  /** Its clock skew. */
  readonly clock?: ShiftedClock | undefined;
}

/** A preloaded library that shifts a server's clock, and by how much. */
export interface ShiftedClock {
  readonly library: string;
  readonly seconds: number;
}

const run = promisify(execFile);
/** PostgreSQL refuses to run as root. This is the id of the unprivileged user `unprivilegedUserId`. */
const unprivilegedUserId = 65_534;
const startTimeoutMs = 30_000;

/** The first server of a cluster, not started yet. */
export async function initializeServer(options: ServerOptions): Promise<PostgresServer> {
  const folder = makeFolder(options);
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, options.password, { mode: 0o600 });
  changeOwner(passwordFile);
  const login = ["-U", "postgres", "-A", "scram-sha-256", `--pwfile=${passwordFile}`];
  await runAsUnprivileged(
    "initdb",
    ["-D", join(folder, "data"), ...login, "-E", "UTF8", "--locale=C", "--no-sync"],
    folder,
  );
  await rm(passwordFile);
  return newServer(options, folder);
}

/** A base backup of a running server, which replicates it under its own name; not started yet. */
export async function copyServer(source: PostgresServer, options: ServerOptions): Promise<PostgresServer> {
  const folder = makeFolder(options);
  const login = `host=127.0.0.1 port=${source.port} user=postgres password=${options.password}`;
  const args = ["-d", `${login} application_name=${options.name}`, "-D", join(folder, "data")];
  const copyOptions = ["--checkpoint=fast", "--no-sync", "--wal-method=stream", "--write-recovery-conf"];
  await runAsUnprivileged("pg_basebackup", [...args, ...copyOptions], folder);
  return newServer(options, folder);
}

/** A server on a data folder that `restoreData` restores from a backup, as the user who owns it; not started yet. */
export async function restoreServer(
  options: ServerOptions,
  restoreData: (dataFolder: string) => Promise<void>,
): Promise<PostgresServer> {
  const folder = makeFolder(options);
  await restoreData(join(folder, "data"));
  return newServer(options, folder);
}

async function newServer(options: ServerOptions, folder: string): Promise<PostgresServer> {
  const port = await findFreePort();
  const program = join(await findBinFolder(), "postgres");
  const args = ["-D", join(folder, "data"), ...buildFlags(folder, port, options.durable)];
  const url = (database: string): string =>
    `postgres://postgres:${options.password}@127.0.0.1:${port}/${database}`;
  let postmaster: ChildProcess | undefined;

  const listProcessIds = async (): Promise<readonly number[]> => {
    const pid = postmaster?.pid;
    return pid === undefined || !isRunning(postmaster) ? [] : [pid, ...(await childrenOf(pid))];
  };
  const kill = async (): Promise<void> => {
    // The postmaster gets SIGSTOP first, so that it forks no more children.
    if (isRunning(postmaster)) postmaster?.kill("SIGSTOP");
    const pids = await listProcessIds();
    signalAll(pids, "SIGKILL");
    // A restart finds the old lock file and fails while the process that it names exists, even as a zombie. So the kill
    // waits until all processes have exited.
    await waitUntil(() => !isRunning(postmaster) && !pids.some(isAlive), 5_000);
  };
  return {
    name: options.name,
    port,
    url,
    async start() {
      const startedAtMs = performance.now();
      const log = openSync(join(folder, "log"), "a");
      const env = { ...process.env, ...clockVariables(options) };
      postmaster = spawn(program, args, { ...postgresUser(), env, cwd: folder, stdio: ["ignore", log, log] });
      await waitUntilReady(postmaster, url("postgres"), join(folder, "log"));
      return performance.now() - startedAtMs;
    },
    kill,
    async stop() {
      if (!isRunning(postmaster)) return;
      const exited = new Promise((resolve) => postmaster?.once("exit", resolve));
      postmaster?.kill("SIGINT");
      await exited;
    },
    async freeze() {
      postmaster?.kill("SIGSTOP");
      signalAll(await listProcessIds(), "SIGSTOP");
    },
    thaw: async () => signalAll(await listProcessIds(), "SIGCONT"),
    pids: listProcessIds,
    execute: (database, statement) => execute(url(database), statement),
    async remove() {
      await kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
    killNow() {
      if (!isRunning(postmaster) || postmaster?.pid === undefined) return;
      // Frozen children do not notice that the postmaster has exited, so they are killed with it.
      const processTable = execFileSync("ps", processList, { encoding: "utf8" });
      signalAll([postmaster.pid, ...childrenIn(processTable, postmaster.pid)], "SIGKILL");
    },
  };
}

function clockVariables({ clock }: ServerOptions): Readonly<Record<string, string>> {
  return clock ? { LD_PRELOAD: clock.library, CLOCK_SHIFT_SECONDS: String(clock.seconds) } : {};
}

function buildFlags(folder: string, port: number, durable: boolean): string[] {
  const settings = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: folder,
    max_connections: "200",
    shared_buffers: "128MB",
    // WAL is kept for a standby that was disconnected for a short time and catches up.
    wal_keep_size: "1GB",
    wal_retrieve_retry_interval: "100ms",
    ...(!durable && { fsync: "off", full_page_writes: "off" }),
  };
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

function makeFolder({ folder, name }: ServerOptions): string {
  const serverFolder = join(folder, name);
  mkdirSync(serverFolder, { mode: 0o700 });
  changeOwner(serverFolder);
  return serverFolder;
}

/** The user of PostgreSQL's processes. */
export function postgresUser(): { readonly uid?: number; readonly gid?: number } {
  return process.getuid?.() === 0 ? { uid: unprivilegedUserId, gid: unprivilegedUserId } : {};
}

export function changeOwner(path: string): void {
  if (process.getuid?.() === 0) chownSync(path, unprivilegedUserId, unprivilegedUserId);
}

async function runAsUnprivileged(program: string, args: readonly string[], cwd: string): Promise<void> {
  await run(join(await findBinFolder(), program), args, { ...postgresUser(), cwd });
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const { stdout } = await run("ps", processList);
  return childrenIn(stdout, pid);
}

const processList = ["-A", "-o", "pid=,ppid="];

function childrenIn(processTable: string, pid: number): readonly number[] {
  return processTable
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child = 0]) => child);
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has already ended.
    }
  }
}

/** A zombie counts as exited: it holds no resources, and init may need seconds to reap it. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !isZombie(pid);
}

function isZombie(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    // The process has just exited, or this system has no /proc.
    return false;
  }
}

function isRunning(child: ChildProcess | undefined): boolean {
  return child !== undefined && child.exitCode === null && child.signalCode === null;
}

async function waitUntilReady(postmaster: ChildProcess, url: string, log: string): Promise<void> {
  await waitUntil(async () => {
    if (!isRunning(postmaster))
      throw new Error(`PostgreSQL ended while it was starting: ${readFileSync(log, "utf8").slice(-1_000)}`);
    return execute(url, "select 1").then(
      () => true,
      () => false,
    );
  });
}

/** Enough for a machine on which many tests run. A server that is down refuses at once. */
const [connectionTimeoutMillis, query_timeout] = [20_000, 60_000];

export async function execute<Row extends object>(url: string, statement: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis, query_timeout });
  // The server may exit during the query, which is the tested case.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Polls every few milliseconds until the condition is true; throws after the timeout. */
export async function waitUntil(
  isMet: () => boolean | Promise<boolean>,
  timeoutMs = startTimeoutMs,
): Promise<void> {
  const giveUpAtMs = performance.now() + timeoutMs;
  while (!(await isMet())) {
    if (performance.now() > giveUpAtMs) throw new Error(`Not within ${timeoutMs} ms: ${String(isMet)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
