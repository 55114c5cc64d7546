-- Statements whose cost grew with the tables: `search rebuild`, and the report of a settlement batch. Each now reads
-- only the rows that it changes or returns, by an index.
--
-- No installation has rows yet, before the first release, so no rewrite or index build delays writers.

-- Rebuilds the search tables of one bucket from a payment id on, for some thousand payments and whole hours. The hours
-- of `payment_counts` are counted again, and days are the sums of their hours. Returns how many payments it read, and
-- the id at which the next call continues; null at the end. Each call is one transaction, so that `work` does not wait
-- long. For the owner. A payment id begins with the creation time.
create function rebuild_search(of_bucket smallint, from_id text, row_limit integer, out rebuilt integer, out next_id text)
  language plpgsql set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
declare
  first_id  text;
  last_id   text;
  ids       text[];
  from_hour timestamptz := '-infinity';
  next_hour timestamptz := 'infinity';
begin
  -- The lock of every fill.
  perform from search_position for update;
  perform set_config('app.fills_search', 'on', true);
  ids := array(select payment_id from payments where bucket = of_bucket and payment_id >= from_id order by payment_id limit row_limit);
  if cardinality(ids) = row_limit then
    first_id := ids[1];
    last_id := ids[row_limit];
    -- The batch ends before the hour of its last payment. If all of its payments are in one hour, it ends at the end
    -- of that hour.
    next_id := case when left(last_id, 10) > left(first_id, 10) then left(last_id, 10)
      else to_char(to_timestamp(left(last_id, 10), 'YYYYMMDDHH24') + interval '1 hour', 'YYYYMMDDHH24') end;
    next_hour := to_timestamp(next_id || '+00', 'YYYYMMDDHH24TZH');
    ids := array(select payment_id from payments where bucket = of_bucket and payment_id >= from_id and payment_id < next_id);
  end if;
  if from_id <> '' then
    from_hour := to_timestamp(from_id || '+00', 'YYYYMMDDHH24TZH');
  end if;
  perform delete_search_rows(of_bucket, client_id, from_id, coalesce(next_id, 'z'), from_hour, next_hour) from searched_clients(of_bucket) as client_id;
  perform update_search_rows(array_fill(of_bucket, array[cardinality(ids)]), ids);
  perform sum_search_days(of_bucket, client_id, from_hour, next_hour) from searched_clients(of_bucket) as client_id;
  rebuilt := cardinality(ids);
  perform set_config('app.fills_search', 'off', true);
end
$$;

-- Returns the merchants of a bucket with rows in the search tables, by one index lookup for each merchant.
create function searched_clients(of_bucket smallint) returns setof text
  language sql volatile set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off as $$
  with recursive clients (client_id) as (
    (select client_id from (
      (select client_id from search_payments where bucket = of_bucket order by client_id limit 1)
      union all (select client_id from payment_counts where bucket = of_bucket order by client_id limit 1)) as first
    order by client_id limit 1)
    union all
    select (select min(client_id) from (
      (select s.client_id from search_payments as s where s.bucket = of_bucket and s.client_id > clients.client_id order by s.client_id limit 1)
      union all (select c.client_id from payment_counts as c where c.bucket = of_bucket and c.client_id > clients.client_id order by c.client_id limit 1)
    ) as next)
    from clients where clients.client_id is not null
  )
  select client_id from clients where client_id is not null
$$;

create function delete_search_rows(of_bucket smallint, of_client text, from_id text, until_id text, from_hour timestamptz, until_hour timestamptz)
  returns void language sql volatile set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off as $$
  delete from search_payments where bucket = of_bucket and client_id = of_client and payment_id >= from_id and payment_id < until_id;
  delete from payment_counts where bucket = of_bucket and client_id = of_client and span = 'hour' and starts_at >= from_hour and starts_at < until_hour;
$$;

create function sum_search_days(of_bucket smallint, of_client text, from_hour timestamptz, until_hour timestamptz)
  returns void language sql volatile set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off as $$
  delete from payment_counts where bucket = of_bucket and client_id = of_client and span = 'day'
    and starts_at > from_hour - interval '1 day' and starts_at < until_hour;
  insert into payment_counts
  select bucket, client_id, 'day', date_trunc('day', starts_at, 'UTC'), currency, payment_method_type, status, result_code, sum(payment_count),
    sum(amount_minor), sum(final_count), sum(final_seconds), sum(within_5_s), sum(within_15_s), sum(within_60_s), sum(within_300_s)
  from payment_counts where bucket = of_bucket and client_id = of_client and span = 'hour'
    and starts_at >= date_trunc('day', from_hour, 'UTC') and starts_at < date_trunc('day', until_hour - interval '1 microsecond', 'UTC') + interval '1 day'
  group by 1, 2, 4, 5, 6, 7, 8;
$$;

drop function rebuild_search(smallint);
revoke all on function rebuild_search(smallint, text, integer), searched_clients(smallint),
  delete_search_rows(smallint, text, text, text, timestamptz, timestamptz), sum_search_days(smallint, text, timestamptz, timestamptz) from public;

-- A page of a batch's report is read in the order of the index. Before, each page sorted the whole batch.
-- squawk-ignore require-concurrent-index-creation
create index settlement_items_in_order on settlement_items (bucket, client_id, batch_id, subject_id, effect);
-- squawk-ignore require-concurrent-index-deletion
drop index settlement_items_by_batch;

-- A merchant has one bucket. Without this statistic the planner multiplies both selectivities. With thousands of
-- merchants it then expects one row for a bucket and a merchant, and takes any index that begins with these two
-- columns. So it read all payments of a merchant to find one. `analyze` fills these statistics.
create statistics payments_bucket_of_client (ndistinct, dependencies) on bucket, client_id from payments;
create statistics notifications_bucket_of_client (ndistinct, dependencies) on bucket, client_id from notifications;
create statistics refunds_bucket_of_client (ndistinct, dependencies) on bucket, client_id from refunds;
create statistics captures_bucket_of_client (ndistinct, dependencies) on bucket, client_id from captures;
create statistics disputes_bucket_of_client (ndistinct, dependencies) on bucket, client_id from disputes;
create statistics authorizations_bucket_of_client (ndistinct, dependencies) on bucket, client_id from authorizations;
create statistics tokens_bucket_of_client (ndistinct, dependencies) on bucket, client_id from tokens;
create statistics registrations_bucket_of_client (ndistinct, dependencies) on bucket, client_id from registrations;
create statistics search_payments_bucket_of_client (ndistinct, dependencies) on bucket, client_id from search_payments;
create statistics payment_counts_bucket_of_client (ndistinct, dependencies) on bucket, client_id from payment_counts;
create statistics settlement_batches_bucket_of_client (ndistinct, dependencies) on bucket, client_id from settlement_batches;
create statistics settlement_items_bucket_of_client (ndistinct, dependencies) on bucket, client_id from settlement_items;
create statistics payouts_bucket_of_client (ndistinct, dependencies) on bucket, client_id from payouts;
