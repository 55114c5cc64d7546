-- What belongs to the whole installation: its environment, its database roles and its secret.
--
-- The roles hold privileges only: operators make logins of their own and grant them a role. A role owns nothing, so it
-- cannot lift row-level security.

-- A process says which environment it is, and refuses a database of the other one.
create table environment (
  name     text primary key constraint environment_is_sandbox_or_live check (name in ('sandbox', 'live')),
  only_row boolean not null default true constraint environment_has_one_row unique check (only_row)
);

insert into environment (name) values (current_setting('tollgate.environment'));

-- `serve` runs as tollgate_app. `work` runs as tollgate_work, which inherits all of it and also sees the queue of every
-- merchant: it takes a job, and then works in that merchant's name.
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

-- The secret, wrapped like the gateway's private keys. Fingerprints, by which a repeated request is recognised, are
-- derived from it, so it stays the same for ever, also when the key that wraps it is rotated.
create table installation (
  wrapped_secret bytea not null,
  only_row       boolean not null default true constraint installation_has_one_row primary key check (only_row)
);

grant select on installation to tollgate_app;
