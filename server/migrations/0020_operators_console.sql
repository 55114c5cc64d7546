-- The operator console: staff act in a browser, `serve` writes with one login, and the audit log has each person's
-- name.
--
-- An operator can disable a connector, and close a break with an explanation.

do $$
begin
  if not exists (select from pg_roles where rolname = 'tollgate_console') then
    create role tollgate_console nologin in role tollgate_operator, tollgate_finance;
  end if;
exception
  -- A race: two databases of one server may be migrated at the same moment.
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise exception 'Role tollgate_console does not exist, and this login may not create it. Run as superuser: create role tollgate_console nologin in role tollgate_operator, tollgate_finance;';
end
$$;

create policy audit_of_the_console on audit for insert to tollgate_console with check (actor_kind = 'person');
grant insert (actor_kind, actor, role, act, subject, about_client, reason, before, after) on audit to tollgate_console;

-- The time since which no new payment starts with this connector. Payments in progress continue, so that their money
-- can still be returned.
alter table connectors add column disabled_at timestamptz;

-- A break that a person has explained. It is open again when `reconcile` finds other sums than the explained ones.
alter table breaks
  add column closed_at timestamptz,
  add column closed_by text constraint breaks_closed_by_somebody check (length(closed_by) between 1 and 200),
  add column closing_reason text constraint breaks_closed_with_a_reason check (length(closing_reason) between 1 and 1000);
