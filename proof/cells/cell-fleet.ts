import { generateKeyPairSync, randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../server/src/postgres/temporary-postgres.ts";
import { newCaller, type Caller } from "../trial/caller.ts";
import { createCell, type Cell } from "./cell.ts";
import { startEdge, type Edge } from "./cell-edge.ts";
import { newHistory, type History } from "../oracle/history.ts";
import { runTollgate, type Merchant } from "../installation/installation.ts";
import { newRandom, type Random } from "../../server/test/bank/seeded-random.ts";
import { openShop } from "../trial/shop.ts";
import { isReady, addProvider, waitUntil } from "../trial/test-environment.ts";
import type { ProviderProcess } from "../installation/provider-process.ts";

/** Three cells behind one HAProxy, a provider that sees them as one partner, and merchants with homes in them. */
export interface CellFleet {
  readonly cells: readonly Cell[];
  readonly edge: Edge;
  readonly provider: ProviderProcess;
  readonly merchants: readonly FleetMerchant[];
  readonly history: History;
  readonly caller: Caller;
  /** A caller with new connections, so that no earlier worker of the edge serves it. */
  newCaller(): Caller;
  readonly random: Random;
  readonly notifyUrl: string;
  readonly directory: FleetDirectory;
  readonly folder: string;
  nowMs(): number;
  cell(name: string): Cell;
  stop(): Promise<void>;
}

export interface FleetMerchant extends Merchant {
  /** The cell in which the merchant was opened. */
  readonly cell: string;
}

/** The cell directory, as its only writer, the operator, sees it. */
export interface FleetDirectory {
  readonly file: string;
  readonly publicKeyFile: string;
  /** Signs a new version of the directory with the gateway's command, and writes it to the path that all cells read. */
  publish(cells: readonly ListedCell[], clients?: Homes): Promise<void>;
}

/** A cell as the directory lists it. */
export interface ListedCell extends Pick<Cell, "name" | "buckets" | "url"> {
  readonly region?: string;
}

export type Homes = Readonly<Record<string, { readonly cell: string; readonly epoch: number }>>;

const ranges = { a: "0-340", b: "341-681", c: "682-1023" } as const;

export async function startFleet(
  merchantCount: number,
  logProgress: (line: string) => void,
): Promise<CellFleet> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-cells-"));
  // If this program runs as root, PostgreSQL runs as another user, who must be able to enter its folders.
  chmodSync(folder, 0o711);
  const createdCells: Cell[] = [];
  process.once("exit", () => {
    for (const cell of createdCells) cell.killNow();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const directory = newDirectory(folder);
  const edgePort = await findFreePort();
  const common = {
    folder,
    publicUrl: `http://127.0.0.1:${edgePort}`,
    directoryFile: directory.file,
    directoryKeyFile: directory.publicKeyFile,
  };
  await Promise.all(
    Object.entries(ranges).map(async ([name, buckets]) =>
      createdCells.push(await createCell({ ...common, name, buckets })),
    ),
  );
  const cells = createdCells.toSorted((one, other) => one.name.localeCompare(other.name));
  await directory.publish(cells);
  const provider = await shareFleet(cells, folder);
  const registered = await openMerchants(cells, folder, merchantCount);
  logProgress(`three cells and ${registered.merchants.length} merchants are made`);
  const edge = await startEdge({ directory, folder: join(folder, "edge"), port: edgePort });
  await Promise.all(cells.map((cell) => cell.start()));
  await waitUntil(() => isReady(edgePort), "the edge to reach a cell that is ready");

  const startedAtMs = performance.now();
  const nowMs = (): number => performance.now() - startedAtMs;
  const [history, random] = [newHistory(), newRandom(19)];
  const shop = await openShop({
    history,
    random,
    gatewayPublicKey: () => registered.gatewayPublicKey,
    nowMs,
  });
  const freshCaller = (): Caller => newCaller({ history, ...registered, isLive: false, nowMs });
  const caller = freshCaller();
  return {
    cells,
    edge,
    provider,
    merchants: registered.merchants,
    history,
    caller,
    newCaller: freshCaller,
    random,
    notifyUrl: `http://127.0.0.1:${shop.port}/notify`,
    directory,
    folder,
    nowMs,
    cell: (name) => findCell(cells, name),
    async stop() {
      caller.close();
      edge.stop();
      await Promise.all(cells.map((cell) => cell.stop()));
      await provider.process.kill();
      await shop.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function findCell(cells: readonly Cell[], name: string): Cell {
  const found = cells.find((cell) => cell.name === name);
  if (!found) throw new Error(`There is no cell ${name}.`);
  return found;
}

export function newDirectory(folder: string): FleetDirectory {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const [keyFile, publicKeyFile] = [join(folder, "directory.pem"), join(folder, "directory-public.pem")];
  writeFileSync(keyFile, privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o400 });
  writeFileSync(publicKeyFile, publicKey.export({ format: "pem", type: "spki" }));
  const [draft, file] = [join(folder, "draft.json"), join(folder, "directory.json")];
  let version = 0;
  return {
    file,
    publicKeyFile,
    async publish(cells, clients = {}) {
      version += 1;
      const buckets = cells
        .filter((cell) => cell.buckets !== "")
        .map((cell) => {
          const [from = 0, to = from] = cell.buckets.split("-").map(Number);
          return { from, to, cell: cell.name };
        });
      const urls = Object.fromEntries(cells.map(({ name, url, region }) => [name, { url, region }]));
      writeFileSync(draft, JSON.stringify({ version, cells: urls, buckets, clients }));
      await runTollgate({}, "cells", "sign", "--from", draft, "--private-key", keyFile, "--to", file);
    },
  };
}

/** The first cell creates the shared keys, the installation secret and the connector. The others import them. */
async function shareFleet(cells: readonly Cell[], folder: string): Promise<ProviderProcess> {
  const [first, ...others] = cells;
  if (!first) throw new Error("There is no cell.");
  await first.operate("gateway-key", "add");
  const provider = await addProvider(folder, first.operate, { connector: "fleet-provider", methods: "*" });
  await shareKeys(first, others, folder);
  return provider;
}

export async function shareKeys(first: Cell, others: readonly Cell[], folder: string): Promise<void> {
  const sealFile = join(folder, "seal.key");
  writeFileSync(sealFile, randomBytes(32).toString("base64"), { mode: 0o400 });
  const files = ["--file", join(folder, "fleet.sealed"), "--seal-file", sealFile];
  await first.operate("cells", "export-fleet", ...files);
  await Promise.all(others.map((cell) => cell.operate("cells", "import-fleet", ...files)));
  await Promise.all(
    [first, ...others]
      .filter(({ buckets }) => buckets !== "")
      .map((cell) => cell.operate("cell", "init", cell.name, "--buckets", cell.buckets)),
  );
}

interface RegisteredMerchants {
  readonly merchants: readonly FleetMerchant[];
  /** The private key of all merchants, in PEM. */
  readonly privateKey: string;
  readonly gatewayPublicKey: string;
}

/** Opens merchants in all cells round-robin, a few at a time, because each command is a process. */
export async function openMerchants(
  cells: readonly Cell[],
  folder: string,
  count: number,
): Promise<RegisteredMerchants> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { format: "pem", type: "pkcs8" },
    publicKeyEncoding: { format: "pem", type: "spki" },
  });
  const publicKeyFile = join(folder, "merchant.pem");
  writeFileSync(publicKeyFile, publicKey);
  const merchants: (FleetMerchant & { readonly gatewayPublicKey: string })[] = [];
  await Promise.all(
    cells.map(async (cell, start) => {
      for (let index = start; index < count; index += cells.length) {
        const args = ["--name", `Shop ${index + 1}`, "--public-key", publicKeyFile, "--json"];
        const output = await cell.operate("merchant", "add", ...args);
        const merchant = JSON.parse(output) as Merchant & { readonly gatewayPublicKey: string };
        merchants.push({ ...merchant, cell: cell.name });
      }
      await cell.execute("update clients set rate_per_second = 100000, rate_burst = 100000");
    }),
  );
  return { merchants, privateKey, gatewayPublicKey: merchants[0]?.gatewayPublicKey ?? "" };
}
