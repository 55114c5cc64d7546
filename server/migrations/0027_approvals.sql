-- Approvals (four-eyes principle) at the command line of live, for keys, fees and client access. The first person's
-- command is rejected and inserts a request here. After another person has approved it, the first person runs the same
-- command again.
--
-- Requester and approver are database logins, which are authenticated, and PostgreSQL itself rejects an approval by the
-- requester's login.

create table approval_requests (
  asked_id       bigint generated always as identity primary key,
  -- Digest of the act, its subject, and the change from old to new values. Only that is approved.
  digest         bytea not null,
  act            text not null constraint approval_requests_act_is_short check (length(act) between 1 and 100),
  subject        text not null constraint approval_requests_subject_is_short check (length(subject) <= 300),
  -- The merchant that the act is about. The column is not named client_id, because `universe sweep` deletes from all
  -- tables with such a column.
  about_client   text,
  -- Shown to the approver; never a secret, as in the audit log.
  before         json,
  after          json,
  reason         text constraint approval_requests_reason_is_short check (length(reason) between 1 and 1000),
  asked_by       text not null constraint approval_requests_asked_by_somebody check (length(asked_by) between 1 and 200),
  asked_login    text not null,
  asked_at       timestamptz not null,
  approved_by    text constraint approval_requests_approved_by_somebody check (length(approved_by) between 1 and 200),
  approved_login text constraint approval_requests_approved_by_another_login check (approved_login <> asked_login),
  approved_at    timestamptz,
  -- An approval is valid for one act.
  used_at        timestamptz,
  constraint approval_requests_approved_in_full check (num_nulls(approved_by, approved_login, approved_at) in (0, 3)),
  constraint approval_requests_used_when_approved check (used_at is null or approved_at is not null)
);

create index approval_requests_by_digest on approval_requests (digest) where used_at is null;

-- The database sets logins and times itself, whatever values a statement has.
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
    raise exception 'An approval is used once, by the login that requested it.' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;

create trigger asked_act_is_of_two before insert or update on approval_requests
  for each row execute function asked_act_is_of_two();
revoke all on function asked_act_is_of_two() from public;

grant select on approval_requests to tollgate_support;
grant insert (digest, act, subject, about_client, before, after, reason, asked_by), update (approved_by, used_at) on approval_requests
  to tollgate_operator;
