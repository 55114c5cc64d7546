import { sql, type Statement } from "../../../../server/src/postgres/sql.ts";

export interface CallbackRow {
  readonly eventId: string;
  readonly url: string;
  readonly body: object;
  readonly attempts: number;
}

/** The outbox: a callback is stored in the transaction of the change that it reports. */
export function insertCallback(eventId: string, url: string, body: object, now: Date): Statement {
  return sql`
    insert into callbacks (event_id, url, body, due_at)
    values (${eventId}, ${url}, ${JSON.stringify(body)}::json, ${now})
    on conflict do nothing`;
}

/** Takes due callbacks. Each is due again after the time, if its attempt neither succeeds nor is reported as failed. */
export function takeDueCallbacks(now: Date, retakeAt: Date, count: number): Statement {
  return sql`
    update callbacks set due_at = ${retakeAt}, attempts = attempts + 1
    where event_id in (
      select event_id from callbacks where due_at <= ${now} order by due_at limit ${count} for update skip locked)
    returning event_id as "eventId", url, body, attempts`;
}

export function deleteCallback(eventId: string): Statement {
  return sql`delete from callbacks where event_id = ${eventId}`;
}

export function postponeCallback(eventId: string, dueAt: Date): Statement {
  return sql`update callbacks set due_at = ${dueAt} where event_id = ${eventId}`;
}
