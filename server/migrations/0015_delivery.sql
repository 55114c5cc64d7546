-- Notifications with lanes, attempts, addresses of the merchant's own, and pauses.

-- Whose turn it is: jobs of one lane wait for each other, and for nobody else. A job that is due and has to wait is
-- parked: due at infinity, where nobody who looks for what is due comes across it.
alter table jobs add column lane text;
-- The table holds only what is not finished, and nothing is parked yet.
-- squawk-ignore require-concurrent-index-creation
create index jobs_parked on jobs (lane, created_at) where due_at = 'infinity';

-- Every attempt, and what came of it. Answers are cut, and of what was not reached nothing is told.
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
grant select, insert on notification_attempts to tollgate_app;

-- Where a merchant wants to be told when a request does not say.
create table notify_urls (
  bucket     smallint not null constraint notify_urls_bucket_in_range check (bucket between 0 and 1023),
  client_id  text not null,
  kind       text not null,
  url        text not null,
  primary key (bucket, client_id, kind)
);

alter table notify_urls enable row level security;
alter table notify_urls force row level security;
create policy notify_urls_own_rows on notify_urls
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant select, insert, update, delete on notify_urls to tollgate_app;

-- Lanes that their merchant has stopped.
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
grant select, insert, update, delete on paused_lanes to tollgate_app;

-- Without an address it is in the feed all the same; with one of the merchant's own it goes there. A process of the
-- release before takes no harm: it sends nothing that it has not written with an address itself.
-- squawk-ignore ban-drop-not-null
alter table notifications alter column url drop not null;
alter table notifications drop constraint notifications_status_known;
alter table notifications add constraint notifications_status_known
  check (status in ('WAITING', 'DELIVERED', 'EXHAUSTED', 'UNSENT')) not valid;
