import { migrateFolder } from "../../../server/src/postgres/migrate.ts";
import type { Connector } from "./connector.ts";
import { serveConnector } from "./serve-connector.ts";
import { readConnectorSettings } from "./settings.ts";

const migrations = new URL("../migrations/", import.meta.url);

const usage = `Usage: PROGRAM serve|migrate

  migrate  create or upgrade the tables; uses the owner's login, CONNECTOR_OWNER_DATABASE_URL
  serve    serve the gateway and the provider's webhooks
`;

/** The command line of a connector. */
export async function runConnector(
  connector: Connector,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  const [command] = args;
  if (command === "migrate") {
    const applied = await migrateFolder(process.env["CONNECTOR_OWNER_DATABASE_URL"] ?? "", migrations);
    process.stdout.write(`${applied.length} migrations applied.\n`);
    return;
  }
  if (command !== "serve") {
    process.stderr.write(usage);
    process.exit(2);
  }
  const server = await serveConnector(connector, readConnectorSettings(process.env));
  const { url, webhooksUrl, metricsUrl } = server;
  process.stdout.write(`${JSON.stringify({ url, webhooksUrl, metricsUrl, pid: process.pid })}\n`);
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.once(signal, () => void server.stop().then(() => process.exit(0)));
}
