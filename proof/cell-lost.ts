import { setTimeout as waitMs } from "node:timers/promises";
import { startFleet, type CellFleet } from "./cell-fleet.ts";
import { matchFleet, type FleetBreak } from "./cell-match.ts";
import { openSellingShop } from "./cell-shops.ts";
import type { Cell } from "./cell.ts";
import { promote } from "./cluster.ts";
import { copyServer, type PostgresServer } from "./postgres-server.ts";
import { isReady, until } from "./surroundings.ts";
import { untilAllEnds } from "./cell-ends.ts";

/** A cell that was lost for good, and what its standby did not have. */
export interface LostSeen {
  /** Movements that the lost server had. */
  readonly movements: number;
  /** Movements among these that the promoted standby does not have. */
  readonly missing: number;
  readonly missingMinor: number;
  /** What `match --all-cells` lists, against the wallet's file. */
  readonly listed: number;
  readonly listedMinor: number;
  readonly backAfterMs: number;
  readonly misses: readonly string[];
}

const merchantCount = 6;
const orderEveryMs = 300;
const sellsForMs = 4_000;

/**
 * Loses the first cell: its asynchronous standby is cut off while merchants sell, its server and processes are killed, and the
 * standby is promoted under the same name. The directory stays as it is.
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
    await untilAllEnds(fleet);
    const movements = await movementsOf(cell);
    cell.killNow();
    const lostAtMs = fleet.nowMs();
    await promote(standby);
    await cell.goOnFrom(standby);
    await until(() => isReady(cell.port), "the promoted cell to be ready");
    const backAfterMs = fleet.nowMs() - lostAtMs;
    // What had begun before the cut is asked after at the wallet, and comes to its end by itself.
    await untilAllEnds(fleet);
    const { rows } = await matchFleet(fleet);
    const seen = compare(movements, await movementsOf(cell), rows);
    return { ...seen, backAfterMs };
  } finally {
    await fleet.stop();
  }
}

/** A base backup that replicates, and that no commit waits for. */
async function followServer({ folder }: CellFleet, { name, postgres }: Cell): Promise<PostgresServer> {
  const { password } = new URL(postgres.url("postgres"));
  const place = { name: `standby_of_${name}`, folder, password, durable: false };
  const standby = await copyServer(postgres, place);
  await standby.start();
  return standby;
}

/** From here on nothing more arrives: not even what is on its way. */
async function cutOff(standby: PostgresServer): Promise<void> {
  await standby.execute("postgres", "alter system set primary_conninfo = ''");
  await standby.execute("postgres", "select pg_reload_conf()");
  const following = "select pid from pg_stat_wal_receiver";
  await until(
    async () => (await standby.execute("postgres", following)).length === 0,
    "the standby to be cut off",
  );
}

interface Movement {
  /** What it is, and the wallet's reference. */
  readonly name: string;
  readonly minor: string;
}

async function movementsOf(cell: Cell): Promise<readonly Movement[]> {
  return cell.execute<Movement>(
    `select 'payment ' || wallet_reference as name, paid_minor::text as minor from payments
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
    listed.map(({ subject, reference, walletMinor }) => [`${subject} ${reference}`, walletMinor]),
  );
  const names = new Set(missing.map(({ name }) => name));
  return {
    movements: had.length,
    missing: missing.length,
    missingMinor: sumOf(missing.map(({ minor }) => minor)),
    listed: listed.length,
    listedMinor: sumOf(listed.map(({ walletMinor }) => walletMinor)),
    misses: [
      ...(missing.length === 0 ? ["the standby had all of it, so nothing was tried"] : []),
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
