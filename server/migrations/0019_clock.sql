-- A clock for each merchant of the sandbox, so that what takes days can be seen in seconds.
--
-- Times that the merchant sees are on the merchant's clock; `due_at` of a job is on the database's, so that leases
-- and due times can be looked up together. Moving a clock moves the due times that are business, in one transaction.

create table clocks (
  bucket    smallint not null constraint clocks_bucket_in_range check (bucket between 0 and 1023),
  client_id text not null,
  ahead_ms  bigint not null constraint clocks_only_go_forward check (ahead_ms >= 0),
  primary key (bucket, client_id)
);

-- Each time that a merchant moved its clock, and what came of it, in order.
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

do $$
declare
  named text;
begin
  foreach named in array array['clocks', 'clock_turns'] loop
    execute format('alter table %I enable row level security', named);
    execute format('alter table %I force row level security', named);
    execute format(
      'create policy %I on %I using (client_id = any (nullif(current_setting(''app.clients'', true), '''')::text[]))',
      named || '_own_rows', named);
    -- Live has no clock but the world's.
    execute format('grant select%s on %I to tollgate_app',
      case when current_setting('tollgate.environment') = 'sandbox' then ', insert, update' else '' end, named);
  end loop;
end
$$;

-- The worker is told of a job how far its merchant's clock is ahead.
create policy clocks_seen_by_the_worker on clocks for select to tollgate_work using (true);

-- Processes remember clients, and look whether they have changed. With the owner's rights, because whoever serves
-- may not change clients.
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
