import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as waitMs } from "node:timers/promises";
import { archiveTimeoutSeconds, startArchive } from "./archive.ts";
import { changeOwner, waitUntil, type PostgresServer } from "../installation/postgres-server.ts";
import { database, runTollgate } from "../installation/installation.ts";
import { reconcileProviders } from "../oracle/reconcile-providers.ts";
import {
  requestRefunds,
  takePayment,
  takePayments,
  waitUntilSettled,
  findWrongBalances,
} from "./restore-to-new-server.ts";
import type { ProofResult } from "../reports/run-proof.ts";
import { openTrial, type Trial } from "../trial/trial.ts";

/** The loss of the database, and the point in time of the restore (undefined: the end of the archive). */
interface Drill {
  readonly name: string;
  injectLoss(trial: Trial): Promise<Date | undefined>;
}

export const drills: readonly Drill[] = [
  {
    name: "disks",
    async injectLoss({ installation: { cluster } }) {
      const [row] = await cluster.execute<{ data: string }>(
        "postgres",
        "select current_setting('data_directory') as data",
      );
      await Promise.all([cluster.killPrimary(), cluster.standby()?.kill()]);
      await rm(row?.data ?? "", { recursive: true });
      return undefined;
    },
  },
  {
    name: "mistake",
    async injectLoss({ installation: { cluster } }) {
      const [row] = await cluster.execute<{ now: Date }>(database, "select clock_timestamp() as now");
      await cluster.execute(database, "drop table ledger_transfers cascade");
      // After three seconds the operator notices the loss and shuts the server down cleanly, so that the server
      // archives all of its WAL.
      await waitMs(3_000);
      await cluster.stopPrimary();
      return row?.now;
    },
  },
];

const calmMs = 12_000;
const atOnce = 5;
/**
 * Largest accepted data loss in ms: changes that were acknowledged earlier than this before the loss must exist after
 * the restore.
 */
const lossMaxMs = 60_000;

export interface DrillOptions {
  /** Payments after the restore. */
  readonly payments: number;
  logProgress(line: string): void;
}

/** Takes a backup under load, loses the database under load, and restores it. */
export async function runDrill(
  { name, injectLoss }: Drill,
  { payments, logProgress }: DrillOptions,
): Promise<ProofResult> {
  const trial = await openTrial();
  const folder = mkdtempSync(join(tmpdir(), "tollgate-archive-"));
  chmodSync(folder, 0o711);
  changeOwner(folder);
  let restored: PostgresServer | undefined;
  try {
    const archive = await startArchive(trial.installation.cluster, folder);
    const buyers = startBuyers(trial, name);
    await waitMs(calmMs);
    logProgress(`${name}: backed up in ${seconds(await archive.backUp())} s during payments`);
    // The proof waits until the archive contains WAL from after the backup.
    await waitMs(archiveTimeoutSeconds * 1_000 + calmMs);

    const cursors = await feedHeads(trial.installation.cluster);
    const lostAt = new Date();
    const target = await injectLoss(trial);
    const startedAtMs = performance.now();
    buyers.close();
    restored = await archive.restore(folder, target);
    const restoredMs = performance.now() - startedAtMs;
    const { servesToDatabase, workToDatabase } = trial.installation.proxies;
    const operate = newOperator(trial, restored);
    await operate("feed", "advance-cursors");
    for (const proxy of [...servesToDatabase, workToDatabase]) proxy.moveTo(restored.port);
    await takePayment(trial, `${name}-first`, 1);
    const paysAgainMs = performance.now() - startedAtMs;
    const acknowledged = await buyers.acknowledged();
    const lost = await findLostPayments(restored, acknowledged);
    const lostForMs = target ? 0 : lostAt.getTime() - (await readNewestChange(restored)).getTime();
    logProgress(
      `${name}: restored in ${seconds(restoredMs)} s, pays again after ${seconds(paysAgainMs)} s; ` +
        `${lost.length} of ${acknowledged.length} payments lost`,
    );

    await takePayments(trial, payments, `${name}-after`);
    const refundOutcome = await requestRefunds(trial, restored);
    await waitUntilSettled(restored);
    const reconciliation = await compareWithProvider(trial, restored, operate);
    logProgress(`${name}: ${reconciliation.missing} are only at the provider, as \`match\` reports`);
    const lostTooEarly = lost.filter(
      ({ acknowledgedAt }) => lostAt.getTime() - acknowledgedAt.getTime() > lossMaxMs,
    );
    return {
      figures: {
        [`${name}_restored_s`]: seconds(restoredMs),
        [`${name}_pays_again_s`]: seconds(paysAgainMs),
        [`${name}_lost_s`]: seconds(lostForMs),
        [`${name}_told`]: acknowledged.length,
        [`${name}_lost`]: lost.length,
        [`${name}_missing_here`]: reconciliation.missing,
        [`${name}_refunds`]: refundOutcome.refunded,
      },
      misses: [
        ...lostTooEarly.map(({ paymentId }) => `${paymentId} was acknowledged a minute before, and is lost.`),
        ...(lostForMs > lossMaxMs ? [`${seconds(lostForMs)} s of changes are lost.`] : []),
        ...(acknowledged.length > 20 ? [] : [`Only ${acknowledged.length} payments were made before.`]),
        ...refundOutcome.misses,
        ...reconciliation.misses,
        ...(await findSkippedEvents(cursors, restored)),
        ...(await findWrongBalances(restored)),
      ],
    };
  } finally {
    await trial.stop();
    await restored?.remove();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

interface AcknowledgedPayment {
  readonly paymentId: string;
  readonly acknowledgedAt: Date;
}

interface Buyers {
  /** Sends no further payments, and abandons payments in progress, as buyers do who leave. */
  close(): void;
  /** Payments that a merchant knew to be paid before it closed. */
  acknowledged(): Promise<readonly AcknowledgedPayment[]>;
}

function startBuyers(trial: Trial, name: string): Buyers {
  let isOpen = true;
  let count = 0;
  const acknowledged: AcknowledgedPayment[] = [];
  const buyer = async (): Promise<void> => {
    while (isOpen) {
      count += 1;
      const paymentId = await takePayment(trial, `${name}-before-${count}`, count, () => !isOpen);
      if (paymentId !== undefined) acknowledged.push({ paymentId, acknowledgedAt: new Date() });
    }
  };
  const buyers = Promise.all(Array.from({ length: atOnce }, buyer));
  return {
    close: () => void (isOpen = false),
    async acknowledged() {
      await buyers;
      return acknowledged;
    },
  };
}

async function findLostPayments(
  server: PostgresServer,
  acknowledged: readonly AcknowledgedPayment[],
): Promise<readonly AcknowledgedPayment[]> {
  const rows = await server.execute<{ id: string }>(
    database,
    "select payment_id as id from payments where status = 'SUCCESS'",
  );
  const existing = new Set(rows.map(({ id }) => id));
  return acknowledged.filter(({ paymentId }) => !existing.has(paymentId));
}

/** Time of the last change among the restored payments. */
async function readNewestChange(server: PostgresServer): Promise<Date> {
  const [row] = await server.execute<{ at: Date }>(
    database,
    `select max(e.at) as at from payment_events as e join payments as p using (bucket, payment_id)
     where p.payment_request_id like '%-before-%' and p.status = 'SUCCESS' and e.status = 'PROCESSING'`,
  );
  if (!row?.at) throw new Error("No payment was restored.");
  return row.at;
}

type Operate = (...args: readonly string[]) => Promise<string>;

function newOperator({ installation }: Trial, server: PostgresServer): Operate {
  const variables = { ...installation.variables, TOLLGATE_OWNER_DATABASE_URL: server.url(database) };
  return (...args) => runTollgate(variables, ...args);
}

/** The newest cursor that each merchant can have. */
async function feedHeads(cluster: Pick<PostgresServer, "execute">): Promise<ReadonlyMap<string, bigint>> {
  const rows = await cluster.execute<{ client: string; position: string }>(
    database,
    "select client_id as client, position from feed_heads",
  );
  return new Map(rows.map(({ client, position }) => [client, BigInt(position)]));
}

/**
 * `findSkippedEvents` returns the merchants who would miss their next event, because its position is before their
 * cursor.
 */
async function findSkippedEvents(
  cursors: ReadonlyMap<string, bigint>,
  server: PostgresServer,
): Promise<readonly string[]> {
  const rows = await server.execute<{ client: string; position: string }>(
    database,
    `select n.client_id as client, min(n.position)::text as position from notifications as n join payments as p on p.bucket = n.bucket
       and p.payment_id = n.subject_id where p.payment_request_id like '%-after-%' and n.position is not null group by 1`,
  );
  if (rows.length === 0) return ["No webhook was sent after the restore."];
  return rows
    .filter(({ client, position }) => BigInt(position) <= (cursors.get(client) ?? 0n))
    .map(({ client }) => `${client} does not see events after the restore.`);
}

/** Imports the provider's file: each movement that only the provider has is a break, and there is no other break. */
async function compareWithProvider(
  trial: Trial,
  server: PostgresServer,
  operate: Operate,
): Promise<{ readonly missing: number; readonly misses: readonly string[] }> {
  await waitUntil(async () => {
    const [row] = await server.execute<{ open: number }>(
      database,
      "select count(*)::int as open from payments where status = 'PROCESSING' and provider_accepted_at is not null and payment_id in (select subject_id from jobs)",
    );
    return row?.open === 0;
  }, 60_000).catch(() => undefined);
  const breaks = await reconcileProviders({ ...trial.installation, operate });
  const others = breaks.filter(({ kind }) => kind !== "missing here");
  const listed = new Set(breaks.map(({ paymentId }) => paymentId));
  const rows = await server.execute<{ id: string }>(database, "select payment_id as id from payments");
  const existing = new Set(rows.map(({ id }) => id));
  const existingListed = [...listed].filter((id) => id !== undefined && existing.has(id));
  return {
    missing: listed.size,
    misses: [
      ...others.map(({ kind, reference }) => `match: ${kind} ${reference}`),
      ...existingListed.map((id) => `match reports ${id} as missing, although it exists.`),
    ],
  };
}
