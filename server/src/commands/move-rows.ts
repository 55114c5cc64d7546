import { Client } from "pg";
import { bucketOf } from "../core/bucket.ts";
import { appendOnlyTables, columnsThatStay, tablesThatStay } from "../cells/moved-tables.ts";

/** A table that moves with a merchant, as the catalogue describes it. */
export interface MovedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

/** One end of a move: the owner's connection to a cell's database. */
export interface MoveEnd {
  readonly client: Client;
  readonly clientId: string;
}

const batchRows = 1_000;

export async function openEnd(url: string, clientId: string): Promise<MoveEnd> {
  const client = new Client({ connectionString: url, application_name: "tollgate mover" });
  client.on("error", () => undefined);
  await client.connect();
  // The merchant's rows alone, also behind the fence, which is for everybody else.
  await client.query("select set_config('app.clients', $1, false)", [`{${clientId}}`]);
  return { client, clientId };
}

/** Every table with merchants' rows that moves, those first that others refer to. Asked of the catalogue, so that none is forgotten. */
export async function listMovedTables({ client }: MoveEnd): Promise<readonly MovedTable[]> {
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
    .filter(({ name }) => !Object.hasOwn(tablesThatStay, name))
    .map((table) => ({
      ...table,
      columns: table.columns.filter((column) => !columnsThatStay[table.name]?.includes(column)),
    }));
}

/** Copies the merchant's rows that were written since a transaction, or all of them. */
export async function copyRows(
  source: MoveEnd,
  target: MoveEnd,
  table: MovedTable,
  since: string | undefined,
): Promise<number> {
  const [columns, key] = [table.columns.map(quoted).join(", "), table.key.map(quoted).join(", ")];
  const place = [bucketOf(source.clientId), source.clientId];
  const changed = since === undefined ? "" : "and age(xmin) <= age($3::xid)";
  let [after, copied]: [string | undefined, number] = [undefined, 0];
  for (;;) {
    const values: unknown[] = [...place, ...(since === undefined ? [] : [since])];
    const behind: string =
      after === undefined
        ? ""
        : `and (${key}) > (select ${key} from jsonb_populate_record(null::${quoted(table.name)}, $${values.push(after)}))`;
    const { rows }: { rows: { row: string }[] } = await source.client.query<{ row: string }>(
      `select to_jsonb(moved)::text as row from (select ${columns} from ${quoted(table.name)}
         where bucket = $1 and client_id = $2 ${changed} ${behind} order by ${key} limit ${batchRows}) as moved`,
      values,
    );
    if (rows.length === 0) return copied;
    await writeRows(
      target,
      table,
      rows.map(({ row }) => row),
    );
    copied += rows.length;
    after = rows.at(-1)?.row;
  }
}

/** Puts rows in the place of those with their keys. Not an update, which the triggers of lifecycles judge. */
async function writeRows(
  { client }: MoveEnd,
  { name, columns, key }: MovedTable,
  rows: readonly string[],
): Promise<void> {
  const given = `jsonb_populate_recordset(null::${quoted(name)}, $1::jsonb)`;
  const list = `[${rows.join(",")}]`;
  const isReferredTo = name === "clients";
  if (!appendOnlyTables.includes(name) && !isReferredTo)
    await client.query(
      `delete from ${quoted(name)} as old using ${given} as given
       where ${key.map((column) => `old.${quoted(column)} = given.${quoted(column)}`).join(" and ")}`,
      [list],
    );
  const names = columns.map(quoted).join(", ");
  const settled = columns.filter((column) => !key.includes(column) && column !== "revision");
  const update = `do update set ${settled.map((column) => `${quoted(column)} = excluded.${quoted(column)}`).join(", ")}`;
  await client.query(
    `insert into ${quoted(name)} (${names}) select ${names} from ${given} on conflict (${key.map(quoted).join(", ")})
       ${isReferredTo ? update : "do nothing"}`,
    [list],
  );
}

/** Deletes what the target has of the merchant, so that a table can be copied whole. */
export async function clearRows({ client, clientId }: MoveEnd, { name }: MovedTable): Promise<void> {
  if (appendOnlyTables.includes(name) || name === "clients") return;
  await client.query(`delete from ${quoted(name)} where bucket = $1 and client_id = $2`, [
    bucketOf(clientId),
    clientId,
  ]);
}

/** Count and checksum of the merchant's rows, for comparing both ends. */
export async function sumRows({ client, clientId }: MoveEnd, { name, columns }: MovedTable): Promise<string> {
  // Counts changes of settings, in each database by itself.
  const compared = columns
    .filter((column) => column !== "revision")
    .map(quoted)
    .join(", ");
  const { rows } = await client.query<{ sum: string }>(
    `select count(*) || ' rows, ' || coalesce(sum(hashtextextended(row(${compared})::text, 0)::numeric), 0) as sum
     from ${quoted(name)} where bucket = $1 and client_id = $2`,
    [bucketOf(clientId), clientId],
  );
  return rows[0]?.sum ?? "";
}

/** Waits until every transaction is over that is open now: one of them may have passed the fence before it was closed. */
export async function waitForOthers({ client }: MoveEnd, timeoutMs: number): Promise<boolean> {
  const open = `select l.pid || ' ' || l.virtualtransaction as id from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'virtualxid' and a.datname = current_database() and a.backend_type = 'client backend'
      and a.pid <> pg_backend_pid()`;
  const before = (await client.query<{ id: string }>(open)).rows.map(({ id }) => id);
  for (const endMs = performance.now() + timeoutMs; ;) {
    const now = new Set((await client.query<{ id: string }>(open)).rows.map(({ id }) => id));
    if (!before.some((id) => now.has(id))) return true;
    if (performance.now() > endMs) return false;
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
