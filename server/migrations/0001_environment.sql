-- Which environment this database holds, and the role that serves it.
--
-- A process says which environment it is and refuses a database that is another. The role holds
-- privileges only: operators make a login of their own and grant it this role. It owns nothing, so
-- it cannot lift row-level security.

create table environment (
  name     text primary key constraint environment_is_sandbox_or_live check (name in ('sandbox', 'live')),
  only_row boolean not null default true constraint environment_has_one_row unique check (only_row)
);

insert into environment (name) values (current_setting('tollgate.environment'));

do $$
begin
  if not exists (select from pg_roles where rolname = 'tollgate_app') then
    create role tollgate_app nologin;
  end if;
exception
  -- Two databases of one server may be migrated at the same moment.
  when duplicate_object or unique_violation then null;
end
$$;

grant usage on schema public to tollgate_app;
grant select on environment to tollgate_app;
