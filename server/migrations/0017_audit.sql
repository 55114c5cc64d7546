-- The audit log: who changed what in this installation, when, and why. Each act of a person or a command inserts one
-- row in the same transaction, so no act is without a row and no row without an act.
--
-- Rows are a hash chain: each row stores the previous row's hash, and a hash of its own fields and that hash. A row
-- that is changed, deleted or moved breaks the chain at its position, and `audit verify` finds it. The chain alone
-- cannot show that its end was deleted or that all of it was rewritten. For that, keep the output of `audit head`
-- elsewhere, as an anchor.
--
-- Numbers have no gap, so acts wait for each other until the commit. Merchants' API requests write no row here, so
-- payments never wait.

create table audit (
  seq           bigint primary key constraint audit_numbers_begin_with_one check (seq > 0),
  at            timestamptz not null,
  -- The kind of actor: a person with a token, a command, or SQL by hand, which a trigger records.
  actor_kind    text not null constraint audit_actor_kind_known check (actor_kind in ('person', 'command', 'sql')),
  -- The name in the token, or the name that was passed to the command. It is not verified.
  actor         text not null constraint audit_actor_has_a_name check (length(actor) between 1 and 200),
  role          text not null constraint audit_role_is_short check (length(role) between 1 and 100),
  -- The database login, which PostgreSQL has authenticated, whatever name was given.
  login         text not null,
  act           text not null constraint audit_act_is_short check (length(act) between 1 and 100),
  subject       text not null constraint audit_subject_is_short check (length(subject) <= 300),
  -- The merchant that the act is about. The column is not named client_id, because `universe sweep` deletes from all
  -- tables with such a column.
  about_client  text,
  reason        text constraint audit_reason_is_short check (length(reason) between 1 and 1000),
  -- Old and new values of only the fields that changed, never of a secret. The type is json, because jsonb does not
  -- keep the text that was hashed.
  before        json constraint audit_before_is_small check (octet_length(before::text) <= 16384),
  after         json constraint audit_after_is_small check (octet_length(after::text) <= 16384),
  -- The transaction that inserted the row, so that the triggers below know which changes already have a row.
  transaction   xid8 not null,
  previous_hash bytea not null,
  hash          bytea not null
);

create index audit_by_client on audit (about_client, seq) where about_client is not null;
create index audit_by_transaction on audit (transaction);

alter table audit enable row level security;
alter table audit force row level security;
create policy audit_seen_by_the_owner on audit for select to current_user using (true);
create policy audit_written_by_the_owner on audit for insert to current_user with check (true);
-- `serve` inserts rows for people's acts, and reads rows about the merchants that its transaction names.
create policy audit_of_own_clients on audit for select to tollgate_app
  using (about_client = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy audit_of_people on audit for insert to tollgate_app
  with check (actor_kind = 'person' and (about_client is null
    or about_client = any (nullif(current_setting('app.clients', true), '')::text[])));

-- Numbers and hashes a new row. A field is its length in bytes, a colon and its text, or a dash when it is null, so two
-- different rows never have the same text. server/src/audit/audit-chain.ts computes the same hash outside the database.
-- Runs with the owner's privileges (security definer), because the previous row may be about another merchant.
create function audit_is_a_chain() returns trigger
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
  foreach field in array array[
    new.seq::text, to_char(new.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), new.actor_kind, new.actor, new.role,
    new.login, new.act, new.subject, new.about_client, new.reason, new.before::text, new.after::text, new.transaction::text]
  loop
    content := content || coalesce(octet_length(convert_to(field, 'UTF8')) || ':' || field, '-');
  end loop;
  new.hash := sha256(new.previous_hash || convert_to(content, 'UTF8'));
  return new;
end
$$;

create trigger audit_is_a_chain before insert on audit for each row execute function audit_is_a_chain();

create function audit_is_append_only() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  raise exception 'The audit log is append-only: rows cannot be changed or deleted.' using errcode = 'restrict_violation';
end
$$;

create trigger audit_is_append_only before update or delete or truncate on audit
  for each statement execute function audit_is_append_only();

revoke update, delete, truncate on audit from current_user;
grant select, insert (actor_kind, actor, role, act, subject, about_client, reason, before, after) on audit to tollgate_app;

-- The fields of a row as the audit log shows them: without hidden fields, and a public key as its SHA-256.
create function audited_fields(fields jsonb, hidden text[]) returns jsonb
  language sql immutable set search_path = pg_catalog
  return (fields - hidden) || case when fields ? 'public_key'
    then jsonb_build_object('public_key', encode(sha256(decode(substr(fields ->> 'public_key', 3), 'hex')), 'hex'))
    else '{}' end;

-- Records a change by hand (SQL). Deferred to the commit, when it is known whether the transaction has inserted an
-- audit row itself. Its arguments are columns that are secret or not settings.
create function audit_notes_sql() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set bytea_output = hex as $$
declare
  was     jsonb := audited_fields(coalesce(to_jsonb(old), '{}'), coalesce(tg_argv, '{}'));
  became  jsonb := audited_fields(coalesce(to_jsonb(new), '{}'), coalesce(tg_argv, '{}'));
  fields  jsonb := was || became;
  before  json;
  after   json;
begin
  if exists (
    select from audit where transaction = pg_current_xact_id() and at >= transaction_timestamp() and actor_kind <> 'sql')
  then
    return null;
  end if;
  select json_object_agg(key, was -> key) filter (where was ? key), json_object_agg(key, became -> key) filter (where became ? key)
  into before, after
  from jsonb_object_keys(fields) as key where was -> key is distinct from became -> key;
  if before is null and after is null then
    return null;
  end if;
  insert into audit (actor_kind, actor, role, act, subject, about_client, before, after)
  values ('sql', session_user, 'login', lower(tg_op) || ' ' || tg_table_name,
    coalesce(nullif(concat_ws(' key ', fields ->> 'client_id', fields ->> 'version'), ''), fields ->> 'name'),
    fields ->> 'client_id', before, after);
  return null;
end
$$;

revoke all on function audit_is_a_chain(), audit_is_append_only(), audited_fields(jsonb, text[]), audit_notes_sql() from public;

-- API requests create and delete isolated test merchants by the hundred, so the trigger does not even queue an event
-- for them.
--
-- A merchant moves to the next gateway key by an API request, which is in the request log.
create constraint trigger audit_notes_inserts after insert on clients deferrable initially deferred
  for each row when (new.client_id not like 'SANDBOX\_U%') execute function audit_notes_sql('revision', 'gateway_key_version');
create constraint trigger audit_notes_updates after update on clients deferrable initially deferred
  for each row when (new.client_id not like 'SANDBOX\_U%') execute function audit_notes_sql('revision', 'gateway_key_version');
create constraint trigger audit_notes_deletes after delete on clients deferrable initially deferred
  for each row when (old.client_id not like 'SANDBOX\_U%') execute function audit_notes_sql('revision', 'gateway_key_version');
create constraint trigger audit_notes_inserts after insert on client_keys deferrable initially deferred
  for each row when (new.client_id not like 'SANDBOX\_U%') execute function audit_notes_sql();
create constraint trigger audit_notes_updates after update on client_keys deferrable initially deferred
  for each row when (new.client_id not like 'SANDBOX\_U%') execute function audit_notes_sql();
create constraint trigger audit_notes_deletes after delete on client_keys deferrable initially deferred
  for each row when (old.client_id not like 'SANDBOX\_U%') execute function audit_notes_sql();
create constraint trigger audit_notes_sql after insert or update or delete on connectors deferrable initially deferred
  for each row execute function audit_notes_sql('silent_seen_at');
create constraint trigger audit_notes_sql after insert or update or delete on gateway_keys deferrable initially deferred
  for each row execute function audit_notes_sql('wrapped_private_key');
