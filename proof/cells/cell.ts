import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../server/src/postgres/temporary-postgres.ts";
import { cpuUseUs } from "../installation/cpu-use.ts";
import { tollgate, type Variables } from "../installation/installation.ts";
import { newPart, type Part } from "../installation/part.ts";
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
  readonly parts: readonly Part[];
  /** Runs a gateway command as this cell's operator, and returns its output. */
  operate(...words: readonly string[]): Promise<string>;
  execute<Row extends object>(statement: string): Promise<readonly Row[]>;
  start(): Promise<void>;
  /** Replaces the permanently lost server and processes by this standby and new processes. */
  goOnFrom(standby: PostgresServer): Promise<void>;
  /** All process ids of the cell, for the CPU quota. */
  pids(): Promise<readonly number[]>;
  /** The total CPU time of the cell's processes so far, in microseconds. */
  cpuTimeUs(): Promise<number>;
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  stop(): Promise<void>;
  killNow(): void;
}

export interface CellPlace {
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
export async function makeCell(place: CellPlace): Promise<Cell> {
  const { name, buckets, folder, region } = place;
  const password = randomBytes(18).toString("hex");
  const postgres = await initializeServer({ name: `cell_${name}`, folder, password, durable: false });
  await postgres.start();
  const port = await freePort();
  const keyFile = join(folder, `${name}.key`);
  writeFileSync(keyFile, randomBytes(32).toString("base64"), { mode: 0o400 });
  let [server, ownerUrl] = [postgres, postgres.url(database)];
  const settings = settingsOf(place, port, keyFile);
  const operate = (...words: readonly string[]): Promise<string> =>
    tollgate({ ...settings, TOLLGATE_OWNER_DATABASE_URL: ownerUrl }, ...words);
  await postgres.execute("postgres", `create database ${database}`);
  await operate("migrate");
  await makeLogins(postgres, password);
  // A namespace has its own loopback interface, but shares the file system, so the database is reached by its socket.
  const way = region ? `?host=${encodeURIComponent(join(folder, postgres.name))}` : "";
  const urlOf = (login: string): string =>
    `${ownerUrl.replace(/\/\/postgres:[^@]*@/, `//${login}:${password}@`)}${way}`;
  const own = { ...settings, TOLLGATE_CELL: name };
  const newParts = (): readonly Part[] => partsOf(name, { own, urlOf, namespace: region?.namespace });
  let parts = newParts();
  const start = async (): Promise<void> => void (await Promise.all(parts.map((part) => part.start())));
  const pids = async (): Promise<readonly number[]> => [
    ...(await server.pids()),
    ...parts.map((part) => part.pid()).filter((pid) => pid > 0),
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
    get parts() {
      return parts;
    },
    operate,
    execute: (statement) => server.execute(database, statement),
    start,
    async goOnFrom(standby) {
      await Promise.all(parts.map((part) => part.kill()));
      await server.remove();
      [server, ownerUrl] = [standby, standby.url(database)];
      parts = newParts();
      await start();
    },
    pids,
    cpuTimeUs: async () => cpuUseUs(await pids()),
    async freeze() {
      for (const part of parts) part.freeze();
      await server.freeze();
    },
    async thaw() {
      await server.thaw();
      for (const part of parts) part.thaw();
    },
    async stop() {
      await Promise.all(parts.map((part) => part.kill()));
      await server.remove();
    },
    killNow() {
      for (const part of parts) part.killNow();
      server.killNow();
    },
  };
}

function settingsOf(place: CellPlace, port: number, keyFile: string): Variables {
  return {
    TOLLGATE_ENVIRONMENT: "sandbox",
    TOLLGATE_KEY_FILE: keyFile,
    TOLLGATE_HOST: place.region ? "0.0.0.0" : "127.0.0.1",
    TOLLGATE_PORT: String(port),
    TOLLGATE_PUBLIC_URL: place.publicUrl,
    TOLLGATE_LOG_LEVEL: "warn",
    TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8,10.0.0.0/8",
    TOLLGATE_EGRESS_LOOPBACK: "allow",
    TOLLGATE_DIRECTORY_FILE: place.directoryFile,
    TOLLGATE_DIRECTORY_KEY_FILE: place.directoryKeyFile,
  };
}

interface PartsPlace {
  readonly own: Variables;
  readonly urlOf: (login: string) => string;
  readonly namespace: string | undefined;
}

function partsOf(name: string, { own, urlOf, namespace }: PartsPlace): readonly Part[] {
  const ready = { serve: /^Tollgate serves/, work: /^Tollgate works/ } as const;
  return (["serve", "work"] as const).map((command) =>
    newPart({
      name: `${command} of ${name}`,
      words: [program, command],
      variables: { ...own, TOLLGATE_DATABASE_URL: urlOf(`cell_${command}`) },
      ready: ready[command],
      namespace,
    }),
  );
}

async function makeLogins(postgres: PostgresServer, password: string): Promise<void> {
  for (const [role, group] of [
    ["cell_serve", "tollgate_app"],
    ["cell_work", "tollgate_work"],
  ])
    await postgres.execute("postgres", `create role ${role} login password '${password}' in role ${group}`);
  await postgres.execute("postgres", `revoke connect, temporary on database ${database} from public`);
  await postgres.execute("postgres", `grant connect on database ${database} to cell_serve, cell_work`);
}
