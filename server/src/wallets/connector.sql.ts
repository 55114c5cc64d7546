import { sql, type Tx } from "../postgres/sql.ts";
import type { Connector } from "./connector.ts";

export async function listConnectors(tx: Tx): Promise<readonly Connector[]> {
  const rows = await tx.query<ConnectorRow>(sql`
    select name, url, partner_id, public_key, payment_method_types, simulator from connectors order by name
  `);
  return rows.map((row) => ({
    name: row.name,
    url: row.url,
    partnerId: row.partner_id,
    publicKey: row.public_key,
    paymentMethodTypes: row.payment_method_types,
    simulator: row.simulator,
  }));
}

/** Sets a connector up, or changes it. */
export async function insertConnector(tx: Tx, connector: Connector): Promise<void> {
  const { name, url, partnerId, publicKey, paymentMethodTypes, simulator } = connector;
  await tx.query(sql`
    insert into connectors (name, url, partner_id, public_key, payment_method_types, simulator)
    values (${name}, ${url}, ${partnerId}, ${publicKey}, ${paymentMethodTypes}::text[], ${simulator})
    on conflict (name) do update set url = excluded.url, partner_id = excluded.partner_id,
      public_key = excluded.public_key, payment_method_types = excluded.payment_method_types,
      simulator = excluded.simulator
  `);
}

interface ConnectorRow {
  readonly name: string;
  readonly url: string;
  readonly partner_id: string;
  readonly public_key: Buffer;
  readonly payment_method_types: string[];
  readonly simulator: boolean;
}
