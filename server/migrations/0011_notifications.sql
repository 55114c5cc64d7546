-- Webhooks (`notifications`): the outbox, delivery attempts, the event feed, and merchants' settings for them.
--
-- A transactional outbox: the bytes of the body are stored in the same transaction as the change that they report.

create table notifications (
  bucket          smallint not null constraint notifications_bucket_in_range check (bucket between 0 and 1023),
  notification_id text not null,
  client_id       text not null,
  kind            text not null,
  subject_id      text not null,
  -- The version of the reported record.
  sequence        integer not null,
  -- The URL of the webhook. Without a configured URL it is null, and the event is only in the event feed.
  url             text,
  body            bytea not null,
  -- Whether the body is encrypted. A body with a code or a token is decrypted only when it is sent.
  sealed          boolean not null default false,
  status          text not null default 'WAITING' constraint notifications_status_known
    check (status in ('WAITING', 'DELIVERED', 'EXHAUSTED', 'UNSENT')),
  attempts        integer not null default 0,
  -- Its position in the merchant's event feed; null until it is committed and numbered, see assign_feed_positions.
  position        bigint,
  created_at      timestamptz not null,
  delivered_at    timestamptz,
  primary key (bucket, notification_id)
  -- The fill factor leaves room on the page for two later versions of the row: with a feed position, and with a
  -- delivery. The second version is heap-only (HOT).
) with (fillfactor = 50);

create unique index notifications_by_position on notifications (bucket, client_id, position);
create index notifications_without_position on notifications (created_at) where position is null;

alter table notifications enable row level security;
alter table notifications force row level security;
create policy notifications_own_rows on notifications
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy notifications_seen_by_the_operator on notifications for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create policy notifications_found_to_number on notifications for select to current_user
  using (current_setting('app.numbers_events', true) = 'on');
create policy notifications_numbered on notifications for update to current_user
  using (current_setting('app.numbers_events', true) = 'on');
create trigger notification_follows_its_lifecycle before update of status on notifications
  for each row execute function notification_follows_its_lifecycle();
grant select, insert, update on notifications to tollgate_app;

-- Each delivery attempt and its outcome. Responses are truncated. For an unreachable address no detail is stored,
-- because merchants could use it to scan the operator's network (SSRF).
create table notification_attempts (
  bucket          smallint not null constraint notification_attempts_bucket_in_range check (bucket between 0 and 1023),
  notification_id text not null,
  attempt         integer not null,
  client_id       text not null,
  at              timestamptz not null,
  key_version     integer not null,
  http_status     integer not null,
  failure         text,
  answer          text not null constraint notification_attempts_answer_is_short check (length(answer) <= 1024),
  dns_ms          real,
  connect_ms      real,
  tls_ms          real,
  first_byte_ms   real,
  total_ms        real not null,
  primary key (bucket, notification_id, attempt)
);

alter table notification_attempts enable row level security;
alter table notification_attempts force row level security;
create policy notification_attempts_own_rows on notification_attempts
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy notification_attempts_seen_by_the_operator on notification_attempts for select to current_user
  using (current_setting('app.oversight', true) = 'on');
grant select, insert on notification_attempts to tollgate_app;

-- The position of the newest event in each merchant's feed. Each merchant has its own positions (1, 2, 3, without a
-- gap), so they do not reveal other merchants' traffic.
create table feed_heads (
  bucket    smallint not null constraint feed_heads_bucket_in_range check (bucket between 0 and 1023),
  client_id text not null,
  position  bigint not null,
  primary key (bucket, client_id)
);

alter table feed_heads enable row level security;
alter table feed_heads force row level security;
create policy feed_heads_own_rows on feed_heads
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy feed_heads_moved on feed_heads to current_user
  using (current_setting('app.numbers_events', true) = 'on');
grant select on feed_heads to tollgate_app;

-- Assigns positions to up to `row_limit` notifications without one, and returns how many; null when another process is
-- running it. A position is assigned after the commit, by one process at a time. Numbers that are assigned on insert
-- become visible in commit order, so a reader past 7 would miss a 6 that commits later.
--
-- `made_from` leaves out older notifications. So a process that polls several times a second does not scan the dead
-- index entries of rows numbered since the oldest open snapshot. Runs with the owner's privileges (security definer),
-- which read the rows of all merchants only inside this function.
create function assign_feed_positions(row_limit integer, made_from timestamptz) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  assigned integer;
begin
  -- All releases use the same lock number. PostgreSQL releases the lock only when the commit is visible.
  if not pg_try_advisory_xact_lock(7045518) then
    return null;
  end if;
  perform set_config('app.numbers_events', 'on', true);
  -- The rows are read in a separate statement, so that its snapshot includes all positions of the lock's previous
  -- holder. The statement skips a row that is being delivered now; the next run numbers this row.
  with fresh as materialized (
    select bucket, client_id, notification_id, created_at from notifications
    where position is null and created_at >= made_from order by created_at limit row_limit
    for update skip locked
  ), placed as (
    select bucket, client_id, notification_id,
      row_number() over (partition by bucket, client_id order by created_at, notification_id) as place,
      count(*) over (partition by bucket, client_id) as places
    from fresh
  ), moved as (
    insert into feed_heads as head (bucket, client_id, position)
    select bucket, client_id, count(*) from fresh group by bucket, client_id
    on conflict (bucket, client_id) do update set position = head.position + excluded.position
    returning bucket, client_id, position
  )
  update notifications as n set position = moved.position - placed.places + placed.place
  from placed join moved on moved.bucket = placed.bucket and moved.client_id = placed.client_id
  where n.bucket = placed.bucket and n.notification_id = placed.notification_id;
  get diagnostics assigned = row_count;
  perform set_config('app.numbers_events', 'off', true);
  return assigned;
end
$$;

revoke all on function assign_feed_positions(integer, timestamptz) from public;
grant execute on function assign_feed_positions(integer, timestamptz) to tollgate_app;

-- Assigns feed positions to notifications of any age.
create function assign_feed_positions(row_limit integer) returns integer
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  select public.assign_feed_positions(row_limit, '-infinity'::timestamptz)
$$;

revoke all on function assign_feed_positions(integer) from public;
grant execute on function assign_feed_positions(integer) to tollgate_app;

-- The URL for each kind of webhook, for requests that do not set one.
create table notify_urls (
  bucket    smallint not null constraint notify_urls_bucket_in_range check (bucket between 0 and 1023),
  client_id text not null,
  kind      text not null,
  url       text not null,
  primary key (bucket, client_id, kind)
);

alter table notify_urls enable row level security;
alter table notify_urls force row level security;
create policy notify_urls_own_rows on notify_urls
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant select, insert, update, delete on notify_urls to tollgate_app;

-- Delivery queues that the merchant has paused.
create table paused_queues (
  bucket    smallint not null constraint paused_queues_bucket_in_range check (bucket between 0 and 1023),
  client_id text not null,
  queue      text not null,
  paused_at timestamptz not null,
  primary key (bucket, client_id, queue)
);

alter table paused_queues enable row level security;
alter table paused_queues force row level security;
create policy paused_queues_own_rows on paused_queues
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy paused_queues_seen_by_the_worker on paused_queues for select to tollgate_work using (true);
create policy paused_queues_seen_by_the_operator on paused_queues for select to current_user
  using (current_setting('app.oversight', true) = 'on');
grant select, insert, update, delete on paused_queues to tollgate_app;

-- Fault injection: how webhook deliveries of a sandbox merchant fail, and how often.
create table notification_faults (
  bucket           smallint not null constraint notification_faults_bucket_in_range check (bucket between 0 and 1023),
  client_id        text not null,
  fault_request_id text not null,
  kind             text not null,
  subject_id       text,
  origin           text,
  remaining        integer not null constraint notification_faults_remaining_not_negative check (remaining >= 0),
  delay_seconds    integer not null,
  created_at       timestamptz not null default clock_timestamp(),
  primary key (bucket, client_id, fault_request_id)
);

alter table notification_faults enable row level security;
alter table notification_faults force row level security;
create policy notification_faults_own_rows on notification_faults
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant select on notification_faults to tollgate_app;
-- Only the sandbox has fault injection. In live the table stays empty.
do $$
begin
  if current_setting('tollgate.environment') = 'sandbox' then
    grant insert, update on notification_faults to tollgate_app;
  end if;
end
$$;
