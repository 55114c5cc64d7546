import { openDatabase, systemScope } from "../../postgres/database.ts";
import { findEnvironment } from "../../postgres/environment.sql.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { listActivity, type BackendActivity } from "./activity.sql.ts";

/** PostgreSQL's own statistics while a load runs. */
export interface DatabaseWatch {
  backends(): Promise<readonly BackendActivity[]>;
  /** Starts to sample the gateway's connections. Returns a function that stops sampling. */
  sample(): () => WaitSamples;
  close(): Promise<void>;
}

/** States of the connections of `serve` and `work`, sampled a few times a second. */
export interface WaitSamples {
  readonly looks: number;
  /** Busy connections (running or waiting), summed over all samples. */
  readonly busy: number;
  /** Busy connections by wait event; `running` for those on a CPU. */
  readonly waits: Readonly<Record<string, number>>;
  /** The largest number of busy `serve` connections in one sample, and the number of open `serve` connections. */
  readonly serveBusyMost: number;
  readonly serveOpen: number;
  /** Whether this login may see wait events of other sessions; PostgreSQL shows them to `pg_monitor`. */
  readonly isShown: boolean;
}

const sampleIntervalMs = 100;

export async function watchDatabase(url: string): Promise<DatabaseWatch> {
  const database = openDatabase({
    url,
    applicationName: "tollgate bench",
    connectionsMax: 1,
    readsWholeTables: true,
    readsOnly: true,
    onFault: () => undefined,
  });
  const reader = database.reader(systemScope);
  const environment = await findEnvironment(reader);
  if (environment !== "sandbox") {
    await database.close();
    throw new CommandFailed(`The database is ${environment}. A load test runs only in the sandbox.`);
  }
  const readActivity = (): Promise<readonly BackendActivity[]> => listActivity(reader);

  return {
    backends: readActivity,
    sample() {
      const rows: (readonly BackendActivity[])[] = [];
      let isSampling = false;
      const timer = setInterval(() => {
        if (isSampling) return;
        isSampling = true;
        readActivity()
          .then((activity) => rows.push(activity))
          .catch(() => undefined)
          .finally(() => (isSampling = false));
      }, sampleIntervalMs);
      return () => {
        clearInterval(timer);
        return sumSamples(rows);
      };
    },
    close: () => database.close(),
  };
}

function sumSamples(samples: readonly (readonly BackendActivity[])[]): WaitSamples {
  const waits: Record<string, number> = {};
  let [busy, serveBusyMost, serveOpen] = [0, 0, 0];
  for (const rows of samples) {
    const busyRows = rows.filter(isBusy);
    busy += busyRows.length;
    for (const { wait } of busyRows) waits[wait ?? "running"] = (waits[wait ?? "running"] ?? 0) + 1;
    const countServe = (activities: readonly BackendActivity[]): number =>
      activities.filter(({ application }) => application === "tollgate serve").length;
    serveBusyMost = Math.max(serveBusyMost, countServe(busyRows));
    serveOpen = Math.max(serveOpen, countServe(rows));
  }
  const isShown = samples.flat().some(({ state }) => state !== undefined);
  return { looks: samples.length, busy, waits, serveBusyMost, serveOpen, isShown };
}

/** A connection in a transaction counts as busy, even while it waits for its next statement. */
function isBusy({ state }: BackendActivity): boolean {
  return state !== undefined && state !== "idle";
}
