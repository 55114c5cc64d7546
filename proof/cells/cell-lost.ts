import { setTimeout as waitMs } from "node:timers/promises";
import { startFleet, type CellFleet } from "./cell-fleet.ts";
import { matchFleet, type FleetBreak } from "./cell-match.ts";
import { openSellingShop } from "./cell-shops.ts";
import type { Cell } from "./cell.ts";
import { promote } from "../installation/cluster.ts";
import { copyServer, type PostgresServer } from "../installation/postgres-server.ts";
import { isReady, until } from "../trial/test-environment.ts";
import { waitUntilAllFinal } from "./cell-ends.ts";

/** A permanently lost cell, and the movements that its standby did not have. */
export interface LostSeen {
  /** Number of money movements in the database of the lost server. */
  readonly movements: number;
  /** Number of the lost server's movements that the promoted standby does not have. */
  readonly missing: number;
  readonly missingMinor: number;
  /** Findings of `reconcile --all-cells` against the provider's file. */
  readonly listed: number;
  readonly listedMinor: number;
  readonly backAfterMs: number;
  readonly misses: readonly string[];
}

const merchantCount = 6;
const orderEveryMs = 300;
const sellsForMs = 4_000;

/**
 * Loses the first cell: its asynchronous standby is disconnected during the load, its server and processes are killed,
 * and the standby is promoted under the same name. The directory does not change.
 */
export async function loseCell(say: (line: string) => void): Promise<LostSeen> {
  const fleet = await startFleet(merchantCount, say);
  try {
    const cell = fleet.cell("a");
    const standby = await followServer(fleet, cell);
    const shops = fleet.merchants.map((merchant) => openSellingShop(fleet, merchant, orderEveryMs));
    await until(async () => shops.every((shop) => shop.soldCount() > 2), "every shop to sell", 60_000);
    await cutOff(standby);
    await waitMs(sellsForMs);
    await Promise.all(shops.map((shop) => shop.close()));
    await waitUntilAllFinal(fleet);
    const movements = await movementsOf(cell);
    cell.killNow();
    const lostAtMs = fleet.nowMs();
    await promote(standby);
    await cell.goOnFrom(standby);
    await until(() => isReady(cell.port), "the promoted cell to be ready");
    const backAfterMs = fleet.nowMs() - lostAtMs;
    // Inquiries complete the payments that were in progress before the disconnection.
    await waitUntilAllFinal(fleet);
    const { rows } = await matchFleet(fleet);
    const seen = compare(movements, await movementsOf(cell), rows);
    return { ...seen, backAfterMs };
  } finally {
    await fleet.stop();
  }
}

/** A base backup that replicates asynchronously: no commit waits for it. */
async function followServer({ folder }: CellFleet, { name, postgres }: Cell): Promise<PostgresServer> {
  const { password } = new URL(postgres.url("postgres"));
  const place = { name: `standby_of_${name}`, folder, password, durable: false };
  const standby = await copyServer(postgres, place);
  await standby.start();
  return standby;
}

/** `cutOff` stops replication to a standby, so that it receives no more WAL, not even WAL in transit. */
async function cutOff(standby: PostgresServer): Promise<void> {
  await standby.execute("postgres", "alter system set primary_conninfo = ''");
  await standby.execute("postgres", "select pg_reload_conf()");
  const following = "select pid from pg_stat_wal_receiver";
  await until(
    async () => (await standby.execute("postgres", following)).length === 0,
    "the standby to be disconnected",
  );
}

interface Movement {
  /** The kind of the movement, and the provider's reference. */
  readonly name: string;
  readonly minor: string;
}

async function movementsOf(cell: Cell): Promise<readonly Movement[]> {
  return cell.execute<Movement>(
    `select 'payment ' || provider_reference as name, paid_minor::text as minor from payments
     where paid_at is not null and status in ('SUCCESS', 'CANCELLED')
     union all select 'refund ' || reference, amount_minor::text from refunds where status = 'SUCCESS'
     union all select 'refund ' || reference, amount_minor::text from reversals where status = 'SUCCESS'`,
  );
}

type Compared = Omit<LostSeen, "backAfterMs">;

function compare(
  had: readonly Movement[],
  has: readonly Movement[],
  breaks: readonly FleetBreak[],
): Compared {
  const known = new Set(has.map(({ name }) => name));
  const missing = had.filter(({ name }) => !known.has(name));
  const listed = breaks.filter(({ cell, kind }) => cell === "a" && kind === "missing here");
  const told = new Map(
    listed.map(({ subject, reference, providerMinor }) => [`${subject} ${reference}`, providerMinor]),
  );
  const names = new Set(missing.map(({ name }) => name));
  return {
    movements: had.length,
    missing: missing.length,
    missingMinor: sumOf(missing.map(({ minor }) => minor)),
    listed: listed.length,
    listedMinor: sumOf(listed.map(({ providerMinor }) => providerMinor)),
    misses: [
      ...(missing.length === 0 ? ["the standby had all movements, so nothing was tested"] : []),
      ...missing
        .filter(({ name, minor }) => told.get(name) !== minor)
        .map(({ name, minor }) => `${name} of ${minor} is missing, and listed with ${told.get(name)}`),
      ...[...told.keys()].filter((name) => !names.has(name)).map((name) => `${name} is listed, and not lost`),
      ...breaks
        .filter((each) => !listed.includes(each))
        .map(({ cell, kind, reference }) => `${cell}: ${kind} ${reference}`),
    ],
  };
}

function sumOf(minors: readonly string[]): number {
  return minors.reduce((sum, minor) => sum + Number(minor), 0);
}
