import { setTimeout as delay } from "node:timers/promises";
import { bucketOf } from "../core/bucket.ts";
import { appendOnlyTables, uncopiedColumns, unmovedTables } from "../cells/unmoved-tables.ts";
import type { MoveConnection } from "./move-connection.workflow.ts";

/** A table that moves with a merchant, from PostgreSQL's catalog. */
export interface MovedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

const batchRows = 1_000;

/**
 * `listMovedTables` lists all tables with merchants' rows that move, referenced tables first. It reads PostgreSQL's
 * catalog, so that no table is forgotten.
 */
export async function listMovedTables({ client }: MoveConnection): Promise<readonly MovedTable[]> {
  const { rows } = await client.query<MovedTable>(
    `select c.relname::text as name,
       array(select attname::text from pg_attribute a where a.attrelid = c.oid and attnum > 0 and not attisdropped
         and attgenerated = '' order by attnum) as columns,
       array(select a.attname::text from pg_index i cross join unnest(i.indkey) with ordinality as k (attnum, nth)
         join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
         where i.indrelid = c.oid and i.indisprimary order by k.nth) as key
     from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'client_id' and not a.attisdropped)
     order by c.relname <> 'clients', c.relname`,
  );
  return rows
    .filter(({ name }) => !Object.hasOwn(unmovedTables, name))
    .map((table) => ({
      ...table,
      columns: table.columns.filter((column) => !uncopiedColumns[table.name]?.includes(column)),
    }));
}

/** Rows of a table in transfer: a JSON list, with the count and checksum that the target must have afterwards. */
export interface TransferredRows {
  readonly list: string;
  readonly rowCount: number;
  /** The sum of the rows' hashes, which is the checksum. */
  readonly sum: bigint;
}

export interface CopyOptions {
  readonly source: MoveConnection;
  readonly target: MoveConnection;
  /**
   * Copy only rows that were written since this transaction; undefined copies all rows, because the target has none
   * yet.
   */
  readonly since: string | undefined;
  readonly onBatch: (rowCount: number) => void;
}

/**
 * `copyRows` copies a merchant's rows in batches. It returns the number of rows, and the number of rows that the target
 * has gained.
 */
export async function copyRows(
  { source, target, since, onBatch }: CopyOptions,
  table: MovedTable,
): Promise<{ readonly rowCount: number; readonly added: number }> {
  const changed = since === undefined ? "" : "and age(xmin) <= (select age($3::xid))";
  // A cursor needs one scan for all batches. It is safe, because the source is in one snapshot.
  await source.client.query(
    `declare moved_rows no scroll cursor for select to_jsonb(moved)::text as row, ${rowHashSql(table)}::text as hash
     from (select ${table.columns.map(quoteIdentifier).join(", ")} from ${quoteIdentifier(table.name)}
       where bucket = $1 and client_id = $2 ${changed}) as moved`,
    [bucketOf(source.clientId), source.clientId, ...(since === undefined ? [] : [since])],
  );
  const fetch = (): Promise<readonly FetchedRow[]> =>
    source.client.query<FetchedRow>(`fetch ${batchRows} from moved_rows`).then(({ rows }) => rows);
  let [rowCount, added] = [0, 0];
  for (let rows = await fetch(); rows.length > 0;) {
    const batch = {
      list: `[${rows.map(({ row }) => row).join(",")}]`,
      rowCount: rows.length,
      sum: rows.reduce((sum, { hash }) => sum + BigInt(hash), 0n),
    };
    // The source reads the next batch while the target writes this one.
    const [next, addedByBatch] = await Promise.all([
      rows.length < batchRows ? [] : fetch(),
      writeRows(target, table, batch, since === undefined),
    ]);
    added += addedByBatch;
    rowCount += batch.rowCount;
    onBatch(batch.rowCount);
    rows = next;
  }
  await source.client.query("close moved_rows");
  return { rowCount, added };
}

interface FetchedRow {
  readonly row: string;
  readonly hash: string;
}

export interface ChangedRows extends TransferredRows {
  /** Total number of the merchant's rows in the table. */
  readonly total: number;
}

/**
 * `findChangedRows` returns the rows of a table that were written since a transaction, and the total number of the
 * merchant's rows, in one scan. It is used after the fence is closed.
 */
export async function findChangedRows(
  { client, clientId }: MoveConnection,
  table: MovedTable,
  since: string | undefined,
): Promise<ChangedRows> {
  const isChanged = since === undefined ? "true" : "age(xmin) <= (select age($3::xid))";
  const { rows } = await client.query<{ total: number; count: number; list: string; sum: string }>(
    `select count(*)::int as total, count(*) filter (where moved_now)::int as count,
       coalesce(json_agg(to_jsonb(moved)) filter (where moved_now), '[]')::text as list,
       coalesce(sum(${rowHashSql(table)}::numeric) filter (where moved_now), 0)::text as sum
     from (select ${table.columns.map(quoteIdentifier).join(", ")}, ${isChanged} as moved_now from ${quoteIdentifier(table.name)}
       where bucket = $1 and client_id = $2) as moved`,
    [bucketOf(clientId), clientId, ...(since === undefined ? [] : [since])],
  );
  const { total = 0, count = 0, list = "[]", sum = "0" } = rows[0] ?? {};
  return { total, list, rowCount: count, sum: BigInt(sum) };
}

/**
 * `writeRows` replaces the rows with the same keys, and compares the result. It deletes and inserts, because an update
 * would fire the lifecycle triggers. It returns the number of rows that the target has gained.
 */
export async function writeRows(
  { client }: MoveConnection,
  table: MovedTable,
  { list, rowCount, sum }: TransferredRows,
  areNew = false,
): Promise<number> {
  const { name, columns, key } = table;
  const sourceRows = `jsonb_populate_recordset(null::${quoteIdentifier(name)}, $1::jsonb)`;
  const keysMatch = key
    .map((column) => `moved.${quoteIdentifier(column)} = given.${quoteIdentifier(column)}`)
    .join(" and ");
  const [isReferenced, isAppendOnly] = [name === "clients", appendOnlyTables.includes(name)];
  const names = columns.map(quoteIdentifier).join(", ");
  const updatedColumns = columns.filter((column) => !key.includes(column) && column !== "revision");
  const update = `do update set ${updatedColumns.map((column) => `${quoteIdentifier(column)} = excluded.${quoteIdentifier(column)}`).join(", ")}`;
  const conflict = `on conflict (${key.map(quoteIdentifier).join(", ")})`;
  const insert = `insert into ${quoteIdentifier(name)} as moved (${names}) select ${names} from ${sourceRows} as given`;
  const selectSum = (rows: string): string =>
    `select count(*)::int as count, coalesce(sum(hash::numeric), 0)::text as sum from ${rows}`;
  const hash = rowHashSql(table);
  // Pipelined in one round trip.
  const [deleted, inserted, written] = await Promise.all([
    areNew || isReferenced || isAppendOnly
      ? undefined
      : client.query(
          `delete from ${quoteIdentifier(name)} as moved using ${sourceRows} as given where ${keysMatch}`,
          [list],
        ),
    isAppendOnly ? client.query(`${insert} ${conflict} do nothing`, [list]) : undefined,
    client.query<{ count: number; sum: string }>(
      isAppendOnly
        ? selectSum(
            `(select ${hash} as hash from ${sourceRows} as given join ${quoteIdentifier(name)} as moved on ${keysMatch}) as found`,
          )
        : `with written as (${insert} ${isReferenced ? `${conflict} ${update}` : ""} returning ${hash} as hash) ${selectSum("written")}`,
      [list],
    ),
  ]);
  const { count = 0, sum: targetSum = "0" } = written.rows[0] ?? {};
  if (count !== rowCount || BigInt(targetSum) !== sum)
    throw new Error(`${name}: the copied rows differ from the rows at the source.`);
  // The merchant's row in `clients` exists exactly once, so it adds no row.
  if (isReferenced) return 0;
  return (inserted ? (inserted.rowCount ?? 0) : count) - (deleted?.rowCount ?? 0);
}

/**
 * `rowHashSql` returns SQL for a row's hash, of the text of its values. It is equal at both ends, because both sessions
 * format times and bytes in the same way.
 */
function rowHashSql({ columns }: MovedTable): string {
  // The column `revision` is not compared, because it counts changes of settings in each database separately.
  const compared = columns.filter((column) => column !== "revision");
  return `hashtextextended(row(${compared.map((column) => `moved.${quoteIdentifier(column)}`).join(", ")})::text, 0)`;
}

/** `clearRows` deletes the merchant's rows of a table at the target, so that the table can be copied completely. */
export async function clearRows({ client, clientId }: MoveConnection, { name }: MovedTable): Promise<void> {
  if (appendOnlyTables.includes(name) || name === "clients") return;
  await client.query(`delete from ${quoteIdentifier(name)} where bucket = $1 and client_id = $2`, [
    bucketOf(clientId),
    clientId,
  ]);
}

/** `deleteExtraRows` deletes rows of the target that the source no longer has, and returns their number. */
export async function deleteExtraRows(
  source: MoveConnection,
  target: MoveConnection,
  table: MovedTable,
): Promise<number> {
  if (appendOnlyTables.includes(table.name))
    throw new Error(`${table.name}: the target has rows that the source does not have.`);
  const merchantKey = [bucketOf(source.clientId), source.clientId];
  const key = `row(${table.key.map((column) => `moved.${quoteIdentifier(column)}`).join(", ")})::text`;
  const { rows } = await source.client.query<{ keys: string }>(
    `select coalesce(json_agg(${key}), '[]')::text as keys from ${quoteIdentifier(table.name)} as moved
     where bucket = $1 and client_id = $2`,
    merchantKey,
  );
  const { rowCount } = await target.client.query(
    `delete from ${quoteIdentifier(table.name)} as moved where bucket = $1 and client_id = $2
       and not exists (select from jsonb_array_elements_text($3::jsonb) as kept (key) where kept.key = ${key})`,
    [...merchantKey, rows[0]?.keys ?? "[]"],
  );
  return rowCount ?? 0;
}

export async function countRows({ client, clientId }: MoveConnection, { name }: MovedTable): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from ${quoteIdentifier(name)} where bucket = $1 and client_id = $2`,
    [bucketOf(clientId), clientId],
  );
  return rows[0]?.count ?? 0;
}

export interface RowSum {
  readonly rowCount: number;
  readonly sum: string;
}

/** `sumRows` returns count and checksum of the merchant's rows, to compare both ends. */
export async function sumRows({ client, clientId }: MoveConnection, table: MovedTable): Promise<RowSum> {
  const { rows } = await client.query<{ count: number; sum: string }>(
    `select count(*)::int as count, coalesce(sum(${rowHashSql(table)}::numeric), 0)::text as sum
     from ${quoteIdentifier(table.name)} as moved where bucket = $1 and client_id = $2`,
    [bucketOf(clientId), clientId],
  );
  const { count = 0, sum = "0" } = rows[0] ?? {};
  return { rowCount: count, sum };
}

/**
 * `waitForOpenTransactions` waits until all transactions that are open now have ended, because one of them may have passed the
 * fence before it was closed.
 */
export async function waitForOpenTransactions(
  { client }: MoveConnection,
  timeoutMs: number,
): Promise<boolean> {
  const openTransactionsSql = `select l.pid || ' ' || l.virtualtransaction as id from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'virtualxid' and a.datname = current_database() and a.backend_type = 'client backend'
      and a.pid <> pg_backend_pid()`;
  const before = (await client.query<{ id: string }>(openTransactionsSql)).rows.map(({ id }) => id);
  for (const endMs = performance.now() + timeoutMs; ;) {
    const now = new Set((await client.query<{ id: string }>(openTransactionsSql)).rows.map(({ id }) => id));
    if (!before.some((id) => now.has(id))) return true;
    if (performance.now() > endMs) return false;
    await delay(2);
  }
}

function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
