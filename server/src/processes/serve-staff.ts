import { setTimeout as delay } from "node:timers/promises";
import { newMeter } from "../telemetry/meter.ts";
import { openBodyReader } from "../http/merchant-api/body-reader.ts";
import { serveConsole } from "../http/people/serve-console.ts";
import { newHealth, serveHealth, type Health } from "../http/listeners/health.ts";
import { newOverloadGuard } from "../http/limits/overload-guard.ts";
import { openPeopleEndpoint, type PeopleGateway } from "../http/people/people-endpoint.ts";
import { newServer, renewCertificate } from "../http/merchant-api/server.ts";
import { admitStaff, runForStaff } from "../http/people/staff-endpoint.ts";
import { openUnauthenticatedLog } from "../http/merchant-api/unauthenticated-log.ts";
import { openAccountsKeys } from "./accounts-keys.ts";
import { drainHttp, reportCertificateExpiry, type HttpProcess } from "./http-process.ts";
import { openStaffRoutes } from "./open-staff-routes.ts";
import { openTraces } from "./open-traces.ts";
import { openOperatorsPort } from "./operators-port.ts";
import { monotonicMs, openProcessCore, startTimers, type ProcessCore } from "./process-core.ts";
import type { Settings } from "../settings/settings.ts";

/**
 * Maximum number of database connections for clock, signer and health. Each request of staff has its own connection,
 * with the login of the console.
 */
const connectionsMax = 2;

/**
 * The API of the operator console in a separate process. Only this process has the login with the role
 * tollgate_console. It reads no byte of a body before the token of a staff member is verified.
 */
export async function serveStaff(settings: Settings): Promise<HttpProcess> {
  const { environment } = settings;
  const guard = newOverloadGuard(monotonicMs);
  const [meter, traces] = [newMeter(), openTraces()];
  const hooks = { onShed: () => meter.add("shed", []), logFields: traces.logFields };
  const app = await newServer(settings, guard, hooks);
  const parts = { settings, log: app.log, meter, traces, connectionsMax };
  const core = await openProcessCore({ ...parts, kind: "staff", applicationName: "tollgate serve-staff" });
  const { clock, onFault } = core;
  const edge: PeopleGateway = {
    environment,
    clock,
    guard,
    bodies: openBodyReader(),
    proxies: settings.trustedProxies,
    log: app.log,
    logUnauthenticated: openUnauthenticatedLog(app.log, monotonicMs),
  };
  const refreshKeys = await openStaffConsole(app, edge, core, settings);

  const shutdown = new AbortController();
  const health = newStaffHealth(core, edge, shutdown.signal);
  serveHealth(app, health, environment);
  await reportCertificateExpiry(meter, settings);
  const operatorsPort = await openOperatorsPort(settings, { ...core, health });
  const stopTimers = startTimers(
    [
      [1_000, () => clock.sample()],
      [5_000, refreshKeys],
      [10_000, () => core.signer.refresh()],
    ],
    onFault,
  );
  const url = await app.listen({ host: settings.host, port: settings.port });
  guard.start();
  return {
    url,
    metricsUrl: operatorsPort?.url,
    reload: () => renewCertificate(app, settings).then(() => reportCertificateExpiry(meter, settings)),
    async stop() {
      shutdown.abort();
      await delay(settings.drainSeconds * 1_000);
      stopTimers();
      await drainHttp(app);
      guard.stop();
      await Promise.all([operatorsPort?.close(), core.spans?.close()]);
      await core.database.close();
    },
  };
}

/** Serves only `/console/staff/`. Returns the function that reloads the keys of the accounts service. */
async function openStaffConsole(
  app: Awaited<ReturnType<typeof newServer>>,
  edge: PeopleGateway,
  { signer, clock }: ProcessCore,
  { environment, consoleAudience: audience, approvalRules, staff }: Settings,
): Promise<() => Promise<void>> {
  const keys = await openAccountsKeys(staff.accountsKeysFile);
  const nowMs = (): number => clock.now().getTime();
  const routes = await openStaffRoutes({ url: staff.databaseUrl, environment, signer, nowMs });
  const options = {
    audience,
    origins: staff.origins,
    keys: () => keys.current(),
    approvalRules,
  };
  const endpoint = openPeopleEndpoint(edge, "staff", options, routes);
  // The parsers are removed, because Fastify would parse the body of a request to an unknown path.
  app.removeAllContentTypeParsers();
  serveConsole(app, endpoint, {
    pathPrefix: "/console/staff/",
    admit: (arrival) => admitStaff(endpoint, arrival),
    run: (_arrival, admitted) => runForStaff(admitted),
  });
  return () => keys.refresh();
}

function newStaffHealth(
  core: ProcessCore,
  { environment, guard }: PeopleGateway,
  shutdown: AbortSignal,
): Health {
  return newHealth({
    ...core,
    environment,
    isDraining: () => shutdown.aborted,
    additionalChecks: () => ({ problems: { overloaded: guard.isOverloaded() } }),
  });
}
