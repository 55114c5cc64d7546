-- The operator's console: what staff do in a browser, `serve` does with one login, and the audit has each person's name.
--
-- A wallet can be taken out of service, and a break of the books be closed by somebody who can explain it.

do $$
begin
  if not exists (select from pg_roles where rolname = 'tollgate_console') then
    create role tollgate_console nologin in role tollgate_operator, tollgate_finance;
  end if;
exception
  -- A race: two databases of one server may be migrated at the same moment.
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise exception 'There is no role tollgate_console, and this login may not make it. Run as superuser: create role tollgate_console nologin in role tollgate_operator, tollgate_finance;';
end
$$;

create policy audit_of_the_console on audit for insert to tollgate_console with check (actor_kind = 'person');
grant insert (actor_kind, actor, role, act, subject, about_client, reason, before, after) on audit to tollgate_console;

-- Since when nothing new is begun with a wallet. What was begun goes on: money that has moved must be able to move back.
alter table connectors add column disabled_at timestamptz;

-- A break that a person has explained. It counts as open again when `match` finds other sums than those that were explained.
alter table breaks
  add column closed_at timestamptz,
  add column closed_by text constraint breaks_closed_by_somebody check (length(closed_by) between 1 and 200),
  add column closing_reason text constraint breaks_closed_with_a_reason check (length(closing_reason) between 1 and 1000);
