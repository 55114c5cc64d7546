import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { stepClock } from "../test-clocks/clock-turn.sql.ts";
import type { ClockMover } from "../test-clocks/turn-clock.ts";
import type { Meter } from "../telemetry/meter.ts";
import type { At } from "../core/crash-point.ts";
import { isUniverseId } from "../core/universe-id.ts";
import { openClientDirectory, type ClientDirectory } from "../merchants/client-directory.ts";
import { openKeyUseCache, type KeyUseCache } from "../keys/key-use-cache.ts";
import type { JobRunner } from "../contract/job.ts";
import { allJobs } from "../catalog/jobs.ts";
import type { Courier } from "../notifications/deliver-notification.ts";
import { withFaults } from "../egress/faulty-courier.ts";
import { takeFault } from "../notifications/fault.sql.ts";
import { httpCourier, type CourierOptions } from "../egress/courier.ts";
import { openEgress } from "../egress/egress.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
import { cannotBeStored } from "../postgres/database-error.ts";
import { committed, type Database } from "../postgres/database.ts";
import { batchWrites } from "../postgres/batcher.ts";
import { openMerchantQueue, type Turns } from "../postgres/merchant-queue.ts";
import { newWaker } from "../postgres/wake.ts";
import { secretKeeper } from "../signing/secrets.ts";
import { newHttpProviders } from "../egress/http-providers.ts";
import { openConnectorDirectory, type ConnectorDirectory } from "../providers/connector-directory.ts";
import { listConnectors } from "../providers/connector.sql.ts";
import { ConnectorRemovedError } from "../providers/connector.ts";
import { ProviderUnclear } from "../providers/provider.ts";
import { monotonicMs, openProcessCore, type ProcessCore, type ProcessOptions } from "./process-core.ts";
import type { Settings } from "../settings/settings.ts";

/** The common part of `serve` and `work`: both can run any job. */
export interface Engine extends ProcessCore {
  readonly clients: ClientDirectory;
  readonly keyUses: KeyUseCache;
  readonly connectors: ConnectorDirectory;
  readonly runner: JobRunner;
  readonly driver: ProviderDriver;
}

export interface EngineOptions extends Omit<ProcessOptions, "kind" | "connectionsMax"> {
  readonly at: At;
}

/** Number of unusable responses after which an alert is logged: about half a minute of retries. */
const unclearAttempts = 5;

/** Opens the engine. Dependency injection by hand: it creates all objects only once, and passes them on. */
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
    log.warn(
      { connector },
      isReachable ? "A payment provider responds again." : "A payment provider does not respond.",
    );
  const openWallet = newHttpProviders({ signer, now, callbackUrl, traces });
  const providers = { load, openWallet, environment, monotonicMs, onReachable, meter };
  const connectors = await openConnectorDirectory(providers);
  const driver = paymentDriver({ environment, connectors, clients, secrets: keeper, businessNow, log });
  const keyUses = openKeyUseCache(database, onFault);
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
  const turns = openMerchantQueue();
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

/** Batch writers of the jobs whose usual outcome is written in a batch. */
function writersOf(database: Database, jobs: JobRunner["jobs"]): JobRunner["together"] {
  return new Map(
    [...jobs].flatMap(([name, { together }]) =>
      together ? [[name, batchWrites(database, (tx, items) => together.write(tx, items))] as const] : [],
    ),
  );
}

/** Whether an isolated test merchant is closed. One whose rows were deleted is not found, and counts as closed. */
async function isClosedUniverse(clients: ClientDirectory, clientId: string): Promise<boolean> {
  if (!isUniverseId(clientId)) return false;
  const { status = "CLOSED" } = (await clients.find(clientId)) ?? {};
  return status === "CLOSED";
}

function jobFaults(log: EngineOptions["log"]): JobRunner["onFault"] {
  return (cause, leased) => {
    if (!leased) return log.warn({ err: cause }, "Claiming due jobs failed and will be retried.");
    const { job, clientId, subjectId, epoch, attempts } = leased;
    const line = { err: cause, job, clientId, subjectId, epoch, attempts };
    const isForPeople =
      (cannotBeStored(cause) && attempts === 0) ||
      (cause instanceof ProviderUnclear && attempts === unclearAttempts);
    if (isForPeople)
      log.error({ ...line, alert: true }, "A payment provider's report cannot be parsed or stored.");
    else log.warn(line, "A job failed and will be retried.");
  };
}

interface Driving {
  readonly environment: string;
  readonly connectors: ConnectorDirectory;
  readonly clients: ClientDirectory;
  readonly secrets: ProviderDriver["secrets"];
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
}: Driving): ProviderDriver {
  return {
    providerOf: async (name) => {
      const connector = await connectors.find(name);
      if (!connector) throw new ConnectorRemovedError(name);
      return connector.provider;
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

/** Returns the key version that signs a merchant's webhooks. It is queried, and counted, once per attempt. */
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
      log.warn({ ...about, failure, detail }, "Delivering a webhook failed."),
    // The log of attempts is for a developer at a terminal. An operator reads attempts from the database, because there
    // are millions of them.
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
