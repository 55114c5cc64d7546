import { Client } from "pg";
import type { Installation } from "./installation.ts";

/**
 * Connection exhaustion: opens every connection that the primary has left for an ordinary login, and returns the
 * function that closes them. The slots reserved for the superuser stay free.
 */
export async function exhaustConnections({
  cluster,
  variables,
}: Pick<Installation, "cluster" | "variables">): Promise<() => Promise<void>> {
  const login = new URL(variables["TOLLGATE_DATABASE_URL"] ?? "");
  login.port = new URL(cluster.primaryUrl("postgres")).port;
  const [row] = await cluster.execute<{ max: number }>(
    "postgres",
    "select setting::int as max from pg_settings where name = 'max_connections'",
  );
  const clients = Array.from({ length: row?.max ?? 0 }, () => {
    const client = new Client({ connectionString: login.href, application_name: "somebody else" });
    client.on("error", () => undefined);
    return client;
  });
  const connected = await Promise.all(
    clients.map((client) =>
      client.connect().then(
        () => [client],
        () => [],
      ),
    ),
  );
  return async () => {
    await Promise.all(connected.flat().map((client) => client.end().catch(() => undefined)));
  };
}
