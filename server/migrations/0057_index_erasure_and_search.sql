-- Erasure of a buyer read all notifications and all API requests of the merchant. It now finds both by an index. For
-- each payment, `search rebuild` read the index entries of its whole batch.
--
-- No installation has rows yet, before the first release, so no index build delays writers.

-- The record that an API request names: 32 bits of the SHA-256 of its id. The gateway computes it from the request
-- (server/src/merchants/request-record.ts). A merchant's own id can have any length and any characters; the hash has
-- four bytes. Null for a request that names no record, such as a list. Measured cost for each request: 70 bytes of WAL
-- (4 %), 2 buffers and 2 microseconds. A search by the times of the payment needs no index, but misses inquiries that a
-- merchant sends later.
alter table request_log add column record_hash integer;
-- squawk-ignore require-concurrent-index-creation
create index request_log_by_record on request_log (bucket, record_hash) where record_hash is not null;

-- Calculates the hash of `request_log.record_hash` from an id.
create function request_record_hash(id text) returns integer
  language sql immutable set search_path = pg_catalog
  return ('x' || encode(substr(sha256(convert_to(id, 'UTF8')), 1, 4), 'hex'))::bit(32)::integer;

-- Returns notifications about these records. No index contains a notification's subject. But a notification is written
-- in the transaction of its event, and its id begins with the same time. So only notifications of these times are read.
create function notifications_about(in_bucket smallint, in_client text, subjects text[])
  returns table (notification_id text, status text)
  language sql stable set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
  with subject as materialized (
    select in_bucket as bucket, id from unnest(subjects) as given (id)
  ), moments as materialized (
    select e.at from subject as s join payment_events as e on e.bucket = s.bucket and e.payment_id = s.id
    union all select r.finished_at from subject as s join refunds as r on r.bucket = s.bucket and r.refund_id = s.id
    union all select c.finished_at from subject as s join captures as c on c.bucket = s.bucket and c.capture_id = s.id
    union all select v.finished_at from subject as s join reversals as v on v.bucket = s.bucket and v.reversal_id = s.id
    union all select e.at from subject as s join dispute_events as e on e.bucket = s.bucket and e.dispute_id = s.id
    union all select e.at from subject as s join authorization_events as e on e.bucket = s.bucket and e.authorization_id = s.id
  ), windows as materialized (
    select to_char(lower(span) at time zone 'utc', 'YYYYMMDDHH24MISSMS') as id_from,
      to_char(upper(span) at time zone 'utc', 'YYYYMMDDHH24MISSMS') as id_until
    from (
      select unnest(range_agg(tstzrange(at - interval '1 second', at + interval '1 second'))) as span
      from moments where at is not null
    ) as joined
  )
  -- `offset 0` makes the planner search each time window by the primary key.
  select n.notification_id, n.status from windows cross join lateral (
    select notification_id, status, client_id, subject_id from notifications
    where bucket = in_bucket and notification_id >= windows.id_from and notification_id < windows.id_until offset 0
  ) as n
  where n.client_id = in_client and n.subject_id = any (subjects)
$$;

-- The function of migration 0036, which now finds notifications by their time, and API requests by the record that they
-- name.
create or replace function erase_buyer(in_bucket smallint, in_client text, subjects text[], names text[]) returns jsonb
  language plpgsql set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
declare
  counts   jsonb := '{}';
  told_ids text[];
  touched  bigint;
begin
  update payments set order_description = null, order_shown = null, redirect_url = null, metadata = null, provider_url = null, sealed_code = null,
    notify_url = regexp_replace(notify_url, '[?#].*', '')
  where bucket = in_bucket and client_id = in_client and payment_id = any (subjects);
  get diagnostics touched = row_count;
  counts := counts || jsonb_build_object('payments', touched);

  update payment_sessions set customized_info = null, user_region = null, order_info = jsonb_build_object(
    'referenceOrderId', order_info -> 'referenceOrderId', 'orderDescription', '(erased)', 'orderAmount', order_info -> 'orderAmount')
  where bucket = in_bucket and client_id = in_client and payment_id = any (subjects);
  get diagnostics touched = row_count;
  counts := counts || jsonb_build_object('payment_sessions', touched);

  update refunds set reason = null, metadata = null, notify_url = regexp_replace(notify_url, '[?#].*', '')
  where bucket = in_bucket and client_id = in_client and refund_id = any (subjects);
  get diagnostics touched = row_count;
  counts := counts || jsonb_build_object('refunds', touched);

  update disputes set reason_message = '(erased)', auto_defend_reason = null
  where bucket = in_bucket and client_id = in_client and dispute_id = any (subjects);
  get diagnostics touched = row_count;
  counts := counts || jsonb_build_object('disputes', touched);
  update dispute_events set told = null
  where bucket = in_bucket and client_id = in_client and dispute_id = any (subjects) and told is not null;
  -- The SHA-256 of a document stays, to show later whether a merchant presents the same file.
  update dispute_evidence set content = ''
  where bucket = in_bucket and client_id = in_client and dispute_id = any (subjects);
  get diagnostics touched = row_count;
  counts := counts || jsonb_build_object('dispute_evidence', touched);

  update authorizations set user_login_id = null, provider_url = null, redirect_url = regexp_replace(redirect_url, '[?#].*', ''),
    notify_url = regexp_replace(notify_url, '[?#].*', '')
  where bucket = in_bucket and client_id = in_client and authorization_id = any (subjects);
  get diagnostics touched = row_count;
  counts := counts || jsonb_build_object('authorizations', touched);

  told_ids := array(select notification_id from notifications_about(in_bucket, in_client, subjects));
  -- An encrypted body contains a code or a token, which is used up. The database cannot decrypt the body, so all of it
  -- is replaced.
  update notifications set url = regexp_replace(url, '[?#].*', ''), sealed = false,
    body = case when sealed then convert_to(jsonb_build_object('erased', true, 'sequence', sequence)::text, 'UTF8')
      else without_free_text(body) end
  where bucket = in_bucket and client_id = in_client and notification_id = any (told_ids);
  counts := counts || jsonb_build_object('notifications', cardinality(told_ids));
  update notification_attempts set answer = ''
  where bucket = in_bucket and client_id = in_client and notification_id = any (told_ids);
  get diagnostics touched = row_count;
  counts := counts || jsonb_build_object('notification_attempts', touched);

  -- Two ids can have the same hash, so the query also searches the bodies for the id.
  update request_log set request_body = '(erased)', answer_body = '(erased)'
  from (select distinct request_record_hash(id) as hash from unnest(subjects || names) as given (id)) as record
  where bucket = in_bucket and record_hash = record.hash and client_id = in_client and exists (
    select from unnest(subjects || names) as given (id)
    where strpos(request_body, to_json(id)::text) > 0 or strpos(answer_body, to_json(id)::text) > 0);
  get diagnostics touched = row_count;
  return counts || jsonb_build_object('request_log', touched);
end
$$;

revoke all on function request_record_hash(text), notifications_about(smallint, text, text[]) from public;

-- The function of migration 0054, with an upper bound for the previous row. `rebuild_search` first deletes the rows of
-- its batch. Without the bound, the search for the next row read all later deleted entries, which was quadratic in the
-- size of the batch.
create or replace function update_search_rows(buckets smallint[], ids text[]) returns void
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
    -- The query uses a range and its order instead of an equality. Only the primary key has this order, so the planner
    -- cannot choose another index.
    select nearest.* from present cross join lateral (
      select s.* from search_payments as s
      where s.bucket = present.bucket and s.client_id = present.client_id and s.payment_id >= present.payment_id
        and s.payment_id <= present.payment_id
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
