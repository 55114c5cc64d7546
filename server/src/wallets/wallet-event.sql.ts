import { sql, type Tx } from "../postgres/sql.ts";

export interface WalletEvent {
  readonly bucket: number;
  readonly connector: string;
  readonly eventId: string;
  readonly clientId: string;
  readonly paymentId: string;
  /** The reference of the order. */
  readonly reference: string;
}

/** Records a callback. Idempotent by event id, and only for an order of this wallet. */
export function insertWalletEvent(tx: Tx, event: WalletEvent, now: Date): void {
  const { bucket, connector, eventId, clientId, paymentId, reference } = event;
  tx.write(sql`
    insert into wallet_events (bucket, connector, event_id, client_id, payment_id, at)
    select bucket, connector, ${eventId}, client_id, payment_id, ${now} from payments
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId} and connector = ${connector}
      and wallet_reference = ${reference}
    on conflict (bucket, connector, event_id) do nothing
  `);
}
