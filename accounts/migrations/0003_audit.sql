-- The audit log: who did what, when, in which role. Written in the transaction of the act, and only ever added to.
--
-- Each row carries the hash of the row before it (hash chain), so that a row that was changed, removed or put in between
-- is found by `audit verify`. The trigger numbers and chains: no caller can.

create table audit (
  position        bigint primary key,
  at              timestamptz not null,
  actor_kind      text not null constraint audit_actor_known check (actor_kind in ('person', 'command')),
  actor           text not null,
  role            text not null,
  act             text not null,
  subject         text not null,
  organisation_id text,
  reason          text,
  before          jsonb,
  after           jsonb,
  previous_hash   bytea not null,
  hash            bytea not null
);

create index audit_of_an_organisation on audit (organisation_id, position);

create function audit_hash(entry audit) returns bytea
  language sql stable set search_path = pg_catalog, public as $$
  select sha256(entry.previous_hash || convert_to(jsonb_build_array(
    entry.position, extract(epoch from entry.at), entry.actor_kind, entry.actor, entry.role, entry.act, entry.subject,
    entry.organisation_id, entry.reason, entry.before, entry.after)::text, 'UTF8'))
$$;

create function audit_chains_its_rows() returns trigger
  language plpgsql set search_path = pg_catalog, public as $$
declare
  last record;
begin
  -- One after the other, until each commits: a chain has one end. Accounts write little.
  perform pg_advisory_xact_lock(7045518);
  select position, hash into last from audit order by position desc limit 1;
  new.position := coalesce(last.position, 0) + 1;
  new.at := clock_timestamp();
  new.previous_hash := coalesce(last.hash, '\x00'::bytea);
  new.hash := audit_hash(new);
  return new;
end
$$;

create trigger audit_chains_its_rows before insert on audit
  for each row execute function audit_chains_its_rows();

create function audit_is_only_added_to() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  raise exception 'The audit log is only ever added to.';
end
$$;

create trigger audit_is_only_added_to before update or delete or truncate on audit
  for each statement execute function audit_is_only_added_to();

grant select, insert on audit to tollgate_accounts;
