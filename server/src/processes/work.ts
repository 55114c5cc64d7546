import { DatabaseError } from "pg";
import { pino, type Logger } from "pino";
import type { CrashPointHook } from "../core/crash-point.ts";
import { newMeter } from "../telemetry/meter.ts";
import { refreshIntervalMs } from "../merchants/client-directory.ts";
import { foreignBalancesMessage, rollUpBalances } from "../ledger/balance.sql.ts";
import { listSuspense } from "../ledger/suspense.sql.ts";
import { isStandbyExpected } from "../postgres/standby.sql.ts";
import { requireCommitted, systemScope, type Database } from "../postgres/database.ts";
import { listenForWakes } from "../postgres/wake.ts";
import type { LocalSigner } from "../signing/gateway-keys.ts";
import type { LeasedJob } from "../contract/job.ts";
import { listMissingConnectors } from "../jobs/job.sql.ts";
import { readNotificationBatch } from "../notifications/notification.sql.ts";
import { isAcknowledgement } from "../notifications/deliver-notification.ts";
import { listPausedQueues } from "../notifications/paused-queue.sql.ts";
import { updateExpiredClosed } from "../universes/universe.sql.ts";
import type { ConnectorDirectory } from "../providers/connector-directory.ts";
import { updateConnectorsSilent } from "../providers/connector.sql.ts";
import { newHealth } from "../http/listeners/health.ts";
import { findJobBacklog } from "../jobs/job-backlog.sql.ts";
import { openTraces } from "./open-traces.ts";
import { openOperatorsPort } from "./operators-port.ts";
import { auditHeadIntervalMs, newAuditHeadPublisher } from "./publish-audit-head.ts";
import { watchWorker, type WorkerWatch } from "./worker-watch.ts";
import { startDeliveryLoop } from "../worker/delivery-loop.ts";
import { startFeedLoop } from "../worker/feed-loop.ts";
import { logQueueChanges, openDeliveryQueueLimits } from "../worker/delivery-queue-limits.ts";
import { startSearchLoop } from "../worker/search-loop.ts";
import { startWorkLoop } from "../worker/work-loop.ts";
import { startEngine, type Engine } from "./engine.ts";
import { monotonicMs, startTimers } from "./process-core.ts";
import type { Settings } from "../settings/settings.ts";

/**
 * Concurrency limit of provider jobs. Jobs of a hanging provider take at most 64 slots, until its circuit breaker
 * opens.
 */
const providerJobsMax = 256;
/**
 * Concurrency limit of webhooks. Webhooks to a hanging endpoint take at most four slots, until its circuit breaker
 * opens.
 */
const webhooksMax = 256;

/** Kinds of jobs to which an operator can restrict a `work` process. */
export const workKinds = ["providers", "notifications"] as const;
export type WorkKind = (typeof workKinds)[number];

export interface WorkerProcess {
  readonly metricsUrl: string | undefined;
  /** Graceful shutdown: finishes the leased jobs, leases no new ones, and returns. */
  stop(): Promise<void>;
}

interface WorkerOptions {
  readonly only?: WorkKind;
  readonly atCrashPoint?: CrashPointHook;
}

/** The worker runs due jobs (providers, expiries, webhooks), and takes over jobs whose lease has expired. */
export async function work(
  settings: Settings,
  { only, atCrashPoint = () => undefined }: WorkerOptions = {},
): Promise<WorkerProcess> {
  const [meter, traces] = [newMeter(), openTraces()];
  const log = pino({ level: settings.logLevel, base: null, mixin: traces.logFields });
  const parts = { settings, log, atCrashPoint, meter, traces };
  const engine = await startEngine({ ...parts, applicationName: "tollgate work" });
  const watch = watchWorker(meter, monotonicMs);
  const { database, clients, keyUses, clock, signer, localSigner, connectors, runner, onFault } = engine;
  const limits = openDeliveryQueueLimits({ monotonicMs, onChange: logQueueChanges(log) });
  const readPaused = async (): Promise<void> =>
    limits.setPaused(await listPausedQueues(database.reader(systemScope)));
  // The pauses are read from the database before any webhook is sent.
  await readPaused();
  const read = newNotificationReader(database);
  const providers = { inFlightMax: providerJobsMax, connectorCapacities: () => connectors.capacities() };
  const notifications = { inFlightMax: webhooksMax, limits, read, wasAcknowledged: isAcknowledgement };
  const clocks = { now: () => clock.now(), monotonicMs };
  const loopsByName = {
    ...(only !== "notifications" && { providers: startWorkLoop(runner, providers) }),
    ...(only !== "providers" && { notifications: startDeliveryLoop(runner, notifications) }),
    feed: startFeedLoop(database, clocks, onFault, watch.trackCatchUp("feed")),
    search: startSearchLoop(database, { monotonicMs, onFault, onCaughtUp: watch.trackCatchUp("search") }),
  };
  watch.watchLoops(loopsByName);
  const loops = Object.values(loopsByName);
  const stopListening = listenForWakes(settings.databaseUrl, () => loops.forEach((loop) => loop.wake()));
  const newAuditHeadTimer = (auditSigner: LocalSigner): (() => Promise<void>) =>
    newAuditHeadPublisher({ database, clock, signer: auditSigner }, settings.environment, log);
  const alertMissingConnectors = newMissingConnectorAlert(database, log);
  const stopTimers = startTimers(
    [
      [refreshIntervalMs, () => clients.refresh()],
      [1_000, () => keyUses.flush()],
      [1_000, () => clock.sample()],
      [10_000, () => signer.refresh()],
      [10_000, () => connectors.refresh()],
      [250, () => connectors.probeUnreachable()],
      [1_000, readPaused],
      [5_000, () => recordSilentConnectors(database, connectors)],
      [5_000, alertMissingConnectors],
      [1_000, newBalanceRollUp(database, log, watch)],
      [5_000, () => engine.faults.probe()],
      ...(localSigner ? [[auditHeadIntervalMs, newAuditHeadTimer(localSigner)] as const] : []),
      ...(settings.environment === "sandbox" ? [[1_000, () => closeExpired(database)] as const] : []),
    ],
    onFault,
  );
  const shutdown = new AbortController();
  const health = newHealth({
    ...engine,
    environment: settings.environment,
    isDraining: () => shutdown.signal.aborted,
    ...watch.health,
  });
  const refreshGauges = newGaugeRefresh(engine, watch);
  const operatorsPort = await openOperatorsPort(settings, { ...engine, health, refreshGauges, onFault });
  return {
    metricsUrl: operatorsPort?.url,
    async stop() {
      shutdown.abort();
      stopTimers();
      await stopListening();
      await Promise.all(loops.map((loop) => loop.stop()));
      await keyUses.flush();
      await Promise.all([operatorsPort?.close(), engine.spans?.close()]);
      await database.close();
    },
  };
}

/** Returns a function that reads the notifications of a batch of jobs. If the read fails, each job reads its own. */
function newNotificationReader(
  database: Database,
): (jobs: readonly LeasedJob[]) => Promise<readonly LeasedJob[]> {
  return async (jobs) => {
    const clientIds = [...new Set(jobs.map(({ clientId }) => clientId))];
    return readNotificationBatch(database.reader(clientIds), jobs).catch(() => jobs);
  };
}

/** Reads the data for metrics and health of the whole installation. */
function newGaugeRefresh({ database, connectors }: Engine, watch: WorkerWatch): () => Promise<void> {
  const tx = database.reader(systemScope);
  return async () => {
    await Promise.all([
      findJobBacklog(tx).then((found) => watch.recordBacklog(found, connectors.capacities())),
      listSuspense(tx).then((found) => watch.recordSuspense(found)),
      findStandby(database).then((found) => watch.recordStandby(found)),
    ]);
  };
}

/**
 * Whether the standby is expected and missing. It counts as missing if its confirmation fails. The worker's role may
 * not see the replication state, which would show no more.
 */
async function findStandby(database: Database): Promise<Parameters<WorkerWatch["recordStandby"]>[0]> {
  const isExpected = await isStandbyExpected(database.reader(systemScope));
  const confirms = database.waitForStandby().then(
    () => true,
    () => false,
  );
  return { isExpected, isMissing: isExpected && !(await confirms) };
}

async function recordSilentConnectors(database: Database, connectors: ConnectorDirectory): Promise<void> {
  const silent = connectors.capacities().flatMap(({ connector, isSilent }) => (isSilent ? [connector] : []));
  if (silent.length === 0) return;
  await database.transaction(systemScope, async (tx) => updateConnectorsSilent(tx, silent));
}

/**
 * Closes expired isolated test merchants. Their lifetime is measured by the database's clock, not by their test clocks.
 */
async function closeExpired(database: Database): Promise<void> {
  requireCommitted(await database.transaction(systemScope, updateExpiredClosed));
}

/** Alerts the operator once about each missing connector. */
function newMissingConnectorAlert(database: Database, log: Logger): () => Promise<void> {
  let missing: readonly string[] = [];
  return async () => {
    const knownMissing = missing;
    missing = await listMissingConnectors(database.reader(systemScope));
    for (const connector of missing.filter((name) => !knownMissing.includes(name)))
      log.error({ alert: true, connector }, "Jobs wait for a connector that no longer exists.");
  };
}

const alertEveryMs = 60_000;

/**
 * Rolls up balances. Balances that were restored from another server are not rolled up until they are rebuilt; an alert
 * says so once a minute.
 */
function newBalanceRollUp(database: Database, log: Logger, watch: WorkerWatch): () => Promise<void> {
  const caughtUp = watch.trackCatchUp("balances");
  let alertAtMs = -Infinity;
  return async () => {
    const rollUp = await database.transaction(systemScope, rollUpBalances);
    const isForeign =
      rollUp.outcome !== "committed" &&
      rollUp.cause instanceof DatabaseError &&
      rollUp.cause.code === "55000";
    watch.recordForeignBalances(isForeign);
    if (rollUp.outcome === "committed") return caughtUp();
    if (!isForeign) throw rollUp.cause;
    if (monotonicMs() < alertAtMs) return;
    alertAtMs = monotonicMs() + alertEveryMs;
    log.error(
      { alert: true },
      `${foreignBalancesMessage} No balance is reported, and no refund made, until \`balances rebuild\` was run.`,
    );
  };
}
