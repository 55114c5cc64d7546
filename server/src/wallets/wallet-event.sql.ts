import { sql, type Tx } from "../postgres/sql.ts";

export interface WalletEvent {
  readonly bucket: number;
  readonly connector: string;
  readonly eventId: string;
  readonly clientId: string;
  readonly paymentId: string;
}

/** False when the wallet has told us this before: it repeats itself until it is answered. */
export async function insertWalletEvent(tx: Tx, event: WalletEvent, now: Date): Promise<boolean> {
  const { bucket, connector, eventId, clientId, paymentId } = event;
  const rows = await tx.query(sql`
    insert into wallet_events (bucket, connector, event_id, client_id, payment_id, at)
    values (${bucket}, ${connector}, ${eventId}, ${clientId}, ${paymentId}, ${now})
    on conflict (bucket, connector, event_id) do nothing
    returning event_id
  `);
  return rows.length === 1;
}
