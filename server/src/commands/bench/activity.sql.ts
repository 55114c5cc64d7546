import { sql, type Tx } from "../../postgres/sql.ts";

/** What a connection of `serve` or `work` does at the moment. */
export interface Activity {
  readonly application: string;
  readonly pid: number;
  /** The port at the other end; undefined when this login may not see it, or there is none. */
  readonly port: number | undefined;
  /** Undefined when this login may not see it. */
  readonly state: string | undefined;
  /** What it waits for, such as `IO WALSync`; undefined when it computes. */
  readonly wait: string | undefined;
}

export async function listActivity(tx: Tx): Promise<readonly Activity[]> {
  const rows = await tx.query<ActivityRow>(sql`
    select application_name, pid, client_port, state, wait_event_type || ' ' || wait_event as wait
    from pg_stat_activity
    where datname = current_database() and application_name in ('tollgate serve', 'tollgate work')
  `);
  return rows.map((row) => ({
    application: row.application_name,
    pid: row.pid,
    // A connection by a socket file has -1.
    port: row.client_port !== null && row.client_port > 0 ? row.client_port : undefined,
    state: row.state ?? undefined,
    wait: row.wait ?? undefined,
  }));
}

interface ActivityRow {
  readonly application_name: string;
  readonly pid: number;
  readonly client_port: number | null;
  readonly state: string | null;
  readonly wait: string | null;
}
