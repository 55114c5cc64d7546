import { DatabaseError } from "pg";
import { pino, type Logger } from "pino";
import type { At } from "../core/crash-point.ts";
import { newMeter } from "../core/meter.ts";
import { refreshEveryMs } from "../merchants/client-directory.ts";
import { foreignBalances, rollUpBalances } from "../ledger/balance.sql.ts";
import { listSuspense } from "../ledger/suspense.sql.ts";
import { isStandbyExpected } from "../postgres/standby.sql.ts";
import { committed, systemScope, type Database } from "../postgres/database.ts";
import { listenForWakes } from "../postgres/wake.ts";
import type { OwnSigner } from "../signing/gateway-keys.ts";
import type { LeasedJob } from "../jobs/job.ts";
import { listMissingConnectors } from "../jobs/job.sql.ts";
import { readTogether } from "../notifications/notification.sql.ts";
import { tookNote } from "../notifications/deliver-notification.ts";
import { listPausedLanes } from "../notifications/paused-lane.sql.ts";
import { updateExpiredClosed } from "../universes/universe.sql.ts";
import type { ConnectorDirectory } from "../wallets/connector-directory.ts";
import { updateConnectorsSilent } from "../wallets/connector.sql.ts";
import { healthOf } from "../http/health.ts";
import { findJobBacklog } from "../jobs/job-backlog.sql.ts";
import { openTraces } from "./open-traces.ts";
import { openOperatorsPort } from "./operators-port.ts";
import { auditHeadEveryMs, auditHeadTeller } from "./tell-audit-head.ts";
import { watchWorker, type WorkerWatch } from "./worker-watch.ts";
import { startDeliveryLoop } from "../worker/delivery-loop.ts";
import { startFeedLoop } from "../worker/feed-loop.ts";
import { laneLog, openLaneBook } from "../worker/lane-book.ts";
import { startSearchLoop } from "../worker/search-loop.ts";
import { startWorkLoop } from "../worker/work-loop.ts";
import { startEngine, type Engine } from "./engine.ts";
import { monotonicMs, startTimers } from "./process-core.ts";
import type { Settings } from "./settings.ts";

/** Concurrency limit of wallet jobs. A wallet that hangs takes 64, until its circuit breaker opens. */
const walletsAtOnce = 256;
/** The same for notifications: a hanging endpoint takes four until its circuit breaker opens. */
const notificationsAtOnce = 256;

/** Restricts a process to one kind of job. */
export const workKinds = ["wallets", "notifications"] as const;
export type WorkKind = (typeof workKinds)[number];

export interface Working {
  readonly metricsUrl: string | undefined;
  /** Graceful shutdown: finishes the leased jobs, takes no new ones, and returns. */
  stop(): Promise<void>;
}

/**
 * The worker: runs due jobs (wallets, expiries, notifications), and takes over those whose lease has expired.
 */
export async function work(
  settings: Settings,
  { only, at = () => undefined }: { readonly only?: WorkKind; readonly at?: At } = {},
): Promise<Working> {
  const [meter, traces] = [newMeter(), openTraces()];
  const log = pino({ level: settings.logLevel, base: null, mixin: traces.line });
  const engine = await startEngine({ settings, applicationName: "tollgate work", log, at, meter, traces });
  const watch = watchWorker(meter, monotonicMs);
  const { database, clients, keyUses, clock, signer, ownSigner, connectors, runner, onFault } = engine;
  const lanes = openLaneBook({ monotonicMs, onChange: laneLog(log) });
  const readPaused = async (): Promise<void> =>
    lanes.pause(await listPausedLanes(database.reader(systemScope)));
  // Before anything is sent: pauses are stored, and outlive the process.
  await readPaused();
  const read = (jobs: readonly LeasedJob[]): Promise<readonly LeasedJob[]> =>
    readTogether(database.reader([...new Set(jobs.map(({ clientId }) => clientId))]), jobs).catch(() => jobs);
  const wallets = { inFlightMax: walletsAtOnce, rooms: () => connectors.rooms() };
  const notifications = { inFlightMax: notificationsAtOnce, lanes, read, wasGood: tookNote };
  const clocks = { now: () => clock.now(), monotonicMs };
  const loopsByName = {
    ...(only !== "notifications" && { wallets: startWorkLoop(runner, wallets) }),
    ...(only !== "wallets" && { notifications: startDeliveryLoop(runner, notifications) }),
    feed: startFeedLoop(database, clocks, onFault, watch.caughtUp("feed")),
    search: startSearchLoop(database, { monotonicMs, onFault, onCaughtUp: watch.caughtUp("search") }),
  };
  watch.loops(loopsByName);
  const loops = Object.values(loopsByName);
  const stopListening = listenForWakes(settings.databaseUrl, () => loops.forEach((loop) => loop.wake()));
  const tellAuditHead = (own: OwnSigner): (() => Promise<void>) =>
    auditHeadTeller({ database, clock, signer: own }, settings.environment, log);
  const lookForMissing = missingConnectors(database, log);
  const stopTimers = startTimers(
    [
      [refreshEveryMs, () => clients.refresh()],
      [1_000, () => keyUses.flush()],
      [1_000, () => clock.sample()],
      [10_000, () => signer.refresh()],
      [10_000, () => connectors.refresh()],
      [250, () => connectors.tryUnreachable()],
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

/** What metrics and health tell about the whole installation. */
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

/** A standby is missing when its confirmation is: who replicates what is not for this role to see, and would not say more. */
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

/** The lifetime of universes is measured by the database's clock, and not by their own. */
async function closeExpired(database: Database): Promise<void> {
  committed(await database.transaction(systemScope, updateExpiredClosed));
}

/** Alerts of a wallet once, for as long as it is missing. */
function missingConnectors(database: Database, log: Logger): () => Promise<void> {
  let missing: readonly string[] = [];
  return async () => {
    const before = missing;
    missing = await listMissingConnectors(database.reader(systemScope));
    for (const connector of missing.filter((name) => !before.includes(name)))
      log.error({ alert: true, connector }, "Jobs wait for a wallet that is not connected any more.");
  };
}

const alertEveryMs = 60_000;

/** Balances restored from another server are not rolled up until they are rebuilt; alerts once a minute. */
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
      `${foreignBalances} None is told, and no refund made, until \`balances rebuild\` was run.`,
    );
  };
}
