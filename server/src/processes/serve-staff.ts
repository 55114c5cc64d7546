import { setTimeout as delay } from "node:timers/promises";
import { newMeter } from "../telemetry/meter.ts";
import { openBodyReader } from "../http/merchant-api/body-reader.ts";
import { serveConsole } from "../http/people/console.ts";
import { healthOf, serveHealth, type Health } from "../http/listeners/health.ts";
import { watchOverload } from "../http/limits/overload.ts";
import { openPeopleEndpoint, type PeopleEdge } from "../http/people/people-endpoint.ts";
import { newServer, renewCertificate } from "../http/merchant-api/server.ts";
import { admitStaff, runForStaff } from "../http/people/staff-endpoint.ts";
import { openUnauthenticatedLog } from "../http/merchant-api/unauthenticated-log.ts";
import { openAccountsKeys } from "./accounts-keys.ts";
import { drainHttp, showCertificate, type Serving } from "./http-process.ts";
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
export async function serveStaff(settings: Settings): Promise<Serving> {
  const { environment } = settings;
  const guard = watchOverload(monotonicMs);
  const [meter, traces] = [newMeter(), openTraces()];
  const hooks = { onShed: () => meter.add("shed", []), lineOf: traces.line };
  const app = await newServer(settings, guard, hooks);
  const parts = { settings, log: app.log, meter, traces, connectionsMax };
  const core = await openProcessCore({ ...parts, kind: "staff", applicationName: "tollgate serve-staff" });
  const { clock, onFault } = core;
  const edge: PeopleEdge = {
    environment,
    clock,
    guard,
    bodies: openBodyReader(),
    proxies: settings.trustedProxies,
    log: app.log,
    logStranger: openUnauthenticatedLog(app.log, monotonicMs),
  };
  const refreshKeys = await openStaffConsole(app, edge, core, settings);

  const leaving = new AbortController();
  const health = staffHealth(core, edge, leaving.signal);
  serveHealth(app, health, environment);
  await showCertificate(meter, settings);
  const operators = await openOperatorsPort(settings, { ...core, health });
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
    metricsUrl: operators?.url,
    reload: () => renewCertificate(app, settings).then(() => showCertificate(meter, settings)),
    async stop() {
      leaving.abort();
      await delay(settings.drainSeconds * 1_000);
      stopTimers();
      await drainHttp(app);
      guard.stop();
      await Promise.all([operators?.close(), core.spans?.close()]);
      await core.database.close();
    },
  };
}

/** Serves only `/console/staff/`. Returns the function that reloads the keys of the accounts service. */
async function openStaffConsole(
  app: Awaited<ReturnType<typeof newServer>>,
  edge: PeopleEdge,
  { signer, clock }: ProcessCore,
  { environment, consoleAudience: audience, secondPerson, staff }: Settings,
): Promise<() => Promise<void>> {
  const keys = await openAccountsKeys(staff.accountsKeysFile);
  const nowMs = (): number => clock.now().getTime();
  const routes = await openStaffRoutes({ url: staff.databaseUrl, environment, signer, nowMs });
  const options = {
    audience,
    origins: staff.origins,
    keys: () => keys.current(),
    secondPerson,
  };
  const door = openPeopleEndpoint(edge, "staff", options, routes);
  // The parsers are removed, because Fastify would parse the body of a request to an unknown path.
  app.removeAllContentTypeParsers();
  serveConsole(app, door, {
    below: "/console/staff/",
    admit: (arrival) => admitStaff(door, arrival),
    run: (_arrival, admitted) => runForStaff(admitted),
  });
  return () => keys.refresh();
}

function staffHealth(core: ProcessCore, { environment, guard }: PeopleEdge, leaving: AbortSignal): Health {
  return healthOf({
    ...core,
    environment,
    isDraining: () => leaving.aborted,
    more: () => ({ problems: { overloaded: guard.overloaded() } }),
  });
}
