import { sql, type Tx } from "../../../server/src/postgres/sql.ts";
import type { Environment } from "../../../server/src/postgres/migrate.ts";

export interface AssignedClient {
  readonly clientId: string;
  readonly environment: Environment;
  readonly organisationId: string;
  readonly name: string;
}

export async function insertClient(
  tx: Tx,
  { clientId, environment, organisationId, name }: AssignedClient,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into clients (client_id, environment, organisation_id, name, given_at)
    values (${clientId}, ${environment}, ${organisationId}, ${name}, ${now})
  `);
}

/** `listClientIds` returns the client ids of an organisation in an environment, oldest first. */
export async function listClientIds(
  tx: Tx,
  organisationId: string,
  environment: Environment,
): Promise<readonly string[]> {
  const rows = await tx.query<{ client_id: string }>(sql`
    select client_id from clients where organisation_id = ${organisationId} and environment = ${environment}
    order by given_at, client_id
  `);
  return rows.map(({ client_id: clientId }) => clientId);
}
