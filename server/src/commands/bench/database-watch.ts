import { openDatabase, systemScope } from "../../postgres/database.ts";
import { findEnvironment } from "../../postgres/environment.sql.ts";
import { Impossible } from "../command.ts";
import { listActivity, type Activity } from "./activity.sql.ts";

/** What PostgreSQL says about itself while a load runs. */
export interface DatabaseWatch {
  backends(): Promise<readonly Activity[]>;
  /** Begins to sample what the gateway's connections do; gives what ends it. */
  sample(): () => Samples;
  close(): Promise<void>;
}

/** What connections of `serve` and `work` were found at, in looks a few times a second. */
export interface Samples {
  readonly looks: number;
  /** Connections that worked or waited for something, summed over all looks. */
  readonly busy: number;
  /** The same by what they waited for; `running` for those that computed. */
  readonly waits: Readonly<Record<string, number>>;
  /** The most connections of `serve` that were busy in one look, and those that it had. */
  readonly serveBusyMost: number;
  readonly serveOpen: number;
  /** False when this login may not see what others wait for: PostgreSQL shows that to `pg_monitor`. */
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
    throw new Impossible(`The database is ${environment}. A load is for a sandbox only.`);
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

/** In a transaction it holds its place, even while it waits for the next statement. */
function isBusy({ state }: Activity): boolean {
  return state !== undefined && state !== "idle";
}
