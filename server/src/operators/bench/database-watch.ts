import { openDatabase, systemScope } from "../../postgres/database.ts";
import { findEnvironment } from "../../postgres/environment.sql.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { listActivity, type Activity } from "./activity.sql.ts";

/** PostgreSQL's own statistics while a load runs. */
export interface DatabaseWatch {
  backends(): Promise<readonly Activity[]>;
  /** Starts to sample the gateway's connections. Returns a function that stops sampling. */
  sample(): () => Samples;
  close(): Promise<void>;
}

/** States of the connections of `serve` and `work`, sampled a few times a second. */
export interface Samples {
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

const everyMs = 100;

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
  const look = (): Promise<readonly Activity[]> => listActivity(reader);

  return {
    backends: look,
    sample() {
      const rows: (readonly Activity[])[] = [];
      let isLooking = false;
      const timer = setInterval(() => {
        if (isLooking) return;
        isLooking = true;
        look()
          .then((found) => rows.push(found))
          .catch(() => undefined)
          .finally(() => (isLooking = false));
      }, everyMs);
      return () => {
        clearInterval(timer);
        return summed(rows);
      };
    },
    close: () => database.close(),
  };
}

function summed(looks: readonly (readonly Activity[])[]): Samples {
  const waits: Record<string, number> = {};
  let [busy, serveBusyMost, serveOpen] = [0, 0, 0];
  for (const rows of looks) {
    const working = rows.filter(isBusy);
    busy += working.length;
    for (const { wait } of working) waits[wait ?? "running"] = (waits[wait ?? "running"] ?? 0) + 1;
    const ofServe = (among: readonly Activity[]): number =>
      among.filter(({ application }) => application === "tollgate serve").length;
    serveBusyMost = Math.max(serveBusyMost, ofServe(working));
    serveOpen = Math.max(serveOpen, ofServe(rows));
  }
  const isShown = looks.flat().some(({ state }) => state !== undefined);
  return { looks: looks.length, busy, waits, serveBusyMost, serveOpen, isShown };
}

/** A connection in a transaction counts as busy, even while it waits for its next statement. */
function isBusy({ state }: Activity): boolean {
  return state !== undefined && state !== "idle";
}
