import type { ClientKey } from "../core/client-key.ts";
import { calculateCancelCost, parseFeeTerms } from "../ledger/fee.ts";
import { payableAccount } from "../ledger/transfer.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import type { Break, LedgerBreak } from "./break.ts";

/**
 * Compares the sums stored in each payment (captured, refunded and disputed, including pending ones) with its captures,
 * refunds and disputes.
 */
export async function listWrongSums(tx: Tx, connector: string | undefined): Promise<readonly Break[]> {
  const rows = await tx.query<LedgerCheckRow>(sql`
    with captured as (
      select bucket, payment_id, sum(amount_minor) as minor from captures where status <> 'FAIL'
      group by bucket, payment_id
    ), refunded as (
      select bucket, payment_id, sum(amount_minor) as minor from refunds where status <> 'FAIL'
      group by bucket, payment_id
    ), disputed as (
      select bucket, payment_id, sum(frozen_minor + debited_minor) as minor from disputes group by bucket, payment_id
    )
    select kind, payments.connector, 'payment' as subject, payment_id as reference, payment_id, currency,
      written, expected, created_at as at
    from payments
    left join captured using (bucket, payment_id)
    left join refunded using (bucket, payment_id)
    left join disputed using (bucket, payment_id)
    cross join lateral (values
      ('captured sum', captured_minor, case when capture_mode = 'MANUAL' then coalesce(captured.minor, 0)
        when paid_at is not null then paid_minor else 0 end),
      ('refunded sum', refunded_minor, coalesce(refunded.minor, 0)),
      ('disputed sum', disputed_minor, coalesce(disputed.minor, 0))
    ) as counted (kind, written, expected)
    where written <> expected and currency is not null and (${connector}::text is null or connector = ${connector})
    order by created_at
  `);
  return rows.map(toBreak);
}

/** Compares merchants' reserves with the refunds and cancels in progress. */
export async function listWrongReserves(tx: Tx): Promise<readonly Break[]> {
  const cancelsWithFeeRule = await listCancelsByRule(tx);
  const rows = await tx.query<LedgerCheckRow>(sql`
    with open as (
      select bucket, client_id, currency, greatest(0, amount_minor::numeric - coalesce(returned_fee_minor, 0)
        - coalesce(returned_tax_minor, 0) + coalesce(charged_fee_minor, 0) + coalesce(charged_tax_minor, 0)) as minor
      from refunds where status = 'PROCESSING'
      union all
      -- The reserve of a cancel is the paid amount minus the fee, because a cancel returns both.
      select reversals.bucket, reversals.client_id, reversals.currency,
        reversals.amount_minor - div(reversals.amount_minor::numeric * fee_basis_points, 10000)
      from reversals join payments using (bucket, payment_id)
      where reversals.status = 'PROCESSING' and reason = 'CANCEL' and capture_mode = 'AUTOMATIC' and fee_terms is null
      union all
      select * from unnest(${cancelsWithFeeRule.map(({ bucket }) => bucket)}::smallint[], ${cancelsWithFeeRule.map(({ clientId }) => clientId)}::text[],
        ${cancelsWithFeeRule.map(({ currency }) => currency)}::text[], ${cancelsWithFeeRule.map(({ minor }) => minor)}::numeric[])
    ), needed as (
      select bucket, client_id, currency, sum(minor) as minor from open group by bucket, client_id, currency
    )
    select 'open refunds' as kind, null as connector, 'reserve' as subject, client_id as reference, null as payment_id,
      currency, coalesce(open_refunds_minor, 0) as written, coalesce(needed.minor, 0) as expected,
      null::timestamptz as at
    from reserves full join needed using (bucket, client_id, currency)
    where coalesce(open_refunds_minor, 0) <> coalesce(needed.minor, 0)
    order by client_id, currency
  `);
  return rows.map(toBreak);
}

/**
 * Returns the amounts that open cancels need, for payments with a fee rule. TypeScript calculates them, so that SQL
 * does not repeat the fee rule.
 */
async function listCancelsByRule(tx: Tx): Promise<readonly (ClientKey & ReserveSum)[]> {
  const rows = await tx.query<CancelRow>(sql`
    select reversals.bucket, reversals.client_id, reversals.currency, reversals.amount_minor, fee_terms, count(*) as count
    from reversals join payments using (bucket, payment_id)
    where reversals.status = 'PROCESSING' and reason = 'CANCEL' and capture_mode = 'AUTOMATIC' and fee_terms is not null
    group by reversals.bucket, reversals.client_id, reversals.currency, reversals.amount_minor, fee_terms
  `);
  return rows.map(({ bucket, client_id, currency, amount_minor, fee_terms, count }) => {
    const minor = calculateCancelCost(BigInt(amount_minor), parseFeeTerms(fee_terms)) * BigInt(count);
    return { bucket, clientId: client_id, currency, minor };
  });
}

interface ReserveSum {
  readonly currency: string;
  readonly minor: bigint;
}

interface CancelRow {
  readonly bucket: number;
  readonly client_id: string;
  readonly currency: string;
  readonly amount_minor: string;
  readonly fee_terms: string;
  readonly count: string;
}

/** Compares the stored balances with the ledger rows up to their roll-up position. */
export async function listWrongBalances(tx: Tx): Promise<readonly Break[]> {
  const rows = await tx.query<LedgerCheckRow>(sql`
    with summed_rows as (
      select bucket, client_id, debit_account, credit_account, currency, amount_minor from ledger_transfers
      where transaction < (select summed_up_to from balances_position)
    ), sides as (
      select bucket, client_id, debit_account as account, currency, amount_minor::numeric as minor from summed_rows
      union all
      select bucket, client_id, credit_account, currency, -amount_minor::numeric from summed_rows
    ), summed as (
      select bucket, client_id, account, currency, sum(minor) as minor from sides
      group by bucket, client_id, account, currency
    )
    select 'balance' as kind, null as connector, account as subject, client_id as reference, null as payment_id,
      currency, coalesce(balances.amount_minor, 0) as written, coalesce(summed.minor, 0) as expected,
      null::timestamptz as at
    from balances full join summed using (bucket, client_id, account, currency)
    where coalesce(balances.amount_minor, 0) <> coalesce(summed.minor, 0)
    order by client_id, account, currency
  `);
  return rows.map(toBreak);
}

/** Days after which a negative balance is a break. Before, the merchant's next sales usually cover it. */
const negativeDaysMax = 30;

/**
 * Lists the merchants whose balance has been negative for more than 30 days. A sale, a settlement or a released reserve
 * covers a negative balance when it makes the balance zero or more, and the days begin again.
 */
export async function listNegativeBalances(tx: Tx, now: Date): Promise<readonly Break[]> {
  const rows = await tx.query<{ client_id: string; currency: string; owed: string; since: Date }>(sql`
    with known as (
      select client_id, account, currency, amount_minor::numeric as minor from balances
      where starts_with(account, ${payableAccount("")})
      union all
      select l.client_id, side.account, l.currency, side.minor
      from ledger_transfers as l
      cross join lateral (values (l.debit_account, l.amount_minor), (l.credit_account, -l.amount_minor)) as side (account, minor)
      where l.transaction >= (select summed_up_to from balances_position) and starts_with(side.account, ${payableAccount("")})
    ), negative as materialized (
      select client_id, account, currency from known group by client_id, account, currency having sum(minor) > 0
    ), history as (
      select n.client_id, n.currency, l.at,
        sum(case when l.credit_account = n.account then l.amount_minor else -l.amount_minor end)
          over (partition by n.client_id, n.currency order by l.at) as owed
      from negative as n
      join ledger_transfers as l on l.client_id collate "C" = n.client_id and l.currency = n.currency
        and n.account in (l.debit_account, l.credit_account)
    ), newest as (
      select client_id, currency, max(at) filter (where owed >= 0) as covered_at, (array_agg(owed order by at desc))[1] as owed
      from history group by client_id, currency
    )
    select client_id, currency, newest.owed::text as owed, (
        select min(at) from history
        where (history.client_id, history.currency) = (newest.client_id, newest.currency)
          and at > coalesce(covered_at, '-infinity')
      ) as since
    from newest order by client_id, currency
  `);
  const before = now.getTime() - negativeDaysMax * 24 * 3600 * 1000;
  return rows
    .filter(({ since }) => since.getTime() < before)
    .map(({ client_id: clientId, currency, owed, since }) => ({
      kind: "negative balance",
      connector: undefined,
      subject: payableAccount(clientId),
      reference: clientId,
      paymentId: undefined,
      currency,
      sums: { ledger: { currency, minor: BigInt(owed) } },
      at: since,
    }));
}

interface LedgerCheckRow {
  readonly kind: LedgerBreak;
  readonly connector: string | null;
  readonly subject: string;
  readonly reference: string;
  readonly payment_id: string | null;
  readonly currency: string;
  readonly written: string;
  readonly expected: string;
  readonly at: Date | null;
}

function toBreak({
  kind,
  connector,
  subject,
  reference,
  payment_id,
  currency,
  ...row
}: LedgerCheckRow): Break {
  const sums = {
    written: { currency, minor: BigInt(row.written) },
    expected: { currency, minor: BigInt(row.expected) },
  };
  return {
    kind,
    connector: connector ?? undefined,
    subject,
    reference,
    paymentId: payment_id ?? undefined,
    currency,
    sums,
    at: row.at ?? undefined,
  };
}
