-- Database privileges of staff logins: what they may write, which changes need an approval in live, and which changes
-- the audit log records.
--
-- A trigger records each row change of a staff session as JSON, in a table that no staff role can read or write. At
-- commit, PostgreSQL compares the recorded changes that need approval with the changes in the approvals that this
-- transaction used. It also inserts an audit row for changes that have none. The approver reads the same JSON.
--
-- Two roles can bypass this: a superuser and the owner of the tables. See server/src/audit/privileges.ts for the whole
-- matrix.

-- Logins of people and of the console: members of tollgate_support, except the owner.
create function is_staff_session() returns boolean
  language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select pg_has_role(session_user, 'tollgate_support', 'member')
    and not pg_has_role(session_user, (select relowner from pg_class where oid = 'public.audit'::regclass), 'member')
$$;

-- Row changes of uncommitted transactions. Unlogged, because no row outlives its transaction.
create unlogged table row_changes (
  transaction    xid8 not null,
  change_id      bigint generated always as identity,
  -- True for the first change since the last check. This change queues the check at commit.
  is_first       boolean not null,
  needs_approval boolean not null,
  -- `is_audited` is true if the change is in an audit row, and `is_checked` if the check has processed the change.
  is_audited     boolean not null default false,
  is_checked     boolean not null default false,
  row_count      bigint not null,
  -- {table, operation, key, before, after}; for a bulk statement {table, operation, sha256}.
  change         jsonb not null,
  primary key (transaction, change_id)
);

create function add_row_change(change jsonb, needs_approval boolean, row_count bigint) returns void
  language sql volatile set search_path = pg_catalog, public, pg_temp as $$
  insert into row_changes (transaction, is_first, needs_approval, row_count, change)
  values (pg_current_xact_id(), not exists (
      select from row_changes where transaction = pg_current_xact_id() and not is_checked),
    needs_approval, row_count, change)
$$;

-- A row as changes show it. Each rule is a sign and a column:
--   -column  is not shown
--   #column  is shown as its SHA-256
--   @column  is shown as "now" if it is within a minute of the transaction's start
create function shown_row(fields jsonb, rules text[]) returns jsonb
  language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
declare
  rule text;
  name text;
begin
  foreach rule in array rules loop
    name := substr(rule, 2);
    if fields -> name is null or fields -> name = 'null' then
      continue;
    elsif rule like '-%' then
      fields := fields - name;
    elsif rule like '#%' then
      fields := fields || jsonb_build_object(name, encode(sha256(case
        when fields ->> name like '\\x%' then decode(substr(fields ->> name, 3), 'hex')
        else convert_to(fields ->> name, 'UTF8') end), 'hex'));
    elsif rule like '@%' and (fields ->> name)::timestamptz
      between transaction_timestamp() - interval '1 minute' and clock_timestamp() + interval '1 minute'
    then
      fields := fields || jsonb_build_object(name, 'now');
    end if;
  end loop;
  return fields;
end
$$;

-- Records one row change. The first argument decides which sessions are recorded: `staff`, `all`, or `approval` (staff,
-- and in other sessions only changes that need approval). The other arguments are the rules of shown_row, and:
--   =column     is part of the key
--   +column     is shown with the key
--   !operation  needs approval: insert, update or delete
--   !column     needs approval if an update changes it
-- Values are those of OLD and NEW, so a session cannot influence them.
create function record_row_change() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp set bytea_output = hex set timezone = 'UTC' set datestyle = 'ISO' as $$
declare
  operation text := lower(tg_op);
  rules     text[] := tg_argv[1:];
  is_staff  boolean := is_staff_session();
  was       jsonb := coalesce(to_jsonb(old), '{}');
  became    jsonb := coalesce(to_jsonb(new), '{}');
  row_now   jsonb := case tg_op when 'DELETE' then was else became end;
  key       jsonb;
  changed   text[];
  to_approve  boolean;
begin
  if tg_argv[0] = 'staff' and not is_staff then
    return null;
  end if;
  -- A merchant moves to the next gateway key by an API request, which is in the request log.
  if not is_staff and pg_has_role(session_user, 'tollgate_app', 'member')
    and not pg_has_role(session_user, 'tollgate_support', 'member')
  then
    rules := array_append(rules, '-gateway_key_version');
  end if;
  select jsonb_object_agg(name, row_now -> name) into key
  from (select substr(rule, 2) as name from unnest(rules) as rule where rule ~ '^[=+]') as names;
  select array_agg(name) into changed from jsonb_object_keys(was || became) as name
  where was -> name is distinct from became -> name and '-' || name <> all (rules);
  to_approve := '!' || operation = any (rules)
    or tg_op = 'UPDATE' and exists (select from unnest(changed) as name where '!' || name = any (rules));
  if changed is null or (tg_argv[0] = 'approval' and not is_staff and not to_approve) then
    return null;
  end if;
  select coalesce(jsonb_object_agg(name, value) filter (where value <> 'null' or tg_op = 'UPDATE'), '{}') into was
  from jsonb_each(shown_row(was, rules)) as each (name, value) where name = any (changed);
  select coalesce(jsonb_object_agg(name, value) filter (where value <> 'null' or tg_op = 'UPDATE'), '{}') into became
  from jsonb_each(shown_row(became, rules)) as each (name, value) where name = any (changed);
  perform add_row_change(
    jsonb_build_object('table', tg_table_name, 'operation', operation, 'key', coalesce(key, '{}'), 'before', was, 'after', became),
    to_approve, 1);
  return null;
end
$$;

-- Records a bulk statement by the number of its rows and their SHA-256, because an import can have a million rows.
create function record_bulk_insert() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp set bytea_output = hex set timezone = 'UTC' set datestyle = 'ISO' as $$
declare
  inserted bigint;
  digest   text;
begin
  if not is_staff_session() then
    return null;
  end if;
  select count(*), encode(sha256(convert_to(coalesce(string_agg(rows::text, chr(10) order by rows::text), ''), 'UTF8')), 'hex')
  into inserted, digest from new_rows as rows;
  if inserted > 0 then
    perform add_row_change(
      jsonb_build_object('table', tg_table_name, 'operation', 'insert', 'sha256', digest), false, inserted);
  end if;
  return null;
end
$$;

-- Each audit row has the row changes of its transaction that no earlier row had, as PostgreSQL recorded them.
alter table audit
  add column changes json,
  -- No existing row has a value.
  -- squawk-ignore constraint-missing-not-valid
  add constraint audit_changes_are_small check (octet_length(changes::text) <= 20000);

-- Up to 20 changes in full. More changes are summarized by table and operation, with their number and SHA-256.
create function summarize_row_changes() returns json
  language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
declare
  in_full json;
begin
  select json_agg(change || case when change ? 'sha256' then jsonb_build_object('rows', row_count) else '{}' end order by change_id)
  into in_full
  from (select * from row_changes where transaction = pg_current_xact_id() and not is_audited order by change_id limit 21) as few
  having count(*) <= 20;
  if octet_length(in_full::text) <= 16000 then
    return in_full;
  end if;
  return (
    select json_agg(json_build_object('table', name, 'operation', operation, 'rows', rows, 'sha256', digest) order by name, operation)
    from (
      select change ->> 'table' as name, change ->> 'operation' as operation, sum(row_count) as rows,
        encode(sha256(convert_to(string_agg(change::text, chr(10) order by change_id), 'UTF8')), 'hex') as digest
      from row_changes where transaction = pg_current_xact_id() and not is_audited group by 1, 2) as sums);
end
$$;

-- The function of migration 0017, with row changes. They are hashed after the other fields, and only if there are any,
-- so that older rows keep their hash.
create or replace function audit_is_a_chain() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  field   text;
  content text := '';
begin
  -- An arbitrary number for the lock; every release must use the same one.
  perform pg_advisory_xact_lock(7045518);
  select seq, hash into new.seq, new.previous_hash from audit order by seq desc limit 1;
  new.seq := coalesce(new.seq, 0) + 1;
  new.previous_hash := coalesce(new.previous_hash, '\x'::bytea);
  new.at := clock_timestamp();
  new.login := session_user;
  new.transaction := pg_current_xact_id();
  new.changes := summarize_row_changes();
  if new.changes is not null then
    update row_changes set is_audited = true where transaction = pg_current_xact_id() and not is_audited;
  end if;
  foreach field in array array[
    new.seq::text, to_char(new.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), new.actor_kind, new.actor, new.role,
    new.login, new.act, new.subject, new.about_client, new.reason, new.before::text, new.after::text, new.transaction::text]
    || case when new.changes is null then '{}'::text[] else array[new.changes::text] end
  loop
    content := content || coalesce(octet_length(convert_to(field, 'UTF8')) || ':' || field, '-');
  end loop;
  new.hash := sha256(new.previous_hash || convert_to(content, 'UTF8'));
  return new;
end
$$;

-- Approvals. `changes` is what the approver reads and what may be committed. The digest is computed here from the same
-- data.
alter table approval_requests
  add column changes jsonb not null default '[]',
  add column used_in xid8,
  -- No existing row has a value.
  -- squawk-ignore constraint-missing-not-valid
  add constraint approval_requests_changes_are_a_list check (jsonb_typeof(changes) = 'array');
-- No installation has enough rows that building the index would delay writers.
-- squawk-ignore require-concurrent-index-creation
create index approval_requests_by_transaction on approval_requests (used_in) where used_in is not null;

create function approval_digest(act text, subject text, changes jsonb, before jsonb, after jsonb) returns bytea
  language sql immutable set search_path = pg_catalog
  return sha256(convert_to(jsonb_build_array(act, subject, changes, before, after)::text, 'UTF8'));

-- Returns whether this login itself has the privileges for all of these changes. Only a function can write off a break.
create function may_make_changes(login name, changes jsonb) returns boolean
  language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(bool_and(case
    when change ->> 'table' = 'breaks' then has_function_privilege(login, 'write_off_break(bigint, bigint, text, text)', 'execute')
    when change ->> 'operation' = 'update' then (
      select bool_and(has_column_privilege(login, change ->> 'table', name, 'update'))
      from jsonb_object_keys((change -> 'before') || (change -> 'after')) as name)
    else has_table_privilege(login, change ->> 'table', change ->> 'operation') end), true)
  from jsonb_array_elements(changes) as change
$$;

-- PostgreSQL sets logins, times, transaction and digest itself, whatever values a statement has.
create or replace function asked_act_is_of_two() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    new.digest := approval_digest(new.act, new.subject, new.changes, new.before::jsonb, new.after::jsonb);
    new.asked_login := session_user;
    new.asked_at := clock_timestamp();
    new.approved_by := null;
    new.approved_login := null;
    new.approved_at := null;
    new.used_at := null;
    new.used_in := null;
    return new;
  end if;
  if old.approved_at is null then
    if old.asked_at < clock_timestamp() - interval '1 day' then
      raise exception 'The request has expired: it is older than a day.' using errcode = 'restrict_violation';
    end if;
    if not may_make_changes(session_user, old.changes) then
      raise exception 'This login may not make these changes itself, so it may not approve them.'
        using errcode = 'check_violation', constraint = 'approval_requests_approved_by_who_may_do_it';
    end if;
    new.approved_login := session_user;
    new.approved_at := clock_timestamp();
    new.used_at := null;
    new.used_in := null;
  elsif old.used_at is null and session_user = old.asked_login and new.approved_by = old.approved_by then
    if old.approved_at < clock_timestamp() - interval '1 hour' then
      raise exception 'The approval has expired: it is older than an hour.' using errcode = 'restrict_violation';
    end if;
    new.approved_at := old.approved_at;
    new.used_at := clock_timestamp();
    new.used_in := pg_current_xact_id();
  else
    raise exception 'An approval is used once, by the login that requested it.' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;

revoke insert (digest) on approval_requests from tollgate_operator, tollgate_finance;
grant insert (changes) on approval_requests to tollgate_operator, tollgate_finance;

-- Approvals in the console. Two people have signed in at accounts, which PostgreSQL cannot verify, so this row is a
-- claim of the process that serves the console. It is valid for that login only, which has no privilege on money
-- tables.
create table console_approvals (
  approval_id  bigint generated always as identity primary key,
  transaction  xid8 not null,
  login        text not null,
  at           timestamptz not null,
  act          text not null constraint console_approvals_act_is_short check (length(act) between 1 and 100),
  subject      text not null constraint console_approvals_subject_is_short check (length(subject) <= 300),
  requested_by text not null constraint console_approvals_requested_by_is_short check (length(requested_by) between 1 and 200),
  approved_by  text not null constraint console_approvals_approved_by_is_short check (length(approved_by) between 1 and 200),
  constraint console_approvals_need_two_people check (approved_by <> requested_by)
);
create index console_approvals_by_transaction on console_approvals (transaction);

create function console_approval_is_of_its_transaction() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  new.transaction := pg_current_xact_id();
  new.login := session_user;
  new.at := clock_timestamp();
  return new;
end
$$;

create trigger console_approval_is_of_its_transaction before insert on console_approvals
  for each row execute function console_approval_is_of_its_transaction();

-- The changes of this transaction that need approval, in a fixed order.
create function changes_to_approve() returns jsonb
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(jsonb_agg(change order by change::text), '[]') from row_changes
  where transaction = pg_current_xact_id() and needs_approval
$$;

create function require_approval() returns void
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  this       xid8 := pg_current_xact_id();
  is_console boolean := pg_has_role(session_user, 'tollgate_console', 'member')
    and not pg_has_role(session_user, 'tollgate_operator', 'member') and not pg_has_role(session_user, 'tollgate_finance', 'member');
  differing  jsonb;
begin
  if not is_staff_session() or (select name from environment) <> 'live' then
    return;
  end if;
  if is_console and exists (select from console_approvals where transaction = this) then
    return;
  end if;
  select change into differing from (
    select change from row_changes where transaction = this and needs_approval
    except all
    select jsonb_array_elements(changes) from approval_requests
    where used_in = this and asked_login = session_user and approved_login <> session_user
      and may_make_changes(approved_login::name, changes)) as unapproved (change)
  order by change::text limit 1;
  if differing is not null then
    raise exception 'In live this change needs an approval by another login: %', differing
      using errcode = 'check_violation', constraint = 'changes_need_approval', hint = 'tollgate approval list';
  end if;
  select change into differing from (
    select jsonb_array_elements(changes) from approval_requests where used_in = this
    except all
    select change from row_changes where transaction = this and needs_approval) as not_made (change)
  order by change::text limit 1;
  if differing is not null then
    raise exception 'The approval is for a change that this transaction did not make: %', differing
      using errcode = 'check_violation', constraint = 'approved_changes_are_all_made';
  end if;
end
$$;

-- Inserts one audit row for all changes of this transaction that are in none yet; a single change becomes an act by
-- itself.
create function audit_remaining_changes() returns void
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  change   jsonb;
  is_one   boolean;
  tables   text;
  clients  text[];
begin
  select count(*) = 1, (array_agg(rest.change))[1],
    string_agg(distinct rest.change ->> 'table', ', '),
    array_agg(distinct coalesce(rest.change -> 'key' ->> 'client_id', ''))
  into is_one, change, tables, clients
  from row_changes as rest where transaction = pg_current_xact_id() and not is_audited;
  if tables is null then
    return;
  end if;
  insert into audit (actor_kind, actor, role, act, subject, about_client, before, after)
  values ('sql', session_user, 'login',
    case when is_one then (change ->> 'operation') || ' ' || (change ->> 'table') else 'row changes' end,
    left(case when is_one and change ? 'key' then coalesce(
      (select string_agg(value, ' ' order by name) from jsonb_each_text(change -> 'key') as key (name, value)), '') else tables end, 300),
    case when cardinality(clients) = 1 then nullif(clients[1], '') end,
    case when is_one and octet_length(change ->> 'before') <= 16000 then nullif(change -> 'before', '{}')::json end,
    case when is_one and octet_length(change ->> 'after') <= 16000 then nullif(change -> 'after', '{}')::json end);
end
$$;

-- Returns whether a posting of a staff login has a record with the same amount and accounts. An effect that is not
-- listed has no record, because only the gateway posts payments, refunds and disputes. An FX deal has only the bank's
-- statement as its record, so it is limited to accounts without a merchant.
create function is_backed(posting jsonb) returns boolean
  language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
declare
  effect   text := posting -> 'key' ->> 'effect';
  subject  text := posting -> 'key' ->> 'subject_id';
  client   text := posting -> 'key' ->> 'client_id';
  debit    text := posting -> 'after' ->> 'debit_account';
  credit   text := posting -> 'after' ->> 'credit_account';
  sum_in   text := posting -> 'after' ->> 'currency';
  sum      bigint := (posting -> 'after' ->> 'amount_minor')::bigint;
  -- The name of a connector or a bank contains no space.
  named    text := split_part(subject, ' ', 1);
  rest     text := substr(subject, length(named) + 2);
  payable  text := 'merchant payable ' || client;
  reserve  text := 'merchant reserve ' || client;
  transit  text := 'payout in transit ' || client;
begin
  if effect in ('provider fee', 'provider payout', 'provider adjustment', 'bank entry', 'bank opening', 'write-off')
    or effect like 'exchange _%'
  then
    if client <> 'HOUSE' then
      return false;
    end if;
  end if;
  if effect in ('provider fee', 'provider payout', 'provider adjustment') then
    return exists (
      select from settlement_rows as r where r.connector = named and r.operation_reference = rest and r.kind = split_part(effect, ' ', 2)
        and r.currency = sum_in and abs(r.amount_minor) = sum
        and (case when r.amount_minor > 0 then array[debit, credit] else array[credit, debit] end) = case r.kind
          when 'fee' then array['provider fee ' || named, 'provider receivable ' || named]
          when 'payout' then array['clearing', 'provider receivable ' || named]
          else array['provider receivable ' || named, 'adjustment'] end);
  elsif effect = 'bank entry' then
    return exists (
      select from bank_lines as l where l.bank = named and l.entry_reference = rest and l.currency = sum_in and l.amount_minor = sum
        and (case when l.is_credit then array[debit, credit] else array[credit, debit] end) = array['bank ' || named, 'clearing']);
  elsif effect = 'bank opening' then
    return exists (
      select from bank_files as f where f.bank = named and f.account || ' ' || f.currency = rest and f.currency = sum_in
        and abs(f.opening_minor) = sum
        and (case when f.opening_minor > 0 then array[debit, credit] else array[credit, debit] end) = array['bank ' || named, 'adjustment']);
  elsif effect = 'write-off' then
    return exists (
      select from row_changes as r where r.transaction = pg_current_xact_id() and r.change ->> 'table' = 'breaks'
        and r.change -> 'key' ->> 'currency' = sum_in and subject ~ ('^break ' || (r.change -> 'key' ->> 'break_id') || '(/[0-9]+)?$')
        and abs((r.change -> 'after' ->> 'written_off_minor')::numeric - (r.change -> 'before' ->> 'written_off_minor')::numeric) = sum);
  elsif effect in ('exchange sold', 'exchange bought', 'exchange difference') then
    return (debit = 'clearing' or debit like 'exchange %') and (credit = 'clearing' or credit like 'exchange %');
  elsif effect in ('reserve hold', 'reserve release', 'exchange') then
    return exists (
      select from settlement_batches as b where b.client_id = client and b.batch_id = subject and case effect
        when 'reserve hold' then b.currency = sum_in and b.held_minor = sum and array[debit, credit] = array[payable, reserve]
        when 'reserve release' then b.currency = sum_in and b.held_minor = sum and b.released_in is not null
          and array[debit, credit] = array[reserve, payable]
        else array[debit, credit] = array[payable, 'exchange ' || b.currency || '/' || b.settle_currency]
            and b.currency = sum_in and b.net_minor = sum
          or array[debit, credit] = array['exchange ' || b.currency || '/' || b.settle_currency, payable]
            and b.settle_currency = sum_in and b.settle_minor = sum end);
  elsif effect in ('payout', 'payout paid', 'payout failed', 'payout returned') then
    return exists (
      select from payouts as p where p.client_id = client and p.payout_id = subject and p.currency = sum_in and p.amount_minor = sum
        and array[debit, credit] = case effect when 'payout' then array[payable, transit]
          when 'payout paid' then array[transit, 'clearing'] when 'payout failed' then array[transit, payable]
          else array['clearing', payable] end
        and (effect = 'payout' or p.status = upper(substr(effect, 8))));
  end if;
  return false;
end
$$;

create function require_backing() returns void
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  posting jsonb;
begin
  if not is_staff_session() then
    return;
  end if;
  select change into posting from row_changes
  where transaction = pg_current_xact_id() and not is_checked and change ->> 'table' = 'ledger_transfers' and not is_backed(change)
  order by change_id limit 1;
  if posting is not null then
    raise exception 'No record with the same amount exists for this posting: %', posting
      using errcode = 'check_violation', constraint = 'postings_of_staff_are_backed';
  end if;
end
$$;

create function check_row_changes() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform require_approval();
  perform require_backing();
  perform audit_remaining_changes();
  -- A session can run the check early (set constraints). So changes that need approval stay until the transaction ends,
  -- and an approval that was used for one is not used again. The next check of any session deletes them.
  delete from row_changes where transaction = pg_current_xact_id() and not needs_approval;
  update row_changes set is_checked = true where transaction = pg_current_xact_id() and not is_checked;
  delete from row_changes where (transaction, change_id) in (
    select transaction, change_id from row_changes where transaction < pg_snapshot_xmin(pg_current_snapshot())
    for update skip locked);
  return null;
end
$$;

create constraint trigger check_row_changes after insert on row_changes deferrable initially deferred
  for each row when (new.is_first) execute function check_row_changes();

revoke all on table row_changes from public;
revoke all on function is_staff_session(), add_row_change(jsonb, boolean, bigint), shown_row(jsonb, text[]), record_row_change(),
  record_bulk_insert(), summarize_row_changes(), approval_digest(text, text, jsonb, jsonb, jsonb), may_make_changes(name, jsonb),
  console_approval_is_of_its_transaction(), changes_to_approve(), require_approval(), is_backed(jsonb), require_backing(), audit_remaining_changes(), check_row_changes()
  from public;
grant execute on function approval_digest(text, text, jsonb, jsonb, jsonb), changes_to_approve() to tollgate_operator, tollgate_finance;

do $$
declare
  made record;
begin
  -- record_row_change replaces these triggers.
  for made in
    select tgrelid::regclass as name, tgname from pg_trigger where tgfoid = 'audit_notes_sql()'::regprocedure
  loop
    execute format('drop trigger %I on %s', made.tgname, made.name);
  end loop;

  for made in select * from (values
    ('approval_requests', 'staff', '=asked_id,-digest,-changes,-before,-after,@asked_at,@approved_at,@used_at,-used_in'),
    ('bank_accounts', 'staff', '=client_id,=account_id,-bucket,-iban,@asked_at,@approved_at,@usable_from,@ended_at'),
    ('bank_files', 'staff', '=file_id,@imported_at'),
    ('bank_holidays', 'staff', '=currency,=day'),
    ('banks', 'approval', '=name,=currency,!insert,!update,!delete'),
    ('breaks', 'approval', '=break_id,+kind,+reference,+currency,@first_seen_at,@last_seen_at,@resolved_at,@closed_at,@assigned_at,'
      || '!written_off_minor,!write_off_count'),
    ('closed_months', 'staff', '=month,@closed_at'),
    ('connectors', 'all', '=name,#public_key,#other_public_key,-silent_seen_at,@created_at,@disabled_at,!insert,!delete,'
      || '!name,!url,!partner_id,!public_key,!other_public_key,!gateway_key_version,!simulator,!client_certificate_file,'
      || '!client_key_file,!ca_file'),
    ('console_approvals', 'staff', '=approval_id,-transaction,@at'),
    ('exchange_quotes', 'all', '=from_currency,=to_currency,-quote_id,@from_at,@set_at,!insert,!update,!delete'),
    ('fee_rules', 'all', '=client_id,-bucket,-rule_id,@from_at,@set_at,!insert,!update,!delete'),
    ('installation', 'staff', '#wrapped_secret'),
    ('notify_urls', 'staff', '=client_id,=kind,-bucket,#url,!insert,!update,!delete'),
    ('payout_files', 'staff', '=file_id,-from_iban,-planned_in,@created_at,@approved_at,@handed_over_at'),
    ('payouts', 'staff', '=client_id,=payout_id,-bucket,@created_at,@sent_at,@finished_at'),
    ('request_log_retention', 'staff', '=only_row'),
    ('settlement_batches', 'staff', '=client_id,=batch_id,-bucket,@closed_at'),
    ('settlement_files', 'staff', '=file_id,@imported_at'),
    ('settlement_terms', 'approval', '=client_id,=currency,=from_day,-bucket,!insert,!update,!delete'),
    ('universe_limits', 'staff', '=only_row'),
    ('provider_costs', 'all', '=connector,-cost_id,@from_at,@set_at')) as audited (name, sessions, rules)
  loop
    execute format('create trigger record_row_change after insert or update or delete on %I for each row execute function record_row_change(%s)',
      made.name, (select string_agg(quote_literal(rule), ', ') from unnest(made.sessions || string_to_array(made.rules, ',')) as rule));
  end loop;

  -- API requests write to the following tables, too, so only changes by staff sessions are recorded.
  for made in select * from (values
    ('jobs', '=client_id,=subject_id,=job,-bucket,@due_at,@created_at,@parked_at,@sent_at,@abandoned_at'),
    ('notifications', '=client_id,=notification_id,-bucket,#url,#body,@created_at,@delivered_at'),
    ('reserves', '=client_id,=currency,-bucket')) as audited (name, rules)
  loop
    execute format('create trigger record_row_change after insert or update or delete on %I for each row
      when (pg_has_role(session_user, ''tollgate_support'', ''member''))
      execute function record_row_change(%s)',
      made.name, (select string_agg(quote_literal(rule), ', ') from unnest('staff'::text || string_to_array(made.rules, ',')) as rule));
  end loop;

  for made in select * from (values ('bank_lines'), ('closed_sums'), ('settlement_items'), ('settlement_repeats'), ('settlement_rows'))
    as bulk (name)
  loop
    execute format('create trigger record_bulk_insert after insert on %I referencing new table as new_rows
      for each statement execute function record_bulk_insert()', made.name);
  end loop;
end
$$;

-- The trigger for postings to the ledger. A payment's posting only evaluates the two conditions, so it costs little.
create trigger record_row_change after insert on ledger_transfers for each row
  when (pg_has_role(session_user, 'tollgate_support', 'member') and new.effect <> 'write-off')
  execute function record_row_change('staff', '=subject_id', '=effect', '=line', '+client_id', '-bucket', '-transaction', '@at');
create trigger record_write_off after insert on ledger_transfers for each row when (new.effect = 'write-off')
  execute function record_row_change('approval', '=subject_id', '=effect', '=line', '+client_id', '-bucket', '-transaction', '@at',
    '!insert');

-- API requests create and delete isolated test merchants by the hundred, so nothing is recorded for them. The first key
-- of a merchant is inserted with the merchant, and the first gateway key with the installation. At that moment there is
-- nothing to protect yet.
create trigger record_insert after insert on clients for each row when (new.client_id not like 'SANDBOX\_U%')
  execute function record_row_change('all', '=client_id', '-bucket', '-revision', '@created_at');
create trigger record_update after update on clients for each row when (new.client_id not like 'SANDBOX\_U%')
  execute function record_row_change('all', '=client_id', '-revision', '@created_at', '!client_id', '!bucket', '!fee_basis_points', '!status',
    '!gateway_key_version');
create trigger record_delete after delete on clients for each row when (old.client_id not like 'SANDBOX\_U%')
  execute function record_row_change('all', '=client_id', '-bucket', '-revision', '!delete');
create trigger record_first_key after insert on client_keys for each row
  when (new.version = 1 and new.client_id not like 'SANDBOX\_U%')
  execute function record_row_change('all', '=client_id', '=version', '-bucket', '#public_key', '@created_at');
create trigger record_insert after insert on client_keys for each row
  when (new.version <> 1 and new.client_id not like 'SANDBOX\_U%')
  execute function record_row_change('all', '=client_id', '=version', '-bucket', '#public_key', '@created_at', '!insert');
create trigger record_update after update on client_keys for each row when (new.client_id not like 'SANDBOX\_U%')
  execute function record_row_change('all', '=client_id', '=version', '#public_key', '@created_at', '@revoked_at', '!update');
create trigger record_delete after delete on client_keys for each row when (old.client_id not like 'SANDBOX\_U%')
  execute function record_row_change('all', '=client_id', '=version', '-bucket', '#public_key', '!delete');
-- A gateway key is generated when the approval is used, so the approval does not show it.
create trigger record_first_key after insert on gateway_keys for each row when (new.version = 1)
  execute function record_row_change('all', '=version', '#public_key', '#ed25519_public_key', '-wrapped_private_key',
    '-wrapped_ed25519_private_key', '@created_at');
create trigger record_insert after insert on gateway_keys for each row when (new.version <> 1)
  execute function record_row_change('all', '=version', '-public_key', '-ed25519_public_key', '-wrapped_private_key',
    '-wrapped_ed25519_private_key', '@created_at', '!insert');
-- A rotation of the key file encrypts the same keys again. It is in the audit log and needs no approval.
create trigger record_update after update on gateway_keys for each row
  execute function record_row_change('all', '=version', '#public_key', '#ed25519_public_key', '#wrapped_private_key',
    '#wrapped_ed25519_private_key', '@created_at', '!version', '!public_key', '!ed25519_public_key', '!held_as');
create trigger record_delete after delete on gateway_keys for each row
  execute function record_row_change('all', '=version', '#public_key', '#ed25519_public_key', '-wrapped_private_key',
    '-wrapped_ed25519_private_key', '!delete');

drop function audit_notes_sql(), audited_fields(jsonb, text[]);

-- The console's login belongs to the process that parses staff's requests. It reads as support does, and writes the
-- columns that its routes write. It has no privilege to insert into money tables. Roles belong to the whole server, so
-- the migration of another database may have done this already.
do $$
begin
  if pg_has_role('tollgate_console', 'tollgate_operator', 'member') or pg_has_role('tollgate_console', 'tollgate_finance', 'member') then
    revoke tollgate_operator, tollgate_finance from tollgate_console;
  end if;
  if not pg_has_role('tollgate_console', 'tollgate_support', 'member') then
    grant tollgate_support to tollgate_console;
  end if;
exception
  -- A race: two databases of one server may be migrated at the same moment.
  when internal_error or unique_violation then null;
  when insufficient_privilege then
    raise exception 'Role tollgate_console has more privileges than it needs, and this login may not change them. Run as superuser: revoke tollgate_operator, tollgate_finance from tollgate_console; grant tollgate_support to tollgate_console;';
end
$$;

grant insert (act, subject, requested_by, approved_by) on console_approvals to tollgate_console;
grant select on console_approvals to tollgate_support;
grant execute on function changes_to_approve() to tollgate_console;
grant update (name, status, gateway_key_version, time_tolerance_seconds, rate_per_second, rate_burst, fee_basis_points, link_schemes)
  on clients to tollgate_console;
grant update (disabled_at, gateway_key_version) on connectors to tollgate_console;
grant update (closed_at, closed_by, closing_reason, assigned_to, assigned_at) on breaks to tollgate_console;
-- A retry, a hold and a release set when a job is due. A resend resets a webhook and its delivery job, or inserts the
-- job again. Operators had a privilege on the webhook's body, so a login could have the gateway sign any text.
revoke insert, update on jobs from tollgate_operator;
revoke update on notifications from tollgate_operator;
grant insert (bucket, subject_id, job, client_id, queue, due_at, follows_merchant_clock), update (due_at, attempts) on jobs
  to tollgate_operator, tollgate_console;
grant update (status, delivered_at) on notifications to tollgate_operator, tollgate_console;
drop policy jobs_of_finance on jobs;
create policy jobs_of_staff on jobs as restrictive for insert to tollgate_operator, tollgate_finance, tollgate_console
  with check (job = 'deliver-notification');

-- Operators change the same columns of a merchant as before, except its id, bucket and creation time. Of a key they set
-- only the end.
revoke update on clients, client_keys from tollgate_operator;
grant update (revision, name, status, gateway_key_version, time_tolerance_seconds, rate_per_second, rate_burst, fee_basis_points, link_schemes)
  on clients to tollgate_operator;
grant update (revoked_at) on client_keys to tollgate_operator;

-- Writes off an open break: posts exactly the rest of its difference, and closes it. It calculates the same as
-- server/src/reconciliation/write-off.ts. The caller passes the expected amount, and both must agree.
-- `write_off_account` is created in migration 0051. Runs with the owner's privileges, because the console has none on
-- the ledger.
create function write_off_break(asked_break bigint, expected_minor bigint, closing_person text, reason text) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  found   breaks;
  excess  numeric;
  account text;
  against text;
begin
  select * into found from breaks where break_id = asked_break and resolved_at is null for update;
  if found.break_id is null or found.closed_at is not null then
    raise exception 'Break % is not open.', asked_break using errcode = 'restrict_violation';
  end if;
  if found.kind in ('missing at the provider', 'missing here', 'other amount') and found.connector is not null then
    account := 'provider receivable ' || found.connector;
    excess := coalesce((found.sums -> 'ledger' ->> 'minor')::numeric, 0) - coalesce((found.sums -> 'provider' ->> 'minor')::numeric, 0);
    if found.subject not in ('payment', 'capture', 'chargeback_reversal', 'adjustment') then
      excess := -excess;
    end if;
  elsif found.kind in ('not at the bank', 'only at the bank', 'other amount at the bank') then
    account := 'clearing';
    excess := coalesce((coalesce(found.sums -> 'provider', found.sums -> 'ledger') ->> 'minor')::numeric, 0)
      - coalesce((found.sums -> 'bank' ->> 'minor')::numeric, 0);
  -- The written-off money was booked after all. So the write-off's account lacks this amount.
  elsif found.kind = 'written off, then booked by bank or provider' and found.write_off_account is not null then
    account := found.write_off_account;
    excess := 0;
  end if;
  excess := excess - found.written_off_minor;
  if excess is null or excess = 0 or excess <> expected_minor then
    raise exception 'Break % is not about %, but about %.', asked_break, expected_minor, coalesce(excess, 0)
      using errcode = 'restrict_violation';
  end if;
  against := case when abs(excess) = 1 then 'rounding' else 'adjustment' end;
  -- 250 is the bucket of HOUSE.
  insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
  values (250, 'break ' || asked_break || case when found.write_off_count > 0 then '/' || (found.write_off_count + 1) else '' end,
    'write-off', 1, 'HOUSE', case when excess > 0 then against else account end, case when excess > 0 then account else against end,
    found.currency, abs(excess), transaction_timestamp());
  update breaks set written_off_minor = written_off_minor + expected_minor, write_off_count = write_off_count + 1,
    write_off_account = account, closed_at = transaction_timestamp(), closed_by = closing_person, closing_reason = reason
  where break_id = asked_break;
end
$$;

-- Only the write-off function sets the sums that were written off.
revoke insert, update on breaks from tollgate_finance;
grant insert (kind, connector, subject, reference, payment_id, currency, sums, effect_at, first_seen_at, last_seen_at),
  update (payment_id, sums, last_seen_at, resolved_at, closed_at, closed_by, closing_reason, assigned_to, assigned_at) on breaks
  to tollgate_finance;

revoke all on function write_off_break(bigint, bigint, text, text) from public;
grant execute on function write_off_break(bigint, bigint, text, text) to tollgate_finance, tollgate_console;
