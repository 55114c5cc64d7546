import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";

/** A private PostgreSQL server, as a child process that listens on loopback. */
export interface LocalServer {
  /** Returns the superuser's URL of the database with this name. */
  url(database: string): string;
  /** The process id of the server, for tests that measure it or kill it. */
  readonly pid: number;
  readonly port: number;
  /** Resolves when the server has ended, by `stop` or by itself, with its exit status or the signal. */
  readonly exited: Promise<number | string>;
  /** Runs one statement as the superuser, for set-up. */
  execute(database: string, statement: string): Promise<void>;
  /**
   * Stops the server. SIGINT writes a checkpoint if that is quick, so that the next start need not recover. SIGQUIT
   * stops at once.
   */
  stop(signal: "SIGINT" | "SIGQUIT"): Promise<void>;
}

/** The folders of the server's programs and files, and the superuser's password. */
export interface LocalServerFiles {
  readonly binFolder: string;
  readonly folder: string;
  readonly password: string;
}

export interface LocalServerOptions {
  readonly port: number;
  /** Whether fsync is on. Off is right for tests, and wrong for measurements. */
  readonly durable: boolean;
  /** For example `{ max_connections: "200" }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

const run = promisify(execFile);
/** The id of the user `nobody`: PostgreSQL refuses to run as root. */
const nobodyUserId = 65_534;
const startTimeoutMs = 20_000;
const checkpointTimeoutMs = 1_500;

/** Creates the files of a new server (initdb). */
export async function createDataFolder(
  { binFolder, folder, password }: LocalServerFiles,
  signal?: AbortSignal,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  for (const path of isRoot() ? [folder, passwordFile] : []) await chown(path, nobodyUserId, nobodyUserId);
  const args = [
    "-D",
    dataFolderIn(folder),
    "-U",
    "postgres",
    "-A",
    "scram-sha-256",
    `--pwfile=${passwordFile}`,
  ];
  const options = { ...userOptions(), cwd: folder, ...(signal && { signal }) };
  const initdb = run(join(binFolder, "initdb"), [...args, "-E", "UTF8", "--locale=C", "--no-sync"], options);
  await initdb.catch(async (error: Error & { readonly stderr?: string }) => {
    // After a signal, initdb still removes its files, so this code waits: the caller must not remove them at the same
    // time.
    if (signal?.aborted && initdb.child.exitCode === null) await once(initdb.child, "exit");
    const lines = error.stderr?.trim().split("\n") ?? [];
    const reason = lines.find((line) => /error|fatal|panic|could not/i.test(line)) ?? error.message;
    throw new Error(`Creating PostgreSQL's files failed. ${reason}`);
  });
  await rm(passwordFile);
}

/** Starts the server, and waits until it accepts connections. */
export async function startLocalServer(
  { binFolder, folder, password }: LocalServerFiles,
  { port, durable, settings }: LocalServerOptions,
): Promise<LocalServer> {
  const flags = serverFlags(port, durable, settings);
  const server = spawn(join(binFolder, "postgres"), ["-D", dataFolderIn(folder), ...flags], {
    ...userOptions(),
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = new Promise<number | string>((resolve) => {
    server.once("error", (error) => resolve(error.message));
    server.once("exit", (code, signal) => resolve(code ?? signal ?? 0));
  });
  // Exit hook, because a process that ends with an error never calls `stop`.
  const killOnExit = (): void => void server.kill("SIGQUIT");
  process.once("exit", killOnExit);
  const url = (database: string): string => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  await waitUntilReady(server, exited, url("postgres"));
  return {
    url,
    port,
    exited,
    pid: server.pid ?? 0,
    execute: (database, statement) => execute(url(database), statement),
    async stop(signal) {
      process.off("exit", killOnExit);
      if (server.exitCode !== null || server.signalCode !== null) return;
      server.kill(signal);
      // Timeout of the checkpoint. Nothing is lost without the checkpoint: the next start recovers from the WAL.
      const timer = setTimeout(() => server.kill("SIGQUIT"), checkpointTimeoutMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

function dataFolderIn(folder: string): string {
  return join(folder, "data");
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function userOptions(): { readonly uid?: number; readonly gid?: number } {
  return isRoot() ? { uid: nobodyUserId, gid: nobodyUserId } : {};
}

function serverFlags(port: number, durable: boolean, settings: LocalServerOptions["settings"]): string[] {
  const all = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    // The server has no socket file, because the path of one is limited to 107 bytes, and folders may be longer.
    unix_socket_directories: "",
    max_connections: "200",
    shared_buffers: "128MB",
    ...(!durable && { fsync: "off", full_page_writes: "off", synchronous_commit: "off" }),
    ...settings,
  };
  return Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

async function waitUntilReady(
  server: ChildProcess,
  exited: LocalServer["exited"],
  url: string,
): Promise<void> {
  let stderrText = "";
  let hasExited = false;
  const recordExit = async (): Promise<void> => {
    const exitStatus = await exited;
    hasExited = true;
    stderrText ||= String(exitStatus);
  };
  void recordExit();
  server.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderrText = (stderrText + text).slice(-4_000);
  });
  const deadlineMs = performance.now() + startTimeoutMs;
  while (performance.now() < deadlineMs && !hasExited) {
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
  throw new Error(`PostgreSQL did not start:\n${stderrText}`);
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
