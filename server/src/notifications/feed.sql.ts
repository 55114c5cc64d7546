import { sql, type Tx } from "../postgres/sql.ts";
import type { FeedEvent } from "./feed.ts";
import type { NotificationKind } from "./notification-kinds.ts";

/**
 * `assignFeedPositions` assigns feed positions to at most `limit` webhooks of all merchants that were created since
 * `createdFrom`. It returns their number; undefined if another process holds the lock.
 */
export async function assignFeedPositions(
  tx: Tx,
  limit: number,
  createdFrom = new Date(0),
): Promise<number | undefined> {
  const [row] = await tx.query<{ assigned: number | null }>(
    sql`select assign_feed_positions(${limit}, ${createdFrom}) as assigned`,
  );
  return row?.assigned ?? undefined;
}

/** `listFeedHeads` returns the newest position of each of these merchants; merchants without events are absent. */
export async function listFeedHeads(
  tx: Tx,
  clients: readonly FeedKey[],
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await tx.query<{ client_id: string; position: string }>(sql`
    select heads.client_id, heads.position::text
    from unnest(${clients.map(({ bucket }) => bucket)}::smallint[],
      ${clients.map(({ clientId }) => clientId)}::text[]) as given (bucket, client_id)
    join feed_heads as heads on heads.bucket = given.bucket and heads.client_id = given.client_id
  `);
  return new Map(rows.map(({ client_id, position }) => [client_id, BigInt(position)]));
}

/**
 * `advanceFeedHeads` advances the newest position of every merchant, and returns the number of merchants. After a
 * restore of the database, earlier cursors are then lower than new positions, so their readers see all new events.
 */
export async function advanceFeedHeads(tx: Tx, increment: number): Promise<number> {
  await tx.query(
    sql`select set_config('app.oversight', 'on', true), set_config('app.numbers_events', 'on', true)`,
  );
  const rows = await tx.query(sql`
    insert into feed_heads as head (bucket, client_id, position)
    select bucket, client_id, ${increment}::bigint from clients
    on conflict (bucket, client_id) do update set position = head.position + excluded.position
    returning head.bucket
  `);
  return rows.length;
}

interface FeedKey {
  readonly bucket: number;
  readonly clientId: string;
}

/** `listEvents` lists events in order, without a gap: a reader that sees a position can see all earlier ones. */
export async function listEvents(
  tx: Tx,
  { bucket, clientId }: FeedKey,
  after: bigint,
  limit: number,
): Promise<readonly FeedEvent[]> {
  const rows = await tx.query<EventRow>(sql`
    select n.position::text as cursor, notification_id, kind, subject_id, sequence, body, sealed, created_at
    from notifications as n
    where bucket = ${bucket} and client_id = ${clientId} and position > ${after}
    order by position limit ${limit}
  `);
  return rows.map((row) => ({
    position: BigInt(row.cursor),
    notificationId: row.notification_id,
    kind: row.kind,
    subjectId: row.subject_id,
    sequence: row.sequence,
    body: row.body,
    isSealed: row.sealed,
    createdAt: row.created_at,
  }));
}

interface EventRow {
  readonly cursor: string;
  readonly notification_id: string;
  readonly kind: NotificationKind;
  readonly subject_id: string;
  readonly sequence: number;
  readonly body: Buffer;
  readonly sealed: boolean;
  readonly created_at: Date;
}
