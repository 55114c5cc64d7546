import { bucketOf } from "../core/bucket.ts";
import { house } from "../ledger/account.ts";
import { toFeeRule, type FeeRuleJson } from "../ledger/fee-rule.sql.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import type { ApprovedRegistration } from "../providers/provider-account.ts";
import type { Client, ClientChange, ClientStatus, ListedClient } from "./client.ts";

/**
 * The revision includes the number of general fee rules, so that a new rule changes the revision of every client
 * without an update of each row. Rules are never deleted, so the sum always grows.
 */
const revisionWithRules = fragment`c.revision + (select count(*) from fee_rules where client_id = 'HOUSE')`;

/** Maximum number of registrations that are loaded with a merchant, the newest. A client usually has one. */
const registrationsMax = 1_000;

export async function findClient(tx: Tx, clientId: string): Promise<Client | undefined> {
  const bucket = bucketOf(clientId);
  const rows = await tx.query<ClientRow>(sql`
    select c.name, c.status, c.gateway_key_version, c.time_tolerance_seconds, c.rate_per_second, c.rate_burst,
      c.fee_basis_points, c.link_schemes, ${revisionWithRules} as revision, coalesce(w.ahead_ms, 0) as ahead_ms, k.version, k.public_key,
      (select jsonb_agg(to_jsonb(f) order by f.set_at) from fee_rules f
        where (f.bucket, f.client_id) in ((${bucket}, ${clientId}), (${bucketOf(house)}, ${house}))) as fee_rules,
      (select jsonb_object_agg(a.connector, a.account) from provider_accounts a
        where a.bucket = ${bucket} and a.client_id = ${clientId}) as accounts,
      (select jsonb_agg(jsonb_build_object('connector', p.connector, 'referenceMerchantId', r.reference_merchant_id,
          'registrationId', p.provider_registration_id) order by r.registration_id desc)
        from (select bucket, registration_id, reference_merchant_id from registrations
          where bucket = ${bucket} and client_id = ${clientId} and reference_store_id is null
          order by registration_id desc limit ${registrationsMax}) r
        join provider_registrations p on p.bucket = r.bucket and p.registration_id = r.registration_id
        where p.provider_registration_id is not null) as registrations
    from clients c
    left join client_keys k on k.bucket = c.bucket and k.client_id = c.client_id and k.revoked_at is null
    left join clocks w on w.bucket = c.bucket and w.client_id = c.client_id
    where c.bucket = ${bucket} and c.client_id = ${clientId}
  `);
  const [row] = rows;
  if (!row) return undefined;
  return {
    clientId,
    bucket,
    name: row.name,
    status: row.status,
    gatewayKeyVersion: row.gateway_key_version,
    timeToleranceSeconds: row.time_tolerance_seconds,
    ratePerSecond: row.rate_per_second,
    rateBurst: row.rate_burst,
    feeBasisPoints: row.fee_basis_points,
    feeRules: (row.fee_rules ?? []).map(toFeeRule),
    atProviders: {
      accounts: new Map(Object.entries(row.accounts ?? {})),
      registrations: row.registrations ?? [],
    },
    linkSchemes: row.link_schemes,
    aheadMs: Number(row.ahead_ms),
    revision: BigInt(row.revision),
    publicKeys: new Map(
      rows.flatMap(({ version, public_key }) =>
        version === null || public_key === null ? [] : [[version, public_key]],
      ),
    ),
  };
}

/** `listRevisions` maps client ids to revisions, by which a process invalidates its cache of clients. */
export async function listRevisions(
  tx: Tx,
  clientIds: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await tx.query<{ client_id: string; revision: string }>(sql`
    select c.client_id, ${revisionWithRules} as revision
    from unnest(${clientIds.map(bucketOf)}::smallint[], ${clientIds}::text[]) as asked (bucket, client_id)
    join clients c on c.bucket = asked.bucket and c.client_id = asked.client_id
  `);
  return new Map(rows.map(({ client_id, revision }) => [client_id, BigInt(revision)]));
}

export interface NewClient {
  readonly clientId: string;
  readonly name: string;
  readonly gatewayKeyVersion: number;
}

export async function insertClient(tx: Tx, { clientId, name, gatewayKeyVersion }: NewClient): Promise<void> {
  await tx.query(sql`
    insert into clients (bucket, client_id, name, gateway_key_version)
    values (${bucketOf(clientId)}, ${clientId}, ${name}, ${gatewayKeyVersion})
  `);
}

/** `insertClientKey` stores a key with the next free version, and returns the version. */
export async function insertClientKey(tx: Tx, clientId: string, publicKey: Uint8Array): Promise<number> {
  const bucket = bucketOf(clientId);
  const [row] = await tx.query<{ version: number }>(sql`
    insert into client_keys (bucket, client_id, version, public_key)
    select ${bucket}::smallint, ${clientId}::text, coalesce(max(version), 0) + 1, ${publicKey}::bytea
    from client_keys where bucket = ${bucket} and client_id = ${clientId}
    returning version
  `);
  if (!row) throw new Error(`The key of client ${clientId} was not stored.`);
  return row.version;
}

/** `updateKeyRevoked` revokes a merchant's key. It returns false if the key does not exist, or was revoked before. */
export async function updateKeyRevoked(tx: Tx, clientId: string, version: number): Promise<boolean> {
  const rows = await tx.query(sql`
    update client_keys set revoked_at = clock_timestamp()
    where bucket = ${bucketOf(clientId)} and client_id = ${clientId} and version = ${version} and revoked_at is null
    returning version
  `);
  return rows.length === 1;
}

/**
 * `updateGatewayKeyVersion` pins a client to a version of the gateway key. It returns false if the client does not
 * exist. A version without a gateway key violates the foreign key.
 */
export async function updateGatewayKeyVersion(tx: Tx, clientId: string, version: number): Promise<boolean> {
  const rows = await tx.query(sql`
    update clients set gateway_key_version = ${version}
    where bucket = ${bucketOf(clientId)} and client_id = ${clientId}
    returning client_id
  `);
  return rows.length === 1;
}

/** `updateClient` changes the given fields, and keeps the others. It returns false if the client does not exist. */
export async function updateClient(tx: Tx, clientId: string, change: ClientChange): Promise<boolean> {
  const rows = await tx.query(sql`
    update clients set name = coalesce(${change.name}, name), status = coalesce(${change.status}, status),
      time_tolerance_seconds = coalesce(${change.timeToleranceSeconds}, time_tolerance_seconds),
      rate_per_second = coalesce(${change.ratePerSecond}, rate_per_second),
      rate_burst = coalesce(${change.rateBurst}, rate_burst),
      fee_basis_points = coalesce(${change.feeBasisPoints}, fee_basis_points),
      link_schemes = coalesce(${change.linkSchemes}::text[], link_schemes)
    where bucket = ${bucketOf(clientId)} and client_id = ${clientId}
    returning client_id
  `);
  return rows.length === 1;
}

/**
 * `listClients` lists all clients, the oldest first. Only for the operator: `app.oversight` lets the transaction read
 * all merchants.
 */
export async function listClients(tx: Tx): Promise<readonly ListedClient[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<ListedRow>(sql`
    select client_id, name, status, rate_per_second, fee_basis_points, gateway_key_version, created_at
    from clients order by created_at, client_id
  `);
  return rows.map((row) => ({
    clientId: row.client_id,
    name: row.name,
    status: row.status,
    ratePerSecond: row.rate_per_second,
    feeBasisPoints: row.fee_basis_points,
    gatewayKeyVersion: row.gateway_key_version,
    createdAt: row.created_at,
  }));
}

/**
 * `countClientsByGatewayKey` returns the number of clients that are pinned to each gateway key. Only for the operator,
 * with `app.oversight`.
 */
export async function countClientsByGatewayKey(tx: Tx): Promise<ReadonlyMap<number, number>> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<{ version: number; count: string }>(sql`
    select gateway_key_version as version, count(*) as count from clients where status <> 'CLOSED' group by 1
  `);
  return new Map(rows.map(({ version, count }) => [version, Number(count)]));
}

interface ListedRow extends Pick<
  ClientRow,
  "name" | "status" | "rate_per_second" | "fee_basis_points" | "gateway_key_version"
> {
  readonly client_id: string;
  readonly created_at: Date;
}

interface ClientRow {
  readonly name: string;
  readonly status: ClientStatus;
  readonly gateway_key_version: number;
  readonly time_tolerance_seconds: number;
  readonly rate_per_second: number;
  readonly rate_burst: number;
  readonly fee_basis_points: number;
  readonly link_schemes: readonly string[];
  readonly fee_rules: readonly FeeRuleJson[] | null;
  readonly accounts: Readonly<Record<string, string>> | null;
  readonly registrations: readonly ApprovedRegistration[] | null;
  readonly ahead_ms: string;
  readonly revision: string;
  readonly version: number | null;
  readonly public_key: Buffer | null;
}
