-- Merchants (clients of the API), the keys of both sides, and how often each key is used.
--
-- The bucket is the first column of every key of merchant data: it is the shard key, and decides in which cell the rows
-- are. Private keys of merchants are never stored. Private keys of the gateway are encrypted by a key that the database
-- does not have.

create table gateway_keys (
  version             integer primary key constraint gateway_keys_version_positive check (version > 0),
  public_key          bytea not null,
  wrapped_private_key bytea not null,
  created_at          timestamptz not null default clock_timestamp()
);

grant select on gateway_keys to tollgate_app;

create table clients (
  bucket                 smallint not null constraint clients_bucket_in_range check (bucket between 0 and 1023),
  client_id              text not null constraint clients_id_well_formed check (client_id ~ '^[A-Za-z0-9_]{1,64}$'),
  name                   text not null,
  status                 text not null default 'ACTIVE'
    -- An isolated test merchant is closed permanently. A merchant is suspended until it is activated again.
    constraint clients_status_known check (status in ('ACTIVE', 'SUSPENDED', 'CLOSED')),
  -- Published client libraries accept only one gateway key, so each merchant moves to a new one when it is ready.
  gateway_key_version    integer not null references gateway_keys (version),
  time_tolerance_seconds integer not null default 600
    constraint clients_time_tolerance_in_range check (time_tolerance_seconds between 1 and 3600),
  -- Rate limit: a token bucket.
  rate_per_second        integer not null default 200 constraint clients_rate_positive check (rate_per_second > 0),
  rate_burst             integer not null default 400 constraint clients_burst_positive check (rate_burst > 0),
  fee_basis_points       integer not null default 0
    constraint clients_fee_in_range check (fee_basis_points between 0 and 2000),
  -- URL schemes of the merchant's own apps, to which buyers may be redirected: `shopapp` for shopapp://thanks. An
  -- allowlist in addition to https (and http in the sandbox), because a blocklist is never complete.
  link_schemes           text[] not null default '{}',
  -- Incremented by every change of the client, its keys or its test clock. Processes revalidate their cache with it.
  revision               bigint not null default 1,
  created_at             timestamptz not null default clock_timestamp(),
  primary key (bucket, client_id)
);

-- The environment of a database never changes, so the rule can be a plain constraint.
do $$
begin
  if current_setting('tollgate.environment') = 'sandbox' then
    alter table clients add constraint clients_of_the_sandbox_carry_its_prefix
      check (client_id like 'SANDBOX\_%');
  else
    alter table clients add constraint clients_of_live_never_carry_the_sandbox_prefix
      check (client_id not like 'SANDBOX\_%');
  end if;
end
$$;

-- A process reads all its cached clients in one statement, so the policy parses the list of merchants once per
-- statement and not for each row.
alter table clients enable row level security;
alter table clients force row level security;
create policy clients_own_rows on clients
  using (client_id in (select unnest(nullif(current_setting('app.clients', true), '')::text[])));

create function clients_count_their_changes() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  new.revision := old.revision + 1;
  return new;
end
$$;

create trigger clients_count_their_changes before update on clients
  for each row execute function clients_count_their_changes();

-- Merchants move to the next gateway key themselves, so a process may update this one column in the rows that it sees.
-- The foreign key rejects a version that does not exist.
grant select, update (gateway_key_version) on clients to tollgate_app;

create table client_keys (
  bucket     smallint not null,
  client_id  text not null,
  version    integer not null constraint client_keys_version_not_negative check (version >= 0),
  public_key bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  revoked_at timestamptz,
  primary key (bucket, client_id, version),
  foreign key (bucket, client_id) references clients (bucket, client_id)
);

-- A process reads the keys of many clients in one statement, so the policy parses the list of merchants once per
-- statement.
alter table client_keys enable row level security;
alter table client_keys force row level security;
create policy client_keys_own_rows on client_keys
  using (client_id in (select unnest(nullif(current_setting('app.clients', true), '')::text[])));

create function client_keys_count_as_changes() returns trigger
  language plpgsql set search_path = pg_catalog, public as $$
begin
  update clients set revision = revision + 1 where bucket = new.bucket and client_id = new.client_id;
  return new;
end
$$;

create trigger client_keys_count_as_changes after insert or update on client_keys
  for each row execute function client_keys_count_as_changes();

grant select on client_keys to tollgate_app;

-- How often each key signed, per day, so that operators and merchants can see which keys are still in use. Processes
-- count in memory and write once a second, so the cost does not grow with a merchant's traffic. The fill factor leaves
-- room in a page for the next version of each row (HOT updates).
create table key_uses (
  bucket    smallint not null constraint key_uses_bucket_in_range check (bucket between 0 and 1023),
  client_id text not null,
  day       date not null,
  -- The merchant's key signs a REQUEST; the gateway's key signs an ANSWER (response) or a NOTIFICATION (webhook).
  signed    text not null constraint key_uses_signed_known check (signed in ('REQUEST', 'ANSWER', 'NOTIFICATION')),
  version   integer not null,
  times     bigint not null constraint key_uses_times_positive check (times > 0),
  first_at  timestamptz not null,
  last_at   timestamptz not null,
  primary key (bucket, client_id, day, signed, version)
) with (fillfactor = 70);

-- Key uses are written in batches for many merchants, so the policy parses the list of merchants once per statement.
alter table key_uses enable row level security;
alter table key_uses force row level security;
create policy key_uses_own_rows on key_uses
  using (client_id in (select unnest(nullif(current_setting('app.clients', true), '')::text[])));
grant select, insert, update, delete on key_uses to tollgate_app;

-- The newest change of settings of each merchant and operation, so that a replayed or delayed request does not undo it.
-- A change has no request id, so changes are ordered by their signed request-time. Many libraries write it in whole
-- seconds, so the digests of all bodies of the newest second are stored, in order of arrival.
create table last_changes (
  bucket       smallint not null constraint last_changes_bucket_in_range check (bucket between 0 and 1023),
  client_id    text not null,
  operation    text not null,
  requested_at timestamptz not null,
  digests      bytea[] not null
    constraint last_changes_are_few_of_one_moment check (cardinality(digests) <= 32),
  primary key (bucket, client_id, operation)
);

alter table last_changes enable row level security;
alter table last_changes force row level security;
create policy last_changes_own_rows on last_changes
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant select, insert, update on last_changes to tollgate_app;
