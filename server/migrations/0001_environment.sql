-- The installation: its environment, database roles and installation secret.
--
-- The roles only hold privileges. Operators create logins and grant them a role. A role owns no tables, so it cannot
-- disable row-level security.

-- A process states its environment, and refuses to start on a database of the other one.
create table environment (
  name     text primary key constraint environment_is_sandbox_or_live check (name in ('sandbox', 'live')),
  only_row boolean not null default true constraint environment_has_one_row unique check (only_row)
);

insert into environment (name) values (current_setting('tollgate.environment'));

-- `serve` runs as tollgate_app. `work` runs as tollgate_work, which inherits from it and also sees the job queue of all
-- merchants. It leases a job, and then acts on behalf of that job's merchant.
do $$
begin
  if not exists (select from pg_roles where rolname = 'tollgate_app') then
    create role tollgate_app nologin;
  end if;
exception
  -- A race: two databases of one server may be migrated at the same moment.
  when duplicate_object or unique_violation then null;
end
$$;

do $$
begin
  if not exists (select from pg_roles where rolname = 'tollgate_work') then
    create role tollgate_work nologin in role tollgate_app;
  end if;
exception
  when duplicate_object or unique_violation then null;
end
$$;

grant usage on schema public to tollgate_app;
grant select on environment to tollgate_app;

-- The installation secret, encrypted like the gateway's private keys. Request fingerprints, which recognise repeated
-- requests, are derived from it. So it never changes, not even when the key that encrypts it is rotated.
create table installation (
  wrapped_secret bytea not null,
  only_row       boolean not null default true constraint installation_has_one_row primary key check (only_row)
);

grant select on installation to tollgate_app;
