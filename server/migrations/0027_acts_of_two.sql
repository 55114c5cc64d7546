-- Two people for keys, fees and who may call, at the command line of live: what one has asked for, and another has approved. The first
-- one's command is refused and leaves a row here; once somebody else has approved it, the same command is done.
--
-- Who asks and who approves are logins of the database, which are proven, and PostgreSQL itself refuses that they are the same.

create table asked_acts (
  asked_id       bigint generated always as identity primary key,
  -- Of the act, what it is done to, and what it changes from what to what: nothing else is approved.
  digest         bytea not null,
  act            text not null constraint asked_acts_act_is_short check (length(act) between 1 and 100),
  subject        text not null constraint asked_acts_subject_is_short check (length(subject) <= 300),
  -- Not called client_id, as in the audit.
  about_client   text,
  -- For the second person to read; never a secret, as in the audit.
  before         json,
  after          json,
  reason         text constraint asked_acts_reason_is_short check (length(reason) between 1 and 1000),
  asked_by       text not null constraint asked_acts_asked_by_somebody check (length(asked_by) between 1 and 200),
  asked_login    text not null,
  asked_at       timestamptz not null,
  approved_by    text constraint asked_acts_approved_by_somebody check (length(approved_by) between 1 and 200),
  approved_login text constraint asked_acts_approved_by_another_login check (approved_login <> asked_login),
  approved_at    timestamptz,
  -- An approval is good for one act.
  used_at        timestamptz,
  constraint asked_acts_approved_in_full check (num_nulls(approved_by, approved_login, approved_at) in (0, 3)),
  constraint asked_acts_used_when_approved check (used_at is null or approved_at is not null)
);

create index asked_acts_by_digest on asked_acts (digest) where used_at is null;

-- Logins and times are the database's own word, whatever a statement says.
create function asked_act_is_of_two() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  if tg_op = 'INSERT' then
    new.asked_login := session_user;
    new.asked_at := clock_timestamp();
    new.approved_by := null;
    new.approved_login := null;
    new.approved_at := null;
    new.used_at := null;
  elsif old.approved_at is null then
    new.approved_login := session_user;
    new.approved_at := clock_timestamp();
    new.used_at := null;
  elsif old.used_at is null and session_user = old.asked_login and new.approved_by = old.approved_by then
    new.approved_at := old.approved_at;
    new.used_at := clock_timestamp();
  else
    raise exception 'What was approved is used once, by whoever asked.' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;

create trigger asked_act_is_of_two before insert or update on asked_acts
  for each row execute function asked_act_is_of_two();
revoke all on function asked_act_is_of_two() from public;

grant select on asked_acts to tollgate_support;
grant insert (digest, act, subject, about_client, before, after, reason, asked_by), update (approved_by, used_at) on asked_acts
  to tollgate_operator;
