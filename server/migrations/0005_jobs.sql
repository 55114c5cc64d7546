-- The job queue: what is to be done next, for which record, and when. A row holds keys only; the record holds the rest.
--
-- `due_at` is the lease as well: a worker that takes a job moves it on by the length of a lease, and counts the epoch up,
-- in one statement. The epoch is a fencing token: a worker that comes back with an older one has lost the lease to
-- another, and its result is discarded. Leases are by the database's clock alone.

create table jobs (
  bucket       smallint not null constraint jobs_bucket_in_range check (bucket between 0 and 1023),
  subject_id   text not null,
  job          text not null,
  client_id    text not null,
  -- A bulkhead: jobs of one lane wait for each other, and for no other lane.
  lane         text,
  -- The wallet that it needs, where it is known: a worker leaves jobs alone whose wallet does not answer, and without the
  -- name it would have to take each job to find out. A job without a name is taken like any other.
  connector    text,
  due_at       timestamptz not null,
  -- Whether `due_at` is a time of business (an expiry) and no lease: moving the merchant's test clock moves it, too.
  follows_merchant_clock boolean not null default false,
  epoch        integer not null default 1,
  attempts     integer not null default 0,
  created_at   timestamptz not null default clock_timestamp(),
  -- Since when it is parked: it is due, has to wait for others of its lane, and has `due_at` infinity, so that a poll for
  -- due jobs does not meet it.
  parked_at    timestamptz,
  -- When a message to the wallet may last have left without an answer since. To take a job is not to send: a circuit
  -- breaker may be open, a name not resolve, a process die first. The default is the cautious one: a writer that does not
  -- name this column may have sent at once.
  sent_at      timestamptz default now(),
  -- When a lease last expired, or was taken over, without a word of its holder.
  abandoned_at timestamptz,
  -- The wallet's last answer that settled nothing.
  last_word    text,
  primary key (bucket, subject_id, job)
);

-- Each row is in one of these two, so that a poll for one wallet's jobs passes by nobody else's. Two indexes, because the
-- planner does not know that in one index the rows of `connector is null` are in order.
create index jobs_due on jobs (due_at) where connector is null;
create index jobs_due_by_connector on jobs (connector, due_at) where connector is not null;
create index jobs_parked on jobs (lane, created_at) where due_at = 'infinity';

alter table jobs enable row level security;
alter table jobs force row level security;
create policy jobs_own_rows on jobs
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy jobs_seen_by_the_worker on jobs to tollgate_work using (true);
create policy jobs_seen_by_the_operator on jobs for select to current_user
  using (current_setting('app.oversight', true) = 'on');
grant select, insert, update, delete on jobs to tollgate_app;
