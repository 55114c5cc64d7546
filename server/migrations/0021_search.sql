-- What people search, list and chart: tables of their own, filled after the commit, so that `pay` writes no index for them.
--
-- `work` follows payments without a gap, and `pay` leaves it no note. A payment that `pay` has just taken in has a job: so
-- whatever has a job that was written since the last look, and is not here yet, is new. Every later change leaves a row in
-- `payment_changes`, in the transaction of the change. A payment whose job has come and gone between two looks was changed
-- meanwhile, and left such a row. All of it can be made again from the payments (`search rebuild`).

-- Keys of payments that have changed since they were taken in. A queue without an index: it is nearly always empty.
create table payment_changes (
  bucket     smallint not null,
  payment_id text not null
);

grant insert on payment_changes to tollgate_app;

create function payment_notes_its_change() returns trigger
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into payment_changes (bucket, payment_id) values (new.bucket, new.payment_id);
  return null;
end
$$;

-- Only of what can be searched for. `pay` updates nothing, and what it inserts is processed.
create trigger payment_notes_its_change after update of status, result_code, payment_method_type, connector on payments
  for each row execute function payment_notes_its_change();
-- A cancel that came before its payment is final at once and has no job.
create trigger payment_without_a_job_is_noted after insert on payments
  for each row when (new.status <> 'PROCESSING') execute function payment_notes_its_change();

create table search_payments (
  bucket              smallint not null constraint search_payments_bucket_in_range check (bucket between 0 and 1023),
  client_id           text not null,
  payment_id          text not null,
  created_at          timestamptz not null,
  status              text not null,
  result_code         text not null,
  -- Empty where the payment has none, as in the counts below.
  currency            text not null,
  payment_method_type text not null,
  amount_minor        bigint,
  -- How long it took until it was paid or was over.
  final_seconds       integer,
  -- By its bytes, so that an id is found by its beginning, too.
  payment_request_id  text collate "C" not null,
  wallet_reference    text,
  primary key (bucket, client_id, payment_id)
);
create index search_payments_by_kind
  on search_payments (bucket, client_id, status, currency, payment_method_type, payment_id);
create index search_payments_by_amount on search_payments (bucket, client_id, amount_minor, payment_id);
create index search_payments_by_request on search_payments (bucket, client_id, payment_request_id);
create index search_payments_by_reference on search_payments (bucket, client_id, wallet_reference);

alter table search_payments enable row level security;
alter table search_payments force row level security;
create policy search_payments_own_rows on search_payments
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy search_payments_filled on search_payments to current_user
  using (current_setting('app.fills_search', true) = 'on');
grant select on search_payments to tollgate_app;

-- How many payments of each kind were taken in within each hour and each day (UTC). Charts are sums of it, and lists know
-- by it of which kinds there are some.
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
  -- Of those that are final: how long all of them took together, and how many took at most so many seconds.
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

-- How far the tables are filled. What was committed before `as_of` is in them.
create table search_position (
  -- Every transaction before it had ended when the jobs were last read.
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

-- Brings these payments up to date in both tables, in one statement: what a payment counted before is taken off, and what it
-- counts now is added. A payment that is gone, with its universe, is passed over.
create function search_these(buckets smallint[], ids text[]) returns void
  -- By keys alone: a table that was never analysed looks empty to the planner, and would be scanned for each of them.
  language sql set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
  with asked as materialized (
    select distinct bucket, payment_id from unnest(buckets, ids) as asked (bucket, payment_id)
  ), present as materialized (
    select p.bucket, p.client_id, p.payment_id, p.created_at, p.status, p.result_code,
      coalesce(p.currency, '') as currency, coalesce(p.payment_method_type, '') as payment_method_type, p.amount_minor,
      extract(epoch from ended.at - p.created_at)::integer as final_seconds, p.payment_request_id, p.wallet_reference
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
      payment_method_type, amount_minor, final_seconds, payment_request_id, wallet_reference)
    select * from present
    on conflict (bucket, client_id, payment_id) do update set status = excluded.status,
      result_code = excluded.result_code, currency = excluded.currency,
      payment_method_type = excluded.payment_method_type, amount_minor = excluded.amount_minor,
      final_seconds = excluded.final_seconds, wallet_reference = excluded.wallet_reference
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

revoke all on function search_these(smallint[], text[]) from public;

-- Those of the given payments that are not in the tables yet. A function of its own, with plans by key: planned while the table
-- was empty, the look-up of each would be a sequential scan, and stay one when the table has grown.
create function search_lacks(buckets smallint[], clients text[], ids text[], row_limit integer)
  returns table (bucket smallint, subject_id text)
  language sql stable set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
  select f.bucket, f.subject_id from unnest(buckets, clients, ids) as f (bucket, client_id, subject_id)
  where not exists (select from search_payments as s
    where s.bucket = f.bucket and s.client_id = f.client_id and s.payment_id = f.subject_id)
  limit row_limit;
$$;

revoke all on function search_lacks(smallint[], text[], text[], integer) from public;

-- Fills the tables with up to `row_limit` new and as many changed payments, and returns how many there were; null when
-- another process is at it. Runs with the owner's rights (security definer), who sees the rows of every merchant in here
-- and nowhere else.
create function fill_search(row_limit integer) returns integer
  -- The queue of jobs is read as a whole: it is small, and in no order that would help.
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set enable_seqscan = on as $$
declare
  mark    search_position;
  horizon xid8;
  began   timestamptz;
  -- How many transactions ago the mark was.
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
  -- Before the statement that reads, so that it sees whatever had ended by then.
  began := clock_timestamp();
  horizon := pg_snapshot_xmin(pg_current_snapshot());
  reach := pg_snapshot_xmax(pg_current_snapshot())::text::bigint - mark.position::text::bigint;
  -- Transaction numbers are a server's own, and those of rows have 32 bits. A mark from another server, or from very long ago,
  -- says nothing: then all jobs are looked at, which is slower and leaves nothing out.
  if reach < 0 or reach > 1000000000 then
    reach := 2147483647;
  end if;
  with changed as (
    delete from payment_changes where ctid = any (array(select ctid from payment_changes limit row_limit))
    returning bucket, payment_id
  ), fresh as materialized (
    -- A payment of a transaction that was open at the last look was written by one that is not before the mark, however
    -- late it has committed. So was a job that has been changed since.
    select j.bucket, j.client_id, j.subject_id from jobs as j
    where age(j.xmin) <= reach and j.job in ('drive-payment', 'close-session')
  ), lists as (
    select array_agg(bucket) as buckets, array_agg(client_id) as clients, array_agg(subject_id) as ids from fresh
  ), missing as (
    select lacking.bucket, lacking.subject_id
    from lists cross join lateral search_lacks(lists.buckets, lists.clients, lists.ids, row_limit) as lacking
  ), both_kinds as (
    select 0 as is_new, bucket, payment_id from changed union all select 1, bucket, subject_id from missing
  )
  select array_agg(bucket), array_agg(payment_id), sum(is_new) into buckets, ids, begun from both_kinds;
  if ids is not null then
    perform search_these(buckets, ids);
  end if;
  -- What was left for the next time is not in the tables yet.
  if cardinality(ids) is null or (begun < row_limit and cardinality(ids) - begun < row_limit) then
    update search_position set position = horizon, as_of = began;
  end if;
  perform set_config('app.fills_search', 'off', true);
  return coalesce(cardinality(ids), 0);
end
$$;

revoke all on function fill_search(integer) from public;
grant execute on function fill_search(integer) to tollgate_work;

-- Fills the tables anew for one bucket, and returns the number of payments. For the owner. The mark and the queue stay as they
-- are: what is committed meanwhile is found by them.
create function rebuild_search(of_bucket smallint) returns bigint
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  rebuilt bigint := 0;
  last    text := '';
  ids     text[];
begin
  -- A lock, as every fill has it.
  perform from search_position for update;
  perform set_config('app.fills_search', 'on', true);
  delete from payment_counts where bucket = of_bucket;
  delete from search_payments where bucket = of_bucket;
  loop
    ids := array(select payment_id from payments where bucket = of_bucket and payment_id > last
      order by payment_id limit 20000);
    exit when cardinality(ids) = 0;
    perform search_these(array_fill(of_bucket, array[cardinality(ids)]), ids);
    -- Without statistics all indexes that begin with bucket and client look alike, and a wrong one is read for each payment.
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

-- Refunds and disputes are not written by `pay`: each gets the index by which one merchant's are listed.
-- No installation has rows yet: the first release is to come.
-- squawk-ignore require-concurrent-index-creation
create index refunds_by_client on refunds (bucket, client_id, refund_id);
-- squawk-ignore require-concurrent-index-creation
create index disputes_by_client on disputes (bucket, client_id, dispute_id);
