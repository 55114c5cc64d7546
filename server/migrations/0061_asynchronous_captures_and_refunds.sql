-- Providers may take days for a capture, and a refund may fail after it succeeded.

-- When the provider accepted the capture. From then on, the gateway polls the capture and does not send it again.
alter table captures add column accepted_at timestamptz;

-- When a refund that was SUCCESS became FAIL, because the buyer's bank returned the money.
alter table refunds add column reversed_at timestamptz;
alter table refunds add constraint refunds_reversed_when_failed check (reversed_at is null or status = 'FAIL') not valid;

-- The same for a reversal: money that was returned to a buyer, and came back.
alter table reversals add column reversed_at timestamptz;
alter table reversals add constraint reversals_reversed_when_failed check (reversed_at is null or status = 'FAIL') not valid;

-- When a callback last asked for a run of a job that a process was running. That run may have read the time before the
-- callback, so the job is due again at once when it ends.
alter table jobs add column rerun_at timestamptz;

-- A webhook about a refund is also sent when the refund is reversed.
create or replace function notifications_about(in_bucket smallint, in_client text, subjects text[])
  returns table (notification_id text, status text)
  language sql stable set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
  with subject as materialized (
    select in_bucket as bucket, id from unnest(subjects) as given (id)
  ), moments as materialized (
    select e.at from subject as s join payment_events as e on e.bucket = s.bucket and e.payment_id = s.id
    union all select r.finished_at from subject as s join refunds as r on r.bucket = s.bucket and r.refund_id = s.id
    union all select r.reversed_at from subject as s join refunds as r on r.bucket = s.bucket and r.refund_id = s.id
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
