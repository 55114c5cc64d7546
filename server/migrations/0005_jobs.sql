-- The job queue: the next work for each record, and when it is due. A row has keys only; the data is in the record.
--
-- `due_at` is also the lease: in one statement a worker moves `due_at` to the end of its lease and increments the
-- epoch. The epoch is a fencing token: a worker with an older epoch has lost its lease, and its result is discarded.
-- Leases use only the database's clock.

create table jobs (
  bucket       smallint not null constraint jobs_bucket_in_range check (bucket between 0 and 1023),
  subject_id   text not null,
  job          text not null,
  client_id    text not null,
  -- The delivery queue, a bulkhead: jobs wait only for other jobs of the same queue.
  queue         text,
  -- The connector that the job needs, if known. Workers skip jobs of a payment provider that does not respond; without
  -- the name they would have to lease each job to find out. Jobs without a name are leased as usual.
  connector    text,
  due_at       timestamptz not null,
  -- Whether `due_at` is a business time (an expiry) and not a lease. If so, advancing the merchant's test clock moves
  -- it, too.
  follows_merchant_clock boolean not null default false,
  epoch        integer not null default 1,
  attempts     integer not null default 0,
  created_at   timestamptz not null default clock_timestamp(),
  -- The time since which the job is parked, because it is due but its delivery queue is full. A parked job's `due_at`
  -- is infinity, so that polls for due jobs skip it.
  parked_at    timestamptz,
  -- The last time at which a message to the payment provider may have been sent to which no response has arrived
  -- since. A leased job may not have sent one: the circuit breaker was open, a name did not resolve, or the process
  -- crashed first. The default is the cautious one, because a writer that does not set this column may have sent at
  -- once.
  sent_at      timestamptz default now(),
  -- When a lease last expired, or was taken over, without a result from its holder.
  abandoned_at timestamptz,
  -- The provider's last response that did not lead to a final status.
  last_word    text,
  primary key (bucket, subject_id, job)
);

-- Each row is in exactly one of these two indexes, so a poll for one connector's jobs skips all others. There are two
-- indexes, because the planner does not know that in a single index the rows with `connector is null` are ordered.
create index jobs_due on jobs (due_at) where connector is null;
create index jobs_due_by_connector on jobs (connector, due_at) where connector is not null;
create index jobs_parked on jobs (queue, created_at) where due_at = 'infinity';

alter table jobs enable row level security;
alter table jobs force row level security;
create policy jobs_own_rows on jobs
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy jobs_seen_by_the_worker on jobs to tollgate_work using (true);
create policy jobs_seen_by_the_operator on jobs for select to current_user
  using (current_setting('app.oversight', true) = 'on');
grant select, insert, update, delete on jobs to tollgate_app;
