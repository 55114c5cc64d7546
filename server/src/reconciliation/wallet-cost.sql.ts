import { sql, type Tx } from "../postgres/sql.ts";

/** What a wallet's files say that it took of buyers, so often, in one sum and by one method. */
export interface TakenByWallet {
  readonly connector: string;
  readonly currency: string;
  /** Undefined for payments that nobody here knows. */
  readonly paymentMethodType: string | undefined;
  readonly amountMinor: bigint;
  readonly count: number;
}

interface Window {
  readonly connector: string | undefined;
  readonly from: Date;
  readonly until: Date;
}

/** Grouped, because a day has far fewer sums than payments. For the operator, whose transaction may see them. */
export async function listTakenByWallets(
  tx: Tx,
  { connector, from, until }: Window,
): Promise<readonly TakenByWallet[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<TakenRow>(sql`
    select s.connector, s.currency, p.payment_method_type, s.amount_minor, count(*)::int as count
    from settlement_rows s
    left join payments p on p.payment_id = s.payment_id
      and p.bucket = case when s.payment_id ~ '^\\d{35}$' then substr(s.payment_id, 18, 4)::smallint end
    where s.kind in ('payment', 'capture') and s.at >= ${from} and s.at < ${until}
      and (${connector}::text is null or s.connector = ${connector})
    group by 1, 2, 3, 4
  `);
  return rows.map((row) => ({
    connector: row.connector,
    currency: row.currency,
    paymentMethodType: row.payment_method_type ?? undefined,
    amountMinor: BigInt(row.amount_minor),
    count: row.count,
  }));
}

interface TakenRow {
  readonly connector: string;
  readonly currency: string;
  readonly payment_method_type: string | null;
  readonly amount_minor: string;
  readonly count: number;
}

/** What wallets say that they kept for their work. */
export async function listKeptByWallets(
  tx: Tx,
  { connector, from, until }: Window,
): Promise<readonly { readonly connector: string; readonly currency: string; readonly minor: bigint }[]> {
  const rows = await tx.query<{ connector: string; currency: string; minor: string }>(sql`
    select connector, currency, sum(amount_minor) as minor from settlement_rows
    where kind = 'fee' and at >= ${from} and at < ${until} and (${connector}::text is null or connector = ${connector})
    group by 1, 2
  `);
  return rows.map(({ minor, ...of }) => ({ ...of, minor: BigInt(minor) }));
}
