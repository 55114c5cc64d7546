import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as waitMs } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findFreePort } from "../../server/src/postgres/temporary-postgres.ts";
import { startEdge, type Edge } from "./cell-edge.ts";
import { newDirectory, openMerchants, shareKeys, type FleetMerchant } from "./cell-fleet.ts";
import { createCell, type Cell } from "./cell.ts";
import { createRegions, type Region, type TwoRegions } from "../installation/namespaces.ts";
import {
  minimalEnvironment,
  newManagedProcess,
  commandInNamespace,
  type ManagedProcess,
} from "../installation/managed-process.ts";
import type { ClientResponse, ClientOptions } from "./region-client.ts";

/** Responses to merchants while the network between two regions was cut (partition). */
export interface PartitionOutcome {
  readonly calls: number;
  /** Calls through the other region's host during the partition, and their slowest response. */
  readonly cutCalls: number;
  readonly cutSlowestMs: number;
  /** Latency of the slowest call of a merchant through its own region during the partition. */
  readonly homeSlowestMs: number;
  /** Milliseconds from the end of the partition until the first call that was served through the other region. */
  readonly healedAfterMs: number;
  /** The usual latency of a call through the other region. */
  readonly acrossMs: number;
  readonly misses: readonly string[];
}

const delayMs = 80;
const calmMs = 6_000;
const cutMs = 15_000;
const afterMs = 8_000;
const answeredWithinMs = 1_000;
/** Milliseconds added to time limits, because the client's own process and a busy machine cause delays. */
const graceMs = 250;
const root = fileURLToPath(new URL("../../", import.meta.url));

/** `testPartition` runs the partition test. It returns undefined if this machine permits no network namespaces. */
export async function testPartition(
  logProgress: (line: string) => void,
): Promise<PartitionOutcome | undefined> {
  const regions = createRegions();
  if (!regions) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "tollgate-regions-"));
  chmodSync(folder, 0o711);
  const started: { cells: Cell[]; relays: ManagedProcess[]; edges: Edge[] } = {
    cells: [],
    relays: [],
    edges: [],
  };
  const cleanUp = (): void => {
    for (const cell of started.cells) cell.killNow();
    for (const relay of started.relays) relay.killNow();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once("exit", cleanUp);
  try {
    const fleet = await openRegionalFleet(regions, folder, started);
    logProgress("two regions with a cell and an edge each");
    return await runPartition(regions, fleet, logProgress);
  } finally {
    for (const edge of started.edges) edge.stop();
    await Promise.all(started.relays.map((relay) => relay.kill()));
    await Promise.all(started.cells.map((cell) => cell.stop()));
    cleanUp();
    process.off("exit", cleanUp);
    regions.remove();
  }
}

interface RegionalFleet {
  readonly cells: readonly Cell[];
  readonly edgePorts: Readonly<Record<string, number>>;
  readonly registered: Awaited<ReturnType<typeof openMerchants>>;
}

async function openRegionalFleet(
  { east, west }: TwoRegions,
  folder: string,
  started: { readonly cells: Cell[]; readonly relays: ManagedProcess[]; readonly edges: Edge[] },
): Promise<RegionalFleet> {
  const directory = newDirectory(folder);
  const edgePorts = { east: await findFreePort(), west: await findFreePort() };
  const common = { folder, directoryFile: directory.file, directoryKeyFile: directory.publicKeyFile };
  const publicUrl = `http://127.0.0.1:${edgePorts.east}`;
  const cells = await Promise.all(
    [east, west].map(async (region, index) => {
      const buckets = ["0-511", "512-1023"][index] ?? "";
      const cell = await createCell({ ...common, publicUrl, name: region.name, buckets, region });
      started.cells.push(cell);
      return cell;
    }),
  );
  const [first, ...others] = cells;
  if (!first) throw new Error("There is no cell.");
  await directory.publish(cells.map((cell) => ({ ...cell, region: cell.name })));
  await first.operate("gateway-key", "add");
  await shareKeys(first, others, folder);
  const registered = await openMerchants(cells, folder, 4);
  await Promise.all(cells.map((cell) => cell.start()));
  for (const [localRegion, remoteRegion] of [
    [east, west],
    [west, east],
  ] as const) {
    started.relays.push(await startRelay(localRegion, remoteRegion, portOf(cells, remoteRegion)));
    const edgeOptions = {
      folder: join(folder, `edge-${localRegion.name}`),
      port: edgePorts[localRegion.name as "east"],
    };
    const { namespace, name: region } = localRegion;
    started.edges.push(await startEdge({ directory, ...edgeOptions, region, namespace }));
  }
  return { cells, edgePorts, registered };
}

function portOf(cells: readonly Cell[], { name }: Region): number {
  return cells.find((cell) => cell.name === name)?.port ?? 0;
}

/** In a region, the other region's cell has the address of the directory; this relay listens on that address. */
async function startRelay(localRegion: Region, remoteRegion: Region, port: number): Promise<ManagedProcess> {
  const relay = newManagedProcess({
    name: `relay in ${localRegion.name}`,
    args: [
      "proof/storm/slow-relay.ts",
      remoteRegion.host,
      String(port),
      remoteRegion.cable,
      String(port),
      String(delayMs),
    ],
    variables: {},
    ready: /^The relay listens/,
    namespace: localRegion.namespace,
  });
  await relay.start();
  return relay;
}

/** A client in one region, of a merchant whose home may be in the other. */
interface RegionClient {
  readonly merchant: FleetMerchant;
  readonly region: Region;
  readonly responses: readonly ClientResponse[];
  close(): Promise<void>;
}

async function runPartition(
  regions: TwoRegions,
  fleet: RegionalFleet,
  logProgress: (line: string) => void,
): Promise<PartitionOutcome> {
  const bothRegions = [regions.east, regions.west];
  const clients = await Promise.all(
    fleet.registered.merchants
      .slice(0, 4)
      .flatMap((merchant) => bothRegions.map((region) => startRegionClient(region, merchant, fleet))),
  );
  const across = clients.filter(({ merchant, region }) => merchant.cell !== region.name);
  await waitForResultStatus(clients, "S");
  await waitMs(calmMs);
  regions.cut();
  const cutAt = Date.now();
  logProgress("the network between the regions is cut");
  await waitMs(cutMs);
  const healedAt = Date.now();
  regions.heal();
  logProgress("healed");
  await waitMs(afterMs);
  await Promise.all(clients.map((client) => client.close()));
  // Calls that were in flight at the cut are included, because they wait the longest.
  const isDuring = ({ sentAt, tookMs }: ClientResponse): boolean =>
    sentAt + tookMs > cutAt && sentAt < healedAt;
  const affected = across.flatMap(({ responses }) => responses.filter(isDuring));
  const unaffected = clients
    .filter((client) => !across.includes(client))
    .flatMap(({ responses }) => responses.filter(isDuring));
  const servedAgainAt = across.map(
    ({ responses }) =>
      responses.find(({ sentAt, resultStatus }) => sentAt >= healedAt && resultStatus === "S")?.sentAt,
  );
  const calm = across.flatMap(({ responses }) => responses.filter(({ sentAt }) => sentAt < cutAt - 1_000));
  const slowest = (responses: readonly ClientResponse[]): number =>
    Math.max(0, ...responses.map(({ tookMs }) => tookMs));
  return {
    calls: clients.reduce((sum, { responses }) => sum + responses.length, 0),
    cutCalls: affected.length,
    cutSlowestMs: slowest(affected),
    homeSlowestMs: slowest(unaffected),
    healedAfterMs: Math.max(...servedAgainAt.map((at) => (at ?? Infinity) - healedAt)),
    acrossMs: calm.map(({ tookMs }) => tookMs).toSorted((one, other) => one - other)[calm.length >> 1] ?? 0,
    misses: [
      ...clients.flatMap(({ responses }) => responses.flatMap(findWrongResponses)),
      ...affected
        .filter(({ tookMs }) => tookMs > answeredWithinMs + graceMs)
        .map(({ requestId, tookMs }) => `${requestId} waited ${Math.round(tookMs)} ms during the partition`),
      ...(affected.some(({ resultStatus }) => resultStatus === "U")
        ? []
        : ["No call was affected by the partition."]),
      ...servedAgainAt.flatMap((at) =>
        at === undefined ? ["A client was not served again after the partition."] : [],
      ),
      ...(await findLostOrders(fleet, clients)),
    ],
  };
}

/** Responses that are neither an answer of the home nor U (unknown). */
function findWrongResponses({
  requestId,
  httpStatus,
  resultStatus,
  resultCode,
  isSigned,
}: ClientResponse): string[] {
  const isCorrect =
    resultStatus === "S" || (resultStatus === "U" && resultCode === "UNKNOWN_EXCEPTION" && isSigned);
  return isCorrect ? [] : [`${requestId} was answered ${httpStatus ?? "nothing"} ${resultCode ?? ""}`];
}

/** Compares acknowledged orders with the rows of both cells: each order exists once, in the merchant's home. */
async function findLostOrders(
  { cells }: RegionalFleet,
  clients: readonly RegionClient[],
): Promise<readonly string[]> {
  const rows = new Map<string, string[]>();
  for (const cell of cells) {
    const found = await cell.execute<{ id: string; client: string }>(
      "select payment_request_id as id, client_id as client from payments",
    );
    for (const { id, client } of found) {
      const key = `${client} ${id}`;
      rows.set(key, [...(rows.get(key) ?? []), cell.name]);
    }
  }
  return clients.flatMap(({ merchant, responses }) =>
    responses
      .filter(({ resultStatus }) => resultStatus === "S")
      .filter(({ requestId }) => rows.get(`${merchant.clientId} ${requestId}`)?.join() !== merchant.cell)
      .map(({ requestId }) => `${requestId} was acknowledged, and is not exactly once in ${merchant.cell}`),
  );
}

async function startRegionClient(
  region: Region,
  merchant: FleetMerchant,
  fleet: RegionalFleet,
): Promise<RegionClient> {
  const { privateKey, gatewayPublicKey } = fleet.registered;
  const edgePort = fleet.edgePorts[region.name] ?? 0;
  const name = `${merchant.clientId.slice(-4)}-through-${region.name}`;
  const options: ClientOptions = { merchant, name, edgePort, privateKey, gatewayPublicKey };
  const args = [process.execPath, "proof/cells/region-client.ts", JSON.stringify(options)];
  const child: ChildProcess = spawn(...commandInNamespace(region.namespace, ...args), {
    cwd: root,
    env: { ...minimalEnvironment },
    stdio: ["pipe", "pipe", "inherit"],
  });
  process.once("exit", () => void child.kill("SIGKILL"));
  const responses: ClientResponse[] = [];
  if (!child.stdout) throw new Error("The client has no standard output.");
  createInterface(child.stdout).on("line", (line) => {
    if (line.startsWith("{")) responses.push(JSON.parse(line) as ClientResponse);
  });
  return {
    merchant,
    region,
    responses,
    async close() {
      const closed = once(child, "close");
      child.stdin?.end();
      await closed;
    },
  };
}

/** `waitForResultStatus` waits until every client has had a response with this result status. */
async function waitForResultStatus(clients: readonly RegionClient[], status: string): Promise<void> {
  for (const giveUpAtMs = performance.now() + 30_000; performance.now() < giveUpAtMs; await waitMs(100))
    if (clients.every(({ responses }) => responses.some(({ resultStatus }) => resultStatus === status)))
      return;
  throw new Error("Not every client is served.");
}
