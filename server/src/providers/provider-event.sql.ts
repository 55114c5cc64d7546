import { sql, type Tx } from "../postgres/sql.ts";

export interface ProviderEvent {
  readonly bucket: number;
  readonly connector: string;
  readonly eventId: string;
  readonly clientId: string;
  readonly paymentId: string;
  /** The reference of the order. */
  readonly reference: string;
}

/**
 * `insertProviderEvent` records a callback of a provider. It is idempotent by event id, and only records orders of this
 * connector.
 */
export function insertProviderEvent(tx: Tx, event: ProviderEvent, now: Date): void {
  const { bucket, connector, eventId, clientId, paymentId, reference } = event;
  tx.write(sql`
    insert into provider_events (bucket, connector, event_id, client_id, payment_id, at)
    select bucket, connector, ${eventId}, client_id, payment_id, ${now} from payments
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId} and connector = ${connector}
      and provider_reference = ${reference}
    on conflict (bucket, connector, event_id) do nothing
  `);
}
