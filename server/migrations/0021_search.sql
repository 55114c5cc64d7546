-- Tables for search, lists and charts, filled after the commit, so that `pay` writes no index for them.
--
-- `work` misses no payment, although `pay` writes no message for it. A new payment has a job, so every job that was
-- written since the last poll and is not in these tables is a new payment. Each later change inserts a row into
-- `changed_payments_queue`, in the same transaction. A payment whose job came and went between two polls has changed
-- meanwhile, so it has such a row. All rows can be rebuilt from the payments (`search rebuild`).

-- Keys of payments that changed after their creation. A queue without an index, because it is nearly always empty.
create table changed_payments_queue (
  bucket     smallint not null,
  payment_id text not null
);

grant insert on changed_payments_queue to tollgate_app;

create function payment_notes_its_change() returns trigger
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into changed_payments_queue (bucket, payment_id) values (new.bucket, new.payment_id);
  return null;
end
$$;

-- The triggers fire only for columns that can be searched. `pay` fires neither: it updates nothing, and inserts
-- payments with the status PROCESSING.
create trigger payment_notes_its_change after update of status, result_code, payment_method_type, connector on payments
  for each row execute function payment_notes_its_change();
-- This trigger is for a cancel that arrives before its payment. Such a record is final at once and has no job.
create trigger payment_without_a_job_is_noted after insert on payments
  for each row when (new.status <> 'PROCESSING') execute function payment_notes_its_change();

create table search_payments (
  bucket              smallint not null constraint search_payments_bucket_in_range check (bucket between 0 and 1023),
  client_id           text not null,
  payment_id          text not null,
  created_at          timestamptz not null,
  status              text not null,
  result_code         text not null,
  -- The currency of the payment; empty if the payment has none.
  currency            text not null,
  payment_method_type text not null,
  amount_minor        bigint,
  -- Seconds until the payment was paid or failed.
  final_seconds       integer,
  -- The collation sorts in byte order, so that an index finds a prefix of the id, too.
  payment_request_id  text collate "C" not null,
  provider_reference    text,
  primary key (bucket, client_id, payment_id)
);
create index search_payments_by_kind
  on search_payments (bucket, client_id, status, currency, payment_method_type, payment_id);
create index search_payments_by_amount on search_payments (bucket, client_id, amount_minor, payment_id);
create index search_payments_by_request on search_payments (bucket, client_id, payment_request_id);
create index search_payments_by_reference on search_payments (bucket, client_id, provider_reference);

alter table search_payments enable row level security;
alter table search_payments force row level security;
create policy search_payments_own_rows on search_payments
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy search_payments_filled on search_payments to current_user
  using (current_setting('app.fills_search', true) = 'on');
grant select on search_payments to tollgate_app;

-- The number of payments of each kind that were created in each hour and each day (UTC). Charts are sums of these rows,
-- and lists read from them which kinds exist.
create table payment_counts (
  bucket              smallint not null constraint payment_counts_bucket_in_range check (bucket between 0 and 1023),
  client_id           text not null,
  span                text not null constraint payment_counts_span_known check (span in ('hour', 'day')),
  starts_at           timestamptz not null,
  currency            text not null,
  payment_method_type text not null,
  status              text not null,
  result_code         text not null,
  payment_count       bigint not null,
  amount_minor        numeric(38, 0) not null,
  -- The number of final payments, their total seconds, and how many of them took at most 5, 15, 60 and 300 seconds.
  final_count         bigint not null,
  final_seconds       bigint not null,
  within_5_s          bigint not null,
  within_15_s         bigint not null,
  within_60_s         bigint not null,
  within_300_s        bigint not null,
  primary key (bucket, client_id, span, starts_at, currency, payment_method_type, status, result_code)
) with (fillfactor = 70);

alter table payment_counts enable row level security;
alter table payment_counts force row level security;
create policy payment_counts_own_rows on payment_counts
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy payment_counts_filled on payment_counts to current_user
  using (current_setting('app.fills_search', true) = 'on');
grant select on payment_counts to tollgate_app;

-- How far the tables are filled: they include everything that was committed before `as_of`.
create table search_position (
  -- A transaction number. Every transaction with a lower number had ended when the jobs were last read.
  position xid8 not null,
  as_of    timestamptz not null,
  only_row boolean not null default true constraint search_position_has_one_row primary key check (only_row)
);

insert into search_position (position, as_of) values ('3', clock_timestamp());
grant select on search_position to tollgate_app;

create policy payments_searched on payments for select to current_user
  using (current_setting('app.fills_search', true) = 'on');
create policy payment_events_searched on payment_events for select to current_user
  using (current_setting('app.fills_search', true) = 'on');
create policy jobs_searched on jobs for select to current_user
  using (current_setting('app.fills_search', true) = 'on');

-- Updates these payments in both tables, in one statement: subtracts the payment's previous counts and adds its current
-- ones. Skips a payment that was deleted with its isolated test merchant.
create function update_search_rows(buckets smallint[], ids text[]) returns void
  -- The function allows index scans only. The planner takes a table without statistics for an empty one, and would scan
  -- it once per payment.
  language sql set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
  with asked as materialized (
    select distinct bucket, payment_id from unnest(buckets, ids) as asked (bucket, payment_id)
  ), present as materialized (
    select p.bucket, p.client_id, p.payment_id, p.created_at, p.status, p.result_code,
      coalesce(p.currency, '') as currency, coalesce(p.payment_method_type, '') as payment_method_type, p.amount_minor,
      extract(epoch from ended.at - p.created_at)::integer as final_seconds, p.payment_request_id, p.provider_reference
    from asked join payments as p using (bucket, payment_id)
    left join lateral (
      select e.at from payment_events as e
      where e.bucket = p.bucket and e.payment_id = p.payment_id and e.status = p.status
      order by e.sequence limit 1
    ) as ended on p.status in ('SUCCESS', 'FAIL', 'CANCELLED')
  ), past as materialized (
    select s.* from present join search_payments as s using (bucket, client_id, payment_id)
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

revoke all on function update_search_rows(smallint[], text[]) from public;

-- Returns those of the given payments that are not in the tables yet. It is a separate function with plans by key: if
-- planned while the table is empty, each lookup would be a sequential scan, also after the table has grown.
create function missing_search_payments(buckets smallint[], clients text[], ids text[], row_limit integer)
  returns table (bucket smallint, subject_id text)
  language sql stable set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
  select f.bucket, f.subject_id from unnest(buckets, clients, ids) as f (bucket, client_id, subject_id)
  where not exists (select from search_payments as s
    where s.bucket = f.bucket and s.client_id = f.client_id and s.payment_id = f.subject_id)
  limit row_limit;
$$;

revoke all on function missing_search_payments(smallint[], text[], text[], integer) from public;

-- Fills the tables with up to `row_limit` new and as many changed payments, and returns their number; null when another
-- process is running it. Runs with the owner's privileges (security definer), which read the rows of all merchants only
-- inside this function.
create function fill_search(row_limit integer) returns integer
  -- The function allows a sequential scan of the job queue, which is small and has no index with a useful order.
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set enable_seqscan = on as $$
declare
  mark    search_position;
  horizon xid8;
  began   timestamptz;
  -- The number of transactions since the position was stored.
  reach   bigint;
  begun   integer;
  buckets smallint[];
  ids     text[];
begin
  select * into mark from search_position for update skip locked;
  if mark.position is null then
    return null;
  end if;
  perform set_config('app.fills_search', 'on', true);
  -- Time and horizon are taken before the statement that reads, so that this statement sees everything that was
  -- committed until then.
  began := clock_timestamp();
  horizon := pg_snapshot_xmin(pg_current_snapshot());
  reach := pg_snapshot_xmax(pg_current_snapshot())::text::bigint - mark.position::text::bigint;
  -- Each server has its own transaction numbers, and those of rows have 32 bits. If the position is from another server
  -- or very old, it is useless. Then all jobs are read, which is slower and misses nothing.
  if reach < 0 or reach > 1000000000 then
    reach := 2147483647;
  end if;
  with changed as (
    delete from changed_payments_queue where ctid = any (array(select ctid from changed_payments_queue limit row_limit))
    returning bucket, payment_id
  ), fresh as materialized (
    -- A payment whose transaction was open at the last poll has a number at or above the position, however late it
    -- committed. The same is true for a job that changed since then.
    select j.bucket, j.client_id, j.subject_id from jobs as j
    where age(j.xmin) <= reach and j.job in ('drive-payment', 'close-session')
  ), lists as (
    select array_agg(bucket) as buckets, array_agg(client_id) as clients, array_agg(subject_id) as ids from fresh
  ), missing as (
    select lacking.bucket, lacking.subject_id
    from lists cross join lateral missing_search_payments(lists.buckets, lists.clients, lists.ids, row_limit) as lacking
  ), both_kinds as (
    select 0 as is_new, bucket, payment_id from changed union all select 1, bucket, subject_id from missing
  )
  select array_agg(bucket), array_agg(payment_id), sum(is_new) into buckets, ids, begun from both_kinds;
  if ids is not null then
    perform update_search_rows(buckets, ids);
  end if;
  -- Payments over the limit are left for the next run and are not in the tables yet.
  if cardinality(ids) is null or (begun < row_limit and cardinality(ids) - begun < row_limit) then
    update search_position set position = horizon, as_of = began;
  end if;
  perform set_config('app.fills_search', 'off', true);
  return coalesce(cardinality(ids), 0);
end
$$;

revoke all on function fill_search(integer) from public;
grant execute on function fill_search(integer) to tollgate_work;

-- Rebuilds the tables for one bucket, and returns the number of payments. For the owner. The position and the queue
-- stay, so the next fill finds what is committed meanwhile.
create function rebuild_search(of_bucket smallint) returns bigint
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  rebuilt bigint := 0;
  last    text := '';
  ids     text[];
begin
  -- A lock, as in every fill.
  perform from search_position for update;
  perform set_config('app.fills_search', 'on', true);
  delete from payment_counts where bucket = of_bucket;
  delete from search_payments where bucket = of_bucket;
  loop
    ids := array(select payment_id from payments where bucket = of_bucket and payment_id > last
      order by payment_id limit 20000);
    exit when cardinality(ids) = 0;
    perform update_search_rows(array_fill(of_bucket, array[cardinality(ids)]), ids);
    -- Without statistics all indexes that begin with bucket and client have the same cost, and the planner may choose a
    -- wrong one for each payment.
    if rebuilt = 0 and cardinality(ids) = 20000 then
      analyze search_payments;
    end if;
    rebuilt := rebuilt + cardinality(ids);
    last := ids[cardinality(ids)];
  end loop;
  perform set_config('app.fills_search', 'off', true);
  return rebuilt;
end
$$;

revoke all on function rebuild_search(smallint) from public;

-- `pay` does not write refunds and disputes, so each gets an index that lists one merchant's rows. No installation has
-- rows yet, before the first release.
-- squawk-ignore require-concurrent-index-creation
create index refunds_by_client on refunds (bucket, client_id, refund_id);
-- squawk-ignore require-concurrent-index-creation
create index disputes_by_client on disputes (bucket, client_id, dispute_id);
