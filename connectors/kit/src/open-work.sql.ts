import { sql, type Statement } from "../../../server/src/postgres/sql.ts";

/** Work that is not complete. Each number is counted up to 10,000. */
export interface OpenWork {
  readonly callbacks: number;
  readonly events: number;
  readonly unknownSends: number;
}

export function countOpenWork(): Statement {
  return sql`
    select (select count(*)::int from (select from callbacks limit 10000) as counted) as callbacks,
      (select count(*)::int from (select from webhook_events where due_at is not null limit 10000) as counted) as events,
      (select count(*)::int from (
        select from orders where state is null and first_sent_at is not null
        union all select from money_operations where state is null and first_sent_at is not null
        limit 10000) as counted) as "unknownSends"`;
}
