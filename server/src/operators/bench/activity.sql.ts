import { sql, type Tx } from "../../postgres/sql.ts";

/** The current state of a connection of `serve` or `work`. */
export interface BackendActivity {
  readonly application: string;
  readonly pid: number;
  /** Client port of the connection; undefined if it has none or this login may not see it. */
  readonly port: number | undefined;
  /** State of the connection; undefined if this login may not see it. */
  readonly state: string | undefined;
  /** Wait event, such as `IO WALSync`; undefined if the backend runs on a CPU. */
  readonly wait: string | undefined;
}

export async function listActivity(tx: Tx): Promise<readonly BackendActivity[]> {
  const rows = await tx.query<ActivityRow>(sql`
    select application_name, pid, client_port, state, wait_event_type || ' ' || wait_event as wait
    from pg_stat_activity
    where datname = current_database() and application_name in ('tollgate serve', 'tollgate work')
  `);
  return rows.map((row) => ({
    application: row.application_name,
    pid: row.pid,
    // A connection over a Unix socket has the port -1.
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
