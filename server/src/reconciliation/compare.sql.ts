import { universeReferencePrefix } from "../core/provider-reference.ts";
import { house } from "../ledger/account.ts";
import { receivableRowKinds } from "../ledger/bank-effects.ts";
import { houseBucket } from "../ledger/house-account.sql.ts";
import { receivableAccount } from "../ledger/transfer.ts";
import { toMoney } from "../postgres/money-columns.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import type { ComparedMovement } from "./break.ts";
import type { MovementTotals } from "./reconciliation-total.ts";
import type { MovementKind } from "./settlement-row.ts";

/** The time up to which a provider's files are complete. Later movements stay open. */
export interface CutOff {
  readonly connector: string;
  readonly until: Date;
}

/**
 * A provider's cut-off is its newest row; a provider without a file has none. Providers give times in whole seconds,
 * so the last second may be incomplete.
 */
export async function listCutOffs(tx: Tx, connector: string | undefined): Promise<readonly CutOff[]> {
  return tx.query<{ connector: string; until: Date }>(sql`
    select connector, date_trunc('second', max(newest_at)) as until from settlement_files
    where newest_at is not null and (${connector}::text is null or connector = ${connector})
    group by connector order by connector
  `);
}

/** Advisory lock: one import or reconciliation at a time, because a partially imported file would look like a break. */
export async function lockReconciliation(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtext('matching'))`);
}

/**
 * Takes the lock of an import for a reconciliation. From then on the transaction can read all merchants' rows, and
 * write none.
 */
export async function lockLedger(tx: Tx): Promise<void> {
  await lockReconciliation(tx);
  // The transaction uses hash joins, which are faster than merge joins for reading every row.
  await tx.query(sql`
    select set_config('app.oversight', 'on', true), set_config('work_mem', '128MB', true),
      set_config('enable_mergejoin', 'off', true)
  `);
}

interface ComparisonScope {
  readonly connector: string | undefined;
  readonly cutOffs: readonly CutOff[];
  /** Whether postings without a payment are compared, too. */
  readonly withHouse: boolean;
}

export interface Comparison {
  readonly movementTotals: readonly MovementTotals[];
  /** The movements with a difference. */
  readonly differences: readonly ComparedMovement[];
}

/**
 * `compareRecords` reconciles each movement of money with the ledger and the providers' files. The comparison is one
 * statement, so that everything is read in one snapshot. Reconciled movements are only counted; differences are
 * returned row by row. Provider movements of an isolated test merchant that was deleted are no differences. The gateway
 * has no record of a provider's fees and payouts: their rows are compared with the postings to the house account, in
 * the cell that has it.
 */
export async function compareRecords(
  tx: Tx,
  { connector, cutOffs, withHouse }: ComparisonScope,
): Promise<Comparison> {
  await createDifferencesTable(tx);
  const totals = await tx.query<MovementTotalsRow>(sql`
    with asked as (select ${receivableAccount("")}::text as prefix, ${house}::text as house, ${houseBucket}::smallint as bucket,
      ${withHouse}::boolean as with_house, ${receivableRowKinds}::text[] as account_kinds
    ), ${recordedMovements}, ${postedMovements}, here as (
      select coalesce(records.connector, posted.connector) as connector,
        coalesce(records.movement, case when posted.effect in ('payment', 'late success') then 'payment'
          when posted.effect = 'capture' then 'capture' when posted.effect = 'dispute debit' then 'chargeback'
          when posted.effect = 'refund reversal' then 'refund_reversal'
          when starts_with(posted.effect, 'provider ') then substr(posted.effect, 8) else 'refund' end) as movement,
        coalesce(records.reference, records.subject_id, posted.subject_id || ' ' || posted.effect) as reference,
        coalesce(records.payment_id, case when posted.effect not in ('capture', 'refund', 'refund reversal', 'dispute debit')
          and not starts_with(posted.effect, 'provider ') then posted.subject_id end)
          as payment_id,
        coalesce(records.at, posted.at) as at, records.currency as here_currency, records.minor as here_minor,
        posted.currency as ledger_currency, posted.minor as ledger_minor
      from records full join posted on posted.bucket = records.bucket and posted.subject_id = records.subject_id
        and posted.effect = records.effect and posted.connector = records.connector
    ), ${repeatedLines}, compared as (
      select coalesce(here.connector, kept.connector) as connector, coalesce(here.movement, kept.kind) as movement,
        coalesce(here.reference, kept.operation_reference) as reference,
        coalesce(here.payment_id, nullif(kept.payment_id, '')) as payment_id, coalesce(here.at, kept.at) as at,
        here_currency, here_minor, ledger_currency, ledger_minor,
        kept.currency as provider_currency, kept.amount_minor as provider_minor
      from here full join (
        select settlement_rows.* from settlement_rows, asked where with_house or kind <> all (account_kinds)
      ) as kept on kept.connector = here.connector and kept.kind = here.movement
        and kept.operation_reference = here.reference
      where here.connector is not null or not starts_with(kept.reference, ${universeReferencePrefix})
    ), judged as materialized (
      select compared.*, coalesce(compared.at < cut_off.until, false) as is_due, moved_count, changed_count,
        again.currency as again_currency, again.minor as again_minor,
        case
          when moved_count is not null then 'different'
          when (here_currency, here_minor) = (ledger_currency, ledger_minor)
            and (here_currency, here_minor) = (provider_currency, provider_minor) then 'matched'
          when compared.at < cut_off.until then 'different'
          when here_minor is null and ledger_minor is null then 'open'
          when provider_minor is null and (here_currency, here_minor) = (ledger_currency, ledger_minor) then 'open'
          else 'different'
        end as verdict
      from compared
      left join unnest(${cutOffs.map((each) => each.connector)}::text[],
        ${cutOffs.map(({ until }) => until)}::timestamptz[]) as cut_off (connector, until)
        on cut_off.connector = compared.connector
      left join again on again.connector = compared.connector and again.kind = compared.movement
        and again.operation_reference = compared.reference
      where ${connector}::text is null or compared.connector = ${connector}
    ), written_down as (
      insert into differences
      select connector, movement, reference, payment_id, at, is_due, here_currency, here_minor, ledger_currency,
        ledger_minor, provider_currency, provider_minor, moved_count, changed_count, again_currency, again_minor
      from judged where verdict = 'different'
    )
    ${movementCounts}
  `);
  return { movementTotals: totals.map(toMovementTotals), differences: await listDifferences(tx) };
}

/**
 * All movements in our records. The list omits authorization holds and their releases, because no money moved. A late
 * success is included, whatever happened to it afterwards. A refund that failed after it succeeded is two movements.
 */
const recordedMovements = fragment`records as (
      select bucket, payment_id as subject_id, 'payment' as effect, coalesce(connector, '') as connector,
        'payment' as movement, provider_reference as reference, payment_id, paid_currency as currency,
        paid_minor as minor, paid_at as at
      from payments where capture_mode = 'AUTOMATIC' and paid_at is not null and status in ('SUCCESS', 'CANCELLED')
      union all
      select reversals.bucket, payment_id, 'late success', reversals.connector, 'payment', provider_reference, payment_id,
        reversals.currency, reversals.amount_minor, reversals.created_at
      from reversals join payments using (bucket, payment_id)
      where reason = 'LATE_SUCCESS' and capture_mode = 'AUTOMATIC'
      union all
      select bucket, capture_id, 'capture', connector, 'capture', reference, payment_id, currency, amount_minor, finished_at
      from captures where status = 'SUCCESS'
      union all
      select bucket, refund_id, 'refund', connector, 'refund', reference, payment_id, currency, amount_minor, finished_at
      from refunds where status = 'SUCCESS' or reversed_at is not null
      union all
      select bucket, refund_id, 'refund reversal', connector, 'refund_reversal', reference, payment_id, currency, amount_minor,
        reversed_at
      from refunds where reversed_at is not null
      union all
      select reversals.bucket, payment_id, case reason when 'CANCEL' then 'cancel' else 'reversal' end,
        reversals.connector, 'refund', reference, payment_id, reversals.currency, reversals.amount_minor, finished_at
      from reversals join payments using (bucket, payment_id)
      where (reversals.status = 'SUCCESS' or reversed_at is not null) and capture_mode = 'AUTOMATIC'
      union all
      select reversals.bucket, reversal_id, 'refund reversal', reversals.connector, 'refund_reversal', reference, payment_id,
        reversals.currency, reversals.amount_minor, reversed_at
      from reversals join payments using (bucket, payment_id)
      where reversed_at is not null and capture_mode = 'AUTOMATIC'
      union all
      -- A provider whose files have no chargebacks lists a debited dispute as a refund.
      select bucket, dispute_id, 'dispute debit', connector, case when exists (
          select from settlement_rows as row where row.connector = disputes.connector and row.kind = 'refund'
            and row.operation_reference = provider_dispute_id
        ) then 'refund' else 'chargeback' end, provider_dispute_id, payment_id, currency, debited_minor, resolved_at
      from disputes where debited_minor > 0
      union all
      select asked.bucket, connector || ' ' || operation_reference, 'provider ' || kind, connector, kind, operation_reference,
        nullif(payment_id, ''), currency, amount_minor, at
      from settlement_rows, asked where with_house and kind = any (account_kinds)
    )`;

/**
 * The change of a provider's receivable by a movement, in the ledger. Refunds are negated, so the correct direction
 * is positive.
 */
const postedMovements = fragment`moved as not materialized (
      -- A write-off is not a movement of a provider.
      select ledger_transfers.* from ledger_transfers, asked
      where client_id <> house or (with_house and effect <> 'write-off')
    ), sides as (
      select bucket, subject_id, effect, debit_account as account, currency, at,
        case when effect in ('payment', 'capture', 'late success', 'refund reversal', 'provider adjustment') then amount_minor
          else -amount_minor end as minor
      from moved where starts_with(debit_account, (select prefix from asked))
      union all
      select bucket, subject_id, effect, credit_account, currency, at,
        case when effect in ('payment', 'capture', 'late success', 'refund reversal', 'provider adjustment') then -amount_minor
          else amount_minor end
      from moved where starts_with(credit_account, (select prefix from asked))
    ), posted as (
      select bucket, subject_id, effect, substr(account, length((select prefix from asked)) + 1) as connector,
        min(currency) as currency, sum(minor) as minor, min(at) as at
      from sides group by bucket, subject_id, effect, account
    )`;

/** Further lines of the providers' files for a known movement, by movement. */
const repeatedLines = fragment`again as (
      select connector, kind, operation_reference,
        count(*) filter (where repeated.at <> kept.at or nth > 1)::int as moved_count,
        count(*) filter (where repeated.at = kept.at and nth = 1)::int as changed_count,
        (array_agg(repeated.currency order by repeated.at desc))[1] as currency,
        (array_agg(repeated.amount_minor order by repeated.at desc))[1] as minor
      from settlement_repeats as repeated join settlement_rows as kept using (connector, kind, operation_reference)
      group by connector, kind, operation_reference
    )`;

/** Counts of reconciled and open movements, about which the operator need not do anything. */
const movementCounts = fragment`select connector, coalesce(here_currency, provider_currency) as currency,
      count(*) filter (where verdict = 'matched')::int as matched_count,
      coalesce(sum(here_minor) filter (where verdict = 'matched' and movement in ('payment', 'capture')), 0) as taken_minor,
      coalesce(sum(case movement when 'refund_reversal' then -here_minor else here_minor end)
        filter (where verdict = 'matched' and movement in ('refund', 'refund_reversal', 'chargeback')), 0) as given_back_minor,
      count(*) filter (where verdict = 'open')::int as open_count
    from judged where verdict <> 'different'
    group by 1, 2`;

async function createDifferencesTable(tx: Tx): Promise<void> {
  await tx.query(sql`
    create temporary table differences (
      connector text, movement text, reference text, payment_id text, at timestamptz, is_due boolean,
      here_currency text, here_minor bigint, ledger_currency text, ledger_minor numeric,
      provider_currency text, provider_minor bigint, moved_count integer, changed_count integer, again_currency text,
      again_minor bigint
    ) on commit drop
  `);
}

async function listDifferences(tx: Tx): Promise<readonly ComparedMovement[]> {
  const rows = await tx.query<DifferenceRow>(
    sql`select * from differences order by connector, at, reference`,
  );
  return rows.map(toComparedMovement);
}

interface MovementTotalsRow {
  readonly connector: string;
  readonly currency: string;
  readonly matched_count: number;
  readonly taken_minor: string;
  readonly given_back_minor: string;
  readonly open_count: number;
}

function toMovementTotals(row: MovementTotalsRow): MovementTotals {
  return {
    connector: row.connector || undefined,
    currency: row.currency,
    matchedCount: row.matched_count,
    takenMinor: BigInt(row.taken_minor),
    givenBackMinor: BigInt(row.given_back_minor),
    openCount: row.open_count,
  };
}

interface DifferenceRow {
  readonly connector: string;
  readonly movement: MovementKind;
  readonly reference: string;
  readonly payment_id: string | null;
  readonly at: Date;
  readonly is_due: boolean;
  readonly here_currency: string | null;
  readonly here_minor: string | null;
  readonly ledger_currency: string | null;
  readonly ledger_minor: string | null;
  readonly provider_currency: string | null;
  readonly provider_minor: string | null;
  readonly moved_count: number | null;
  readonly changed_count: number | null;
  readonly again_currency: string | null;
  readonly again_minor: string | null;
}

function toComparedMovement(row: DifferenceRow): ComparedMovement {
  const amount = toMoney(row.again_currency, row.again_minor);
  return {
    connector: row.connector || undefined,
    movement: row.movement,
    reference: row.reference,
    paymentId: row.payment_id ?? undefined,
    at: row.at,
    isDue: row.is_due,
    recorded: toMoney(row.here_currency, row.here_minor),
    ledger: toMoney(row.ledger_currency, row.ledger_minor),
    provider: toMoney(row.provider_currency, row.provider_minor),
    repeatedLines: amount && {
      movedCount: row.moved_count ?? 0,
      changedCount: row.changed_count ?? 0,
      amount,
    },
  };
}
