import { rulesIn } from "../people/second-person.ts";
import { readFile } from "node:fs/promises";
import type { FastifyInstance } from "fastify";
import { openConsoleDoor, type ConsoleOptions } from "../http/console-door.ts";
import { serveConsole } from "../http/console.ts";
import type { Gateway } from "../http/gateway.ts";
import { readPublicKeys } from "../people/public-keys.ts";
import { openDatabase } from "../postgres/database.ts";
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
  if (origins.length === 0 && settings.staff.origins.length === 0)
    throw new Error(
      "Set TOLLGATE_CONSOLE_ORIGINS: nobody could use the console without the portal's origin.",
    );
  let keys = await readKeys(file);
  const { consoleDatabaseUrl: url } = settings;
  const applicationName = "tollgate console";
  const onFault = (cause: unknown): void => app.log.error({ err: cause }, "A fault in the background.");
  const limits = { connectionsMax, statementTimeoutMs, readsOnly: true };
  const database = openDatabase({ url, applicationName, ...limits, onFault });
  const door = openConsoleDoor(gateway, {
    audience,
    origins,
    keys: () => keys,
    staff: await staffOf(gateway, settings),
    database,
    secondPerson: rulesIn(settings.environment, settings.secondPerson),
  });
  serveConsole(app, door);
  return {
    refreshKeys: async () => {
      keys = await readKeys(file);
    },
    close: () => database.close(),
  };
}

/** The operator's console. Without its origins there is none, and staff have no way in. */
async function staffOf(gateway: Gateway, settings: Settings): Promise<ConsoleOptions["staff"]> {
  const { environment } = settings;
  const { signer } = gateway;
  const { origins } = settings.staff;
  if (origins.length === 0) return { origins, routes: [] };
  const { openStaffDesk } = await import("./open-staff-desk.ts");
  const nowMs = (): number => gateway.clock.now().getTime();
  return {
    origins,
    routes: await openStaffDesk({ url: settings.staff.databaseUrl, environment, signer, nowMs }),
  };
}

async function readKeys(file: string): Promise<ReturnType<typeof readPublicKeys>> {
  try {
    return readPublicKeys(await readFile(file, "utf8"));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`TOLLGATE_ACCOUNTS_KEYS_FILE cannot be used. ${why}`, { cause });
  }
}
