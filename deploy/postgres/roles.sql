-- The roles, logins and database of one environment. A superuser makes them, before the first `migrate`:
--   TOLLGATE_ENVIRONMENT=live TOLLGATE_PASSWORDS=/etc/tollgate/passwords psql -f roles.sql
-- The folder has the files owner, serve, staff and work with a password each. psql has to be 15 or newer.
\set ON_ERROR_STOP on
\getenv environment TOLLGATE_ENVIRONMENT
\set owner_password `cat "$TOLLGATE_PASSWORDS/owner"`
\set serve_password `cat "$TOLLGATE_PASSWORDS/serve"`
\set staff_password `cat "$TOLLGATE_PASSWORDS/staff"`
\set work_password `cat "$TOLLGATE_PASSWORDS/work"`
select 'tollgate_' || :'environment' as "database" \gset
\set owner :database _owner
\set serve :database _serve
\set staff :database _staff
\set work :database _work

-- These hold privileges, and belong to the whole server: the second environment finds them made.
select format('create role %I nologin', name)
from unnest(array['tollgate_app', 'tollgate_work', 'tollgate_support', 'tollgate_operator', 'tollgate_finance',
  'tollgate_admin', 'tollgate_console']) as name
where to_regrole(name) is null \gexec
grant tollgate_app to tollgate_work;
grant tollgate_support to tollgate_operator, tollgate_finance, tollgate_console;
grant tollgate_operator, tollgate_finance to tollgate_admin;

-- For monitoring, such as Prometheus' exporter: PostgreSQL's statistics and settings, and no table of ours. It needs no right in a migration.
select 'create role tollgate_monitor nologin in role pg_monitor' where to_regrole('tollgate_monitor') is null \gexec

create role :"owner" login password :'owner_password';
create role :"serve" login password :'serve_password' in role tollgate_app;
-- For `serve-staff` alone: the operator console.
create role :"staff" login password :'staff_password' in role tollgate_console;
create role :"work" login password :'work_password' in role tollgate_work;
create database :"database" owner :"owner";
revoke connect, temporary on database :"database" from public;
grant connect on database :"database" to :"serve", :"staff", :"work", tollgate_monitor;
