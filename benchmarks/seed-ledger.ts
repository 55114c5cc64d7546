import type { Installation } from "./installation.ts";

/** Size of the generated ledger, and its last day. */
export interface LedgerSize {
  readonly merchants: number;
  /** Payments with a fee, distributed evenly over merchants and days. */
  readonly movements: number;
  readonly days: number;
  readonly lastDay: string;
}

/** A book day ends at midnight UTC+8. */
export const endOfDay = (day: string): string => `${day}T16:00:00.000Z`;

/**
 * `seedLedger` fills the ledger with paid payments, which are in the provider's settlement file. All days except the
 * last are settled. Every merchant has settlement terms and a bank account. Earlier batches are PAID without the ledger
 * transfers of a payout.
 */
export async function seedLedger({ query }: Installation, size: LedgerSize): Promise<void> {
  const { merchants, movements, days, lastDay } = size;
  const endTime = endOfDay(lastDay);
  await query("set session_replication_role = replica; set synchronous_commit = off; set timezone = 'UTC'");
  await query(`
    insert into clients (bucket, client_id, name, gateway_key_version)
    select (get_byte(hash, 0) << 8 | get_byte(hash, 1)) >> 6, made.client_id, known.name, known.gateway_key_version
    from (select * from clients order by client_id limit 1) as known,
      generate_series(50, ${merchants} - (select count(*)::int from clients) + 49) as number,
      lateral (select 'SANDBOX_BENCH' || lpad(number::text, 11, '0')) as made (client_id),
      lateral (select sha256(made.client_id::bytea)) as hashed (hash)`);
  await query(`
    create temporary table settled as
      select bucket, client_id, (row_number() over (order by client_id) - 1)::int as nth from clients;
    create temporary table made as
      select n, bucket, client_id, to_char(at, 'YYYYMMDDHH24MISSMS') || lpad(bucket::text, 4, '0') || '01' || lpad(n::text, 12, '0') as id,
        at, 1000 + n % 9000 as minor, n * ${days}::bigint / ${movements} as day
      from generate_series(0, ${movements} - 1) as n
      join settled on nth = n % ${merchants}
      cross join lateral (select timestamptz '${endTime}' - interval '${days} days'
        + n::float8 / ${movements} * interval '${days} days') as moment (at)
      order by at`);
  await query(`
    insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code, currency, amount_minor,
      paid_currency, paid_minor, captured_minor, created_at, paid_at, connector, provider_reference)
    select bucket, id, client_id, id, 'CASHIER_PAYMENT', 'SUCCESS', 'SUCCESS', 'EUR', minor, 'EUR', minor, minor, at, at,
      'sandbox-wallet', 'order-' || id from made;
    insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
    select bucket, id, 'payment', line, client_id, case line when 1 then 'provider receivable sandbox-wallet' else payable end,
      case line when 1 then payable else 'fee revenue' end, 'EUR', case line when 1 then minor else minor / 50 end, at
    from made, generate_series(1, 2) as line, lateral (select 'merchant payable ' || client_id) as account (payable);
    insert into settlement_rows (connector, kind, operation_reference, reference, payment_id, currency, amount_minor, at, file_id, line)
    select 'sandbox-wallet', 'payment', 'order-' || id, 'order-' || id, id, 'EUR', minor, at, 1, 1 from made`);
  await query(`
    insert into settlement_terms
    select bucket, client_id, 'EUR', '2020-01-01', 'D', 1, 0, 0, 0 from settled;
    insert into settlement_batches (bucket, client_id, batch_id, currency, from_day, to_day, due_day, gross_minor, refunds_minor,
      disputes_minor, fees_minor, tax_minor, other_minor, reserve_minor, carried_minor, net_minor, held_minor, status, closed_at)
    select bucket, client_id, min(id), 'EUR', closed, closed, closed, sum(minor), 0, 0, -sum(minor / 50), 0, 0, 0, 0,
      sum(minor - minor / 50), 0, 'PAID', max(at)
    from made, lateral (select date '${lastDay}' - (${days} - 1 - day)::int) as of_day (closed)
    where day < ${days} - 1 group by bucket, client_id, closed;
    insert into settlement_items (bucket, client_id, subject_id, effect, batch_id)
    select bucket, client_id, id, 'payment', min(id) over (partition by client_id, day) from made where day < ${days} - 1;
    insert into banks (name, currency, holder, iban, bic)
    values ('first', 'EUR', 'Gateway SA', 'FR1420041010050500013M02606', 'BNPAFRPP');
    insert into bank_accounts (bucket, client_id, account_id, currency, holder, iban, iban_shown, wait_hours, asked_by, asked_login,
      asked_at, approved_by, approved_login, approved_at, usable_from)
    select bucket, client_id, 'account', 'EUR', 'Coffee Lab', iban, left(iban, 4) || ' … ' || right(iban, 4), 0, 'ada', 'ada', '2020-01-01',
      'grace', 'grace', '2020-01-01', '2020-01-01'
    from settled, (values ('DE89370400440532013000')) as given (iban)`);
  await query("set session_replication_role = origin; truncate changed_payments_queue");
  // `rebuild_balances` does the same as the command `balances rebuild`.
  await query("select rebuild_balances()");
  await query("vacuum (analyze)");
  await query("checkpoint");
}
