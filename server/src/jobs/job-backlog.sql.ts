import { sql, type Tx } from "../postgres/sql.ts";

/** Waiting jobs of all merchants. Only the worker's database role can read the keys of all jobs. */
export interface JobBacklog {
  readonly due: readonly DueJobs[];
  readonly parked: { readonly count: number; readonly oldestSeconds: number };
}

/** Due jobs without a lease. */
export interface DueJobs {
  readonly job: string;
  /** The connector that the jobs need, or "none". */
  readonly connector: string;
  readonly count: number;
  readonly oldestSeconds: number;
}

/** Maximum number of jobs to count, so that counting a large backlog does not add load. */
const countMax = 10_000;

export async function findJobBacklog(tx: Tx): Promise<JobBacklog> {
  const [due, [parked]] = await Promise.all([
    tx.query<{ job: string; connector: string; count: number; oldest_seconds: number }>(sql`
      select due.job, due.connector, count(*)::int as count,
        greatest(0, extract(epoch from clock_timestamp() - min(due.due_at)))::float8 as oldest_seconds
      from (
        (select job, 'none' as connector, due_at from jobs where connector is null and due_at <= clock_timestamp()
          order by due_at limit ${countMax})
        union all
        (select waiting.job, connectors.name, waiting.due_at from connectors
          cross join lateral (
            select job, due_at from jobs where connector = connectors.name and due_at <= clock_timestamp()
            order by due_at limit ${countMax}
          ) as waiting)
      ) as due group by due.job, due.connector
    `),
    tx.query<{ count: number; oldest_seconds: number }>(sql`
      select count(*)::int as count,
        coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as oldest_seconds
      from (
        select created_at from jobs where due_at = 'infinity' and queue is not null
        order by queue, created_at limit ${countMax}
      ) as parked
    `),
  ]);
  return {
    due: due.map(({ oldest_seconds: oldestSeconds, ...jobs }) => ({ ...jobs, oldestSeconds })),
    parked: { count: parked?.count ?? 0, oldestSeconds: parked?.oldest_seconds ?? 0 },
  };
}
