-- The audit log: who did what, when, and in which role. Each act of a person or a command inserts one row, in the same
-- transaction. The table has the same columns in each environment's database, so one program reads and verifies all of
-- them.
--
-- Rows are a hash chain: each row stores the previous row's hash, and a hash of its own fields and that hash. A row
-- that is changed, deleted or moved breaks the chain at its position. The chain cannot show that the newest rows were
-- deleted.

create table audit (
  seq           bigint primary key constraint audit_numbers_begin_with_one check (seq > 0),
  at            timestamptz not null,
  actor_kind    text not null constraint audit_actor_kind_known check (actor_kind in ('person', 'command', 'sql')),
  actor         text not null constraint audit_actor_has_a_name check (length(actor) between 1 and 200),
  role          text not null constraint audit_role_is_short check (length(role) between 1 and 100),
  -- The database login, which PostgreSQL has authenticated.
  login         text not null,
  act           text not null constraint audit_act_is_short check (length(act) between 1 and 100),
  subject       text not null constraint audit_subject_is_short check (length(subject) <= 2000),
  -- The organisation that the act is about. Its people may read the row.
  about_client  text,
  reason        text constraint audit_reason_is_short check (length(reason) between 1 and 1000),
  -- Old and new values of only the fields that changed, never of a secret. The type is json, because jsonb does not
  -- keep the text that was hashed.
  before        json constraint audit_before_is_small check (octet_length(before::text) <= 16384),
  after         json constraint audit_after_is_small check (octet_length(after::text) <= 16384),
  transaction   xid8 not null,
  previous_hash bytea not null,
  hash          bytea not null
);

create index audit_by_client on audit (about_client, seq) where about_client is not null;
-- The audit log keeps the names of people who have left an organisation.
create index audit_by_act on audit (about_client, act) where about_client is not null;

-- A field is its length in bytes, a colon and its text, or a dash when it is null. So two different rows never have the
-- same text.
create function audit_hash(entry audit) returns bytea
  language sql stable set search_path = pg_catalog, public as $$
  select sha256(entry.previous_hash || convert_to(string_agg(
    coalesce(octet_length(convert_to(field, 'UTF8')) || ':' || field, '-'), '' order by place), 'UTF8'))
  from unnest(array[
    entry.seq::text, to_char(entry.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), entry.actor_kind, entry.actor,
    entry.role, entry.login, entry.act, entry.subject, entry.about_client, entry.reason, entry.before::text,
    entry.after::text, entry.transaction::text]) with ordinality as fields (field, place)
$$;

-- Sets number and hash of a new row. A caller cannot set them.
create function audit_is_a_chain() returns trigger
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  -- Serializes writers until each commits, because the chain has one end. Accounts write little.
  perform pg_advisory_xact_lock(7045518);
  select seq, hash into new.seq, new.previous_hash from audit order by seq desc limit 1;
  new.seq := coalesce(new.seq, 0) + 1;
  new.previous_hash := coalesce(new.previous_hash, '\x'::bytea);
  new.at := clock_timestamp();
  new.login := session_user;
  new.transaction := pg_current_xact_id();
  new.hash := audit_hash(new);
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

grant select, insert (actor_kind, actor, role, act, subject, about_client, reason, before, after) on audit
  to tollgate_accounts;
