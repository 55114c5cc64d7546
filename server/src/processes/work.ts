import { DatabaseError } from "pg";
import { pino, type Logger } from "pino";
import type { At } from "../core/crash-point.ts";
import { newMeter } from "../telemetry/meter.ts";
import { refreshEveryMs } from "../merchants/client-directory.ts";
import { foreignBalances, rollUpBalances } from "../ledger/balance.sql.ts";
import { listSuspense } from "../ledger/suspense.sql.ts";
import { isStandbyExpected } from "../postgres/standby.sql.ts";
import { committed, systemScope, type Database } from "../postgres/database.ts";
import { listenForWakes } from "../postgres/wake.ts";
import type { OwnSigner } from "../signing/gateway-keys.ts";
import type { LeasedJob } from "../contract/job.ts";
import { listMissingConnectors } from "../jobs/job.sql.ts";
import { readBatch } from "../notifications/notification.sql.ts";
import { isAcknowledgement } from "../notifications/deliver-notification.ts";
import { listPausedQueues } from "../notifications/paused-queue.sql.ts";
import { updateExpiredClosed } from "../universes/universe.sql.ts";
import type { ConnectorDirectory } from "../providers/connector-directory.ts";
import { updateConnectorsSilent } from "../providers/connector.sql.ts";
import { healthOf } from "../http/listeners/health.ts";
import { findJobBacklog } from "../jobs/job-backlog.sql.ts";
import { openTraces } from "./open-traces.ts";
import { openOperatorsPort } from "./operators-port.ts";
import { auditHeadEveryMs, auditHeadPublisher } from "./publish-audit-head.ts";
import { watchWorker, type WorkerWatch } from "./worker-watch.ts";
import { startDeliveryLoop } from "../worker/delivery-loop.ts";
import { startFeedLoop } from "../worker/feed-loop.ts";
import { deliveryQueueLog, openDeliveryQueueLimits } from "../worker/delivery-queues.ts";
import { startSearchLoop } from "../worker/search-loop.ts";
import { startWorkLoop } from "../worker/work-loop.ts";
import { startEngine, type Engine } from "./engine.ts";
import { monotonicMs, startTimers } from "./process-core.ts";
import type { Settings } from "../settings/settings.ts";

/**
 * Concurrency limit of provider jobs. Jobs of a hanging provider take at most 64 slots, until its circuit breaker
 * opens.
 */
const providersAtOnce = 256;
/**
 * Concurrency limit of webhooks. Webhooks to a hanging endpoint take at most four slots, until its circuit breaker
 * opens.
 */
const notificationsAtOnce = 256;

/** Kinds of jobs to which an operator can restrict a `work` process. */
export const workKinds = ["providers", "notifications"] as const;
export type WorkKind = (typeof workKinds)[number];

export interface Working {
  readonly metricsUrl: string | undefined;
  /** Graceful shutdown: finishes the leased jobs, leases no new ones, and returns. */
  stop(): Promise<void>;
}

/** The worker runs due jobs (providers, expiries, webhooks), and takes over jobs whose lease has expired. */
export async function work(
  settings: Settings,
  { only, at = () => undefined }: { readonly only?: WorkKind; readonly at?: At } = {},
): Promise<Working> {
  const [meter, traces] = [newMeter(), openTraces()];
  const log = pino({ level: settings.logLevel, base: null, mixin: traces.line });
  const engine = await startEngine({ settings, applicationName: "tollgate work", log, at, meter, traces });
  const watch = watchWorker(meter, monotonicMs);
  const { database, clients, keyUses, clock, signer, ownSigner, connectors, runner, onFault } = engine;
  const limits = openDeliveryQueueLimits({ monotonicMs, onChange: deliveryQueueLog(log) });
  const readPaused = async (): Promise<void> =>
    limits.pause(await listPausedQueues(database.reader(systemScope)));
  // The pauses are read from the database before any webhook is sent.
  await readPaused();
  const read = (jobs: readonly LeasedJob[]): Promise<readonly LeasedJob[]> =>
    readBatch(database.reader([...new Set(jobs.map(({ clientId }) => clientId))]), jobs).catch(() => jobs);
  const providers = { inFlightMax: providersAtOnce, rooms: () => connectors.rooms() };
  const notifications = { inFlightMax: notificationsAtOnce, limits, read, wasGood: isAcknowledgement };
  const clocks = { now: () => clock.now(), monotonicMs };
  const loopsByName = {
    ...(only !== "notifications" && { providers: startWorkLoop(runner, providers) }),
    ...(only !== "providers" && { notifications: startDeliveryLoop(runner, notifications) }),
    feed: startFeedLoop(database, clocks, onFault, watch.caughtUp("feed")),
    search: startSearchLoop(database, { monotonicMs, onFault, onCaughtUp: watch.caughtUp("search") }),
  };
  watch.loops(loopsByName);
  const loops = Object.values(loopsByName);
  const stopListening = listenForWakes(settings.databaseUrl, () => loops.forEach((loop) => loop.wake()));
  const tellAuditHead = (own: OwnSigner): (() => Promise<void>) =>
    auditHeadPublisher({ database, clock, signer: own }, settings.environment, log);
  const lookForMissing = missingConnectors(database, log);
  const stopTimers = startTimers(
    [
      [refreshEveryMs, () => clients.refresh()],
      [1_000, () => keyUses.flush()],
      [1_000, () => clock.sample()],
      [10_000, () => signer.refresh()],
      [10_000, () => connectors.refresh()],
      [250, () => connectors.probeUnreachable()],
      [1_000, readPaused],
      [5_000, () => noteSilence(database, connectors)],
      [5_000, lookForMissing],
      [1_000, rollingUp(database, log, watch)],
      [5_000, () => engine.faults.probe()],
      ...(ownSigner ? [[auditHeadEveryMs, tellAuditHead(ownSigner)] as const] : []),
      ...(settings.environment === "sandbox" ? [[1_000, () => closeExpired(database)] as const] : []),
    ],
    onFault,
  );
  const leaving = new AbortController();
  const health = healthOf({
    ...engine,
    environment: settings.environment,
    isDraining: () => leaving.signal.aborted,
    ...watch.health,
  });
  const look = lookAround(engine, watch);
  const operators = await openOperatorsPort(settings, { ...engine, health, look, onFault });
  return {
    metricsUrl: operators?.url,
    async stop() {
      leaving.abort();
      stopTimers();
      await stopListening();
      await Promise.all(loops.map((loop) => loop.stop()));
      await keyUses.flush();
      await Promise.all([operators?.close(), engine.spans?.close()]);
      await database.close();
    },
  };
}

/** Reads the data for metrics and health of the whole installation. */
function lookAround({ database, connectors }: Engine, watch: WorkerWatch): () => Promise<void> {
  const tx = database.reader(systemScope);
  return async () => {
    await Promise.all([
      findJobBacklog(tx).then((found) => watch.backlog(found, connectors.rooms())),
      listSuspense(tx).then((found) => watch.suspense(found)),
      findStandby(database).then((found) => watch.standby(found)),
    ]);
  };
}

/**
 * Whether the standby is expected and missing. It counts as missing if its confirmation fails. The worker's role may
 * not see the replication state, which would show no more.
 */
async function findStandby(database: Database): Promise<Parameters<WorkerWatch["standby"]>[0]> {
  const isExpected = await isStandbyExpected(database.reader(systemScope));
  const confirms = database.standbyConfirms().then(
    () => true,
    () => false,
  );
  return { isExpected, isMissing: isExpected && !(await confirms) };
}

async function noteSilence(database: Database, connectors: ConnectorDirectory): Promise<void> {
  const silent = connectors.rooms().flatMap(({ connector, isSilent }) => (isSilent ? [connector] : []));
  if (silent.length === 0) return;
  await database.transaction(systemScope, async (tx) => updateConnectorsSilent(tx, silent));
}

/**
 * Closes expired isolated test merchants. Their lifetime is measured by the database's clock, not by their test clocks.
 */
async function closeExpired(database: Database): Promise<void> {
  committed(await database.transaction(systemScope, updateExpiredClosed));
}

/** Alerts the operator once about each missing connector. */
function missingConnectors(database: Database, log: Logger): () => Promise<void> {
  let missing: readonly string[] = [];
  return async () => {
    const before = missing;
    missing = await listMissingConnectors(database.reader(systemScope));
    for (const connector of missing.filter((name) => !before.includes(name)))
      log.error({ alert: true, connector }, "Jobs wait for a connector that no longer exists.");
  };
}

const alertEveryMs = 60_000;

/**
 * Rolls up balances. Balances that were restored from another server are not rolled up until they are rebuilt; an alert
 * says so once a minute.
 */
function rollingUp(database: Database, log: Logger, watch: WorkerWatch): () => Promise<void> {
  const caughtUp = watch.caughtUp("balances");
  let alertAtMs = -Infinity;
  return async () => {
    const added = await database.transaction(systemScope, rollUpBalances);
    const isForeign =
      added.outcome !== "committed" && added.cause instanceof DatabaseError && added.cause.code === "55000";
    watch.foreignBalances(isForeign);
    if (added.outcome === "committed") return caughtUp();
    if (!isForeign) throw added.cause;
    if (monotonicMs() < alertAtMs) return;
    alertAtMs = monotonicMs() + alertEveryMs;
    log.error(
      { alert: true },
      `${foreignBalances} No balance is reported, and no refund made, until \`balances rebuild\` was run.`,
    );
  };
}
