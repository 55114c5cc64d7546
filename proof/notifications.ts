import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as waitMs } from "node:timers/promises";
import { findFreePort } from "../server/src/postgres/temporary-postgres.ts";
import { skipLongWaits } from "./oracle/database-state.ts";
import { database, installGateway, type Installation } from "./installation/installation.ts";
import { newManagedProcess, type ManagedProcess } from "./installation/managed-process.ts";
import { newRandom } from "../server/test/bank/seeded-random.ts";
import { runProof } from "./reports/run-proof.ts";

const perSecond = 250;
const tickMs = 100;
/** The share of webhooks that are sent first, without faults, to measure latency. */
const healthyShare = 0.2;
const p99MsMax = 1_000;
const killEveryMs = 2_500;
/** At-least-once delivery: a kill between delivery and acknowledgement causes a duplicate within this time. */
const explainedWithinMs = 1_000;
const deliveredWithinMs = 120_000;

interface Receipt {
  readonly id: string;
  readonly atMs: number;
  readonly isSigned: boolean;
}

interface RecordedWebhook {
  readonly id: string;
  readonly createdAtMs: number;
  readonly status: string;
  /** Outcome and time of the first attempt. */
  readonly first: string;
}

await runProof({
  name: "notifications",
  claim:
    "Webhooks are recorded as payments do it, and delivered by two processes to two receivers. After a first part without faults, " +
    "one of the four is killed with SIGKILL every 2.5 seconds and started again. No webhook is lost, every signature is valid, and " +
    "each duplicate is explained by a kill in the same second.",
  triesDefault: 50_000,
  async run({ tries, logProgress }) {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-notifications-"));
    const installation = await installGateway({ durable: false, shopPort: await findFreePort() });
    const ports = [await findFreePort(), await findFreePort()];
    const receivers = await startReceivers(installation, folder, ports);
    const killsAtMs: number[] = [];
    const healthyCount = Math.floor(tries * healthyShare);
    let isStorming = false;
    let isFinished = false;
    const killing = (async () => {
      const random = newRandom(7);
      while (!isFinished) {
        await waitMs(isStorming ? killEveryMs : tickMs);
        if (!isStorming || isFinished) continue;
        const victim = random.pick([...installation.works, ...receivers]);
        killsAtMs.push(Date.now());
        await victim.kill();
        await victim.start();
      }
    })();

    for (let createdCount = 0; createdCount < tries; createdCount += (perSecond * tickMs) / 1_000) {
      if (!isStorming && createdCount >= healthyCount) {
        // Webhooks of the first part are delivered before the first kill.
        await waitMs(2 * p99MsMax);
        isStorming = true;
      }
      const count = Math.min((perSecond * tickMs) / 1_000, tries - createdCount);
      await Promise.all([insertWebhooks(installation, { count, from: createdCount, ports }), waitMs(tickMs)]);
      if (createdCount % (perSecond * 20) === 0)
        logProgress(`${createdCount} written down, ${killsAtMs.length} kills`);
    }
    isFinished = true;
    await killing;
    const healedMs = await waitUntilDelivered(installation);
    const webhooks = await readRecordedWebhooks(installation);
    const receipts = readReceipts(folder);
    await Promise.all(receivers.map((receiver) => receiver.kill()));
    await installation.stop();
    rmSync(folder, { recursive: true, force: true });
    return buildResult({ webhooks, receipts, killsAtMs, healthyCount, healedMs });
  },
});

async function startReceivers(
  { gatewayPublicKey }: Installation,
  folder: string,
  ports: readonly number[],
): Promise<readonly ManagedProcess[]> {
  const publicKeyFile = join(folder, "gateway.pem");
  writeFileSync(publicKeyFile, gatewayPublicKey);
  const receivers = ports.map((port, index) =>
    newManagedProcess({
      name: `receiver ${index + 1}`,
      args: ["proof/storm/receiver.ts", String(port), publicKeyFile, join(folder, "receipts")],
      variables: {},
      ready: /^receiving/,
    }),
  );
  process.once("exit", () => receivers.forEach((receiver) => receiver.killNow()));
  await Promise.all(receivers.map((receiver) => receiver.start()));
  return receivers;
}

/** Inserts the notification and its job in one transaction, as payments do (outbox). */
async function insertWebhooks(
  { cluster, merchants }: Installation,
  {
    count,
    from,
    ports,
  }: { readonly count: number; readonly from: number; readonly ports: readonly number[] },
): Promise<void> {
  const clientIds = merchants.map(({ clientId }) => `'${clientId}'`).join(", ");
  const origins = ports.map((port) => `'http://127.0.0.1:${port}'`).join(", ");
  await cluster.execute(
    database,
    `with given as (
       select 'storm-' || lpad(n::text, 12, '0') as id, c.bucket, c.client_id,
         (array[${origins}])[1 + n % ${ports.length}] as origin, clock_timestamp() as now
       from generate_series(${from}, ${from + count - 1}) as n
       join lateral (
         select bucket, client_id from clients where client_id = (array[${clientIds}])[1 + n % ${merchants.length}]
       ) as c on true
     ), inserted as (
       insert into notifications (bucket, notification_id, client_id, kind, subject_id, sequence, url, body, created_at)
       select bucket, id, client_id, 'notifyPayment', id, 1, origin || '/notify',
         convert_to(json_build_object('notificationId', id)::text, 'UTF8'), now from given
     )
     insert into jobs (bucket, subject_id, job, client_id, queue, due_at, follows_merchant_clock)
     select bucket, id, 'deliver-notification', client_id, client_id || ' ' || origin, now, true from given`,
  );
}

async function waitUntilDelivered({ cluster }: Installation): Promise<number> {
  const startedAtMs = Date.now();
  while (Date.now() - startedAtMs < deliveredWithinMs) {
    await skipLongWaits(cluster);
    const [row] = await cluster.execute<{ left: number }>(
      database,
      "select count(*)::int as left from jobs where job = 'deliver-notification'",
    );
    if (row?.left === 0) break;
    await waitMs(250);
  }
  return Date.now() - startedAtMs;
}

async function readRecordedWebhooks({ cluster }: Installation): Promise<readonly RecordedWebhook[]> {
  const rows = await cluster.execute<{ id: string; created_at: Date; status: string; first: string }>(
    database,
    `select n.notification_id as id, n.created_at, n.status,
       concat_ws(' ', a.http_status, a.failure, 'after', a.at - n.created_at, 'in', a.total_ms, 'ms') as first
     from notifications as n left join notification_attempts as a
       on a.bucket = n.bucket and a.notification_id = n.notification_id and a.attempt = 1
     order by 1`,
  );
  return rows.map(({ id, created_at, status, first }) => ({
    id,
    createdAtMs: created_at.getTime(),
    status,
    first,
  }));
}

function readReceipts(folder: string): readonly Receipt[] {
  const lines = readFileSync(join(folder, "receipts"), "utf8").trim().split("\n");
  return lines.map((line) => {
    const [id = "", atMs = "", signed = ""] = line.split(" ");
    return { id, atMs: Number(atMs), isSigned: signed === "signed" };
  });
}

interface Outcome {
  readonly webhooks: readonly RecordedWebhook[];
  readonly receipts: readonly Receipt[];
  readonly killsAtMs: readonly number[];
  readonly healthyCount: number;
  readonly healedMs: number;
}

function buildResult({ webhooks, receipts, killsAtMs, healthyCount, healedMs }: Outcome): {
  readonly figures: Readonly<Record<string, number | string>>;
  readonly misses: readonly string[];
} {
  const byId = Map.groupBy(receipts, ({ id }) => id);
  const lost = webhooks.filter(({ id }) => !byId.has(id));
  const unsigned = receipts.filter(({ isSigned }) => !isSigned);
  const notDelivered = webhooks.filter(({ status }) => status !== "DELIVERED");
  const duplicates = [...byId.values()].flatMap((all) => all.slice(1).map((_, index) => all[index]));
  const unexplained = duplicates.filter(
    (before) => !killsAtMs.some((killMs) => before && Math.abs(killMs - before.atMs) <= explainedWithinMs),
  );
  const firstAttemptMs = webhooks
    .slice(0, healthyCount)
    .map(({ id, createdAtMs }) => (byId.get(id)?.[0]?.atMs ?? Infinity) - createdAtMs)
    .sort((a, b) => a - b);
  const late = webhooks
    .slice(0, healthyCount)
    .filter(({ id, createdAtMs }) => (byId.get(id)?.[0]?.atMs ?? Infinity) - createdAtMs > p99MsMax);
  const p99Ms = firstAttemptMs[Math.floor(firstAttemptMs.length * 0.99)] ?? Infinity;
  return {
    figures: {
      notifications: webhooks.length,
      received: receipts.length,
      kills: killsAtMs.length,
      lost: lost.length,
      unsigned: unsigned.length,
      duplicates: duplicates.length,
      unexplained: unexplained.length,
      first_attempt_p50_ms: firstAttemptMs[firstAttemptMs.length >> 1] ?? 0,
      first_attempt_p99_ms: p99Ms,
      all_delivered_after_ms: healedMs,
    },
    misses: [
      ...lost.map(({ id }) => `${id} was never received`),
      ...unsigned.map(({ id }) => `the signature of ${id} is not valid`),
      ...notDelivered.map(({ id, status }) => `${id} is ${status}`),
      ...unexplained.map((before) => `${before?.id} was delivered twice without a kill`),
      ...(p99Ms > p99MsMax ? [`the 99th percentile of the first attempt was ${p99Ms} ms`] : []),
      ...(p99Ms > p99MsMax ? late.map(({ id, first }) => `${id} was late; its first attempt: ${first}`) : []),
      ...(killsAtMs.length === 0 ? ["no process was killed"] : []),
    ],
  };
}
