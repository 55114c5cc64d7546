import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { bucketOf } from "../../src/core/bucket.ts";
import { type Directory, serializeDirectory } from "../../src/cells/directory.ts";
import { initCell, parseBuckets, signDirectory } from "../../src/operators/cells/manage-cell.ts";
import { exportFleet, importFleet } from "../../src/operators/cells/fleet-export.ts";
import { addGatewayKey } from "../../src/operators/providers/manage-gateway-keys.ts";
import { startServeProcess, type ServeProcess } from "../start/serve-process.ts";
import { asSuperuser, newTestDatabase, type TestDatabase } from "../start/test-database.ts";
import { newMerchant, type TestMerchant } from "../start/test-gateway.ts";

/** One cell: a complete installation, with `serve` as a separate process. */
export interface TestCell {
  readonly name: string;
  readonly database: TestDatabase;
  readonly serve: ServeProcess;
  readonly variables: Readonly<Record<string, string>>;
}

export interface TestFleet {
  readonly cells: readonly [TestCell, TestCell, TestCell];
  readonly folder: string;
  /** Home cells of merchants according to the directory. */
  directory(): Directory;
  /** Signs a new version of the cell directory, and stores it at the path that all cells read. */
  publish(change: (directory: Directory) => Directory): Promise<void>;
}

const ranges = { a: "0-340", b: "341-681", c: "682-1023" } as const;

export async function startTestFleet(): Promise<TestFleet> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-fleet-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const secretFile = (name: string): string => {
    const file = join(folder, name);
    writeFileSync(file, randomBytes(32).toString("base64"), { mode: 0o400 });
    return file;
  };
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const [keyFile, publicKeyFile] = [join(folder, "fleet.pem"), join(folder, "fleet-public.pem")];
  writeFileSync(keyFile, privateKey.export({ format: "pem", type: "pkcs8" }));
  writeFileSync(publicKeyFile, publicKey.export({ format: "pem", type: "spki" }));
  const [draftFile, directoryFile] = [join(folder, "draft.json"), join(folder, "directory.json")];

  let directory: Directory = {
    version: 1,
    cells: new Map(Object.keys(ranges).map((name) => [name, { url: "http://127.0.0.1:1" }])),
    buckets: Object.entries(ranges).flatMap(([name, range]) => parseBuckets(range).map(() => name)),
    clients: new Map(),
  };
  async function publish(change: (directory: Directory) => Directory): Promise<void> {
    directory = change(directory);
    writeFileSync(draftFile, serializeDirectory(directory));
    await signDirectory(draftFile, keyFile, directoryFile);
  }
  await publish((first) => first);

  const [sealFile, sealed] = [secretFile("seal.key"), join(folder, "fleet.sealed")];
  const start = async (name: keyof typeof ranges): Promise<TestCell> => {
    const database = await newTestDatabase("sandbox");
    const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
    const files = { keyFile: secretFile(`${name}.key`), sealFile, file: sealed };
    if (name === "a") {
      await addGatewayKey(database.ownerUrl, "sandbox", files.keyFile);
      await exportFleet(operator, files);
    } else await importFleet(operator, files);
    await initCell(operator, name, parseBuckets(ranges[name]));
    const variables = {
      TOLLGATE_ENVIRONMENT: "sandbox",
      TOLLGATE_DATABASE_URL: database.appUrl,
      TOLLGATE_KEY_FILE: files.keyFile,
      TOLLGATE_PORT: "0",
      TOLLGATE_PUBLIC_URL: "http://127.0.0.1:1",
      TOLLGATE_LOG_LEVEL: "warn",
      TOLLGATE_DATABASE_CONNECTIONS_MAX: "6",
      TOLLGATE_EGRESS_LOOPBACK: "allow",
      TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8",
      TOLLGATE_CELL: name,
      TOLLGATE_DIRECTORY_FILE: directoryFile,
      TOLLGATE_DIRECTORY_KEY_FILE: publicKeyFile,
    };
    return { name, database, variables, serve: await startServeProcess(variables) };
  };
  const cells = [await start("a"), await start("b"), await start("c")] as const;
  await publish((first) => ({
    ...first,
    version: 2,
    cells: new Map(cells.map(({ name, serve }) => [name, { url: serve.url }])),
  }));
  return { cells, folder, directory: () => directory, publish };
}

export function newMerchantIn({ database }: TestCell, name: string): Promise<TestMerchant> {
  return newMerchant(database, name);
}

/**
 * `markAsMoved` creates the state after a completed move: the client is gone in one cell and at home in the other, with the
 * rows that a request needs.
 */
export async function markAsMoved(
  from: TestCell,
  to: TestCell,
  { clientId }: TestMerchant,
  epoch = 1,
): Promise<void> {
  for (const table of ["clients", "client_keys"]) {
    const rows = await asSuperuser<{ row: string }>(
      `select to_jsonb(t)::text as row from ${table} t where client_id = $1`,
      [clientId],
      from.database.superuserUrl,
    );
    await setHome(to, clientId, { state: "arriving", epoch, cell: from.name });
    for (const { row } of rows)
      await asSuperuser(
        `insert into ${table} select (jsonb_populate_record(null::${table}, $1::jsonb)).* on conflict do nothing`,
        [row],
        to.database.superuserUrl,
      );
  }
  await setHome(from, clientId, { state: "gone", epoch, cell: to.name });
  await setHome(to, clientId, { state: "here", epoch });
}

export async function setHome(
  { database }: TestCell,
  clientId: string,
  { state, epoch, cell }: { readonly state: string; readonly epoch: number; readonly cell?: string },
): Promise<void> {
  await asSuperuser(
    `insert into client_homes (bucket, client, state, epoch, cell) values ($1, $2, $3, $4, $5)
     on conflict (bucket, client) do update set state = excluded.state, epoch = excluded.epoch, cell = excluded.cell`,
    [bucketOf(clientId), clientId, state, epoch, cell ?? null],
    database.superuserUrl,
  );
}
