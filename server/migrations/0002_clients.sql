-- Merchants' client ids, their public keys, and the gateway's own key pairs.
--
-- The bucket comes first in every key of merchant data: it says in which cell the rows live.
-- Private keys of merchants are never here; those of the gateway only wrapped, by a key that the
-- database does not have.

create table gateway_keys (
  version             integer primary key constraint gateway_keys_version_positive check (version > 0),
  public_key          bytea not null,
  wrapped_private_key bytea not null,
  created_at          timestamptz not null default clock_timestamp()
);

create table clients (
  bucket                 smallint not null constraint clients_bucket_in_range check (bucket between 0 and 1023),
  client_id              text not null constraint clients_id_well_formed check (client_id ~ '^[A-Za-z0-9_]{1,64}$'),
  name                   text not null,
  status                 text not null default 'ACTIVE'
    constraint clients_status_known check (status in ('ACTIVE', 'SUSPENDED')),
  -- Published client libraries hold one gateway key, so each merchant moves to a new one when it is ready.
  gateway_key_version    integer not null references gateway_keys (version),
  time_tolerance_seconds integer not null default 600
    constraint clients_time_tolerance_in_range check (time_tolerance_seconds between 1 and 3600),
  rate_per_second        integer not null default 200 constraint clients_rate_positive check (rate_per_second > 0),
  rate_burst             integer not null default 400 constraint clients_burst_positive check (rate_burst > 0),
  -- Grows with every change of the client or of its keys: what a process keeps in memory is compared with it.
  revision               bigint not null default 1,
  created_at             timestamptz not null default clock_timestamp(),
  primary key (bucket, client_id)
);

-- The environment cannot change under a database, so the rule can be a plain constraint.
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

-- These are read for many merchants at once, so the list is taken apart once and not for every row.
alter table clients enable row level security;
alter table clients force row level security;
create policy clients_own_rows on clients
  using (client_id in (select unnest(nullif(current_setting('app.clients', true), '')::text[])));

alter table client_keys enable row level security;
alter table client_keys force row level security;
create policy client_keys_own_rows on client_keys
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

create function client_keys_count_as_changes() returns trigger
  language plpgsql set search_path = pg_catalog, public as $$
begin
  update clients set revision = revision + 1 where bucket = new.bucket and client_id = new.client_id;
  return new;
end
$$;

create trigger client_keys_count_as_changes after insert or update on client_keys
  for each row execute function client_keys_count_as_changes();

grant select on gateway_keys, clients, client_keys to tollgate_app;
