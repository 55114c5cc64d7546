import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { stepClock } from "../test-clocks/clock-turn.sql.ts";
import type { ClockMover } from "../test-clocks/turn-clock.ts";
import type { Meter } from "../core/meter.ts";
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
import type { WalletDriver } from "../jobs/wallet-driver.ts";
import { cannotBeStored, committed, type Database } from "../postgres/database.ts";
import { gatherWrites } from "../postgres/together.ts";
import { openTurns, type Turns } from "../postgres/turns.ts";
import { newWaker } from "../postgres/wake.ts";
import { secretKeeper } from "../signing/secrets.ts";
import { openConnectorDirectory, type ConnectorDirectory } from "../wallets/connector-directory.ts";
import { listConnectors } from "../wallets/connector.sql.ts";
import { ConnectorGone } from "../wallets/connector.ts";
import { WalletUnclear } from "../wallets/wallet.ts";
import { monotonicMs, openProcessCore, type ProcessCore, type ProcessOptions } from "./process-core.ts";
import type { Settings } from "./settings.ts";

/** What `serve` and `work` share: both can run any job to its end. */
export interface Engine extends ProcessCore {
  readonly clients: ClientDirectory;
  readonly keyUses: KeyUseBook;
  readonly connectors: ConnectorDirectory;
  readonly runner: JobRunner;
  readonly driver: WalletDriver;
}

export interface EngineOptions extends Omit<ProcessOptions, "kind" | "connectionsMax"> {
  readonly at: At;
}

/** After so many unreadable answers, about half a minute of retries, the wallet is not just busy: alert. */
const unclearAttempts = 5;

/** Dependency injection by hand: everything is made here, once, and passed on. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { settings, log, at, traces } = options;
  const { environment, publicUrl, databaseConnectionsMax: connectionsMax } = settings;
  const means = { ...options, kind: "gateway", connectionsMax } as const;
  const core = await openProcessCore(means);
  const { database, asSystem, clock, signer, secrets, meter, faults, onFault } = core;
  const keeper = secretKeeper(secrets);

  const now = (): Date => clock.now();
  const businessNow: Courier["now"] = ({ aheadMs }) => new Date(clock.now().getTime() + aheadMs);
  const clients = openClientDirectory(database, monotonicMs);
  const callbackUrl = (connector: string): string => `${publicUrl}/wallets/${connector}/callbacks`;
  const load = (): ReturnType<typeof listConnectors> => listConnectors(asSystem);
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
  return { ...core, ...directories, runner, driver };
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
