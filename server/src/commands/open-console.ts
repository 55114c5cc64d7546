import type { FastifyInstance } from "fastify";
import { admitPerson } from "../http/admit-person.ts";
import { openConsoleDoor } from "../http/console-door.ts";
import { serveConsole } from "../http/console.ts";
import type { Gateway } from "../http/gateway.ts";
import { runForPerson } from "../http/run-for-person.ts";
import { openDatabase } from "../postgres/database.ts";
import { openAccountsKeys } from "./accounts-keys.ts";
import type { Settings } from "./settings.ts";

export interface OpenConsole {
  /** Reads the keys of accounts again: they are rotated while the process runs. Keeps the old ones when it throws. */
  refreshKeys(): Promise<void>;
  close(): Promise<void>;
}

/** Few, so that people who browse never take what payments need of PostgreSQL. */
const connectionsMax = 4;
/** Shorter than anybody waits for a list. */
const statementTimeoutMs = 2_000;

/** The second front door; undefined when no accounts are configured, and then there is none. */
export async function openConsole(
  app: FastifyInstance,
  gateway: Gateway,
  settings: Settings,
): Promise<OpenConsole | undefined> {
  const { accountsKeysFile: file, consoleAudience: audience, consoleOrigins: origins } = settings;
  if (file === "") return undefined;
  if (origins.length === 0)
    throw new Error(
      "Set TOLLGATE_CONSOLE_ORIGINS: nobody could use the console without the portal's origin.",
    );
  const keys = await openAccountsKeys(file);
  const { consoleDatabaseUrl: url } = settings;
  const applicationName = "tollgate console";
  const onFault = (cause: unknown): void => app.log.error({ err: cause }, "A fault in the background.");
  const limits = { connectionsMax, statementTimeoutMs, readsOnly: true };
  const database = openDatabase({ url, applicationName, ...limits, onFault });
  const door = openConsoleDoor(gateway, {
    audience,
    origins,
    keys: () => keys.current(),
    database,
    secondPerson: settings.secondPerson,
  });
  serveConsole(app, door, {
    below: "/console/",
    admit: (arrival) => admitPerson(door, arrival),
    run: (arrival, admitted) => runForPerson(door, arrival, admitted),
  });
  return {
    refreshKeys: () => keys.refresh(),
    close: () => database.close(),
  };
}
