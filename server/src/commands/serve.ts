import { watchForgers } from "../http/forgers.ts";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { operations } from "../api/operations.ts";
import { gatherPages } from "../http/open-pages.ts";
import { serveCheckout } from "../http/checkout.ts";
import type { At } from "../core/crash-point.ts";
import { openBodyReader } from "../http/body-reader.ts";
import { serveCallbacks } from "../http/callbacks.ts";
import { refreshEveryMs } from "../merchants/client-directory.ts";
import { openRecentCallBook } from "../merchants/recent-call-book.ts";
import { routeTo, type Gateway } from "../http/gateway.ts";
import { newMeter } from "../core/meter.ts";
import { openTraces } from "./open-traces.ts";
import { openOperatorsPort } from "./operators-port.ts";
import { healthOf, serveHealth } from "../http/health.ts";
import { leadElsewhere } from "../http/elsewhere.ts";
import { probeEveryMs } from "../http/peer-cells.ts";
import { serveHome } from "../http/home.ts";
import { listenWidely } from "../http/listen.ts";
import { newLimiter } from "../core/limits.ts";
import { watchOverload } from "../http/overload.ts";
import { serveReference } from "../http/api-docs.ts";
import { serveService } from "../http/service.ts";
import { readRegionalHosts } from "../core/regional-host.ts";
import { openRequestLog } from "../http/request-log.ts";
import { maintainRequestLog } from "../merchants/request-log.sql.ts";
import { openStrangersLog } from "../http/strangers-log.ts";
import { newServer, renewCertificate, serveOperations } from "../http/server.ts";
import { serveUniverses } from "../http/universes.ts";
import { tookNote } from "../notifications/deliver-notification.ts";
import { recordPaidTogether, type PaidCallback } from "../payments/record-paid-together.tx.ts";
import { systemScope, type Database } from "../postgres/database.ts";
import { gatherWrites } from "../postgres/together.ts";
import { openControlSecret, type IsControlSecret } from "../signing/control-secret.ts";
import { checkoutToken } from "../signing/secrets.ts";
import { laneLog, openLaneBook } from "../worker/lane-book.ts";
import { startOwnDeliveries } from "../worker/own-deliveries.ts";
import { startEngine, type Engine } from "./engine.ts";
import { drainHttp, showCertificate, type Serving } from "./http-process.ts";
import { openConsole, type OpenConsole } from "./open-console.ts";
import { openFleet } from "./open-fleet.ts";
import { monotonicMs, startTimers } from "./process-core.ts";
import type { Settings } from "./settings.ts";

export async function serve(settings: Settings, at: At = () => undefined): Promise<Serving> {
  setFlagsFromString(`--heap-growing-percent=${heapGrowthPercent}`);
  const { publicUrl } = settings;
  const guard = watchOverload(monotonicMs);
  const [meter, traces] = [newMeter(), openTraces()];
  const hooks = { onShed: () => meter.add("shed", []), lineOf: traces.line };
  const app = await newServer(settings, guard, hooks);
  const parts = { settings, log: app.log, at, meter, traces };
  const engine = await startEngine({ applicationName: "tollgate serve", ...parts });
  const { database, keyUses, signer, onFault } = engine;
  guard.closeWhile(() => !signer.isWell());
  const settling = startSettling(engine, settings, app.log);
  // An old partition that is locked is dropped an hour later; that is no reason not to serve.
  await maintain(database).catch(onFault);
  const gateway: Gateway = {
    ...engine,
    environment: settings.environment,
    guard,
    bodies: openBodyReader(),
    proxies: settings.trustedProxies,
    limiter: newLimiter(monotonicMs),
    strangersLimiter: newLimiter(monotonicMs),
    forgers: watchForgers(monotonicMs),
    linkLimiter: newLimiter(monotonicMs),
    pages: gatherPages(database),
    hosts: settings.hostsFile ? readRegionalHosts(await readFile(settings.hostsFile, "utf8")) : [],
    pageOrigins: settings.environment === "sandbox" ? settings.consoleOrigins : [],
    routes: routesOf(database, settings),
    requestLog: openRequestLog(database, onFault, settings.requestLogMegabytes * 1_024 ** 2),
    recentCalls: settings.environment === "sandbox" ? openRecentCallBook() : undefined,
    log: app.log,
    logStranger: openStrangersLog(app.log, monotonicMs),
    checkoutUrl: checkoutUrls(publicUrl, engine.secrets),
    docsUrl: `${publicUrl}/docs`,
    ...settling,
  };

  const leaving = new AbortController();
  const operators = await openHealth(app, gateway, { engine, settings, onFault, leaving: leaving.signal });
  const ofFleet = await joinFleet(app, gateway, engine, settings);
  serveService(app, gateway);
  serveReference(app, settings, guard);
  serveCheckout(app, gateway);
  serveOperations(app, gateway);
  serveCallbacks(app, gateway);
  const { controlFrom } = settings;
  serveUniverses(app, gateway, { isSecret: await controlSecretOf(settings), controlFrom, publicUrl });
  const people = await openConsole(app, gateway, settings);
  serveHome(app, gateway, { publicUrl, ...settings.homeLinks });
  const stopTimers = startTimers([...timersOf(engine, gateway, people), ...ofFleet], onFault);
  const { url, close: closeListeners } = await listenWidely(app, settings);
  guard.start();
  return {
    url,
    metricsUrl: operators?.url,
    reload: () => renewCertificate(app, settings).then(() => showCertificate(meter, settings)),
    async stop() {
      leaving.abort();
      // Everything still runs: callers whose proxy has not looked at `/readyz` yet are served as before.
      await delay(settings.drainSeconds * 1_000);
      stopTimers();
      endStreams(gateway);
      await drainHttp(app, closeListeners);
      await settling.stop();
      await Promise.all([gateway.requestLog.flush(), keyUses.flush()]);
      guard.stop();
      await people?.close();
      await Promise.all([operators?.close(), engine.spans?.close()]);
      await database.close();
    },
  };
}

function endStreams({ routes, pages }: Gateway): void {
  for (const { followers } of routes.values()) followers?.stop();
  pages.stop();
}

interface HealthParts {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly onFault: (cause: unknown) => void;
  /** Aborted when the process is told to stop. */
  readonly leaving: AbortSignal;
}

/** Health on the merchants' port, and with metrics on the operators'. */
async function openHealth(
  app: FastifyInstance,
  { guard, requestLog }: Gateway,
  { engine, settings, onFault, leaving }: HealthParts,
): ReturnType<typeof openOperatorsPort> {
  const { meter } = engine;
  const health = healthOf({
    ...engine,
    environment: settings.environment,
    isDraining: () => leaving.aborted,
    more: () => ({
      problems: { overloaded: guard.overloaded() },
      facts: { droppedLogEntries: requestLog.droppedCount() },
    }),
  });
  meter.beforeLook(() => meter.set("requestLogDropped", [], requestLog.droppedCount()));
  serveHealth(app, health, settings.environment);
  await showCertificate(meter, settings);
  return openOperatorsPort(settings, { ...engine, health, onFault });
}

function timersOf(
  engine: Engine,
  { requestLog }: Gateway,
  people: OpenConsole | undefined,
): Parameters<typeof startTimers>[0] {
  const { database, clients, keyUses, connectors, clock, signer } = engine;
  return [
    [refreshEveryMs, () => clients.refresh()],
    [250, () => requestLog.flush()],
    [1_000, () => keyUses.flush()],
    [1_000, () => clock.sample()],
    [10_000, () => signer.refresh()],
    [10_000, () => connectors.refresh()],
    [5_000, () => engine.faults.probe()],
    [250, () => connectors.tryUnreachable()],
    [3_600_000, () => maintain(database)],
    [5_000, async () => people?.refreshKeys()],
  ];
}

/** A cell leads calls to their merchants' homes. Gives what keeps it up to date: nothing, for an installation that is alone. */
async function joinFleet(
  app: FastifyInstance,
  gateway: Gateway,
  engine: Engine,
  settings: Settings,
): Promise<Parameters<typeof startTimers>[0]> {
  const fleet = await openFleet({ ...settings.fleet, environment: settings.environment }, engine);
  if (!fleet) return [];
  leadElsewhere(app, gateway, { ...fleet, pageOrigins: settings.consoleOrigins });
  return [
    [1_000, () => fleet.refresh()],
    [probeEveryMs, () => fleet.peers.probe()],
  ];
}

function checkoutUrls(publicUrl: string, secrets: Engine["secrets"]): Gateway["checkoutUrl"] {
  return (clientId, paymentId) => `${publicUrl}/checkout/${checkoutToken(secrets, clientId, paymentId)}`;
}

/** Settles payments in batches, and sends their notifications. */
function startSettling(
  { database, runner }: Pick<Engine, "database" | "runner">,
  { notifiesFromServe }: Settings,
  log: FastifyBaseLogger,
): Pick<Gateway, "paid" | "deliveries"> & { stop(): Promise<void> } {
  const deliveries = startOwnDeliveries(runner, {
    inFlightMax: notifiesFromServe ? notificationsAtOnce : 0,
    lanes: openLaneBook({ monotonicMs, onChange: laneLog(log) }),
    wasGood: tookNote,
  });
  const paid = gatherWrites<PaidCallback>(database, async (tx, callbacks) => {
    const written = await recordPaidTogether(tx, callbacks, (lane) => deliveries.room(lane));
    runner.at("before-callback-commit");
    return written;
  });
  return { deliveries, paid, stop: () => deliveries.stop() };
}

/** Concurrency limit of notifications that this process sends itself; past it they are a worker's. */
const notificationsAtOnce = 64;
/**
 * Heap growth allowed before a garbage collection, relative to what is in use. V8's default is several times
 * that; under a flood of short requests the process would grow to three times the size that it needs. A flood grew
 * it by 67 MB at 40, and by 83 at 100; at 150 a payment took 5 % less of its CPU time than at 40.
 */
const heapGrowthPercent = 100;

async function controlSecretOf({ controlSecretFile: file }: Settings): Promise<IsControlSecret | undefined> {
  return file ? openControlSecret(file) : undefined;
}

async function maintain(database: Database): Promise<void> {
  const kept = await database.transaction(systemScope, (tx) => maintainRequestLog(tx));
  if (kept.outcome !== "committed")
    throw new Error("The request log was not maintained.", { cause: kept.cause });
}

function routesOf(database: Database, { environment }: Settings): Gateway["routes"] {
  return new Map(operations.map((operation) => [operation.path, routeTo(operation, database, environment)]));
}
