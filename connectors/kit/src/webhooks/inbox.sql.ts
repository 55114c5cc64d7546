import { sql, type Statement } from "../../../../server/src/postgres/sql.ts";
import type { WebhookEvent } from "../connector.ts";

export interface EventRow {
  readonly account: string;
  readonly eventId: string;
  readonly event: WebhookEvent;
  readonly attempts: number;
  readonly receivedAt: Date;
}

/** Stores events of a verified webhook. The provider's event id makes a repeated webhook harmless. */
export function insertEvents(account: string, events: readonly WebhookEvent[], now: Date): Statement {
  return sql`
    insert into webhook_events (account, event_id, event, received_at, due_at)
    select ${account}, given ->> 'eventId', given, ${now}, ${now}
    from jsonb_array_elements(${JSON.stringify(events)}::jsonb) as given
    on conflict do nothing`;
}

/** Takes due events. One that is not handled is due again after 10 s, doubled up to an hour. */
export function takeDueEvents(now: Date, count: number): Statement {
  return sql`
    update webhook_events set attempts = attempts + 1,
      due_at = ${now}::timestamptz + least(3600, 10 * power(2, least(attempts, 9))) * interval '1 second'
    where (account, event_id) in (
      select account, event_id from webhook_events where due_at <= ${now}
      order by due_at limit ${count} for update skip locked)
    returning account, event_id as "eventId", event, attempts, received_at as "receivedAt"`;
}

/** The content is deleted, and the id stays to recognise repeats. */
export function finishEvent(account: string, eventId: string): Statement {
  return sql`
    update webhook_events set due_at = null, event = null where account = ${account} and event_id = ${eventId}`;
}

export function deleteOldEvents(before: Date): Statement {
  return sql`delete from webhook_events where due_at is null and received_at < ${before}`;
}
