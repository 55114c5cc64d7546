import { generateKeyPairSync, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "./postgres-cluster.ts";
import type { NetworkProxies } from "./network-proxies.ts";
import { newManagedProcess, type ManagedProcess } from "./managed-process.ts";

/** The second cell of an installation: another database of the same cluster, with a serving process and a worker. */
export interface SecondCell {
  readonly processes: readonly ManagedProcess[];
}

/** An installation that will have a second cell. */
export interface SecondCellSetup {
  /** Settings of the first cell's processes. */
  readonly settings: Settings;
  /**
   * Copies keys and connectors to the second cell, and returns the second cell with its processes, which are not
   * started yet.
   */
  open(): Promise<SecondCell>;
}

interface SecondCellOptions {
  readonly cluster: Cluster;
  readonly folder: string;
  /** The port of the second cell's serving process; undefined for an installation with one cell. */
  readonly port: number | undefined;
  readonly proxies: NetworkProxies;
  /** The environment of the first cell's processes, with the URLs of their logins. */
  readonly variables: Settings;
  readonly tree: string;
  /** Runs a command of the gateway against one of the two databases. */
  readonly operate: (database: string, ...args: readonly string[]) => Promise<string>;
}

type Settings = Readonly<Record<string, string>>;
export type CellName = "a" | "b";

/** The database of each cell. */
export const databaseOfCell: Readonly<Record<CellName, string>> = { a: "tollgate", b: "tollgate_b" };
/** Merchants are opened in the first cell. The second one owns one bucket, because a cell owns at least one. */
const buckets: Readonly<Record<CellName, string>> = { a: "0-1022", b: "1023" };
const program = "server/src/main.ts";

/** Makes an installation the first cell, before it has merchants, and starts to create the second one's database. */
export async function prepareCells(options: SecondCellOptions): Promise<SecondCellSetup | undefined> {
  if (options.port === undefined) return undefined;
  const creating = createSecondDatabase(options);
  creating.catch(() => undefined);
  await options.operate(databaseOfCell.a, "cell", "init", "a", "--buckets", buckets.a);
  await writeDirectory(options);
  return {
    settings: buildSettings(options.folder, "a"),
    async open() {
      await creating;
      await shareKeys(options);
      return { processes: newSecondCellProcesses(options) };
    },
  };
}

async function createSecondDatabase(options: SecondCellOptions): Promise<void> {
  const { cluster, operate } = options;
  const name = databaseOfCell.b;
  await cluster.execute("postgres", `create database ${name}`);
  await operate(name, "migrate");
  await cluster.execute("postgres", `revoke connect, temporary on database ${name} from public`);
  for (const [command, group] of [
    ["serve", "tollgate_app"],
    ["work", "tollgate_work"],
  ] as const) {
    const { username, password } = loginUrl(options, command);
    await cluster.execute(
      "postgres",
      `create role ${username} login password '${password}' in role ${group}`,
    );
    await cluster.execute("postgres", `grant connect on database ${name} to ${username}`);
  }
}

/** A login is for one database, so the second cell has its own logins, with the passwords of the first one's. */
function loginUrl({ variables, proxies }: SecondCellOptions, command: "serve" | "work"): URL {
  const url = new URL(variables[command === "serve" ? "TOLLGATE_DATABASE_URL" : "WORK_DATABASE_URL"] ?? "");
  url.username += "_b";
  url.port = String(proxies.servesToDatabase.at(-1)?.port ?? 0);
  url.pathname = `/${databaseOfCell.b}`;
  return url;
}

function buildSettings(folder: string, cell: CellName): Settings {
  return {
    TOLLGATE_CELL: cell,
    TOLLGATE_DIRECTORY_FILE: join(folder, "directory.json"),
    TOLLGATE_DIRECTORY_KEY_FILE: join(folder, "directory-public.pem"),
  };
}

/** Moves do not change the directory: requests of a moved merchant arrive at the first cell, which forwards them. */
async function writeDirectory({ folder, proxies, operate }: SecondCellOptions): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const [draft, keyFile] = [join(folder, "directory-draft.json"), join(folder, "directory-key.pem")];
  const rangeOf = ([cell, range]: [string, string]): object => {
    const [from = 0, to = from] = range.split("-").map(Number);
    return { from, to, cell };
  };
  const cellAt = (port: number): object => ({ url: `http://127.0.0.1:${port}` });
  const directory = {
    version: 1,
    cells: { a: cellAt(proxies.providerToServe.port), b: cellAt(proxies.toSecondCell[0]?.port ?? 0) },
    buckets: Object.entries(buckets).map(rangeOf),
    clients: {},
  };
  writeFileSync(draft, JSON.stringify(directory));
  writeFileSync(keyFile, privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o400 });
  writeFileSync(join(folder, "directory-public.pem"), publicKey.export({ format: "pem", type: "spki" }));
  const to = join(folder, "directory.json");
  await operate(databaseOfCell.a, "cells", "sign", "--from", draft, "--private-key", keyFile, "--to", to);
}

async function shareKeys({ folder, operate }: SecondCellOptions): Promise<void> {
  const sealFile = join(folder, "seal.key");
  writeFileSync(sealFile, randomBytes(32).toString("base64"), { mode: 0o400 });
  const files = ["--file", join(folder, "fleet.sealed"), "--seal-file", sealFile];
  await operate(databaseOfCell.a, "cells", "export-fleet", ...files);
  await operate(databaseOfCell.b, "cells", "import-fleet", ...files);
  await operate(databaseOfCell.b, "cell", "init", "b", "--buckets", buckets.b);
}

function newSecondCellProcesses(options: SecondCellOptions): readonly ManagedProcess[] {
  const { TOLLGATE_OWNER_DATABASE_URL: _, ...common } = options.variables;
  const newGatewayProcess = (command: "serve" | "work", ready: RegExp): ManagedProcess =>
    newManagedProcess({
      name: `${command} of cell b`,
      args: [program, command],
      variables: {
        ...common,
        ...buildSettings(options.folder, "b"),
        TOLLGATE_PORT: String(options.port),
        TOLLGATE_DATABASE_URL: loginUrl(options, command).href,
      },
      ready,
      tree: options.tree,
    });
  return [newGatewayProcess("serve", /^Tollgate serves/), newGatewayProcess("work", /^Tollgate works/)];
}
