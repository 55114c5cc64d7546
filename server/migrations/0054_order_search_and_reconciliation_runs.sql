-- Payments are searched by the merchant's order number and by their display status.
--
-- `reference_order_id` is `referenceOrderId` of the API. It stays when the archive or `buyer erase` empties
-- `order_shown`, as the request id does. It is null in payments from before this migration. Search then takes the
-- number from `order_shown`, after `search rebuild`.
alter table payments add column reference_order_id text;

alter table search_payments
  -- The collation sorts in byte order, so that an index finds an order by a prefix of its number.
  add column reference_order_id text collate "C",
  -- The display status; null until the next fill of the search tables or `search rebuild`.
  add column display_status text;

-- No installation has rows yet, before the first release.
-- squawk-ignore require-concurrent-index-creation
create index search_payments_by_order on search_payments (bucket, client_id, reference_order_id);
-- The index contains only payments with the status SUCCESS. Every other display status equals the status, which
-- `search_payments_by_kind` finds.
-- squawk-ignore require-concurrent-index-creation
create index search_payments_by_display_status on search_payments (bucket, client_id, display_status, payment_id)
  where status = 'SUCCESS';

create policy disputes_searched on disputes for select to current_user
  using (current_setting('app.fills_search', true) = 'on');

-- The payment status that people see, with captures, refunds and disputes. The same rule as `displayStatusOf` in the
-- server; a test compares all combinations.
create function display_status_of(status text, capture_mode text, is_released boolean, captured_minor bigint, refunded_minor bigint,
  disputed_minor bigint, lost_minor bigint) returns text
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case
    when status <> 'SUCCESS' then status
    when disputed_minor > coalesce(lost_minor, 0) then 'DISPUTED'
    when lost_minor > 0 then 'DISPUTE_LOST'
    when capture_mode = 'MANUAL' and captured_minor = 0 then case when is_released then 'RELEASED' else 'AUTHORIZED' end
    when refunded_minor = 0 then 'PAID'
    when refunded_minor >= captured_minor then 'REFUNDED'
    else 'PARTLY_REFUNDED'
  end
$$;

-- Captures, refunds, releases and disputes change the display status and insert one more row into the queue. `pay`
-- updates nothing, and a payment that is paid changes its status in the same statement, so both write as many rows as
-- before.
drop trigger payment_notes_its_change on payments;
create trigger payment_notes_its_change
  after update of status, result_code, payment_method_type, connector, captured_minor, refunded_minor, disputed_minor, released_at on payments
  for each row execute function payment_notes_its_change();
-- The trigger is on `disputes`, because the payment's disputed amount does not change when a frozen amount is lost.
create trigger dispute_notes_its_change after update of debited_minor on disputes
  for each row when (new.debited_minor <> old.debited_minor) execute function payment_notes_its_change();

-- Updates these payments in both search tables, in one statement: subtracts the payment's previous counts and adds its
-- current ones. Skips a payment that was deleted with its isolated test merchant.
create or replace function update_search_rows(buckets smallint[], ids text[]) returns void
  -- The function allows index scans only. The planner takes a table without statistics for an empty one, and would scan
  -- it once per payment.
  language sql set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
  with asked as materialized (
    select distinct bucket, payment_id from unnest(buckets, ids) as asked (bucket, payment_id)
  ), present as materialized (
    select p.bucket, p.client_id, p.payment_id, p.created_at, p.status, p.result_code,
      coalesce(p.currency, '') as currency, coalesce(p.payment_method_type, '') as payment_method_type, p.amount_minor,
      extract(epoch from coalesce(ended.at, p.ended_at) - p.created_at)::integer as final_seconds, p.payment_request_id, p.provider_reference,
      coalesce(p.reference_order_id, p.order_shown::json ->> 'number') as reference_order_id,
      display_status_of(p.status, p.capture_mode, p.released_at is not null, p.captured_minor, p.refunded_minor, p.disputed_minor,
        lost.minor) as display_status
    from asked join payments as p using (bucket, payment_id)
    left join lateral (
      -- The condition on the status is inside the subquery and not in the join, so that open payments read no events.
      select e.at from payment_events as e
      where p.status in ('SUCCESS', 'FAIL', 'CANCELLED')
        and e.bucket = p.bucket and e.payment_id = p.payment_id and e.status = p.status
      order by e.sequence limit 1
    ) as ended on true
    left join lateral (
      -- The condition makes the query read disputes only for payments with a disputed amount.
      select sum(d.debited_minor)::bigint as minor from disputes as d
      where p.disputed_minor > 0 and d.bucket = p.bucket and d.payment_id = p.payment_id
    ) as lost on true
  ), past as materialized (
    -- The query takes the next row by the primary key. Only the primary key has this order, so the planner cannot
    -- choose another index.
    select nearest.* from present cross join lateral (
      select s.* from search_payments as s
      where s.bucket = present.bucket and s.client_id = present.client_id and s.payment_id >= present.payment_id
      order by s.payment_id limit 1
    ) as nearest
    where nearest.payment_id = present.payment_id
  ), written as (
    insert into search_payments (bucket, client_id, payment_id, created_at, status, result_code, currency,
      payment_method_type, amount_minor, final_seconds, payment_request_id, provider_reference, reference_order_id, display_status)
    select * from present
    on conflict (bucket, client_id, payment_id) do update set status = excluded.status,
      result_code = excluded.result_code, currency = excluded.currency,
      payment_method_type = excluded.payment_method_type, amount_minor = excluded.amount_minor,
      final_seconds = excluded.final_seconds, provider_reference = excluded.provider_reference,
      reference_order_id = excluded.reference_order_id, display_status = excluded.display_status
  ), moved as (
    select 1 as sign, * from present union all select -1, * from past
  )
  insert into payment_counts as counts (bucket, client_id, span, starts_at, currency, payment_method_type, status,
    result_code, payment_count, amount_minor, final_count, final_seconds, within_5_s, within_15_s, within_60_s,
    within_300_s)
  select bucket, client_id, span, date_trunc(span, created_at, 'UTC'), currency, payment_method_type, status,
    result_code, sum(sign), coalesce(sum(sign * amount_minor), 0), coalesce(sum(sign) filter (where final_seconds >= 0), 0),
    coalesce(sum(sign * final_seconds), 0), coalesce(sum(sign) filter (where final_seconds <= 5), 0),
    coalesce(sum(sign) filter (where final_seconds <= 15), 0), coalesce(sum(sign) filter (where final_seconds <= 60), 0),
    coalesce(sum(sign) filter (where final_seconds <= 300), 0)
  from moved cross join (values ('hour'), ('day')) as spans (span)
  group by bucket, client_id, span, date_trunc(span, created_at, 'UTC'), currency, payment_method_type, status, result_code
  having sum(sign) <> 0 or sum(sign * amount_minor) <> 0 or sum(sign * final_seconds) <> 0
  order by 1, 2, 3, 4, 5, 6, 7, 8
  on conflict (bucket, client_id, span, starts_at, currency, payment_method_type, status, result_code) do update set
    payment_count = counts.payment_count + excluded.payment_count,
    amount_minor = counts.amount_minor + excluded.amount_minor,
    final_count = counts.final_count + excluded.final_count,
    final_seconds = counts.final_seconds + excluded.final_seconds,
    within_5_s = counts.within_5_s + excluded.within_5_s, within_15_s = counts.within_15_s + excluded.within_15_s,
    within_60_s = counts.within_60_s + excluded.within_60_s, within_300_s = counts.within_300_s + excluded.within_300_s;
$$;

-- Reconciliation runs: when `reconcile` ran, and over which days and files. Without a row no comparison was made, and an
-- empty list of breaks means nothing. The table belongs to the operator, as breaks do.
create table reconciliation_runs (
  run_id          bigint generated always as identity primary key,
  ran_at          timestamptz not null,
  -- The compared connector; null for a run over all connectors.
  connector       text,
  -- The compared day; null for a run over all days.
  day             date,
  -- For each connector with files: the end of the compared time, the number of files, and the newest file.
  provider_files    jsonb not null,
  bank_file_count integer not null constraint reconciliation_runs_count_files check (bank_file_count >= 0),
  break_count     integer not null constraint reconciliation_runs_count_breaks check (break_count >= 0)
);

grant select on reconciliation_runs to tollgate_support;
grant insert (ran_at, connector, day, provider_files, bank_file_count, break_count) on reconciliation_runs to tollgate_finance;
create trigger record_bulk_insert after insert on reconciliation_runs referencing new table as new_rows
  for each statement execute function record_bulk_insert();
