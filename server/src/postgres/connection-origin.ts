import type { ClientBase, PoolClient } from "pg";

/**
 * The server from which rows were read: system identifier, timeline and start time. A promotion starts a new timeline.
 * The start time distinguishes two standbys that were promoted from the same primary. Undefined while the server is in
 * recovery, because it may become another primary under the same connection.
 */
export type ServerOrigin = string | undefined;

/** The origins of the connections of one pool. */
export interface ConnectionOrigins {
  /** Queries the origin in the connection's first statement, so that it is known before any other response arrives. */
  identify(client: PoolClient, onFault: (error: Error) => void): void;
  originOf(client: ClientBase): ServerOrigin;
  /** Whether the connection leads to a standby, or to a different server than the newest connection. */
  isStale(client: ClientBase): boolean;
}

/**
 * The query reads the timeline from the WAL position: after a promotion `pg_control_checkpoint` has the old timeline
 * until the next checkpoint. Warnings must be enabled, because a warning is the only sign of a commit that no standby
 * has.
 */
const firstStatement = `select set_config('client_min_messages', 'warning', false), case when not pg_is_in_recovery() then
  concat_ws(' ', (select system_identifier from pg_control_system()),
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), extract(epoch from pg_postmaster_start_time())) end as origin`;

/** With `readsOnly`, connections to a standby are kept, because their reads are never confirmed. */
export function trackOrigins({ readsOnly = false }: { readonly readsOnly?: boolean }): ConnectionOrigins {
  const origins = new WeakMap<ClientBase, ServerOrigin>();
  let newest: ServerOrigin;
  return {
    identify(client, onFault) {
      client.query<{ origin: string | null }>(firstStatement, (error, answer) => {
        if (error) {
          onFault(error);
          // A connection without an origin is destroyed, because it could not confirm anything.
          client.connection.stream.destroy();
          return;
        }
        newest = answer.rows[0]?.origin ?? undefined;
        origins.set(client, newest);
      });
    },
    originOf: (client) => origins.get(client),
    isStale(client) {
      const origin = origins.get(client);
      return !readsOnly && (origin === undefined || origin !== newest);
    },
  };
}
