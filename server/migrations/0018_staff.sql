-- Staff roles: what the operator's people may do, as database roles, so PostgreSQL enforces the limits for every
-- program. Like tollgate_app these roles hold privileges and are not logins. Each person gets a login and one of these
-- roles.
--
-- support reads; operator changes merchants, keys and connectors; finance imports files and runs reconciliation; admin
-- does all of that and creates gateway keys. Commands that delete or recalculate (`migrate`, `balances rebuild`,
-- `universe sweep`) are for the owner only.

do $$
declare
  made record;
begin
  for made in
    select * from (values
      ('tollgate_support', ''),
      ('tollgate_operator', 'in role tollgate_support'),
      ('tollgate_finance', 'in role tollgate_support'),
      ('tollgate_admin', 'in role tollgate_operator, tollgate_finance')) as roles (name, membership)
  loop
    begin
      if not exists (select from pg_roles where rolname = made.name) then
        execute format('create role %I nologin %s', made.name, made.membership);
      end if;
    exception
      -- A race: two databases of one server may be migrated at the same moment.
      when duplicate_object or unique_violation then null;
      when insufficient_privilege then
        raise exception 'Role % does not exist, and this login may not create it. Run as superuser: %;', made.name,
          concat_ws(' ', 'create role', made.name, 'nologin', nullif(made.membership, ''));
    end;
  end loop;
end
$$;

grant usage on schema public to tollgate_support;
-- Support cannot read the request log, sessions and dispute evidence, which contain buyers' data. Of gateway keys it
-- reads only the public halves.
grant select on environment, migrations, clients, client_keys, key_uses, connectors, provider_events, payments, payment_events, jobs,
  ledger_transfers, balances, balances_position, reserves, captures, refunds, reversals, disputes, dispute_events, registrations,
  provider_registrations, authorizations, authorization_events, tokens, notifications, notification_attempts, notify_urls,
  paused_queues, settlement_files, settlement_rows, settlement_repeats, breaks, clocks, universe_limits, audit to tollgate_support;
grant select (version, public_key, created_at) on gateway_keys to tollgate_support;

-- Like the owner, staff read the rows of one merchant in a transaction that names it, or of all merchants in one that
-- sets app.oversight.
do $$
declare
  seen text;
begin
  for seen in
    select tablename from pg_policies where schemaname = 'public' and policyname = tablename || '_seen_by_the_operator'
  loop
    execute format('create policy %I on %I for select to tollgate_support using (current_setting(''app.oversight'', true) = ''on'')',
      seen || '_seen_by_staff', seen);
  end loop;
end
$$;

create policy audit_seen_by_staff on audit for select to tollgate_support using (true);
create policy audit_of_staff on audit for insert to tollgate_operator, tollgate_finance with check (actor_kind = 'command');
grant insert (actor_kind, actor, role, act, subject, about_client, reason, before, after) on audit
  to tollgate_operator, tollgate_finance;

grant insert, update on clients, client_keys, connectors to tollgate_operator;
grant insert, update, delete on notify_urls to tollgate_operator;
grant update on notifications to tollgate_operator;
grant insert, update on jobs to tollgate_operator;
-- `connector test` signs with this key, which is encrypted by a key that the database does not have.
grant select (wrapped_private_key) on gateway_keys to tollgate_operator;

grant insert on settlement_files, settlement_rows, settlement_repeats to tollgate_finance;
grant insert, update on breaks to tollgate_finance;

grant insert on gateway_keys, installation to tollgate_admin;
grant update on request_log_retention, universe_limits to tollgate_admin;
