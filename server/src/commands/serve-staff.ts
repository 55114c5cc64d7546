import { setTimeout as delay } from "node:timers/promises";
import { newMeter } from "../core/meter.ts";
import { openBodyReader } from "../http/body-reader.ts";
import { serveConsole } from "../http/console.ts";
import { healthOf, serveHealth, type Health } from "../http/health.ts";
import { watchOverload } from "../http/overload.ts";
import { openPeopleDoor, type PeopleEdge } from "../http/people-door.ts";
import { newServer, renewCertificate } from "../http/server.ts";
import { admitStaff, runForStaff } from "../http/staff-door.ts";
import { openStrangersLog } from "../http/strangers-log.ts";
import { openAccountsKeys } from "./accounts-keys.ts";
import { drainHttp, showCertificate, type Serving } from "./http-process.ts";
import { openStaffDesk } from "./open-staff-desk.ts";
import { openTraces } from "./open-traces.ts";
import { openOperatorsPort } from "./operators-port.ts";
import { monotonicMs, openProcessCore, startTimers, type ProcessCore } from "./process-core.ts";
import type { Settings } from "./settings.ts";

/** For clock, signer and health. Each request of staff has a connection of its own, with the login of the console. */
const connectionsMax = 2;

/**
 * The API of the operator console, in a process of its own. It alone holds the login with the role tollgate_console, and it reads no byte
 * of a body before the token of a person of staff is verified.
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
    logStranger: openStrangersLog(app.log, monotonicMs),
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

/** Serves `/console/staff/`, and no other path. Returns what reads the keys of accounts again. */
async function openStaffConsole(
  app: Awaited<ReturnType<typeof newServer>>,
  edge: PeopleEdge,
  { signer, clock }: ProcessCore,
  { environment, consoleAudience: audience, secondPerson, staff }: Settings,
): Promise<() => Promise<void>> {
  const keys = await openAccountsKeys(staff.accountsKeysFile);
  const nowMs = (): number => clock.now().getTime();
  const routes = await openStaffDesk({ url: staff.databaseUrl, environment, signer, nowMs });
  const options = {
    audience,
    origins: staff.origins,
    keys: () => keys.current(),
    secondPerson,
  };
  const door = openPeopleDoor(edge, "staff", options, routes);
  // Fastify would parse the body of a request to an unknown path.
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
