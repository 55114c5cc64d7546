import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { moveClockToNextJob } from "../test-clocks/clock-advance.sql.ts";
import type { ClockMover } from "../test-clocks/advance-clock-job.ts";
import type { Meter } from "../telemetry/meter.ts";
import type { CrashPointHook } from "../core/crash-point.ts";
import { isUniverseId } from "../core/universe-id.ts";
import { openClientDirectory, type ClientDirectory } from "../merchants/client-directory.ts";
import { openKeyUseCache, type KeyUseCache } from "../keys/key-use-cache.ts";
import type { JobRunner } from "../contract/job.ts";
import { buildJobs } from "../catalog/jobs.ts";
import type { WebhookSender } from "../notifications/deliver-notification.ts";
import { injectWebhookFaults } from "../egress/faulty-webhook-sender.ts";
import { takeFault } from "../notifications/notification-fault.sql.ts";
import { createHttpWebhookSender, type WebhookSenderOptions } from "../egress/webhook-sender.ts";
import { openEgress } from "../egress/egress.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
import { isValueRejected } from "../postgres/database-error.ts";
import { requireCommitted, type Database } from "../postgres/database.ts";
import { newBatchWriter } from "../postgres/batcher.ts";
import { openMerchantQueue, type MerchantQueue } from "../postgres/merchant-queue.ts";
import { newWaker } from "../postgres/wake.ts";
import { createSecretKeeper } from "../signing/secrets.ts";
import { createHttpProviderFactory } from "../egress/http-provider-factory.ts";
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
  readonly atCrashPoint: CrashPointHook;
}

/** Number of unusable responses after which an alert is logged: about half a minute of retries. */
const unclearAttempts = 5;

/** Opens the engine. Dependency injection by hand: it creates all objects only once, and passes them on. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { settings, log, atCrashPoint, traces } = options;
  const { environment, publicUrl, databaseConnectionsMax: connectionsMax } = settings;
  const coreOptions = { ...options, kind: "gateway", connectionsMax } as const;
  const core = await openProcessCore(coreOptions);
  const { database, systemReader, clock, signer, secrets, meter, faults, onFault } = core;
  const keeper = createSecretKeeper(secrets);

  const now = (): Date => clock.now();
  const businessNow: WebhookSender["now"] = ({ aheadMs }) => new Date(clock.now().getTime() + aheadMs);
  const clients = openClientDirectory(database, monotonicMs);
  const callbackUrl = (connector: string): string => `${publicUrl}/providers/${connector}/callbacks`;
  const load = (): ReturnType<typeof listConnectors> => listConnectors(systemReader);
  const onReachable = (connector: string, isReachable: boolean): void =>
    log.warn(
      { connector },
      isReachable ? "A payment provider responds again." : "A payment provider does not respond.",
    );
  const openProvider = createHttpProviderFactory({ signer, now, callbackUrl, traces });
  const providers = { load, openProvider, environment, monotonicMs, onReachable, meter };
  const connectors = await openConnectorDirectory(providers);
  const driver = newProviderDriver({ environment, connectors, clients, secrets: keeper, businessNow, log });
  const keyUses = openKeyUseCache(database, onFault);
  const keyVersionOf = newWebhookKeyLookup({ clients, signer, keyUses, clock });
  const courier = createHttpWebhookSender({
    signer,
    keyVersionOf,
    now,
    businessNow,
    secrets: keeper,
    explains: environment === "sandbox",
    traces,
    ...courierOptions(settings, log, meter),
  });
  const wake = newWaker(systemReader, onFault);
  const merchantQueue = openMerchantQueue();
  const jobs = buildJobs(
    driver,
    environment === "sandbox" ? injectFaults(courier, database) : courier,
    newClockMover(database, merchantQueue, wake),
  );
  const runner: JobRunner = {
    database,
    clock,
    monotonicMs,
    atCrashPoint,
    jobs,
    batchers: newBatchWriters(database, jobs),
    merchantQueues: merchantQueue,
    wake,
    isClosed: (clientId) => isClosedUniverse(clients, clientId),
    onFault: newJobFaultHandler(log),
    traces,
    newUuid: () => randomUUID(),
    meter,
    faults,
  };
  const directories = { clients, keyUses, connectors };
  return { ...core, ...directories, runner, driver };
}

/** Batch writers of the jobs whose usual outcome is written in a batch. */
function newBatchWriters(database: Database, jobs: JobRunner["jobs"]): JobRunner["batchers"] {
  return new Map(
    [...jobs].flatMap(([name, { batchWriter }]) =>
      batchWriter
        ? [[name, newBatchWriter(database, (tx, items) => batchWriter.write(tx, items))] as const]
        : [],
    ),
  );
}

/** Whether an isolated test merchant is closed. One whose rows were deleted is not found, and counts as closed. */
async function isClosedUniverse(clients: ClientDirectory, clientId: string): Promise<boolean> {
  if (!isUniverseId(clientId)) return false;
  const { status = "CLOSED" } = (await clients.find(clientId)) ?? {};
  return status === "CLOSED";
}

function newJobFaultHandler(log: EngineOptions["log"]): JobRunner["onFault"] {
  return (cause, leasedJob) => {
    if (!leasedJob) return log.warn({ err: cause }, "Claiming due jobs failed and will be retried.");
    const { job, clientId, subjectId, epoch, attempts } = leasedJob;
    const line = { err: cause, job, clientId, subjectId, epoch, attempts };
    const needsAlert =
      (isValueRejected(cause) && attempts === 0) ||
      (cause instanceof ProviderUnclear && attempts === unclearAttempts);
    if (needsAlert)
      log.error({ ...line, alert: true }, "A payment provider's report cannot be parsed or stored.");
    else log.warn(line, "A job failed and will be retried.");
  };
}

interface DriverParts {
  readonly environment: string;
  readonly connectors: ConnectorDirectory;
  readonly clients: ClientDirectory;
  readonly secrets: ProviderDriver["secrets"];
  readonly businessNow: WebhookSender["now"];
  readonly log: EngineOptions["log"];
}

function newProviderDriver({
  environment,
  connectors,
  clients,
  secrets,
  businessNow,
  log,
}: DriverParts): ProviderDriver {
  return {
    providerOf: async (name) => {
      const connector = await connectors.find(name);
      if (!connector) throw new ConnectorRemovedError(name);
      return connector.provider;
    },
    termsOf: (name) => connectors.termsOf(name),
    wantsOf: (name) => connectors.wantsOf(name),
    context: ({ aheadMs }) => ({
      environment,
      now: businessNow({ aheadMs }),
      aheadMs,
      randomBelow: (below) => randomInt(below),
      secrets,
      termsOf: (name) => connectors.termsOf(name),
    }),
    secrets,
    merchantName: async (clientId) => (await clients.find(clientId))?.name ?? "",
    alert: (message, { clientId, paymentId }) => log.error({ alert: true, clientId, paymentId }, message),
  };
}

/** Returns the key version that signs a merchant's webhooks. It is queried, and counted, once per attempt. */
function newWebhookKeyLookup({
  clients,
  signer,
  keyUses,
  clock,
}: Pick<Engine, "clients" | "signer" | "keyUses" | "clock">): WebhookSenderOptions["keyVersionOf"] {
  return async (clientId) => {
    const version = (await clients.find(clientId))?.gatewayKeyVersion ?? signer.newestVersion();
    keyUses.add({ clientId, messageKind: "NOTIFICATION", version, at: clock.now() });
    return version;
  };
}

/** Fault injection, sandbox only. */
function injectFaults(courier: WebhookSender, database: Database): WebhookSender {
  return injectWebhookFaults(courier, async (notification) => {
    const origin = URL.parse(notification.url)?.origin ?? "";
    return requireCommitted(
      await database.transaction([notification.clientId], (tx) => takeFault(tx, notification, origin)),
    );
  });
}

function newClockMover(database: Database, merchantQueue: MerchantQueue, wake: () => void): ClockMover {
  return {
    async step(turn) {
      const { clientId } = turn;
      const step = await merchantQueue.run(
        clientId,
        () => database.transaction([clientId], (tx) => moveClockToNextJob(tx, turn)),
        { isCompletion: true },
      );
      return requireCommitted(step);
    },
    wait: (ms) => delay(ms),
    wake,
  };
}

function courierOptions(
  { environment, egressPorts: ports, egressProxy: proxy, allowsLoopbackEgress: allowsLoopback }: Settings,
  log: EngineOptions["log"],
  meter: Meter,
): Pick<WebhookSenderOptions, "egress" | "onFailure" | "onAttempt"> {
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
