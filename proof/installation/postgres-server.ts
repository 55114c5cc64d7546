import { execFile, execFileSync, spawn, type ChildProcess } from "node:child_process";
import { chownSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { findBinFolder, freePort } from "../../server/src/postgres/temporary-postgres.ts";

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

export interface ServerPlace {
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
/** PostgreSQL refuses to run as root. This is the id of the unprivileged user `nobody`. */
const nobody = 65_534;
const startTimeoutMs = 30_000;

/** The first server of a cluster, not started yet. */
export async function initializeServer(place: ServerPlace): Promise<PostgresServer> {
  const folder = makeFolder(place);
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, place.password, { mode: 0o600 });
  own(passwordFile);
  const login = ["-U", "postgres", "-A", "scram-sha-256", `--pwfile=${passwordFile}`];
  await runAs(
    "initdb",
    ["-D", join(folder, "data"), ...login, "-E", "UTF8", "--locale=C", "--no-sync"],
    folder,
  );
  await rm(passwordFile);
  return serverAt(place, folder);
}

/** A base backup of a running server, which replicates it under its own name; not started yet. */
export async function copyServer(source: PostgresServer, place: ServerPlace): Promise<PostgresServer> {
  const folder = makeFolder(place);
  const login = `host=127.0.0.1 port=${source.port} user=postgres password=${place.password}`;
  const words = ["-d", `${login} application_name=${place.name}`, "-D", join(folder, "data")];
  const quick = ["--checkpoint=fast", "--no-sync", "--wal-method=stream", "--write-recovery-conf"];
  await runAs("pg_basebackup", [...words, ...quick], folder);
  return serverAt(place, folder);
}

/** A server on a data folder that `fill` restores from a backup, as the user who owns it; not started yet. */
export async function restoreServer(
  place: ServerPlace,
  fill: (dataFolder: string) => Promise<void>,
): Promise<PostgresServer> {
  const folder = makeFolder(place);
  await fill(join(folder, "data"));
  return serverAt(place, folder);
}

async function serverAt(place: ServerPlace, folder: string): Promise<PostgresServer> {
  const port = await freePort();
  const program = join(await findBinFolder(), "postgres");
  const words = ["-D", join(folder, "data"), ...flags(folder, port, place.durable)];
  const url = (database: string): string =>
    `postgres://postgres:${place.password}@127.0.0.1:${port}/${database}`;
  let postmaster: ChildProcess | undefined;

  const family = async (): Promise<readonly number[]> => {
    const pid = postmaster?.pid;
    return pid === undefined || !runs(postmaster) ? [] : [pid, ...(await childrenOf(pid))];
  };
  const kill = async (): Promise<void> => {
    // The postmaster gets SIGSTOP first, so that it forks no more children.
    if (runs(postmaster)) postmaster?.kill("SIGSTOP");
    const pids = await family();
    signalAll(pids, "SIGKILL");
    // A restart finds the old lock file and fails while the process that it names exists, even as a zombie. So the kill
    // waits until all processes have exited.
    await until(() => !runs(postmaster) && !pids.some(isAlive), 5_000);
  };
  return {
    name: place.name,
    port,
    url,
    async start() {
      const startedAtMs = performance.now();
      const log = openSync(join(folder, "log"), "a");
      const env = { ...process.env, ...clockVariables(place) };
      postmaster = spawn(program, words, { ...identity(), env, cwd: folder, stdio: ["ignore", log, log] });
      await untilItAnswers(postmaster, url("postgres"), join(folder, "log"));
      return performance.now() - startedAtMs;
    },
    kill,
    async stop() {
      if (!runs(postmaster)) return;
      const exited = new Promise((resolve) => postmaster?.once("exit", resolve));
      postmaster?.kill("SIGINT");
      await exited;
    },
    async freeze() {
      postmaster?.kill("SIGSTOP");
      signalAll(await family(), "SIGSTOP");
    },
    thaw: async () => signalAll(await family(), "SIGCONT"),
    pids: family,
    execute: (database, statement) => execute(url(database), statement),
    async remove() {
      await kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
    killNow() {
      if (!runs(postmaster) || postmaster?.pid === undefined) return;
      // Frozen children do not notice that the postmaster has exited, so they are killed with it.
      const listed = execFileSync("ps", processList, { encoding: "utf8" });
      signalAll([postmaster.pid, ...childrenIn(listed, postmaster.pid)], "SIGKILL");
    },
  };
}

function clockVariables({ clock }: ServerPlace): Readonly<Record<string, string>> {
  return clock ? { LD_PRELOAD: clock.library, CLOCK_SHIFT_SECONDS: String(clock.seconds) } : {};
}

function flags(folder: string, port: number, durable: boolean): string[] {
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

function makeFolder({ folder, name }: ServerPlace): string {
  const made = join(folder, name);
  mkdirSync(made, { mode: 0o700 });
  own(made);
  return made;
}

/** The user of PostgreSQL's processes. */
export function identity(): { readonly uid?: number; readonly gid?: number } {
  return process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
}

export function own(path: string): void {
  if (process.getuid?.() === 0) chownSync(path, nobody, nobody);
}

async function runAs(program: string, words: readonly string[], cwd: string): Promise<void> {
  await run(join(await findBinFolder(), program), words, { ...identity(), cwd });
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const { stdout } = await run("ps", processList);
  return childrenIn(stdout, pid);
}

const processList = ["-A", "-o", "pid=,ppid="];

function childrenIn(listed: string, pid: number): readonly number[] {
  return listed
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

function runs(child: ChildProcess | undefined): boolean {
  return child !== undefined && child.exitCode === null && child.signalCode === null;
}

async function untilItAnswers(postmaster: ChildProcess, url: string, log: string): Promise<void> {
  await until(async () => {
    if (!runs(postmaster))
      throw new Error(`PostgreSQL ended while it was starting: ${readFileSync(log, "utf8").slice(-1_000)}`);
    return execute(url, "select 1").then(
      () => true,
      () => false,
    );
  });
}

export async function execute<Row extends object>(url: string, statement: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 20_000 });
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
export async function until(
  isSo: () => boolean | Promise<boolean>,
  timeoutMs = startTimeoutMs,
): Promise<void> {
  const giveUpAtMs = performance.now() + timeoutMs;
  while (!(await isSo())) {
    if (performance.now() > giveUpAtMs) throw new Error(`Not within ${timeoutMs} ms: ${String(isSo)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
