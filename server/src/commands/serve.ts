import { operations } from "../api/operations.ts";
import { requestReader } from "../api/read-request.ts";
import { startClock } from "../core/clock.ts";
import { openClientDirectory, refreshEveryMs } from "../http/client-directory.ts";
import type { Gateway } from "../http/gateway.ts";
import { serveHealth } from "../http/health.ts";
import { newLimiter } from "../http/limits.ts";
import { watchOverload } from "../http/overload.ts";
import { openRequestLog } from "../http/request-log.ts";
import { maintainRequestLog } from "../http/request-log.sql.ts";
import { newServer, serveOperations } from "../http/server.ts";
import { serveReference } from "../http/reference.ts";
import { listGatewayKeys } from "../merchants/gateway-key.sql.ts";
import { openDatabase, type Database } from "../postgres/database.ts";
import { preflight } from "../postgres/preflight.ts";
import { databaseTimeMs } from "../postgres/time.sql.ts";
import { openSigner, readKeyEncryptionKey } from "../signing/gateway-keys.ts";
import type { Settings } from "./settings.ts";

export interface Serving {
  readonly url: string;
  /** Answers what has arrived, takes nothing new, and leaves. */
  stop(): Promise<void>;
}

/** What is not about a merchant is asked in the name of nobody: no client has an empty id. */
const nobody = [""];

/** Wires the gateway by hand: what it needs is made here, once, and passed on. */
export async function serve(settings: Settings): Promise<Serving> {
  const { environment, databaseUrl } = settings;
  const problems = await preflight(databaseUrl, environment);
  if (problems.length > 0) throw new Error(`This process must not serve:\n  ${problems.join("\n  ")}`);

  const app = await newServer(settings);
  const fault = (cause: unknown): void => app.log.error({ err: cause }, "A fault in the background.");
  const database = openDatabase({
    url: databaseUrl,
    applicationName: "tollgate serve",
    connectionsMax: settings.databaseConnectionsMax,
    onFault: fault,
  });
  const guard = watchOverload(monotonicMs);
  const gateway: Gateway = {
    environment,
    database,
    clock: await startClock({ monotonicMs, databaseMs: () => databaseTimeMs(database.reader(nobody)) }),
    signer: await signerFor(settings, database),
    clients: openClientDirectory(database, monotonicMs),
    limiter: newLimiter(monotonicMs),
    routes: new Map(operations.map((o) => [o.path, { operation: o, readRequest: requestReader(o.request) }])),
    requestLog: openRequestLog(database, fault),
    log: app.log,
    overloaded: guard.overloaded,
    docsUrl: `${settings.publicUrl}/docs`,
  };
  await keepRequestLog(database, settings.requestLogDays);

  serveHealth(app, gateway);
  serveReference(app);
  serveOperations(app, gateway, guard);
  const timers = startTimers(gateway, settings, fault);
  const url = await app.listen({ host: settings.host, port: settings.port });
  return {
    url,
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await app.close();
      await gateway.requestLog.flush();
      guard.stop();
      await database.close();
    },
  };
}

async function signerFor(settings: Settings, database: Database): ReturnType<typeof openSigner> {
  const keyEncryptionKey = await readKeyEncryptionKey(settings.keyFile);
  return openSigner(() => listGatewayKeys(database.reader(nobody)), keyEncryptionKey, settings.environment);
}

async function keepRequestLog(database: Database, days: number): Promise<void> {
  const kept = await database.transaction(nobody, (tx) => maintainRequestLog(tx, days));
  if (kept.outcome !== "committed")
    throw new Error("The request log was not maintained.", { cause: kept.cause });
}

function startTimers(
  gateway: Gateway,
  settings: Settings,
  fault: (cause: unknown) => void,
): NodeJS.Timeout[] {
  const every = (ms: number, work: () => Promise<void>): NodeJS.Timeout =>
    setInterval(() => void work().catch(fault), ms).unref();
  return [
    every(refreshEveryMs, () => gateway.clients.refresh()),
    every(250, () => gateway.requestLog.flush()),
    every(1_000, () => gateway.clock.sample()),
    every(10_000, () => gateway.signer.refresh()),
    every(3_600_000, () => keepRequestLog(gateway.database, settings.requestLogDays)),
  ];
}

function monotonicMs(): number {
  return performance.now();
}
