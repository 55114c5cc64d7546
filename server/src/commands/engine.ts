import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { stepClock } from "../test-clocks/clock-turn.sql.ts";
import type { ClockMover } from "../test-clocks/turn-clock.ts";
import { watchFaults, type FaultWatch } from "../core/fault-watch.ts";
import type { Meter } from "../core/meter.ts";
import { version as thisVersion } from "../core/version.ts";
import type { Release } from "../http/health.ts";
import { findNewestMigration } from "../postgres/migration.sql.ts";
import { findCell } from "../cells/home.sql.ts";
import { startClock, type Clock } from "../core/clock.ts";
import type { At } from "../core/crash-point.ts";
import { isUniverseId } from "../core/universe-id.ts";
import { openClientDirectory, type ClientDirectory } from "../merchants/client-directory.ts";
import { openKeyUseBook, type KeyUseBook } from "../keys/key-use-book.ts";
import type { JobRunner } from "../jobs/job.ts";
import { allJobs } from "../jobs/jobs.ts";
import type { Courier } from "../notifications/deliver-notification.ts";
import { withFaults } from "../egress/faulty-courier.ts";
import { takeFault } from "../notifications/fault.sql.ts";
import { httpCourier, type CourierOptions } from "../egress/courier.ts";
import { openEgress } from "../egress/egress.ts";
import { openSpanExporter, type SpanExporter } from "../egress/span-exporter.ts";
import type { WalletDriver } from "../jobs/wallet-driver.ts";
import { cannotBeStored, committed, openDatabase, systemScope, type Database } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { preflight } from "../postgres/preflight.ts";
import { gatherWrites } from "../postgres/together.ts";
import { openTurns, type Turns } from "../postgres/turns.ts";
import { newWaker } from "../postgres/wake.ts";
import { databaseTimeMs } from "../postgres/time.sql.ts";
import type { Signer } from "../signing/gateway-keys.ts";
import { deriveSecrets, secretKeeper, type Secrets } from "../signing/secrets.ts";
import { openConnectorDirectory, type ConnectorDirectory } from "../wallets/connector-directory.ts";
import { listConnectors } from "../wallets/connector.sql.ts";
import { ConnectorGone } from "../wallets/connector.ts";
import { WalletUnclear } from "../wallets/wallet.ts";
import { liveConnectorProblems, liveProblems } from "./live-rules.ts";
import { openSigning } from "./open-signing.ts";
import type { OpenTraces } from "./open-traces.ts";
import { readPackage } from "./read-package.ts";
import type { Settings } from "./settings.ts";

/** What `serve` and `work` share: both can run any job to its end. */
export interface Engine {
  readonly database: Database;
  readonly clock: Clock;
  readonly signer: Signer;
  readonly secrets: Secrets;
  readonly clients: ClientDirectory;
  readonly keyUses: KeyUseBook;
  readonly connectors: ConnectorDirectory;
  readonly runner: JobRunner;
  readonly driver: WalletDriver;
  readonly meter: Meter;
  readonly faults: FaultWatch;
  readonly release: () => Release;
  /** Looks for a newer migration. */
  refreshRelease(): Promise<void>;
  /** The parts of traces that a collector gets; undefined where there is none. */
  readonly spans: SpanExporter | undefined;
}

export interface EngineOptions {
  readonly settings: Settings;
  readonly applicationName: string;
  readonly log: {
    error(what: object, message: string): void;
    warn(what: object, message: string): void;
    info(what: object, message: string): void;
    debug(what: object): void;
  };
  readonly at: At;
  readonly meter: Meter;
  readonly traces: OpenTraces;
}

/** After so many unreadable answers, about half a minute of retries, the wallet is not just busy: alert. */
const unclearAttempts = 5;

/** Dependency injection by hand: everything is made here, once, and passed on. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { settings, applicationName, log, at, meter, traces } = options;
  const { environment, databaseUrl, publicUrl } = settings;
  refuse(liveProblems(settings));
  refuse(await preflight(databaseUrl, environment));

  const onFault = backgroundFaults(log, meter);
  const spans = exportSpans(options, onFault);
  const { databaseConnectionsMax: connectionsMax } = settings;
  const database = openDatabase({ url: databaseUrl, applicationName, connectionsMax, onFault, meter });
  await database.confirmed();
  const asSystem = database.reader(systemScope);
  refuse(cellProblems(settings, await findCell(asSystem)));
  const release = await openRelease(options, asSystem, meter);
  const clock = await openClock(asSystem, log, meter);
  const signing = await openSigning({ settings, tx: asSystem, onChange: signerChanges(log) });
  const { signer } = signing;
  const secrets = deriveSecrets(signing.installationSecret);
  const keeper = secretKeeper(secrets);

  const now = (): Date => clock.now();
  const businessNow: Courier["now"] = ({ aheadMs }) => new Date(clock.now().getTime() + aheadMs);
  const clients = openClientDirectory(database, monotonicMs);
  const callbackUrl = (connector: string): string => `${publicUrl}/wallets/${connector}/callbacks`;
  const load = (): ReturnType<typeof listConnectors> => listConnectors(asSystem);
  refuse(liveConnectorProblems(settings, await load()));
  const onReachable = (connector: string, isReachable: boolean): void =>
    log.warn({ connector }, isReachable ? "A wallet answers again." : "A wallet does not answer.");
  const wallets = { load, signer, environment, now, monotonicMs, onReachable, callbackUrl, meter, traces };
  const connectors = await openConnectorDirectory(wallets);
  const driver = paymentDriver({ environment, connectors, clients, secrets: keeper, businessNow, log });
  const keyUses = openKeyUseBook(database, onFault);
  const keyVersionOf = notificationKeys({ clients, signer, keyUses, clock });
  const courier = httpCourier({
    signer,
    keyVersionOf,
    now,
    businessNow,
    secrets: keeper,
    explains: environment === "sandbox",
    traces,
    ...wayOut(settings, log, meter),
  });
  const wake = newWaker(asSystem, onFault);
  const turns = openTurns();
  const jobs = allJobs(
    driver,
    environment === "sandbox" ? troubled(courier, database) : courier,
    newClockMover(database, turns, wake),
  );
  const faults = watchFaults();
  const runner: JobRunner = {
    database,
    clock,
    monotonicMs,
    at,
    jobs,
    together: writersOf(database, jobs),
    turns,
    wake,
    isClosed: (clientId) => isClosedUniverse(clients, clientId),
    onFault: jobFaults(log),
    traces,
    newUuid: () => randomUUID(),
    meter,
    faults,
  };
  const directories = { clients, keyUses, connectors };
  const watched = { meter, faults, spans, ...release };
  return { database, clock, signer, secrets, ...directories, runner, driver, ...watched };
}

/** Nothing is answered while the signer is silent, so people hear of it at once. */
function signerChanges(log: EngineOptions["log"]): (isWell: boolean, cause?: unknown) => void {
  return (isWell, cause) => {
    if (isWell) log.warn({}, "The signer answers again.");
    else log.error({ alert: true, err: cause }, "The signer does not answer: calls are told to come later.");
  };
}

/** Counts a fault that belongs to no request, and writes it down. */
export function backgroundFaults(
  log: Pick<EngineOptions["log"], "error">,
  meter: Meter,
): (cause: unknown) => void {
  meter.set("faults", [], 0);
  return (cause) => {
    meter.add("faults", []);
    log.error({ err: cause }, "A fault in the background.");
  };
}

async function openClock(tx: Tx, log: EngineOptions["log"], meter: Meter): Promise<Clock> {
  meter.set("clockJumps", [], 0);
  const onJump = (byMs: number): void => {
    meter.add("clockJumps", []);
    log.error({ alert: true, byMs }, "The database's clock has jumped, and with it leases and expiries.");
  };
  const clock = await startClock({ monotonicMs, databaseMs: () => databaseTimeMs(tx), onJump });
  meter.beforeLook(() => {
    meter.set("clockAgeSeconds", [], clock.sampleAgeMs() / 1000);
    meter.set("clockOffset", [], (clock.now().getTime() - Date.now()) / 1000);
  });
  return clock;
}

/** Sends the parts of traces to the operator's collector, where there is one. */
function exportSpans(
  { settings, applicationName, meter, traces }: EngineOptions,
  onFault: (cause: unknown) => void,
): SpanExporter | undefined {
  if (!settings.metrics.spans) return undefined;
  const resource = {
    "service.name": applicationName.replace(" ", "-"),
    "service.version": thisVersion,
    "deployment.environment.name": settings.environment,
  };
  const exporter = openSpanExporter({ ...settings.metrics.spans, resource, meter, onFault });
  traces.recordBy(exporter.record);
  return exporter;
}

/** Which program runs on which schema; the schema may be migrated under it. */
async function openRelease(
  { settings, applicationName, log }: EngineOptions,
  tx: Tx,
  meter: Meter,
): Promise<Pick<Engine, "release" | "refreshRelease">> {
  const { environment } = settings;
  const { commit = "unknown" } = await readPackage();
  let migration = await findNewestMigration(tx);
  const release = (): Release => ({ version: thisVersion, commit, migration });
  log.info({ ...release(), environment }, `${applicationName} starts.`);
  meter.beforeLook(() => {
    meter.clear("build");
    meter.set("build", [thisVersion, commit, migration], 1);
  });
  return {
    release,
    refreshRelease: async () => {
      migration = await findNewestMigration(tx);
    },
  };
}

/** Batch writers of the jobs whose usual outcome is written with others. */
function writersOf(database: Database, jobs: JobRunner["jobs"]): JobRunner["together"] {
  return new Map(
    [...jobs].flatMap(([name, { together }]) =>
      together ? [[name, gatherWrites(database, (tx, items) => together.write(tx, items))] as const] : [],
    ),
  );
}

/** Nothing is left of one that was swept, so nobody finds it any more. */
async function isClosedUniverse(clients: ClientDirectory, clientId: string): Promise<boolean> {
  if (!isUniverseId(clientId)) return false;
  const { status = "CLOSED" } = (await clients.find(clientId)) ?? {};
  return status === "CLOSED";
}

function jobFaults(log: EngineOptions["log"]): JobRunner["onFault"] {
  return (cause, leased) => {
    if (!leased) return log.warn({ err: cause }, "Due jobs could not be claimed; that will be tried again.");
    const { job, clientId, subjectId, epoch, attempts } = leased;
    const line = { err: cause, job, clientId, subjectId, epoch, attempts };
    const isForPeople =
      (cannotBeStored(cause) && attempts === 0) ||
      (cause instanceof WalletUnclear && attempts === unclearAttempts);
    if (isForPeople) log.error({ ...line, alert: true }, "A wallet says what cannot be read or stored.");
    else log.warn(line, "A job did not come to its end; it will be tried again.");
  };
}

/** A process that took its database for another cell's would serve whom it must not. */
function cellProblems({ fleet: { cell } }: Settings, found = ""): readonly string[] {
  if (cell === found) return [];
  const database = found === "" ? "The database is of no cell" : `The database is of the cell ${found}`;
  return [`${database}, and TOLLGATE_CELL is ${cell === "" ? "not set" : cell}.`];
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`This process must not run here:\n  ${problems.join("\n  ")}`);
}

interface Driving {
  readonly environment: string;
  readonly connectors: ConnectorDirectory;
  readonly clients: ClientDirectory;
  readonly secrets: WalletDriver["secrets"];
  readonly businessNow: Courier["now"];
  readonly log: EngineOptions["log"];
}

function paymentDriver({
  environment,
  connectors,
  clients,
  secrets,
  businessNow,
  log,
}: Driving): WalletDriver {
  return {
    walletOf: async (name) => {
      const connector = await connectors.find(name);
      if (!connector) throw new ConnectorGone(name);
      return connector.wallet;
    },
    termsOf: (name) => connectors.termsOf(name),
    context: ({ aheadMs }) => ({
      environment,
      now: businessNow({ aheadMs }),
      aheadMs,
      randomBelow: (below) => randomInt(below),
      secrets,
    }),
    secrets,
    merchantName: async (clientId) => (await clients.find(clientId))?.name ?? "",
    alert: (what, { clientId, paymentId }) => log.error({ alert: true, clientId, paymentId }, what),
  };
}

/** The key version that signs a merchant's notifications; called, and counted, once per attempt. */
function notificationKeys({
  clients,
  signer,
  keyUses,
  clock,
}: Pick<Engine, "clients" | "signer" | "keyUses" | "clock">): CourierOptions["keyVersionOf"] {
  return async (clientId) => {
    const version = (await clients.find(clientId))?.gatewayKeyVersion ?? signer.newestVersion();
    keyUses.add({ clientId, signed: "NOTIFICATION", version, at: clock.now() });
    return version;
  };
}

/** Fault injection, sandbox only. */
function troubled(courier: Courier, database: Database): Courier {
  return withFaults(courier, async (notification) => {
    const origin = URL.parse(notification.url)?.origin ?? "";
    return committed(
      await database.transaction([notification.clientId], (tx) => takeFault(tx, notification, origin)),
    );
  });
}

function newClockMover(database: Database, turns: Turns, wake: () => void): ClockMover {
  return {
    async step(turn) {
      const { clientId } = turn;
      const stepped = await turns.take(
        clientId,
        () => database.transaction([clientId], (tx) => stepClock(tx, turn)),
        { isEnding: true },
      );
      return committed(stepped);
    },
    wait: (ms) => delay(ms),
    wake,
  };
}

function wayOut(
  { environment, egressPorts: ports, egressProxy: proxy, allowsLoopbackEgress: allowsLoopback }: Settings,
  log: EngineOptions["log"],
  meter: Meter,
): Pick<CourierOptions, "egress" | "onFailure" | "onAttempt"> {
  return {
    egress: openEgress({ environment, ports, proxy, allowsLoopback }),
    onFailure: ({ failure, detail }, about) =>
      log.warn({ ...about, failure, detail }, "A notification did not get through."),
    // For a developer at a terminal. An operator reads attempts from the database, and has millions of them.
    onAttempt: ({ isAcknowledged, httpStatus, failure, timings }, { kind, notificationId, url }) => {
      meter.add("notificationAttempts", [isAcknowledged ? "acknowledged" : "failed"]);
      meter.observe("notificationSeconds", [], timings.totalMs / 1000);
      log.debug({
        notification: kind,
        notificationId,
        to: URL.parse(url)?.origin,
        isAcknowledged,
        httpStatus,
        failure,
        ms: timings.totalMs,
      });
    },
  };
}

/** Starts periodic work. The timers do not keep a process alive. */
export function startTimers(
  every: readonly (readonly [ms: number, work: () => Promise<void>])[],
  onFault: (cause: unknown) => void,
): () => void {
  const timers = every.map(([ms, work]) => setInterval(() => void work().catch(onFault), ms).unref());
  return () => timers.forEach((timer) => clearInterval(timer));
}

export function monotonicMs(): number {
  return performance.now();
}
