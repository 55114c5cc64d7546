import { unnest, type ColumnTable } from "../postgres/column-table.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import type { NewUniverse, CreatedUniverse, Universe, UniverseLimits } from "./universe.ts";

/**
 * `insertUniverses` creates as many isolated test merchants as the limits allow. The result has undefined for each one
 * above the limits.
 */
export async function insertUniverses(
  tx: Tx,
  universes: readonly NewUniverse[],
): Promise<readonly (CreatedUniverse | undefined)[]> {
  const rows = await tx.query<OpenedRow>(sql`
    select opened.* from (
      select array_agg(name) as names, array_agg(public_key) as public_keys, array_agg(lifetime) as lifetimes
      from ${unnest(columns, universes)} as asked (name, public_key, lifetime)
    ) as asked, open_universes(names, public_keys, lifetimes) as opened
  `);
  const rowByPosition = new Map(rows.map((row) => [row.place, row]));
  return universes.map((_, index) => {
    const row = rowByPosition.get(index + 1);
    return (
      row && {
        clientId: row.client_id,
        gatewayKeyVersion: row.gateway_key_version,
        closesAt: row.closes_at,
      }
    );
  });
}

const columns: ColumnTable<NewUniverse> = [
  ["name", "text", ({ name }) => name],
  ["public_key", "bytea", ({ publicKey }) => publicKey],
  ["lifetime", "int", ({ lifetimeSeconds }) => lifetimeSeconds],
];

interface OpenedRow {
  readonly place: number;
  readonly client_id: string;
  readonly gateway_key_version: number;
  readonly closes_at: Date;
}

/**
 * `updateUniverseClosed` closes an isolated test merchant permanently, and returns when it was closed; undefined if it
 * does not exist. It is idempotent.
 */
export async function updateUniverseClosed(tx: Tx, clientId: string): Promise<Date | undefined> {
  const [row] = await tx.query<{ closed_at: Date | null }>(
    sql`select close_universe(${clientId}) as closed_at`,
  );
  return row?.closed_at ?? undefined;
}

/** `updateExpiredClosed` closes isolated test merchants whose lifetime is over, and returns their number. */
export async function updateExpiredClosed(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`select close_expired_universes() as count`);
  return row?.count ?? 0;
}

/** `listUniverses` lists the open isolated test merchants, the oldest first. */
export async function listUniverses(tx: Tx): Promise<readonly Universe[]> {
  const rows = await tx.query<{ client_id: string; name: string; opened_at: Date; closes_at: Date }>(sql`
    select client_id, name, opened_at, closes_at from list_universes()
  `);
  return rows.map((row) => ({
    clientId: row.client_id,
    name: row.name,
    openedAt: row.opened_at,
    closesAt: row.closes_at,
  }));
}

/**
 * `deleteClosedUniverses` deletes all rows of a batch of isolated test merchants that have been closed for this long.
 * It returns their number; 0 when none is left.
 */
export async function deleteClosedUniverses(tx: Tx, closedForSeconds: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select sweep_universes(make_interval(secs => ${closedForSeconds})) as count
  `);
  return row?.count ?? 0;
}

/** `updateLimits` sets the given limits of isolated test merchants, and returns all limits. */
export async function updateLimits(tx: Tx, limits: Partial<UniverseLimits>): Promise<UniverseLimits> {
  const [row] = await tx.query<{ open_max: number; kept_max: number; lifetime_seconds: number }>(sql`
    update universe_limits set open_max = coalesce(${limits.openMax}, open_max),
      kept_max = coalesce(${limits.keptMax}, kept_max),
      lifetime_seconds = coalesce(${limits.lifetimeSeconds}, lifetime_seconds)
    returning open_max, kept_max, lifetime_seconds
  `);
  if (!row) throw new Error("Table universe_limits has no row. Run the migrations.");
  return { openMax: row.open_max, keptMax: row.kept_max, lifetimeSeconds: row.lifetime_seconds };
}
