-- Test clocks: one for each sandbox merchant, so that a test need not wait for days.
--
-- Times that the merchant sees are on the merchant's clock. `due_at` of a job is on the database's clock, so that one
-- query finds expired leases and due jobs. Advancing a clock moves the due times that follow it, in one transaction.

create table clocks (
  bucket    smallint not null constraint clocks_bucket_in_range check (bucket between 0 and 1023),
  client_id text not null,
  ahead_ms  bigint not null constraint clocks_only_go_forward check (ahead_ms >= 0),
  primary key (bucket, client_id)
);

alter table clocks enable row level security;
alter table clocks force row level security;
create policy clocks_own_rows on clocks
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
-- A worker may read all test clocks, because it needs the clock of each job's merchant.
create policy clocks_seen_by_the_worker on clocks for select to tollgate_work using (true);

-- Processes cache clients and revalidate them by their revision. Runs with the owner's privileges (security definer),
-- because the serving role may not update clients.
create function clocks_count_as_changes() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update clients set revision = revision + 1 where bucket = new.bucket and client_id = new.client_id;
  return new;
end
$$;

revoke all on function clocks_count_as_changes() from public;

create trigger clocks_count_as_changes after insert or update on clocks
  for each row execute function clocks_count_as_changes();

-- Each advance of a merchant's clock, with the jobs that ran, in order.
create table clock_turns (
  bucket          smallint not null constraint clock_turns_bucket_in_range check (bucket between 0 and 1023),
  client_id       text not null,
  turn_id         text not null,
  turn_request_id text not null,
  from_at         timestamptz not null,
  to_at           timestamptz not null,
  is_done         boolean not null default false,
  fingerprint     bytea not null,
  fired           jsonb not null default '[]',
  primary key (bucket, client_id, turn_request_id)
);

alter table clock_turns enable row level security;
alter table clock_turns force row level security;
create policy clock_turns_own_rows on clock_turns
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));

grant select on clocks, clock_turns to tollgate_app;
-- Live has no test clocks.
do $$
begin
  if current_setting('tollgate.environment') = 'sandbox' then
    grant insert, update on clocks, clock_turns to tollgate_app;
  end if;
end
$$;
