/** Row counts of a generated database. */
export interface DatabaseSize {
  /** The merchant with half of the payments. */
  readonly hugeMerchant: string;
  readonly payments: number;
  readonly requestLogRows: number;
  readonly smallMerchants: number;
}

const largeMerchants = 100;
const connector = "test-provider";
/** Payments are spread over this many days, the newest created an hour ago. */
const days = 400;

/** The statements of one step of a fill. They do not depend on each other, so two connections share them. */
export type FillStep = readonly string[];

/**
 * Settings of a connection that fills: without triggers and foreign key checks, because the rows are consistent by
 * construction.
 */
export const fillSettings =
  "set session_replication_role = replica; set synchronous_commit = off; set timezone = 'UTC'; set work_mem = '256MB'; set maintenance_work_mem = '1GB'";

/**
 * `fillSteps` returns the steps that fill a migrated database: half of the payments belong to one huge merchant, 40 % to a hundred
 * large ones, 10 % to thousands of small ones. Each payment leaves rows in every table that grows with payments. Secondary indexes are
 * dropped first and created again at the end, because a sorted build is faster. Run them as superuser.
 */
export function fillSteps({
  hugeMerchant,
  payments,
  requestLogRows,
  smallMerchants,
}: DatabaseSize): readonly FillStep[] {
  return [
    [clients(hugeMerchant, smallMerchants)],
    [source(payments), dropIndexes],
    [...paymentRows, requestLog(requestLogRows), ...settlement, ...followUps],
    searchRows,
    ["truncate changed_payments_queue; drop table made, merchants"],
  ];
}

/** Non-unique indexes of tables, with their definitions. Those of a partitioned table stay: their definition leaves out the partitions. */
const dropIndexes = `
  create table dropped_indexes as
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
    join pg_class as c on c.oid = indexrelid join pg_class as t on t.oid = indrelid
    where not indisunique and c.relkind = 'i' and not c.relispartition and t.relnamespace = 'public'::regnamespace
      and not exists (select from pg_constraint where conindid = indexrelid);
  do $$ declare each text; begin for each in select name from dropped_indexes loop execute 'drop index ' || each; end loop; end $$`;

function clients(hugeMerchant: string, smallMerchants: number): string {
  return `
  create table merchants as
    select (row_number() over (order by nth) - 1)::int as nth, client_id,
      ((get_byte(hash, 0) << 8 | get_byte(hash, 1)) >> 6)::smallint as bucket
    from (select 0 as nth, '${hugeMerchant}' as client_id
      union all select n, 'SANDBOX_LARGE' || lpad(n::text, 5, '0') from generate_series(1, ${largeMerchants}) as n
      union all select n + ${largeMerchants}, 'SANDBOX_SMALL' || lpad(n::text, 5, '0') from generate_series(1, ${smallMerchants}) as n) as named,
      lateral (select sha256(named.client_id::bytea)) as hashed (hash);
  insert into clients (bucket, client_id, name, gateway_key_version) select bucket, client_id, client_id, 1 from merchants on conflict do nothing;
  insert into feed_heads (bucket, client_id, position) select bucket, client_id, 0 from merchants on conflict do nothing;
  insert into settlement_terms select bucket, client_id, 'EUR', '2020-01-01', 'D', 1, 0, 0, 0 from merchants;
  create unique index on merchants (nth); analyze merchants`;
}

/** One row for each payment, from which all tables are filled. */
function source(payments: number): string {
  return `
  create unlogged table made as
    select n, bucket, client_id, at, to_char(at, 'YYYYMMDDHH24MISSMS') || lpad(bucket::text, 4, '0') as stem, lpad(n::text, 12, '0') as tail,
      1000 + n % 9000 as minor, at::date as day,
      case when n % 20 = 7 then 'FAIL' when n % 20 = 13 then 'CANCELLED' else 'SUCCESS' end as status,
      row_number() over (partition by client_id order by n) as position
    from (
      select n, timestamptz 'now' - interval '1 hour' - interval '${days} days' * (1 - n::float8 / ${payments}) as at,
        case when n % 10 < 5 then 0 when n % 10 < 9 then 1 + (n / 10 * 4 + n % 10) % ${largeMerchants}
          else 1 + ${largeMerchants} + (n / 10) % ((select count(*)::int from merchants) - 1 - ${largeMerchants}) end as nth
      from generate_series(1, ${payments}) as n
    ) as drawn join merchants using (nth) order by bucket, client_id, n;
  analyze made`;
}

const paymentRows = [
  `insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, payment_method_type, status, result_code, currency, amount_minor,
     paid_currency, paid_minor, captured_minor, created_at, paid_at, connector, provider_reference, order_description, notify_url)
   select bucket, stem || '01' || tail, client_id, 'order-' || n, 'CASHIER_PAYMENT', 'GCASH', status,
     case status when 'SUCCESS' then 'SUCCESS' when 'FAIL' then 'USER_BALANCE_NOT_ENOUGH' else 'ORDER_IS_CLOSED' end, 'EUR', minor,
     case status when 'SUCCESS' then 'EUR' end, case status when 'SUCCESS' then minor end, case status when 'SUCCESS' then minor else 0 end,
     at, case status when 'SUCCESS' then at + interval '2 seconds' end, '${connector}', 'provider-' || n, 'Two coffees', 'https://shop.example/notify'
   from made`,
  `insert into payment_events (bucket, payment_id, sequence, client_id, at, status, result_code)
   select bucket, stem || '01' || tail, sequence, client_id, at + (sequence - 1) * interval '2 seconds',
     case sequence when 1 then 'PROCESSING' else status end, 'SUCCESS' from made, generate_series(1, 2) as sequence`,
  `insert into provider_events (bucket, connector, event_id, client_id, payment_id, at)
   select bucket, '${connector}', md5(n::text), client_id, stem || '01' || tail, at + interval '2 seconds' from made`,
  `insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
   select bucket, stem || '01' || tail, 'payment', line, client_id, case line when 1 then 'provider receivable ${connector}' else payable end,
     case line when 1 then payable else 'fee revenue' end, 'EUR', case line when 1 then minor else minor / 50 end, at + interval '2 seconds'
   from made, generate_series(1, 2) as line, lateral (select 'merchant payable ' || client_id) as account (payable) where status = 'SUCCESS'`,
  `insert into notifications (bucket, notification_id, client_id, kind, subject_id, sequence, url, body, status, attempts, position, created_at, delivered_at)
   select bucket, to_char(at + interval '2 seconds', 'YYYYMMDDHH24MISSMS') || lpad(bucket::text, 4, '0') || '08' || tail, client_id, 'notifyPayment',
     stem || '01' || tail, 1, 'https://shop.example/notify', '{"paymentStatus": "SUCCESS"}', 'DELIVERED', 1, position, at + interval '2 seconds',
     at + interval '2 seconds' from made;
   update feed_heads set position = newest.position from (select client_id, max(position) as position from made group by 1) as newest
   where feed_heads.client_id = newest.client_id`,
  `insert into notification_attempts (bucket, notification_id, attempt, client_id, at, key_version, http_status, answer, total_ms)
   select bucket, to_char(at + interval '2 seconds', 'YYYYMMDDHH24MISSMS') || lpad(bucket::text, 4, '0') || '08' || tail, 1, client_id,
     at + interval '2 seconds', 1, 200, 'ok', 7 from made`,
];

/** One payment in ten has a refund, one in fifty a capture, a dispute or a session, one in two hundred a reversal. */
const followUps = [
  `insert into refunds (bucket, refund_id, client_id, payment_id, refund_request_id, fingerprint, status, result_code, currency, amount_minor, connector,
     reference, created_at, finished_at)
   select bucket, stem || '02' || tail, client_id, stem || '01' || tail, 'refund-' || n, '', 'SUCCESS', 'SUCCESS', 'EUR', minor / 2, '${connector}',
     'refund-' || n, at, at + interval '3 seconds' from made where n % 10 = 0;
   insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
   select bucket, stem || '02' || tail, 'refund', 1, client_id, 'merchant payable ' || client_id, 'provider receivable ${connector}', 'EUR', minor / 2,
     at + interval '3 seconds' from made where n % 10 = 0`,
  `insert into captures (bucket, capture_id, client_id, payment_id, capture_request_id, fingerprint, status, result_code, currency, amount_minor, is_last,
     connector, reference, created_at, finished_at)
   select bucket, stem || '03' || tail, client_id, stem || '01' || tail, 'capture-' || n, '', 'SUCCESS', 'SUCCESS', 'EUR', minor, true, '${connector}',
     'capture-' || n, at, at + interval '3 seconds' from made where n % 50 = 1;
   insert into reversals (bucket, reversal_id, client_id, payment_id, status, result_code, currency, amount_minor, connector, reference, created_at, finished_at)
   select bucket, stem || '07' || tail, client_id, stem || '01' || tail, 'SUCCESS', 'SUCCESS', 'EUR', minor, '${connector}', 'reversal-' || n, at,
     at + interval '3 seconds' from made where n % 200 = 3`,
  `insert into disputes (bucket, dispute_id, client_id, payment_id, connector, provider_dispute_id, provider_sequence, type, status, currency, amount_minor,
     reason_code, reason_message, source, defendable, created_at, due_at, resolved_at)
   select bucket, stem || '05' || tail, client_id, stem || '01' || tail, '${connector}', 'dispute-' || n, 1, 'CHARGEBACK',
     case when is_open then 'CREATED' else 'RESOLVED' end, 'EUR', minor, 'FRAUD', 'Not my coffee', 'WALLET', true, at, at + interval '7 days',
     case when not is_open then at + interval '3 days' end
   from made, lateral (select n % 1000 = 2) as state (is_open) where n % 50 = 2;
   insert into dispute_events (bucket, dispute_id, sequence, client_id, at, status)
   select bucket, stem || '05' || tail, 1, client_id, at, 'CREATED' from made where n % 50 = 2`,
  `insert into payment_sessions (bucket, payment_id, client_id, order_info, created_at)
   select bucket, stem || '01' || tail, client_id, '{}', at from made where n % 50 = 4;
   insert into order_data (bucket, payment_id, client_id, data)
   select bucket, stem || '01' || tail, client_id, '{"locale": {"userRegion": "DE"}}' from made where n % 50 = 4;
   insert into authorizations (bucket, authorization_id, client_id, auth_state, customer_belongs_to, scopes, redirect_url, fingerprint, connector, reference,
     status, expires_at, ended_at, created_at)
   select bucket, stem || '04' || tail, client_id, 'state-' || n, 'GCASH', '{AGREEMENT_PAY}', 'https://shop.example/back', '', '${connector}',
     'authorization-' || n, 'REVOKED', at + interval '1 year', at, at from made where n % 50 = 5;
   insert into authorization_events (bucket, authorization_id, sequence, client_id, at, status)
   select bucket, stem || '04' || tail, 1, client_id, at, 'REVOKED' from made where n % 50 = 5;
   insert into tokens (bucket, token_id, client_id, customer_belongs_to, connector, given_hash, authorization_id, status, access_hash, refresh_hash, created_at)
   select bucket, stem || '10' || tail, client_id, 'GCASH', '${connector}', sha256(tail::bytea), stem || '04' || tail, 'RETIRED', sha256(('a' || tail)::bytea),
     sha256(('r' || tail)::bytea), at from made where n % 50 = 5`,
];

/** Statements that insert one paid batch for each merchant and day. The movements of the newest day are in no batch. */
const settlement = [
  `insert into settlement_batches (bucket, client_id, batch_id, currency, from_day, to_day, due_day, gross_minor, refunds_minor, disputes_minor, fees_minor,
     tax_minor, other_minor, reserve_minor, carried_minor, net_minor, held_minor, status, closed_at)
   select bucket, client_id, min(stem || '11' || tail), 'EUR', day, day, day, sum(minor), 0, 0, -sum(minor / 50), 0, 0, 0, 0, sum(minor - minor / 50), 0,
     'PAID', max(at) from made where status = 'SUCCESS' and day < current_date - 1 group by bucket, client_id, day;
   insert into payouts (bucket, client_id, payout_id, batch_id, currency, amount_minor, account_id, bank, end_to_end_id, status, file_id, created_at, sent_at, finished_at)
   select bucket, client_id, overlay(batch_id placing '12' from 22), batch_id, 'EUR', net_minor, 'account', 'first',
     overlay(batch_id placing '12' from 22), 'PAID', 'file', closed_at, closed_at, closed_at from settlement_batches`,
  `insert into settlement_items (bucket, client_id, subject_id, effect, batch_id)
   select bucket, client_id, stem || '01' || tail, 'payment', min(stem || '11' || tail) over (partition by client_id, day)
   from made where status = 'SUCCESS' and day < current_date - 1`,
  `insert into settlement_rows (connector, kind, operation_reference, reference, payment_id, currency, amount_minor, at, file_id, line)
   select '${connector}', 'payment', 'provider-' || n, 'provider-' || n, stem || '01' || tail, 'EUR', minor, at, 1, n from made where status = 'SUCCESS'`,
];

const searchRows = [
  `insert into search_payments (bucket, client_id, payment_id, created_at, status, result_code, currency, payment_method_type, amount_minor, final_seconds,
     payment_request_id, provider_reference)
   select bucket, client_id, payment_id, created_at, status, result_code, currency, payment_method_type, amount_minor, 2, payment_request_id, provider_reference
   from payments`,
  `insert into payment_counts (bucket, client_id, span, starts_at, currency, payment_method_type, status, result_code, payment_count, amount_minor, final_count,
     final_seconds, within_5_s, within_15_s, within_60_s, within_300_s)
   select bucket, client_id, span, date_trunc(span, created_at, 'UTC'), currency, payment_method_type, status, result_code, count(*), sum(amount_minor),
     count(*), 2 * count(*), count(*), count(*), count(*), count(*)
   from payments, (values ('hour'), ('day')) as spans (span) group by 1, 2, 3, 4, 5, 6, 7, 8`,
];

/** API requests of today, spread over the payments; each names one payment. */
function requestLog(rows: number): string {
  return `
   insert into request_log (bucket, at, request_id, client_id, key_version, path, result_code, duration_us, request_sha256, request_body, answer_body,
     record_hash)
   select bucket, date_trunc('day', now()) + (nth * interval '24 hours' / ${rows}), nth::text, client_id, 1, '/ams/sandbox/api/v1/payments/inquiryPayment',
     'SUCCESS', 900, '', '{"paymentId":"' || stem || '01' || tail || '"}',
     '{"paymentId":"' || stem || '01' || tail || '","paymentRequestId":"order-' || n || '"}', request_record_hash(stem || '01' || tail)
   from generate_series(1, ${rows}) as nth join made on made.n = 1 + (nth::bigint * 7919) % (select max(n) from made)
   order by bucket, nth`;
}
