-- Isolated test merchants (universes): sandbox merchants for one test run each, created and closed by an API request.
--
-- An isolated test merchant is a client, so the same row-level security isolates it. `serve` may not create clients. It
-- calls the functions below, which run with the owner's privileges (security definer), only create and close isolated
-- test merchants, and choose the ids themselves. Live cannot have one: it has no privilege to call them, and a row
-- needs a client whose id begins with the sandbox prefix.

-- A number in the id of each isolated test merchant, so that an id is never used again, not even after its merchant is
-- deleted.
create sequence universe_numbers as bigint;

create table universes (
  bucket    smallint not null constraint universes_bucket_in_range check (bucket between 0 and 1023),
  client_id text not null constraint universes_carry_their_prefix check (client_id like 'SANDBOX\_U%'),
  opened_at timestamptz not null,
  -- The time at which the isolated test merchant closes automatically, by the database's clock and not by its test
  -- clock.
  closes_at timestamptz not null,
  closed_at timestamptz,
  primary key (bucket, client_id),
  foreign key (bucket, client_id) references clients (bucket, client_id)
);

create index universes_by_end on universes (closes_at) where closed_at is null;

alter table universes enable row level security;
alter table universes force row level security;
create policy universes_own_rows on universes
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy universes_kept on universes to current_user
  using (current_setting('app.keeps_universes', true) = 'on');

-- Only the owner sets the limits: the serving role can neither read nor write them.
create table universe_limits (
  only_row         boolean primary key default true constraint universe_limits_are_one_row check (only_row),
  -- Maximum number of open isolated test merchants.
  open_max         integer not null constraint universe_limits_open_in_range check (open_max between 0 and 100000),
  -- Maximum number of isolated test merchants in total, including closed ones that wait for the sweep.
  kept_max         integer not null constraint universe_limits_kept_in_range check (kept_max between 0 and 1000000),
  lifetime_seconds integer not null
    constraint universe_limits_lifetime_is_a_minute_to_a_month check (lifetime_seconds between 60 and 2592000)
);

insert into universe_limits (open_max, kept_max, lifetime_seconds) values (500, 20000, 3600);

-- The first 10 bits of SHA-256, as in server/src/core/bucket.ts.
create function bucket_of(client_id text) returns smallint
  language sql immutable strict parallel safe
  return ((get_byte(sha256(convert_to(client_id, 'UTF8')), 0) << 2)
    | (get_byte(sha256(convert_to(client_id, 'UTF8')), 1) >> 6))::smallint;

revoke all on function bucket_of(text) from public;

-- Closes an isolated test merchant and returns the time; null if there is none, so that no other merchant can be
-- closed. Deletes its jobs. Requests are rejected by the client's status, which reaches processes in the same way as
-- revoked keys.
create function close_universe(id text) returns timestamptz
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  scope  text := current_setting('app.clients', true);
  -- The bucket is computed once, as a value. A function call in the query would prevent an index scan behind row-level
  -- security.
  place  smallint := bucket_of(id);
  closed timestamptz;
begin
  perform set_config('app.clients', array[id]::text, true);
  update universes set closed_at = clock_timestamp()
  where bucket = place and client_id = id and closed_at is null;
  if found then
    update clients set status = 'CLOSED' where bucket = place and client_id = id;
    delete from jobs where bucket = place and client_id = id;
  end if;
  select closed_at into closed from universes where bucket = place and client_id = id;
  perform set_config('app.clients', coalesce(scope, ''), true);
  return closed;
end
$$;

-- Closes isolated test merchants past their lifetime, and returns how many.
create function close_expired_universes() returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  expired text[];
begin
  perform set_config('app.keeps_universes', 'on', true);
  expired := array(
    select client_id from universes where closed_at is null and closes_at <= clock_timestamp()
    order by closes_at limit 100 for update skip locked);
  perform close_universe(id) from unnest(expired) as id;
  perform set_config('app.keeps_universes', 'off', true);
  return cardinality(expired);
end
$$;

-- Opens as many of the requested isolated test merchants as there is room for, in order. `place` is the position of a
-- row in the request.
create function open_universes(names text[], public_keys bytea[], lifetimes integer[])
  returns table (place integer, client_id text, gateway_key_version integer, closes_at timestamptz)
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
  scope   text := current_setting('app.clients', true);
  opened  timestamptz := clock_timestamp();
  newest  integer := (select max(version) from gateway_keys);
  limits  universe_limits;
  room    bigint;
  ids     text[];
  ends    timestamptz[];
begin
  -- The row lock prevents concurrent requests from exceeding the limits together.
  select * into limits from universe_limits for update;
  perform close_expired_universes();
  perform set_config('app.keeps_universes', 'on', true);
  select least(limits.open_max - count(*) filter (where closed_at is null), limits.kept_max - count(*)) into room
  from universes;
  perform set_config('app.keeps_universes', 'off', true);
  -- The random part prevents reuse after a restore, when the sequence repeats numbers that payment providers have
  -- already seen.
  ids := array(
    select format('SANDBOX_U%s_%s', nextval('universe_numbers'), upper(left(replace(gen_random_uuid()::text, '-', ''), 12)))
    from generate_series(1, least(room, cardinality(names))));
  perform set_config('app.clients', ids::text, true);
  insert into clients (bucket, client_id, name, gateway_key_version)
  select bucket_of(id), id, names[nth], newest from unnest(ids) with ordinality as made (id, nth);
  insert into client_keys (bucket, client_id, version, public_key)
  select bucket_of(id), id, 1, public_keys[nth] from unnest(ids) with ordinality as made (id, nth);
  -- A request without a lifetime gets the longest lifetime, because `least` ignores null.
  ends := array(
    select opened + make_interval(secs => least(lifetime, limits.lifetime_seconds))
    from unnest(lifetimes) with ordinality as asked (lifetime, nth) order by nth);
  insert into universes (bucket, client_id, opened_at, closes_at)
  select bucket_of(id), id, opened, ends[nth] from unnest(ids) with ordinality as made (id, nth);
  return query
  select nth::integer, id, newest, ends[nth] from unnest(ids) with ordinality as made (id, nth);
  perform set_config('app.clients', coalesce(scope, ''), true);
end
$$;

-- The first key of an isolated test merchant is inserted together with its client. No process can have cached one
-- without the other, so the key is not counted as a change. Counting took longer than everything else, and grew with
-- the number of isolated test merchants opened together.
drop trigger client_keys_count_as_changes on client_keys;
create trigger client_keys_count_as_changes after update on client_keys
  for each row execute function client_keys_count_as_changes();
create trigger client_keys_that_are_added_count_as_changes after insert on client_keys
  for each row when (new.version > 1 or new.client_id not like 'SANDBOX\_U%')
  execute function client_keys_count_as_changes();

-- Open isolated test merchants, oldest first.
create function list_universes()
  returns table (client_id text, name text, opened_at timestamptz, closes_at timestamptz)
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
  scope text := current_setting('app.clients', true);
begin
  perform set_config('app.keeps_universes', 'on', true);
  perform set_config('app.clients',
    array(select client_id from universes where closed_at is null and closes_at > clock_timestamp())::text, true);
  perform set_config('app.keeps_universes', 'off', true);
  return query
  select universes.client_id, clients.name, universes.opened_at, universes.closes_at
  from universes join clients using (bucket, client_id) order by universes.opened_at, universes.client_id;
  perform set_config('app.clients', coalesce(scope, ''), true);
end
$$;

-- Deletes all rows of up to a hundred isolated test merchants that were closed at least `closed_for` ago, and returns
-- how many isolated test merchants. For the owner; a row-level security policy shows only these isolated test merchants
-- meanwhile. The tables come from the PostgreSQL catalog, so that none is missed.
create function sweep_universes(closed_for interval) returns integer
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  ids      text[];
  buckets  smallint[];
  since    timestamptz;
  swept    text;
begin
  perform close_expired_universes();
  -- This row lock blocks a concurrent roll-up, which would add deleted rows to the balances.
  perform from balances_position for update;
  -- This row lock blocks a concurrent fill of the search tables, which would add deleted payments.
  perform from search_position for update;
  perform set_config('app.keeps_universes', 'on', true);
  select array_agg(client_id), array_agg(distinct bucket), min(opened_at) - interval '1 day' into ids, buckets, since
  from (
    select bucket, client_id, opened_at from universes where closed_at <= clock_timestamp() - closed_for
    order by closed_at limit 100 for update
  ) as due;
  perform set_config('app.keeps_universes', 'off', true);
  if ids is null then
    return 0;
  end if;
  perform set_config('app.clients', ids::text, true);
  for swept in
    select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attname = 'client_id' and not a.attisdropped
    -- The table `clients` comes last, because other tables have foreign keys to it.
    order by c.relname = 'clients', c.relname
  loop
    execute format('delete from public.%I where bucket = any ($1) and client_id = any ($2) %s', swept,
      -- In the request log, the statement searches only the days on which these isolated test merchants could send
      -- requests.
      case swept when 'request_log' then 'and at >= $3' else '' end) using buckets, ids, since;
  end loop;
  perform set_config('app.clients', '', true);
  return cardinality(ids);
end
$$;

revoke all on function close_universe(text), close_expired_universes(), open_universes(text[], bytea[], integer[]),
  list_universes(), sweep_universes(interval) from public;

-- In the sandbox the owner may delete all ledger rows of an isolated test merchant. Every other ledger row stays.
do $$
begin
  if current_setting('tollgate.environment') = 'sandbox' then
    grant execute on function open_universes(text[], bytea[], integer[]), close_universe(text), list_universes()
      to tollgate_app;
    grant execute on function close_expired_universes() to tollgate_work;
    drop trigger ledger_is_append_only on ledger_transfers;
    create trigger ledger_is_append_only before update or truncate on ledger_transfers
      for each statement execute function ledger_is_append_only();
    create trigger ledger_of_merchants_is_append_only before delete on ledger_transfers
      for each row when (old.client_id not like 'SANDBOX\_U%') execute function ledger_is_append_only();
  end if;
end
$$;
