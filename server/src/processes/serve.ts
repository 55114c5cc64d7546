import { newInvalidSignatureLimiter } from "../http/limits/invalid-signature-limiter.ts";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { operations } from "../catalog/operations.ts";
import { newOpenPages } from "../http/pages/open-pages.ts";
import { serveCheckout } from "../http/pages/serve-checkout.ts";
import type { CrashPointHook } from "../core/crash-point.ts";
import { openBodyReader } from "../http/merchant-api/body-reader.ts";
import { serveCallbacks } from "../http/callbacks/provider-callbacks.ts";
import { refreshIntervalMs } from "../merchants/client-directory.ts";
import { openRecentCallCache } from "../merchants/recent-call-cache.ts";
import { newRoute, type Gateway } from "../http/merchant-api/gateway.ts";
import { newMeter } from "../telemetry/meter.ts";
import { openTraces } from "./open-traces.ts";
import { openOperatorsPort } from "./operators-port.ts";
import { newHealth, serveHealth } from "../http/listeners/health.ts";
import { forwardToHomeCell } from "../http/cells/forward-to-home-cell.ts";
import { probeIntervalMs } from "../http/cells/peer-cells.ts";
import { serveHome } from "../http/pages/serve-home.ts";
import { listenOnManySockets } from "../http/listeners/listen-on-many-sockets.ts";
import { newRateLimiter } from "../resilience/limits.ts";
import { newOverloadGuard } from "../http/limits/overload-guard.ts";
import { serveReference } from "../http/pages/api-docs.ts";
import { serveServiceDocument } from "../http/merchant-api/service-document.ts";
import { parseRegionalHosts } from "../core/regional-host.ts";
import { openRequestLog } from "../http/merchant-api/request-log-writer.ts";
import { maintainRequestLog } from "../merchants/request-log.sql.ts";
import { openUnauthenticatedLog } from "../http/merchant-api/unauthenticated-log.ts";
import { newServer, renewCertificate, serveOperations } from "../http/merchant-api/server.ts";
import { serveUniverses } from "../http/merchant-api/universes.ts";
import { isAcknowledgement } from "../notifications/deliver-notification.ts";
import { settlePaidBatch, type PaidCallback } from "../payments/settle-paid-batch.tx.ts";
import { systemScope, type Database } from "../postgres/database.ts";
import { newBatchWriter } from "../postgres/batcher.ts";
import { openControlSecret, type IsControlSecret } from "../signing/control-secret.ts";
import { checkoutToken } from "../signing/secrets.ts";
import { logQueueChanges, openDeliveryQueueLimits } from "../worker/delivery-queue-limits.ts";
import { startInProcessDeliveries } from "../worker/in-process-deliveries.ts";
import { startEngine, type Engine } from "./engine.ts";
import { drainHttp, reportCertificateExpiry, type HttpProcess } from "./http-process.ts";
import { openConsole, type OpenConsole } from "./open-console.ts";
import { openFleet } from "./open-fleet.ts";
import { monotonicMs, startTimers } from "./process-core.ts";
import type { Settings } from "../settings/settings.ts";

const noCrashPoint: CrashPointHook = () => undefined;

export async function serve(settings: Settings, atCrashPoint = noCrashPoint): Promise<HttpProcess> {
  setFlagsFromString(`--heap-growing-percent=${heapGrowthPercent}`);
  const { publicUrl } = settings;
  const guard = newOverloadGuard(monotonicMs);
  const [meter, traces] = [newMeter(), openTraces()];
  const hooks = { onShed: () => meter.add("shed", []), logFields: traces.logFields };
  const app = await newServer(settings, guard, hooks);
  const parts = { settings, log: app.log, atCrashPoint, meter, traces };
  const engine = await startEngine({ applicationName: "tollgate serve", ...parts });
  const { database, keyUses, signer, onFault } = engine;
  guard.closeWhile(() => !signer.isAvailable());
  const settlement = startSettling(engine, settings, app.log);
  // A failure does not prevent the start: if an old partition is locked, it is dropped an hour later.
  await maintainLogPartitions(database).catch(onFault);
  const gateway: Gateway = {
    ...engine,
    environment: settings.environment,
    guard,
    bodies: openBodyReader(),
    proxies: settings.trustedProxies,
    limiter: newRateLimiter(monotonicMs),
    unauthenticatedLimiter: newRateLimiter(monotonicMs),
    invalidSignatureLimiter: newInvalidSignatureLimiter(monotonicMs),
    linkLimiter: newRateLimiter(monotonicMs),
    openPages: newOpenPages(database),
    hosts: settings.hostsFile ? parseRegionalHosts(await readFile(settings.hostsFile, "utf8")) : [],
    pageOrigins: settings.environment === "sandbox" ? settings.consoleOrigins : [],
    routes: routesOf(database, settings),
    requestLog: openRequestLog(database, onFault, settings.requestLogMegabytes * 1_024 ** 2),
    recentCalls: settings.environment === "sandbox" ? openRecentCallCache() : undefined,
    log: app.log,
    logUnauthenticated: openUnauthenticatedLog(app.log, monotonicMs),
    checkoutUrl: checkoutUrls(publicUrl, engine.secrets),
    docsUrl: `${publicUrl}/docs`,
    ...settlement,
  };

  const shutdown = new AbortController();
  const operators = await openHealth(app, gateway, { engine, settings, onFault, shutdown: shutdown.signal });
  const fleetTimers = await joinFleet(app, gateway, engine, settings);
  serveServiceDocument(app, gateway);
  serveReference(app, settings, guard);
  serveCheckout(app, gateway);
  serveOperations(app, gateway);
  serveCallbacks(app, gateway);
  const { controlFrom } = settings;
  serveUniverses(app, gateway, { isSecret: await openControlSecretIfSet(settings), controlFrom, publicUrl });
  const consoleApi = await openConsole(app, gateway, settings);
  serveHome(app, gateway, { publicUrl, ...settings.homeLinks });
  const stopTimers = startTimers([...timersOf(engine, gateway, consoleApi), ...fleetTimers], onFault);
  const { url, close: closeListeners } = await listenOnManySockets(app, settings);
  guard.start();
  return {
    url,
    metricsUrl: operators?.url,
    reload: () => renewCertificate(app, settings).then(() => reportCertificateExpiry(meter, settings)),
    async stop() {
      shutdown.abort();
      // During the delay the process still serves requests, for callers whose proxy has not polled `/readyz` yet.
      await delay(settings.drainSeconds * 1_000);
      stopTimers();
      endStreams(gateway);
      await drainHttp(app, closeListeners);
      await settlement.stop();
      await Promise.all([gateway.requestLog.flush(), keyUses.flush()]);
      guard.stop();
      await consoleApi?.close();
      await Promise.all([operators?.close(), engine.spans?.close()]);
      await database.close();
    },
  };
}

function endStreams({ routes, openPages }: Gateway): void {
  for (const { eventStreams } of routes.values()) eventStreams?.stop();
  openPages.stop();
}

interface HealthParts {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly onFault: (cause: unknown) => void;
  /** Aborted when the process gets a stop signal. */
  readonly shutdown: AbortSignal;
}

/** Health on the merchants' port, and with metrics on the operators' port. */
async function openHealth(
  app: FastifyInstance,
  { guard, requestLog }: Gateway,
  { engine, settings, onFault, shutdown }: HealthParts,
): ReturnType<typeof openOperatorsPort> {
  const { meter } = engine;
  const health = newHealth({
    ...engine,
    environment: settings.environment,
    isDraining: () => shutdown.aborted,
    additionalChecks: () => ({
      problems: { overloaded: guard.isOverloaded() },
      facts: { droppedLogEntries: requestLog.droppedCount() },
    }),
  });
  meter.beforeScrape(() => meter.set("requestLogDropped", [], requestLog.droppedCount()));
  serveHealth(app, health, settings.environment);
  await reportCertificateExpiry(meter, settings);
  return openOperatorsPort(settings, { ...engine, health, onFault });
}

function timersOf(
  engine: Engine,
  { requestLog }: Gateway,
  consoleApi: OpenConsole | undefined,
): Parameters<typeof startTimers>[0] {
  const { database, clients, keyUses, connectors, clock, signer } = engine;
  return [
    [refreshIntervalMs, () => clients.refresh()],
    [250, () => requestLog.flush()],
    [1_000, () => keyUses.flush()],
    [1_000, () => clock.sample()],
    [10_000, () => signer.refresh()],
    [10_000, () => connectors.refresh()],
    [5_000, () => engine.faults.probe()],
    [250, () => connectors.probeUnreachable()],
    [3_600_000, () => maintainLogPartitions(database)],
    [5_000, async () => consoleApi?.refreshKeys()],
  ];
}

/**
 * Forwards requests to the merchants' home cells. Returns the functions that keep the directory up to date; no
 * functions for an installation with a single cell.
 */
async function joinFleet(
  app: FastifyInstance,
  gateway: Gateway,
  engine: Engine,
  settings: Settings,
): Promise<Parameters<typeof startTimers>[0]> {
  const fleet = await openFleet({ ...settings.fleet, environment: settings.environment }, engine);
  if (!fleet) return [];
  forwardToHomeCell(app, gateway, { ...fleet, pageOrigins: settings.consoleOrigins });
  return [
    [1_000, () => fleet.refresh()],
    [probeIntervalMs, () => fleet.peers.probe()],
  ];
}

function checkoutUrls(publicUrl: string, secrets: Engine["secrets"]): Gateway["checkoutUrl"] {
  return (clientId, paymentId) => `${publicUrl}/checkout/${checkoutToken(secrets, clientId, paymentId)}`;
}

/** Settles payments in batches, and sends their webhooks. */
function startSettling(
  { database, runner }: Pick<Engine, "database" | "runner">,
  { notifiesFromServe }: Settings,
  log: FastifyBaseLogger,
): Pick<Gateway, "paidCallbacks" | "deliveries"> & { stop(): Promise<void> } {
  const deliveries = startInProcessDeliveries(runner, {
    inFlightMax: notifiesFromServe ? webhooksInFlightMax : 0,
    limits: openDeliveryQueueLimits({ monotonicMs, onChange: logQueueChanges(log) }),
    wasAcknowledged: isAcknowledgement,
  });
  const paidCallbacks = newBatchWriter<PaidCallback>(database, async (tx, callbacks) => {
    const settled = await settlePaidBatch(tx, callbacks, (queue) => deliveries.freeSlots(queue));
    runner.atCrashPoint("before-callback-commit");
    return settled;
  });
  return { deliveries, paidCallbacks, stop: () => deliveries.stop() };
}

/** Concurrency limit of webhooks that this process sends itself; workers send the rest. */
const webhooksInFlightMax = 64;
/**
 * Allowed heap growth before a garbage collection, in percent of the used heap. V8's default is several times this
 * value, and under a flood of short requests the process would need three times the memory. Measured under a flood:
 * growth of 67 MB at 40 %, and 83 MB at 100 %. At 150 % a payment took 5 % less CPU time than at 40 %.
 */
const heapGrowthPercent = 100;

async function openControlSecretIfSet({
  controlSecretFile: file,
}: Settings): Promise<IsControlSecret | undefined> {
  return file ? openControlSecret(file) : undefined;
}

async function maintainLogPartitions(database: Database): Promise<void> {
  const maintenance = await database.transaction(systemScope, (tx) => maintainRequestLog(tx));
  if (maintenance.outcome !== "committed")
    throw new Error("Maintaining the request log failed.", { cause: maintenance.cause });
}

function routesOf(database: Database, { environment }: Settings): Gateway["routes"] {
  return new Map(operations.map((operation) => [operation.path, newRoute(operation, database, environment)]));
}
