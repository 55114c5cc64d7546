import { sql, type Tx } from "../postgres/sql.ts";

export interface PaymentKey {
  readonly bucket: number;
  readonly clientId: string;
  readonly paymentId: string;
}

export interface VersionSeen {
  readonly payment: PaymentKey;
  /** Undefined when none has been seen yet. */
  readonly version: string | undefined;
}

/**
 * A word for each payment that changes whenever its buyer would be shown something else; only of those that have changed
 * since they were seen. Many at once, by their keys: `is not distinct from` keeps the planner off the client's index.
 */
export async function listChanged(
  tx: Tx,
  seen: readonly VersionSeen[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.query<{ payment_id: string; version: string }>(sql`
    select payment_id, version
    from unnest(${seen.map(({ payment }) => payment.bucket)}::smallint[], ${seen.map(({ payment }) => payment.clientId)}::text[],
      ${seen.map(({ payment }) => payment.paymentId)}::text[], ${seen.map(({ version }) => version ?? "")}::text[])
      as given (of_bucket, of_client, of_payment, of_version)
    join payments on bucket = of_bucket and client_id is not distinct from of_client and payment_id = of_payment
    cross join lateral concat_ws(' ', sequence, status, wallet_accepted_at is null, extract(epoch from chosen_at),
      cancel_requested_at is null, change_requested_at is null) as version
    where version <> of_version
  `);
  return new Map(rows.map(({ payment_id, version }) => [payment_id, version]));
}
