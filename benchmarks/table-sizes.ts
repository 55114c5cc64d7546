import { tables } from "./multiply-payments.ts";
import type { Installation } from "./installation.ts";

/** Bytes on disk, per payment. */
export interface TableSize {
  readonly table: string;
  readonly rows: number;
  readonly heapBytes: number;
  readonly indexBytes: number;
}

/** Sizes of all tables with rows of a payment, including partitions and out-of-line storage (TOAST). */
export async function tableSizes({ query }: Installation): Promise<readonly TableSize[]> {
  const names = Object.keys(tables).map((name) => `('${name}'::regclass)`);
  const rows = await query<Record<"table" | "rows" | "heap" | "index", string>>(`
    select given.root::text as table, sum(greatest(c.reltuples, 0)) as rows, sum(pg_table_size(c.oid)) as heap,
      sum(pg_indexes_size(c.oid)) as index
    from (values ${names.join(", ")}) as given (root)
    join pg_class as c on c.oid = given.root or c.oid in (select relid from pg_partition_tree(given.root))
    group by given.root order by sum(pg_total_relation_size(c.oid)) desc`);
  const payments = Number(rows.find(({ table }) => table === "payments")?.rows);
  return rows.map(({ table, rows: count, heap, index }) => ({
    table,
    rows: Number(count) / payments,
    heapBytes: Number(heap) / payments,
    indexBytes: Number(index) / payments,
  }));
}
