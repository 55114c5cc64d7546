import type { ClientKey } from "../core/client-key.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import type { Payment } from "./payment.ts";

/**
 * `sumDisputeLosses` returns the amount that disputes have debited from each payment. It runs no query if no payment has a
 * disputed amount.
 */
export async function sumDisputeLosses(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  payments: readonly Payment[],
): Promise<ReadonlyMap<string, bigint>> {
  const disputedPayments = payments.filter(({ disputedMinor }) => disputedMinor > 0n);
  if (disputedPayments.length === 0) return new Map();
  const rows = await tx.query<{ payment_id: string; lost: string }>(sql`
    select payment_id, sum(debited_minor) as lost from disputes
    where bucket = ${bucket} and client_id = ${clientId}
      and payment_id = any(${disputedPayments.map(({ paymentId }) => paymentId)}::text[]) and debited_minor > 0
    group by payment_id
  `);
  return new Map(rows.map(({ payment_id, lost }) => [payment_id, BigInt(lost)]));
}
