import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as waitMs } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../../server/src/postgres/temporary-postgres.ts";
import { startEdge, type Edge } from "./cell-edge.ts";
import { newDirectory, openMerchants, shareKeys, type FleetMerchant } from "./cell-fleet.ts";
import { makeCell, type Cell } from "./cell.ts";
import { makeRegions, type Region, type TwoRegions } from "../installation/namespaces.ts";
import { bareEnvironment, newPart, wordsIn, type Part } from "../installation/part.ts";
import type { ShopHeard, ShopOrder } from "./region-shop.ts";

/** Responses to merchants while the network between two regions was cut (partition). */
export interface RegionsSeen {
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

/** `cutRegions` runs the partition test. It returns undefined if this machine permits no network namespaces. */
export async function cutRegions(say: (line: string) => void): Promise<RegionsSeen | undefined> {
  const regions = makeRegions();
  if (!regions) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "tollgate-regions-"));
  chmodSync(folder, 0o711);
  const made: { cells: Cell[]; relays: Part[]; edges: Edge[] } = { cells: [], relays: [], edges: [] };
  const leaveNothing = (): void => {
    for (const cell of made.cells) cell.killNow();
    for (const relay of made.relays) relay.killNow();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once("exit", leaveNothing);
  try {
    const world = await openWorld(regions, folder, made);
    say("two regions with a cell and an edge each");
    return await cutWhileTheySell(regions, world, say);
  } finally {
    for (const edge of made.edges) edge.stop();
    await Promise.all(made.relays.map((relay) => relay.kill()));
    await Promise.all(made.cells.map((cell) => cell.stop()));
    leaveNothing();
    process.off("exit", leaveNothing);
    regions.remove();
  }
}

interface World {
  readonly cells: readonly Cell[];
  readonly edgePorts: Readonly<Record<string, number>>;
  readonly opened: Awaited<ReturnType<typeof openMerchants>>;
}

async function openWorld(
  { east, west }: TwoRegions,
  folder: string,
  made: { readonly cells: Cell[]; readonly relays: Part[]; readonly edges: Edge[] },
): Promise<World> {
  const directory = newDirectory(folder);
  const edgePorts = { east: await freePort(), west: await freePort() };
  const common = { folder, directoryFile: directory.file, directoryKeyFile: directory.publicKeyFile };
  const publicUrl = `http://127.0.0.1:${edgePorts.east}`;
  const cells = await Promise.all(
    [east, west].map(async (region, index) => {
      const buckets = ["0-511", "512-1023"][index] ?? "";
      const cell = await makeCell({ ...common, publicUrl, name: region.name, buckets, region });
      made.cells.push(cell);
      return cell;
    }),
  );
  const [first, ...others] = cells;
  if (!first) throw new Error("There is no cell.");
  await directory.publish(cells.map((cell) => ({ ...cell, region: cell.name })));
  await first.operate("gateway-key", "add");
  await shareKeys(first, others, folder);
  const opened = await openMerchants(cells, folder, 4);
  await Promise.all(cells.map((cell) => cell.start()));
  for (const [here, there] of [
    [east, west],
    [west, east],
  ] as const) {
    made.relays.push(await startRelay(here, there, portOf(cells, there)));
    const place = { folder: join(folder, `edge-${here.name}`), port: edgePorts[here.name as "east"] };
    const { namespace, name: region } = here;
    made.edges.push(await startEdge({ directory, ...place, region, namespace }));
  }
  return { cells, edgePorts, opened };
}

function portOf(cells: readonly Cell[], { name }: Region): number {
  return cells.find((cell) => cell.name === name)?.port ?? 0;
}

/** In a region, the other region's cell has the address of the directory; this relay listens on that address. */
async function startRelay(here: Region, there: Region, port: number): Promise<Part> {
  const relay = newPart({
    name: `relay in ${here.name}`,
    words: [
      "proof/storm/slow-relay.ts",
      there.host,
      String(port),
      there.cable,
      String(port),
      String(delayMs),
    ],
    variables: {},
    ready: /^The relay listens/,
    namespace: here.namespace,
  });
  await relay.start();
  return relay;
}

/** A client in one region, of a merchant whose home may be in the other. */
interface Till {
  readonly merchant: FleetMerchant;
  readonly region: Region;
  readonly heard: readonly ShopHeard[];
  close(): Promise<void>;
}

async function cutWhileTheySell(
  regions: TwoRegions,
  world: World,
  say: (line: string) => void,
): Promise<RegionsSeen> {
  const both = [regions.east, regions.west];
  const tills = await Promise.all(
    world.opened.merchants
      .slice(0, 4)
      .flatMap((merchant) => both.map((region) => openTill(region, merchant, world))),
  );
  const across = tills.filter(({ merchant, region }) => merchant.cell !== region.name);
  await untilEach(tills, "S");
  await waitMs(calmMs);
  regions.cut();
  const cutAt = Date.now();
  say("the network between the regions is cut");
  await waitMs(cutMs);
  const healedAt = Date.now();
  regions.heal();
  say("healed");
  await waitMs(afterMs);
  await Promise.all(tills.map((till) => till.close()));
  // Calls that were in flight at the cut are included, because they wait the longest.
  const during = ({ sentAt, tookMs }: ShopHeard): boolean => sentAt + tookMs > cutAt && sentAt < healedAt;
  const cut = across.flatMap(({ heard }) => heard.filter(during));
  const home = tills.filter((till) => !across.includes(till)).flatMap(({ heard }) => heard.filter(during));
  const back = across.map(
    ({ heard }) =>
      heard.find(({ sentAt, resultStatus }) => sentAt >= healedAt && resultStatus === "S")?.sentAt,
  );
  const calm = across.flatMap(({ heard }) => heard.filter(({ sentAt }) => sentAt < cutAt - 1_000));
  const slowest = (all: readonly ShopHeard[]): number => Math.max(0, ...all.map(({ tookMs }) => tookMs));
  return {
    calls: tills.reduce((sum, { heard }) => sum + heard.length, 0),
    cutCalls: cut.length,
    cutSlowestMs: slowest(cut),
    homeSlowestMs: slowest(home),
    healedAfterMs: Math.max(...back.map((at) => (at ?? Infinity) - healedAt)),
    acrossMs: calm.map(({ tookMs }) => tookMs).toSorted((one, other) => one - other)[calm.length >> 1] ?? 0,
    misses: [
      ...tills.flatMap(({ heard }) => heard.flatMap(wrongIn)),
      ...cut
        .filter(({ tookMs }) => tookMs > answeredWithinMs + graceMs)
        .map(({ requestId, tookMs }) => `${requestId} waited ${Math.round(tookMs)} ms during the partition`),
      ...(cut.some(({ resultStatus }) => resultStatus === "U")
        ? []
        : ["No call was affected by the partition."]),
      ...back.flatMap((at) =>
        at === undefined ? ["A client was not served again after the partition."] : [],
      ),
      ...(await lostIn(world, tills)),
    ],
  };
}

/** Responses that are neither an answer of the home nor U (unknown). */
function wrongIn({ requestId, httpStatus, resultStatus, resultCode, isSigned }: ShopHeard): string[] {
  const isFine =
    resultStatus === "S" || (resultStatus === "U" && resultCode === "UNKNOWN_EXCEPTION" && isSigned);
  return isFine ? [] : [`${requestId} was answered ${httpStatus ?? "nothing"} ${resultCode ?? ""}`];
}

/** Compares acknowledged orders with the rows of both cells: each order exists once, in the merchant's home. */
async function lostIn({ cells }: World, tills: readonly Till[]): Promise<readonly string[]> {
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
  return tills.flatMap(({ merchant, heard }) =>
    heard
      .filter(({ resultStatus }) => resultStatus === "S")
      .filter(({ requestId }) => rows.get(`${merchant.clientId} ${requestId}`)?.join() !== merchant.cell)
      .map(({ requestId }) => `${requestId} was acknowledged, and is not exactly once in ${merchant.cell}`),
  );
}

async function openTill(region: Region, merchant: FleetMerchant, world: World): Promise<Till> {
  const { privateKey, gatewayPublicKey } = world.opened;
  const edgePort = world.edgePorts[region.name] ?? 0;
  const name = `${merchant.clientId.slice(-4)}-through-${region.name}`;
  const order: ShopOrder = { merchant, name, edgePort, privateKey, gatewayPublicKey };
  const words = [process.execPath, "proof/cells/region-shop.ts", JSON.stringify(order)];
  const shop: ChildProcess = spawn(...wordsIn(region.namespace, ...words), {
    cwd: root,
    env: { ...bareEnvironment },
    stdio: ["pipe", "pipe", "inherit"],
  });
  process.once("exit", () => void shop.kill("SIGKILL"));
  const heard: ShopHeard[] = [];
  if (!shop.stdout) throw new Error("The client has no standard output.");
  createInterface(shop.stdout).on("line", (line) => {
    if (line.startsWith("{")) heard.push(JSON.parse(line) as ShopHeard);
  });
  return {
    merchant,
    region,
    heard,
    async close() {
      const closed = once(shop, "close");
      shop.stdin?.end();
      await closed;
    },
  };
}

/** `untilEach` waits until every client has had a response with this result status. */
async function untilEach(tills: readonly Till[], status: string): Promise<void> {
  for (const giveUpAtMs = performance.now() + 30_000; performance.now() < giveUpAtMs; await waitMs(100))
    if (tills.every(({ heard }) => heard.some(({ resultStatus }) => resultStatus === status))) return;
  throw new Error("Not every client is served.");
}
