-- Notifications (webhooks) to merchants: the outbox, the attempts, the feed, and what a merchant sets about them.
--
-- A transactional outbox: the body's bytes are fixed in the transaction that makes them true.

create table notifications (
  bucket          smallint not null constraint notifications_bucket_in_range check (bucket between 0 and 1023),
  notification_id text not null,
  client_id       text not null,
  kind            text not null,
  subject_id      text not null,
  -- The version of the record that it tells of.
  sequence        integer not null,
  -- Without a URL it is not sent, and can be read in the feed all the same.
  url             text,
  body            bytea not null,
  -- Whether the body is encrypted: one with a code or a token is decrypted only when it is sent.
  sealed          boolean not null default false,
  status          text not null default 'WAITING' constraint notifications_status_known
    check (status in ('WAITING', 'DELIVERED', 'EXHAUSTED', 'UNSENT')),
  attempts        integer not null default 0,
  -- Its place in the merchant's feed; null until it was committed and numbered, see assign_feed_positions.
  position        bigint,
  created_at      timestamptz not null,
  delivered_at    timestamptz,
  primary key (bucket, notification_id)
  -- Room on the page for the versions with a position and with a delivery: the second is heap-only (HOT).
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

-- Every attempt to deliver, and what came of it. Answers are cut. Of an address that could not be reached no detail is
-- stored, because merchants could scan the operator's network by it.
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

-- The position of the newest event in each merchant's feed. Positions are each merchant's own: 1, 2, 3, without a gap, and
-- without a word about anybody else's trade.
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

-- Gives positions to up to `row_limit` notifications that have none, and returns how many; null when another process is at
-- it. A position is given after the commit, by one process at a time: a number that is given on insert becomes visible in
-- the order of the commits, and a reader that is past 7 would never see a 6 that was committed later.
--
-- `made_from` leaves out older ones: a process that polls several times a second need not scan past all the dead index
-- entries of rows that were numbered since the oldest open snapshot. Runs with the owner's rights (security definer), who
-- sees the rows of every merchant in here and nowhere else.
create function assign_feed_positions(row_limit integer, made_from timestamptz) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  assigned integer;
begin
  -- Every release takes the same lock. It is let go when the commit can be seen, not before.
  if not pg_try_advisory_xact_lock(7045518) then
    return null;
  end if;
  perform set_config('app.numbers_events', 'on', true);
  -- A statement of its own, so that it sees all that was there when the lock was got: the positions of whoever had it
  -- before, too. A row that is just being delivered is not waited for: its turn comes next time.
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

-- The same for notifications of any age.
create function assign_feed_positions(row_limit integer) returns integer
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  select public.assign_feed_positions(row_limit, '-infinity'::timestamptz)
$$;

revoke all on function assign_feed_positions(integer) from public;
grant execute on function assign_feed_positions(integer) to tollgate_app;

-- The URL for each kind of notification, for requests that do not name one.
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

-- Lanes in which the merchant has paused delivery.
create table paused_lanes (
  bucket    smallint not null constraint paused_lanes_bucket_in_range check (bucket between 0 and 1023),
  client_id text not null,
  lane      text not null,
  paused_at timestamptz not null,
  primary key (bucket, client_id, lane)
);

alter table paused_lanes enable row level security;
alter table paused_lanes force row level security;
create policy paused_lanes_own_rows on paused_lanes
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy paused_lanes_seen_by_the_worker on paused_lanes for select to tollgate_work using (true);
create policy paused_lanes_seen_by_the_operator on paused_lanes for select to current_user
  using (current_setting('app.oversight', true) = 'on');
grant select, insert, update, delete on paused_lanes to tollgate_app;

-- Fault injection: what a merchant of the sandbox wants to go wrong with its notifications, and how often.
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
-- Nothing goes wrong on demand in live: there it stays empty.
do $$
begin
  if current_setting('tollgate.environment') = 'sandbox' then
    grant insert, update on notification_faults to tollgate_app;
  end if;
end
$$;
