import { generateKeyPairSync, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "./cluster.ts";
import type { Lines } from "./lines.ts";
import { newPart, type Part } from "./part.ts";

/** The second cell of an installation: another database of the same cluster, with a serving process and a worker. */
export interface SecondCell {
  readonly parts: readonly Part[];
}

/** An installation that will have a second cell. */
export interface FutureCells {
  /** Settings of the first cell's processes. */
  readonly settings: Settings;
  /**
   * Copies keys and connectors to the second cell, and returns the second cell with its processes, which are not
   * started yet.
   */
  open(): Promise<SecondCell>;
}

interface CellsPlace {
  readonly cluster: Cluster;
  readonly folder: string;
  /** The port of the second cell's serving process; undefined for an installation with one cell. */
  readonly port: number | undefined;
  readonly lines: Lines;
  /** The environment of the first cell's processes, with the URLs of their logins. */
  readonly variables: Settings;
  readonly tree: string;
  /** Runs a command of the gateway against one of the two databases. */
  readonly operate: (database: string, ...words: readonly string[]) => Promise<string>;
}

type Settings = Readonly<Record<string, string>>;
export type CellName = "a" | "b";

/** The database of each cell. */
export const databaseOfCell: Readonly<Record<CellName, string>> = { a: "tollgate", b: "tollgate_b" };
/** Merchants are opened in the first cell. The second one owns one bucket, because a cell owns at least one. */
const buckets: Readonly<Record<CellName, string>> = { a: "0-1022", b: "1023" };
const program = "server/src/main.ts";

/** Makes an installation the first cell, before it has merchants, and starts to create the second one's database. */
export async function prepareCells(place: CellsPlace): Promise<FutureCells | undefined> {
  if (place.port === undefined) return undefined;
  const creating = createSecondDatabase(place);
  creating.catch(() => undefined);
  await place.operate(databaseOfCell.a, "cell", "init", "a", "--buckets", buckets.a);
  await writeDirectory(place);
  return {
    settings: settingsOf(place.folder, "a"),
    async open() {
      await creating;
      await shareKeys(place);
      return { parts: partsOf(place) };
    },
  };
}

async function createSecondDatabase(place: CellsPlace): Promise<void> {
  const { cluster, operate } = place;
  const name = databaseOfCell.b;
  await cluster.execute("postgres", `create database ${name}`);
  await operate(name, "migrate");
  await cluster.execute("postgres", `revoke connect, temporary on database ${name} from public`);
  for (const [command, group] of [
    ["serve", "tollgate_app"],
    ["work", "tollgate_work"],
  ] as const) {
    const { username, password } = loginUrl(place, command);
    await cluster.execute(
      "postgres",
      `create role ${username} login password '${password}' in role ${group}`,
    );
    await cluster.execute("postgres", `grant connect on database ${name} to ${username}`);
  }
}

/** A login is for one database, so the second cell has its own logins, with the passwords of the first one's. */
function loginUrl({ variables, lines }: CellsPlace, command: "serve" | "work"): URL {
  const url = new URL(variables[command === "serve" ? "TOLLGATE_DATABASE_URL" : "WORK_DATABASE_URL"] ?? "");
  url.username += "_b";
  url.port = String(lines.servesToDatabase.at(-1)?.port ?? 0);
  url.pathname = `/${databaseOfCell.b}`;
  return url;
}

function settingsOf(folder: string, cell: CellName): Settings {
  return {
    TOLLGATE_CELL: cell,
    TOLLGATE_DIRECTORY_FILE: join(folder, "directory.json"),
    TOLLGATE_DIRECTORY_KEY_FILE: join(folder, "directory-public.pem"),
  };
}

/** Moves do not change the directory: requests of a moved merchant arrive at the first cell, which forwards them. */
async function writeDirectory({ folder, lines, operate }: CellsPlace): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const [draft, keyFile] = [join(folder, "directory-draft.json"), join(folder, "directory-key.pem")];
  const rangeOf = ([cell, range]: [string, string]): object => {
    const [from = 0, to = from] = range.split("-").map(Number);
    return { from, to, cell };
  };
  const cellAt = (port: number): object => ({ url: `http://127.0.0.1:${port}` });
  const directory = {
    version: 1,
    cells: { a: cellAt(lines.providerToServe.port), b: cellAt(lines.toSecondCell[0]?.port ?? 0) },
    buckets: Object.entries(buckets).map(rangeOf),
    clients: {},
  };
  writeFileSync(draft, JSON.stringify(directory));
  writeFileSync(keyFile, privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o400 });
  writeFileSync(join(folder, "directory-public.pem"), publicKey.export({ format: "pem", type: "spki" }));
  const to = join(folder, "directory.json");
  await operate(databaseOfCell.a, "cells", "sign", "--from", draft, "--private-key", keyFile, "--to", to);
}

async function shareKeys({ folder, operate }: CellsPlace): Promise<void> {
  const seal = join(folder, "seal.key");
  writeFileSync(seal, randomBytes(32).toString("base64"), { mode: 0o400 });
  const files = ["--file", join(folder, "fleet.sealed"), "--seal-file", seal];
  await operate(databaseOfCell.a, "cells", "export-fleet", ...files);
  await operate(databaseOfCell.b, "cells", "import-fleet", ...files);
  await operate(databaseOfCell.b, "cell", "init", "b", "--buckets", buckets.b);
}

function partsOf(place: CellsPlace): readonly Part[] {
  const { TOLLGATE_OWNER_DATABASE_URL: _, ...common } = place.variables;
  const part = (command: "serve" | "work", ready: RegExp): Part =>
    newPart({
      name: `${command} of cell b`,
      words: [program, command],
      variables: {
        ...common,
        ...settingsOf(place.folder, "b"),
        TOLLGATE_PORT: String(place.port),
        TOLLGATE_DATABASE_URL: loginUrl(place, command).href,
      },
      ready,
      tree: place.tree,
    });
  return [part("serve", /^Tollgate serves/), part("work", /^Tollgate works/)];
}
