-- How long the request log is kept is the owner's to say: the serving role has the upkeep done, and no more.
--
-- The days were an argument of the function, so whoever had the serving login could have the whole past dropped. Now
-- they stand in a table that this role can neither read nor write. What is there today stays: a longer retention that
-- was set until now is kept, by the oldest day there is.

create table request_log_retention (
  only_row boolean primary key default true constraint request_log_retention_is_one_row check (only_row),
  days     integer not null constraint request_log_retention_is_a_day_to_ten_years check (days between 1 and 3650)
);

insert into request_log_retention (days)
select least(3650, greatest(30, (clock_timestamp() at time zone 'utc')::date
  - min(to_date(right(c.relname, 8), 'YYYYMMDD'))))
from pg_inherits i join pg_class c on c.oid = i.inhrelid
where i.inhparent = 'public.request_log'::regclass;

-- The schema of temporary tables comes last: left out it would come first, and whoever calls could bring a pg_class of
-- its own and have any table dropped.
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
      -- Reached directly, a partition would ask its own policies and not its parent's: it has none.
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

-- For processes of the release before, which say how many days: nobody listens to them any more.
create or replace function maintain_request_log(retention_days integer) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform public.maintain_request_log();
end
$$;
