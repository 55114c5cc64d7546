import { sql, type Tx } from "../postgres/sql.ts";

export interface WalletEvent {
  readonly bucket: number;
  readonly connector: string;
  readonly eventId: string;
  readonly clientId: string;
  readonly paymentId: string;
  /** Of the order that it speaks of. */
  readonly reference: string;
}

/** False when the wallet has told us this before, for it repeats itself until it is answered; or when the order is not its own. */
export async function insertWalletEvent(tx: Tx, event: WalletEvent, now: Date): Promise<boolean> {
  const { bucket, connector, eventId, clientId, paymentId, reference } = event;
  const rows = await tx.query(sql`
    insert into wallet_events (bucket, connector, event_id, client_id, payment_id, at)
    select bucket, wallet, ${eventId}, client_id, payment_id, ${now} from payments
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId} and wallet = ${connector}
      and wallet_reference = ${reference}
    on conflict (bucket, connector, event_id) do nothing
    returning event_id
  `);
  return rows.length === 1;
}
