import type { FastifyInstance } from "fastify";
import { admitPerson } from "../http/people/admit-person.ts";
import { openConsoleEndpoint } from "../http/people/console-endpoint.ts";
import { serveConsole } from "../http/people/serve-console.ts";
import type { Gateway } from "../http/merchant-api/gateway.ts";
import { runForPerson } from "../http/people/run-for-person.ts";
import { openDatabase } from "../postgres/database.ts";
import { openAccountsKeys } from "./accounts-keys.ts";
import type { Settings } from "../settings/settings.ts";

export interface OpenConsole {
  /**
   * Reloads the keys of the accounts service, because they are rotated while the process runs. If it throws, the old
   * keys stay valid.
   */
  refreshKeys(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Maximum number of database connections. It is small, so that console users never take connections that payments need.
 */
const connectionsMax = 4;
/** Timeout of a statement in milliseconds, shorter than a user waits for a list. */
const statementTimeoutMs = 2_000;

/** Opens the API for people; undefined if no accounts service is configured. */
export async function openConsole(
  app: FastifyInstance,
  gateway: Gateway,
  settings: Settings,
): Promise<OpenConsole | undefined> {
  const { accountsKeysFile: file, consoleAudience: audience, consoleOrigins: origins } = settings;
  if (file === "") return undefined;
  if (origins.length === 0)
    throw new Error("Set TOLLGATE_CONSOLE_ORIGINS: without the portal's origin the console cannot be used.");
  const keys = await openAccountsKeys(file);
  const { consoleDatabaseUrl: url } = settings;
  const applicationName = "tollgate console";
  const onFault = (cause: unknown): void => app.log.error({ err: cause }, "A background task failed.");
  const limits = { connectionsMax, statementTimeoutMs, readsOnly: true };
  const database = openDatabase({ url, applicationName, ...limits, onFault });
  const endpoint = openConsoleEndpoint(gateway, {
    audience,
    origins,
    keys: () => keys.current(),
    database,
    approvalRules: settings.approvalRules,
  });
  serveConsole(app, endpoint, {
    pathPrefix: "/console/",
    admit: (arrival) => admitPerson(endpoint, arrival),
    run: (arrival, admitted) => runForPerson(endpoint, arrival, admitted),
  });
  return {
    refreshKeys: () => keys.refresh(),
    close: () => database.close(),
  };
}
