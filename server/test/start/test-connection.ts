import { after } from "node:test";
import { Client } from "pg";
import type { Statement, Tx } from "../../src/postgres/sql.ts";

/**
 * `connectAs` opens a connection for a merchant, or without a merchant, like the worker's. It is closed at the end of
 * the test file.
 */
export async function connectAs(clientId: string | undefined, url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  after(() => client.end());
  await client.query("select set_config('app.clients', $1, false)", [`{${clientId ?? '""'}}`]);
  return client;
}

/**
 * `transactionOn` returns a transaction object for the gateway's functions, on a connection whose transactions the test begins
 * and ends itself.
 */
export function transactionOn(client: Client): Tx & { readonly written: Promise<unknown>[] } {
  const written: Promise<unknown>[] = [];
  return {
    written,
    async query<Row extends object>(statement: Statement) {
      return (await client.query<Row>({ ...statement })).rows;
    },
    write: (statement) => void written.push(client.query({ ...statement })),
  };
}
