import assert from "node:assert/strict";
import { bucketOf } from "../core/bucket.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import type { OpenClientRequest, OpenedClient } from "./opened-client.ts";

/** `insertOpenedClient` creates the client with its first key, unless the id exists. It returns the stored client. */
export async function insertOpenedClient(
  tx: Tx,
  { clientId, name, firstKey, organisation }: OpenClientRequest,
): Promise<{ readonly isNew: boolean; readonly openedClient: OpenedClient }> {
  const [created] = await tx.query<{ is_new: boolean }>(sql`
    select open_client(${clientId}, ${name}, ${firstKey}::bytea, ${organisation}) as is_new
  `);
  const [row] = await tx.query<OpenedClientRow>(sql`
    select c.name, c.gateway_key_version, c.organisation, g.public_key as gateway_public_key, k.public_key
    from clients c join gateway_keys g on g.version = c.gateway_key_version
    left join client_keys k on k.bucket = c.bucket and k.client_id = c.client_id and k.version = 1
    where c.bucket = ${bucketOf(clientId)} and c.client_id = ${clientId}
  `);
  assert(created && row, "an opened client has a row");
  const openedClient = {
    name: row.name,
    firstKey: row.public_key ?? undefined,
    organisation: row.organisation ?? undefined,
    gatewayKeyVersion: row.gateway_key_version,
    gatewayPublicKey: row.gateway_public_key,
  };
  return { isNew: created.is_new, openedClient };
}

interface OpenedClientRow {
  readonly name: string;
  readonly gateway_key_version: number;
  readonly organisation: string | null;
  readonly gateway_public_key: Buffer;
  readonly public_key: Buffer | null;
}
