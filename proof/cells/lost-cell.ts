import { setTimeout as waitMs } from "node:timers/promises";
import { startFleet, type CellFleet } from "./cell-fleet.ts";
import { reconcileFleet, type FleetBreak } from "./fleet-reconciliation.ts";
import { openSellingShop } from "./cell-shops.ts";
import type { Cell } from "./cell.ts";
import { promote } from "../installation/postgres-cluster.ts";
import { copyServer, type PostgresServer } from "../installation/postgres-server.ts";
import { isReady, waitUntil } from "../trial/test-environment.ts";
import { waitUntilAllFinal } from "./wait-until-final.ts";

/** A permanently lost cell, and the movements that its standby did not have. */
export interface LostCellOutcome {
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
export async function loseCell(logProgress: (line: string) => void): Promise<LostCellOutcome> {
  const fleet = await startFleet(merchantCount, logProgress);
  try {
    const cell = fleet.cell("a");
    const standby = await startStandby(fleet, cell);
    const shops = fleet.merchants.map((merchant) => openSellingShop(fleet, merchant, orderEveryMs));
    await waitUntil(async () => shops.every((shop) => shop.soldCount() > 2), "every shop to sell", 60_000);
    await disconnectStandby(standby);
    await waitMs(sellsForMs);
    await Promise.all(shops.map((shop) => shop.close()));
    await waitUntilAllFinal(fleet);
    const movements = await readMovements(cell);
    cell.killNow();
    const lostAtMs = fleet.nowMs();
    await promote(standby);
    await cell.replaceServer(standby);
    await waitUntil(() => isReady(cell.port), "the promoted cell to be ready");
    const backAfterMs = fleet.nowMs() - lostAtMs;
    // Inquiries complete the payments that were in progress before the disconnection.
    await waitUntilAllFinal(fleet);
    const { rows } = await reconcileFleet(fleet);
    const outcome = compareMovements(movements, await readMovements(cell), rows);
    return { ...outcome, backAfterMs };
  } finally {
    await fleet.stop();
  }
}

/** A base backup that replicates asynchronously: no commit waits for it. */
async function startStandby({ folder }: CellFleet, { name, postgres }: Cell): Promise<PostgresServer> {
  const { password } = new URL(postgres.url("postgres"));
  const options = { name: `standby_of_${name}`, folder, password, durable: false };
  const standby = await copyServer(postgres, options);
  await standby.start();
  return standby;
}

/** `disconnectStandby` stops replication to a standby, so that it receives no more WAL, not even WAL in transit. */
async function disconnectStandby(standby: PostgresServer): Promise<void> {
  await standby.execute("postgres", "alter system set primary_conninfo = ''");
  await standby.execute("postgres", "select pg_reload_conf()");
  const walReceivers = "select pid from pg_stat_wal_receiver";
  await waitUntil(
    async () => (await standby.execute("postgres", walReceivers)).length === 0,
    "the standby to be disconnected",
  );
}

interface Movement {
  /** The kind of the movement, and the provider's reference. */
  readonly name: string;
  readonly minor: string;
}

async function readMovements(cell: Cell): Promise<readonly Movement[]> {
  return cell.execute<Movement>(
    `select 'payment ' || provider_reference as name, paid_minor::text as minor from payments
     where paid_at is not null and status in ('SUCCESS', 'CANCELLED')
     union all select 'refund ' || reference, amount_minor::text from refunds where status = 'SUCCESS'
     union all select 'refund ' || reference, amount_minor::text from reversals where status = 'SUCCESS'`,
  );
}

type Compared = Omit<LostCellOutcome, "backAfterMs">;

function compareMovements(
  expected: readonly Movement[],
  actual: readonly Movement[],
  breaks: readonly FleetBreak[],
): Compared {
  const known = new Set(actual.map(({ name }) => name));
  const missing = expected.filter(({ name }) => !known.has(name));
  const listed = breaks.filter(({ cell, kind }) => cell === "a" && kind === "missing here");
  const listedAmounts = new Map(
    listed.map(({ subject, reference, providerMinor }) => [`${subject} ${reference}`, providerMinor]),
  );
  const names = new Set(missing.map(({ name }) => name));
  return {
    movements: expected.length,
    missing: missing.length,
    missingMinor: sumOf(missing.map(({ minor }) => minor)),
    listed: listed.length,
    listedMinor: sumOf(listed.map(({ providerMinor }) => providerMinor)),
    misses: [
      ...(missing.length === 0 ? ["the standby had all movements, so nothing was tested"] : []),
      ...missing
        .filter(({ name, minor }) => listedAmounts.get(name) !== minor)
        .map(
          ({ name, minor }) => `${name} of ${minor} is missing, and listed with ${listedAmounts.get(name)}`,
        ),
      ...[...listedAmounts.keys()]
        .filter((name) => !names.has(name))
        .map((name) => `${name} is listed, and not lost`),
      ...breaks
        .filter((each) => !listed.includes(each))
        .map(({ cell, kind, reference }) => `${cell}: ${kind} ${reference}`),
    ],
  };
}

function sumOf(minors: readonly string[]): number {
  return minors.reduce((sum, minor) => sum + Number(minor), 0);
}
