import { sql, type Tx } from "../postgres/sql.ts";
import type { CutOff } from "./compare.sql.ts";

/** The files of a provider that a reconciliation run compared. */
export interface ProviderFiles {
  readonly connector: string;
  /** The cut-off of the provider's files: the run did not compare later movements. */
  readonly until: string;
  readonly fileCount: number;
  /** The newest imported file; absent if there is no file of this provider. */
  readonly newestFile?: string | undefined;
}

/** A reconciliation run with its time, connector, day and files. */
export interface ReconciliationRun {
  readonly ranAt: Date;
  /** The connector that the run compared; absent for a run over all connectors. */
  readonly connector: string | undefined;
  /** The day that the run compared; absent for a run over all days. */
  readonly day: string | undefined;
  readonly providerFiles: readonly ProviderFiles[];
  readonly bankFileCount: number;
  readonly breakCount: number;
}

type NewRun = Omit<ReconciliationRun, "providerFiles" | "bankFileCount"> & {
  readonly cutOffs: readonly CutOff[];
};

/** `insertRun` stores a reconciliation run, with the files that were imported by then. */
export async function insertRun(tx: Tx, run: NewRun): Promise<void> {
  const { ranAt, connector, day, cutOffs, breakCount } = run;
  await tx.query(sql`
    insert into reconciliation_runs (ran_at, connector, day, provider_files, bank_file_count, break_count)
    select ${ranAt}, ${connector}, ${day}::date, coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('connector', given.connector,
        'until', to_char(given.until at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'fileCount', coalesce(files.count, 0),
        'newestFile', files.newest)) order by given.connector) filter (where given.connector is not null), '[]'),
      (select count(*)::int from bank_files), ${breakCount}
    from unnest(${cutOffs.map((each) => each.connector)}::text[], ${cutOffs.map(({ until }) => until)}::timestamptz[])
      as given (connector, until)
    left join (
      select connector, count(*)::int as count, (array_agg(name order by file_id desc))[1] as newest
      from settlement_files group by connector
    ) as files using (connector)
  `);
}

/** `findLastRun` returns the newest reconciliation run; undefined if there was none. */
export async function findLastRun(tx: Tx): Promise<ReconciliationRun | undefined> {
  const [row] = await tx.query<RunRow>(sql`
    select ran_at, connector, day::text, provider_files, bank_file_count, break_count from reconciliation_runs
    order by run_id desc limit 1
  `);
  return (
    row && {
      ranAt: row.ran_at,
      connector: row.connector ?? undefined,
      day: row.day ?? undefined,
      providerFiles: row.provider_files,
      bankFileCount: row.bank_file_count,
      breakCount: row.break_count,
    }
  );
}

interface RunRow {
  readonly ran_at: Date;
  readonly connector: string | null;
  readonly day: string | null;
  readonly provider_files: readonly ProviderFiles[];
  readonly bank_file_count: number;
  readonly break_count: number;
}
