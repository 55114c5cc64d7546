-- What verified callers asked and what they were told: one partition a day, dropped when it is old.
--
-- Written after the answer, in batches. Requests whose signature does not hold leave no row, or a
-- stranger could fill the disk. Secrets are masked before they come here; the hash is of the
-- original bytes, so that a merchant's copy can be compared.

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

alter table request_log enable row level security;
alter table request_log force row level security;
create policy request_log_own_rows on request_log
  using (client_id in (select unnest(nullif(current_setting('app.clients', true), '')::text[])));

-- Runs with the owner's rights, because the serving role may neither create nor drop tables. The
-- schema of temporary tables comes last: left out it would come first, and whoever calls could bring a
-- pg_class of its own and have any table dropped.
create function maintain_request_log(retention_days integer) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '200ms' as $$
declare
  today date := (clock_timestamp() at time zone 'utc')::date;
  day   date;
  old   text;
begin
  if retention_days < 0 then
    raise exception 'The days to come are not old.' using errcode = 'invalid_parameter_value';
  end if;
  perform pg_advisory_xact_lock(hashtext('maintain_request_log'));
  for ahead in 0..3 loop
    day := today + ahead;
    if to_regclass(format('public.request_log_%s', to_char(day, 'YYYYMMDD'))) is null then
      execute format(
        'create table public.request_log_%s partition of public.request_log for values from (%L) to (%L)',
        to_char(day, 'YYYYMMDD'), day::text || ' 00:00:00+00', (day + 1)::text || ' 00:00:00+00');
      -- Reached directly, a partition would ask its own policies and not its parent's: it has none.
      execute format('alter table public.request_log_%s enable row level security', to_char(day, 'YYYYMMDD'));
      execute format('alter table public.request_log_%s force row level security', to_char(day, 'YYYYMMDD'));
    end if;
  end loop;
  for old in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.request_log'::regclass
      and c.relname < 'request_log_' || to_char(today - retention_days, 'YYYYMMDD')
  loop
    execute format('drop table public.%I', old);
  end loop;
end
$$;

select maintain_request_log(30);

revoke all on function maintain_request_log(integer) from public;
grant execute on function maintain_request_log(integer) to tollgate_app;
grant insert on request_log to tollgate_app;
