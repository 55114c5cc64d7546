import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "../../server/src/postgres/temporary-postgres.ts";
import { readCpuTimeUs } from "../installation/cpu-time.ts";
import { runTollgate, type Variables } from "../installation/installation.ts";
import { newManagedProcess, type ManagedProcess } from "../installation/managed-process.ts";
import { initializeServer, type PostgresServer } from "../installation/postgres-server.ts";

/** One cell as processes: its own PostgreSQL server, one `serve`, and one `work`. */
export interface Cell {
  readonly name: string;
  /** Buckets that the cell owns, in the format of the command's option. */
  readonly buckets: string;
  readonly port: number;
  /** The cell's address for the other cells and the edge. */
  readonly url: string;
  readonly postgres: PostgresServer;
  readonly ownerUrl: string;
  readonly processes: readonly ManagedProcess[];
  /** Runs a gateway command as this cell's operator, and returns its output. */
  operate(...args: readonly string[]): Promise<string>;
  execute<Row extends object>(statement: string): Promise<readonly Row[]>;
  start(): Promise<void>;
  /** Replaces the permanently lost server and processes by this standby and new processes. */
  replaceServer(standby: PostgresServer): Promise<void>;
  /** All process ids of the cell, for the CPU quota. */
  pids(): Promise<readonly number[]>;
  /** The total CPU time of the cell's processes so far, in microseconds. */
  cpuTimeUs(): Promise<number>;
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  stop(): Promise<void>;
  killNow(): void;
}

export interface CellOptions {
  readonly name: string;
  readonly buckets: string;
  readonly folder: string;
  /** The public address for merchants and provider callbacks: the edge. */
  readonly publicUrl: string;
  readonly directoryFile: string;
  readonly directoryKeyFile: string;
  /** The cell's network namespace and host address; without it, this program's namespace and the loopback address. */
  readonly region?: { readonly namespace: string; readonly host: string };
}

const database = "tollgate";
const program = "server/src/main.ts";

/** Creates a cell with an empty, migrated database. No process of it runs yet. */
export async function createCell(options: CellOptions): Promise<Cell> {
  const { name, buckets, folder, region } = options;
  const password = randomBytes(18).toString("hex");
  const postgres = await initializeServer({ name: `cell_${name}`, folder, password, durable: false });
  await postgres.start();
  const port = await findFreePort();
  const keyFile = writeKeyFile(join(folder, `${name}.key`));
  let [server, ownerUrl] = [postgres, postgres.url(database)];
  const settings = buildSettings(options, port, keyFile);
  const operate = (...args: readonly string[]): Promise<string> =>
    runTollgate({ ...settings, TOLLGATE_OWNER_DATABASE_URL: ownerUrl }, ...args);
  await postgres.execute("postgres", `create database ${database}`);
  await operate("migrate");
  await createLogins(postgres, password);
  // A namespace has its own loopback interface, but shares the file system, so the database is reached by its socket.
  const socketQuery = region ? `?host=${encodeURIComponent(join(folder, postgres.name))}` : "";
  const urlOf = (login: string): string =>
    `${ownerUrl.replace(/\/\/postgres:[^@]*@/, `//${login}:${password}@`)}${socketQuery}`;
  const variables = { ...settings, TOLLGATE_CELL: name };
  const newProcesses = (): readonly ManagedProcess[] =>
    newCellProcesses(name, { variables, urlOf, namespace: region?.namespace });
  let processes = newProcesses();
  const start = async (): Promise<void> => void (await Promise.all(processes.map((child) => child.start())));
  const pids = async (): Promise<readonly number[]> => [
    ...(await server.pids()),
    ...processes.map((child) => child.pid()).filter((pid) => pid > 0),
  ];
  return {
    name,
    buckets,
    port,
    url: `http://${region?.host ?? "127.0.0.1"}:${port}`,
    get postgres() {
      return server;
    },
    get ownerUrl() {
      return ownerUrl;
    },
    get processes() {
      return processes;
    },
    operate,
    execute: (statement) => server.execute(database, statement),
    start,
    async replaceServer(standby) {
      await Promise.all(processes.map((child) => child.kill()));
      await server.remove();
      [server, ownerUrl] = [standby, standby.url(database)];
      processes = newProcesses();
      await start();
    },
    pids,
    cpuTimeUs: async () => readCpuTimeUs(await pids()),
    async freeze() {
      for (const child of processes) child.freeze();
      await server.freeze();
    },
    async thaw() {
      await server.thaw();
      for (const child of processes) child.thaw();
    },
    async stop() {
      await Promise.all(processes.map((child) => child.kill()));
      await server.remove();
    },
    killNow() {
      for (const child of processes) child.killNow();
      server.killNow();
    },
  };
}

function writeKeyFile(file: string): string {
  writeFileSync(file, randomBytes(32).toString("base64"), { mode: 0o400 });
  return file;
}

function buildSettings(options: CellOptions, port: number, keyFile: string): Variables {
  return {
    TOLLGATE_ENVIRONMENT: "sandbox",
    TOLLGATE_KEY_FILE: keyFile,
    TOLLGATE_HOST: options.region ? "0.0.0.0" : "127.0.0.1",
    TOLLGATE_PORT: String(port),
    TOLLGATE_PUBLIC_URL: options.publicUrl,
    TOLLGATE_LOG_LEVEL: "warn",
    TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8,10.0.0.0/8",
    TOLLGATE_EGRESS_LOOPBACK: "allow",
    TOLLGATE_DIRECTORY_FILE: options.directoryFile,
    TOLLGATE_DIRECTORY_KEY_FILE: options.directoryKeyFile,
  };
}

interface CellProcessOptions {
  readonly variables: Variables;
  readonly urlOf: (login: string) => string;
  readonly namespace: string | undefined;
}

function newCellProcesses(
  name: string,
  { variables, urlOf, namespace }: CellProcessOptions,
): readonly ManagedProcess[] {
  const ready = { serve: /^Tollgate serves/, work: /^Tollgate works/ } as const;
  return (["serve", "work"] as const).map((command) =>
    newManagedProcess({
      name: `${command} of ${name}`,
      args: [program, command],
      variables: { ...variables, TOLLGATE_DATABASE_URL: urlOf(`cell_${command}`) },
      ready: ready[command],
      namespace,
    }),
  );
}

async function createLogins(postgres: PostgresServer, password: string): Promise<void> {
  for (const [role, group] of [
    ["cell_serve", "tollgate_app"],
    ["cell_work", "tollgate_work"],
  ])
    await postgres.execute("postgres", `create role ${role} login password '${password}' in role ${group}`);
  await postgres.execute("postgres", `revoke connect, temporary on database ${database} from public`);
  await postgres.execute("postgres", `grant connect on database ${database} to cell_serve, cell_work`);
}
