import { sql, type Tx } from "../postgres/sql.ts";

export interface PaymentKey {
  readonly bucket: number;
  readonly clientId: string;
  readonly paymentId: string;
}

export interface KnownVersion {
  readonly payment: PaymentKey;
  /** The version of the payment at the last poll; undefined if no version has been read yet. */
  readonly version: string | undefined;
}

/**
 * `listChangedVersions` returns the new version of each payment whose checkout page has changed since the given version. It
 * reads many payments at once by primary key: `is not distinct from` keeps the planner off the client's index.
 */
export async function listChangedVersions(
  tx: Tx,
  knownVersions: readonly KnownVersion[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.query<{ payment_id: string; version: string }>(sql`
    select payment_id, version
    from unnest(${knownVersions.map(({ payment }) => payment.bucket)}::smallint[], ${knownVersions.map(({ payment }) => payment.clientId)}::text[],
      ${knownVersions.map(({ payment }) => payment.paymentId)}::text[], ${knownVersions.map(({ version }) => version ?? "")}::text[])
      as given (of_bucket, of_client, of_payment, of_version)
    join payments on bucket = of_bucket and client_id is not distinct from of_client and payment_id = of_payment
    cross join lateral concat_ws(' ', sequence, status, provider_accepted_at is null, extract(epoch from chosen_at),
      cancel_requested_at is null, change_requested_at is null, hashtext(next_action)) as version
    where version <> of_version
  `);
  return new Map(rows.map(({ payment_id, version }) => [payment_id, version]));
}
