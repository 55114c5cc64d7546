-- What is to be done next, by whom and when. A row holds keys only: the record holds the rest.
--
-- `due_at` is the lease as well: whoever takes a job moves it on by the length of a lease, in the same
-- statement, and counts the epoch up. When it comes back to settle with an epoch that is not the row's,
-- somebody else has taken over meanwhile, and what it brings is discarded. Leases are the database's
-- clock alone. Due times that are business (an expiry) are marked, so that a merchant's clock can move them.

create table jobs (
  bucket     smallint not null constraint jobs_bucket_in_range check (bucket between 0 and 1023),
  subject_id text not null,
  job        text not null,
  client_id  text not null,
  due_at     timestamptz not null,
  business   boolean not null default false,
  epoch      integer not null default 1,
  attempts   integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  primary key (bucket, subject_id, job)
);

create index jobs_by_due_time on jobs (due_at);

alter table jobs enable row level security;
alter table jobs force row level security;
create policy jobs_own_rows on jobs
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));

-- The worker sees the keys of everybody's jobs, takes one, and then works in that merchant's name.
do $$
begin
  if not exists (select from pg_roles where rolname = 'tollgate_work') then
    create role tollgate_work nologin in role tollgate_app;
  end if;
exception
  when duplicate_object or unique_violation then null;
end
$$;

create policy jobs_seen_by_the_worker on jobs to tollgate_work using (true);

grant select, insert, update, delete on jobs to tollgate_app;
