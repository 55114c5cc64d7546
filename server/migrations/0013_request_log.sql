-- The request log: API requests of authenticated clients with their responses, in one partition per day, dropped when
-- it is old.
--
-- Written after the response, in batches. A request with an invalid signature leaves no row, because unauthenticated
-- clients could fill the disk. Secrets are masked before they are stored. The hash is of the original bytes, so that a
-- merchant's copy can be compared.

create table request_log (
  bucket         smallint not null constraint request_log_bucket_in_range check (bucket between 0 and 1023),
  at             timestamptz not null,
  request_id     text not null,
  client_id      text not null,
  key_version    integer not null,
  path           text not null,
  result_code    text not null,
  duration_us    integer not null,
  request_sha256 bytea not null,
  request_body   text not null,
  answer_body    text not null,
  primary key (bucket, at, request_id)
) partition by range (at);

-- Rows of many merchants are written in one batch, so the policy parses the list of merchants once per statement and
-- not for each row.
alter table request_log enable row level security;
alter table request_log force row level security;
create policy request_log_own_rows on request_log
  using (client_id in (select unnest(nullif(current_setting('app.clients', true), '')::text[])));
grant insert on request_log to tollgate_app;
-- A merchant may read its own requests without their bodies: it has the bodies, and the serving login must not read
-- them.
grant select (bucket, at, request_id, client_id, key_version, path, result_code, duration_us) on request_log
  to tollgate_app;

-- Only the owner sets the retention: the serving role can neither read nor write it. As an argument of the function
-- below, it would allow the serving login to drop the whole history.
create table request_log_retention (
  only_row boolean primary key default true constraint request_log_retention_is_one_row check (only_row),
  days     integer not null constraint request_log_retention_is_a_day_to_ten_years check (days between 1 and 3650)
);

insert into request_log_retention (days) values (30);

-- Creates the partitions for today and the next three days, and drops those past the retention. Runs with the owner's
-- privileges (security definer), because the serving role may neither create nor drop tables. The schema of temporary
-- tables is last in the search path. If it is left out it comes first, and a caller could create its own pg_class to
-- have any table dropped.
create function maintain_request_log() returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '200ms' as $$
declare
  today  date := (clock_timestamp() at time zone 'utc')::date;
  oldest date := today - (select days from public.request_log_retention);
  day    date;
  old    text;
begin
  perform pg_advisory_xact_lock(hashtext('maintain_request_log'));
  for ahead in 0..3 loop
    day := today + ahead;
    if to_regclass(format('public.request_log_%s', to_char(day, 'YYYYMMDD'))) is null then
      execute format(
        'create table public.request_log_%s partition of public.request_log for values from (%L) to (%L)',
        to_char(day, 'YYYYMMDD'), day::text || ' 00:00:00+00', (day + 1)::text || ' 00:00:00+00');
      -- A query on the partition itself uses the policies of the partition, not of its parent. A partition has no
      -- policy, so such a query returns no rows.
      execute format('alter table public.request_log_%s enable row level security', to_char(day, 'YYYYMMDD'));
      execute format('alter table public.request_log_%s force row level security', to_char(day, 'YYYYMMDD'));
    end if;
  end loop;
  for old in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.request_log'::regclass
      and c.relname < 'request_log_' || to_char(oldest, 'YYYYMMDD')
  loop
    execute format('drop table public.%I', old);
  end loop;
end
$$;

revoke all on function maintain_request_log() from public;
grant execute on function maintain_request_log() to tollgate_app;

-- The argument is ignored: only the owner sets the retention.
create function maintain_request_log(retention_days integer) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform public.maintain_request_log();
end
$$;

revoke all on function maintain_request_log(integer) from public;
grant execute on function maintain_request_log(integer) to tollgate_app;

select maintain_request_log();
