-- Approvers are members who joined, or received their role, at least 24 hours ago and before the request was created.
-- So a person cannot invite a second account of their own and approve their own request with it.

alter table memberships add column role_since timestamptz;
update memberships set role_since = since;
-- One row for each member, so the scan is short.
-- squawk-ignore adding-not-nullable-field
alter table memberships alter column role_since set not null;

-- Sets the time at which a role was given, also when plain SQL gives it.
create function memberships_keep_role_since() returns trigger
  language plpgsql set search_path = pg_catalog, public as $$
begin
  if tg_op = 'INSERT' then
    new.role_since := greatest(new.since, new.role_since);
  elsif new.role is distinct from old.role and new.role_since is not distinct from old.role_since then
    new.role_since := greatest(old.role_since, clock_timestamp());
  end if;
  return new;
end
$$;

create trigger memberships_keep_role_since before insert or update on memberships
  for each row execute function memberships_keep_role_since();

create function member_may_approve(
  organisation text, person text, requested_at timestamptz, approved_at timestamptz
) returns boolean
  language sql stable set search_path = pg_catalog, public as $$
  select exists (
    select from memberships where organisation_id = organisation and person_id = person
      and role_since <= requested_at and role_since <= approved_at - interval '24 hours')
$$;

create function approvals_by_established_members() returns trigger
  language plpgsql set search_path = pg_catalog, public as $$
begin
  if not member_may_approve(new.organisation_id, new.confirmed_by, new.asked_at, new.confirmed_at) then
    raise exception 'Person % cannot approve request %: not a member, or a member in this role for less than 24 hours or since after the request.',
      new.confirmed_by, new.approval_id
      using errcode = 'check_violation', constraint = 'approvals_by_established_members';
  end if;
  return new;
end
$$;

create trigger approvals_by_established_members before insert or update on approvals
  for each row when (new.confirmed_by is not null) execute function approvals_by_established_members();

-- Deletes invitations when the membership of their sender ends.
create function memberships_end_their_invitations() returns trigger
  language plpgsql set search_path = pg_catalog, public as $$
begin
  delete from invitations where organisation_id = old.organisation_id and invited_by = old.person_id;
  return null;
end
$$;

create trigger memberships_end_their_invitations after delete on memberships
  for each row execute function memberships_end_their_invitations();

delete from invitations as i where i.invited_by not like 'command %' and not exists (
  select from memberships m where m.organisation_id = i.organisation_id and m.person_id = i.invited_by);
