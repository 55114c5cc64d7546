import type { Installation } from "./installation.ts";

/**
 * Multiplies payments that the gateway has made, in all tables with rows of a payment. Rows are copied with all
 * columns, and only columns that must differ are changed.
 */
export interface PaymentMultiplier {
  /**
   * `growTo` copies payments until there are `payments` in total. It copies the rows of all tables, or of the tables in
   * `only`.
   */
  growTo(payments: number, only?: readonly Table[]): Promise<void>;
}

/** `at` unchanged if a table's partitions do not reach far enough back. */
export const tables = {
  payments: "moves",
  payment_events: "moves",
  provider_events: "moves",
  ledger_transfers: "moves",
  notifications: "moves",
  notification_attempts: "moves",
  request_log: "stays",
  search_payments: "moves",
} as const;

export type Table = keyof typeof tables;

/**
 * Bytes on disk of a payment with all its rows, indexes and WAL: an estimate, only for the check of free disk space.
 */
export const bytesEach = 9_000;
/** Estimated bytes on disk of a payment's row in the table `payments` alone. */
export const bytesEachRow = 1_800;

/**
 * Columns that need new values. `n` is the number of the copy, and positions continue after `base`, the highest used
 * one: payments that were measured between two sizes have positions of their own.
 */
const replacedColumns: Readonly<Record<string, string>> = {
  payment_id: "copied_id(payment_id, n)",
  subject_id: "copied_id(subject_id, n)",
  notification_id: "copied_id(notification_id, n)",
  payment_request_id: "'bench-' || md5(payment_request_id || n)::uuid",
  provider_reference: "md5(provider_reference || n)",
  event_id: "md5(event_id || n)::uuid::text",
  request_id: "md5(request_id || n)::uuid::text",
  position: "base + position + (n - first) * top",
};

/** An id begins with its time, so each copy is older than the one before by a fixed step. */
const copiedId = (age: string): string => `
  create function copied_id(id text, n integer) returns text language sql immutable as $$
    select to_char(to_timestamp(substr(id, 1, 14), 'YYYYMMDDHH24MISS') - ${age}, 'YYYYMMDDHH24MISS') || substr(id, 15)
  $$`;

/**
 * The existing payments become templates. Each copy is older than the one before by a fixed step, and all are older by
 * `olderDays`.
 */
export async function startMultiplying(at: Installation, olderDays = 0): Promise<PaymentMultiplier> {
  const age = `(n * interval '3 seconds' + interval '${olderDays} days')`;
  await at.query(
    "set session_replication_role = replica; set synchronous_commit = off; set timezone = 'UTC'",
  );
  await at.query(copiedId(age));
  for (const table of Object.keys(tables)) await at.query(`create table template_${table} as table ${table}`);
  // Payments with numbers as request ids exist only for inquiries and lack rows in other tables, so they are no
  // templates.
  await at.query("delete from template_payments where payment_request_id ~ '^[0-9]+$'");
  const [row] = await at.query<{ payments: number; top: string }>(`
    select (select count(*)::int from template_payments) as payments,
      (select coalesce(max(position), 0) from template_notifications) as top`);
  const templates = row?.payments ?? 0;
  if (templates === 0) throw new Error("There are no payments to copy.");
  let copies = 0;
  return {
    async growTo(payments, only = Object.keys(tables) as Table[]) {
      const until = Math.max(copies, Math.ceil(payments / templates) - 1);
      const [newestPosition] = await at.query<{ base: string }>(
        "select coalesce(max(position), 0) as base from notifications",
      );
      const positions = { base: Number(newestPosition?.base), top: Number(row?.top) };
      for (const table of only)
        // Copies are inserted oldest first, in chunks that are small enough to sort without filling the disk.
        for (let last = until; last > copies; last -= copiesPerChunk) {
          const from = Math.max(copies + 1, last - copiesPerChunk + 1);
          const time = tables[table];
          await copyRows(at, { table, time, age, from, until: last, first: copies + 1, ...positions });
        }
      copies = until;
      await at.query(`update feed_heads set position = newest.position from (
        select bucket, client_id, max(position) as position from notifications group by bucket, client_id) as newest
        where newest.bucket = feed_heads.bucket and newest.client_id = feed_heads.client_id`);
      for (const table of only) await at.query(`vacuum (analyze) ${table}`);
      await at.query("checkpoint");
    },
  };
}

const copiesPerChunk = 1_000;

interface CopyPlan {
  readonly table: string;
  readonly time: "moves" | "stays";
  /** How much older copy `n` is, as SQL. */
  readonly age: string;
  /** The number of the first copy of this run. Positions are counted from it. */
  readonly first: number;
  readonly from: number;
  readonly until: number;
  /** The highest used position. */
  readonly base: number;
  /** The highest position of a template. */
  readonly top: number;
}

async function copyRows(at: Installation, plan: CopyPlan): Promise<void> {
  const { table, time, age, first, from, until, base, top } = plan;
  const columns = await at.query<{ name: string; type: string; key: boolean }>(`
    select attname as name, atttypid::regtype::text as type from pg_attribute
    where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped order by attnum`);
  const values = columns.map(({ name, type }) => {
    if (replacedColumns[name]) return replacedColumns[name];
    const isTime = type === "timestamp with time zone" && time === "moves";
    return isTime ? `${name} - ${age}` : name;
  });
  // Ordered by merchant, oldest first, so that indexes grow at the same places as before.
  const order = columns.some(({ name }) => name === "client_id") ? "order by client_id, n desc" : "";
  await at.query(`
    insert into ${table} (${columns.map(({ name }) => name).join(", ")})
    select ${values.join(", ")} from (
      select * from template_${table}, generate_series(${from}, ${until}) as n,
        (values (${first}, ${base}::bigint, ${top}::bigint)) as positions (first, base, top) ${order}
    ) as copies`);
}
