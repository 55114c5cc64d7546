import assert from "node:assert/strict";
import { bucketOf } from "../core/bucket.ts";
import { columnNames, unnest, type ColumnTable } from "../postgres/column-table.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import { findClient } from "../merchants/client.sql.ts";
import { listGatewayPublicKeys } from "./gateway-key.sql.ts";
import type { CountedKeyUse, KeyReport, MerchantKey, SignedMessageKind } from "./key-use.ts";

/** Retention of key uses in days, longer than an inquiry may cover. */
const retentionDays = 60;

/**
 * Adds a batch of counts (upsert) and deletes old ones. The batch is sorted by key, so that concurrent batches lock
 * rows in the same order and cannot deadlock.
 */
export async function addKeyUses(tx: Tx, uses: readonly CountedKeyUse[]): Promise<void> {
  await tx.query(sql`
    with given as (
      select * from ${unnest(keyUseColumns, uses)} as given (${keyUseColumnNames})
    ), forgotten as (
      delete from key_uses where ctid = any (array(
        select old.ctid from given
        join key_uses old on old.bucket = given.bucket and old.client_id = given.client_id
          and old.day < given.day - ${retentionDays}::int
        for update of old skip locked
      ))
    )
    insert into key_uses as kept (${keyUseColumnNames})
    select * from given order by bucket, client_id, day, signed, version
    on conflict (bucket, client_id, day, signed, version) do update set times = kept.times + excluded.times,
      first_at = least(kept.first_at, excluded.first_at), last_at = greatest(kept.last_at, excluded.last_at)
  `);
}

const keyUseColumns: ColumnTable<CountedKeyUse> = [
  ["bucket", "smallint", ({ clientId }) => bucketOf(clientId)],
  ["client_id", "text", ({ clientId }) => clientId],
  ["day", "date", ({ day }) => day],
  ["signed", "text", ({ messageKind }) => messageKind],
  ["version", "int", ({ version }) => version],
  ["times", "bigint", ({ times }) => times],
  ["first_at", "timestamptz", ({ firstAt }) => firstAt],
  ["last_at", "timestamptz", ({ lastAt }) => lastAt],
];
const keyUseColumnNames = columnNames(keyUseColumns);

/** The uses of each key in the last days, today included; undefined if the client does not exist. */
export async function findKeyReport(tx: Tx, clientId: string, days: number): Promise<KeyReport | undefined> {
  const bucket = bucketOf(clientId);
  const client = await findClient(tx, clientId);
  if (!client) return undefined;
  const [keys, gatewayKeys, uses, [time]] = await Promise.all([
    tx.query<KeyRow>(sql`
      select version, created_at, revoked_at from client_keys
      where bucket = ${bucket} and client_id = ${clientId} order by version
    `),
    listGatewayPublicKeys(tx),
    tx.query<UseRow>(sql`
      select signed, version, min(first_at) as first_at, max(last_at) as last_at,
        coalesce(sum(times) filter (where day > (clock_timestamp() at time zone 'utc')::date - ${days}::int), 0) as times
      from key_uses where bucket = ${bucket} and client_id = ${clientId} group by signed, version
    `),
    // The report uses real time, not the merchant's test clock, because keys are used and revoked in real time.
    tx.query<{ now: Date }>(sql`select clock_timestamp() as now`),
  ]);
  assert(time);
  const findUse = (messageKind: SignedMessageKind, version: number): UseRow | undefined =>
    uses.find((use) => use.signed === messageKind && use.version === version);
  const firstTimes = uses.flatMap(({ signed, first_at }) =>
    signed === "REQUEST" ? [first_at.getTime()] : [],
  );
  return {
    merchantKeys: keys.map((row) => toMerchantKey(row, findUse("REQUEST", row.version))),
    gatewayKeys: gatewayKeys.map((key) => {
      const [answers, notifications] = [findUse("ANSWER", key.version), findUse("NOTIFICATION", key.version)];
      return {
        ...key,
        isPinned: key.version === client.gatewayKeyVersion,
        answers: Number(answers?.times ?? 0),
        notificationAttempts: Number(notifications?.times ?? 0),
        lastUsedAt: latestDate(answers?.last_at, notifications?.last_at),
      };
    }),
    countedSince: firstTimes.length > 0 ? new Date(Math.min(...firstTimes)) : undefined,
    now: time.now,
  };
}

function toMerchantKey({ version, created_at, revoked_at }: KeyRow, use: UseRow | undefined): MerchantKey {
  return {
    version,
    createdAt: created_at,
    revokedAt: revoked_at ?? undefined,
    requests: Number(use?.times ?? 0),
    lastUsedAt: use?.last_at,
  };
}

function latestDate(first: Date | undefined, second: Date | undefined): Date | undefined {
  if (!first || !second) return first ?? second;
  return first > second ? first : second;
}

interface KeyRow {
  readonly version: number;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
}

interface UseRow {
  readonly signed: SignedMessageKind;
  readonly version: number;
  readonly first_at: Date;
  readonly last_at: Date;
  readonly times: string;
}
