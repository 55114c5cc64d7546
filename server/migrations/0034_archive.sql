-- The archive: the history of payments that are final for a long time is moved into files. The payment's own row stays,
-- with its request id, sums and fingerprint. Its refunds, captures, disputes and ledger rows stay, too: see
-- docs/decisions/0084.

-- One row for each archive file, with the expected contents of the file. `archive verify` compares files with it, and
-- the audit log has the same checksum.
create table archives (
  archive_id    integer primary key,
  month         text not null constraint archives_month_of_the_calendar check (month ~ '^\d{4}-(0[1-9]|1[0-2])$'),
  bucket        smallint not null constraint archives_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  -- A path relative to the current archive folder.
  file          text not null constraint archives_file_once unique,
  sha256        bytea not null constraint archives_sha256_of_32_bytes check (length(sha256) = 32),
  byte_count    bigint not null,
  payment_count integer not null constraint archives_of_some_payments check (payment_count > 0),
  row_counts    jsonb not null,
  written_at    timestamptz not null default clock_timestamp(),
  -- When a buyer's data was last erased from the file.
  erased_at     timestamptz
);
grant select on archives to tollgate_support;

-- The column has no foreign key, because every `pay` would have to check it, and rows of `archives` are never deleted.
-- `ended_at` is the first moment of the final status, copied from the archived events. Search uses it.
alter table payments add column archive_id integer, add column ended_at timestamptz;

-- Updates these payments in both tables, in one statement: subtracts the payment's previous counts and adds its current
-- ones. Skips a payment that was deleted with its isolated test merchant.
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
      extract(epoch from coalesce(ended.at, p.ended_at) - p.created_at)::integer as final_seconds, p.payment_request_id, p.provider_reference
    from asked join payments as p using (bucket, payment_id)
    left join lateral (
      -- The condition on the status is inside the subquery and not in the join, so that open payments read no events.
      select e.at from payment_events as e
      where p.status in ('SUCCESS', 'FAIL', 'CANCELLED')
        and e.bucket = p.bucket and e.payment_id = p.payment_id and e.status = p.status
      order by e.sequence limit 1
    ) as ended on true
  ), past as materialized (
    -- The query takes the next row by the primary key, as `missing_search_payments` does.
    select nearest.* from present cross join lateral (
      select s.* from search_payments as s
      where s.bucket = present.bucket and s.client_id = present.client_id and s.payment_id >= present.payment_id
      order by s.payment_id limit 1
    ) as nearest
    where nearest.payment_id = present.payment_id
  ), written as (
    insert into search_payments (bucket, client_id, payment_id, created_at, status, result_code, currency,
      payment_method_type, amount_minor, final_seconds, payment_request_id, provider_reference)
    select * from present
    on conflict (bucket, client_id, payment_id) do update set status = excluded.status,
      result_code = excluded.result_code, currency = excluded.currency,
      payment_method_type = excluded.payment_method_type, amount_minor = excluded.amount_minor,
      final_seconds = excluded.final_seconds, provider_reference = excluded.provider_reference
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
