-- Creates the roles, logins and database of one environment. A superuser runs it before the first `migrate`:
--   TOLLGATE_ENVIRONMENT=live TOLLGATE_PASSWORDS=/etc/tollgate/passwords psql -f roles.sql
-- The folder contains the files owner, serve, staff and work, each with a password. Needs psql 15 or newer.
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

-- Roles hold privileges and belong to the whole server, so a second environment uses the existing ones.
select format('create role %I nologin', name)
from unnest(array['tollgate_app', 'tollgate_work', 'tollgate_support', 'tollgate_operator', 'tollgate_finance',
  'tollgate_admin', 'tollgate_console']) as name
where to_regrole(name) is null \gexec
grant tollgate_app to tollgate_work;
grant tollgate_support to tollgate_operator, tollgate_finance, tollgate_console;
grant tollgate_operator, tollgate_finance to tollgate_admin;

-- The role for monitoring, such as Prometheus' exporter. It reads PostgreSQL's statistics and settings, but no table
-- of Tollgate.
select 'create role tollgate_monitor nologin in role pg_monitor' where to_regrole('tollgate_monitor') is null \gexec

create role :"owner" login password :'owner_password';
create role :"serve" login password :'serve_password' in role tollgate_app;
-- Only for `serve-staff`, the operator console.
create role :"staff" login password :'staff_password' in role tollgate_console;
create role :"work" login password :'work_password' in role tollgate_work;
create database :"database" owner :"owner";
revoke connect, temporary on database :"database" from public;
grant connect on database :"database" to :"serve", :"staff", :"work", tollgate_monitor;
