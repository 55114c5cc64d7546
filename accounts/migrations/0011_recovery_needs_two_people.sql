-- Account recovery always needs two people who vouch, and the code goes to the person by email. Until this migration
-- the operator's staff vouched alone, and the people who vouched held the codes.
--
-- The exception is the command line with the owner's login, for staff with fewer than two other staff-admins. It takes
-- effect after 24 hours, and all staff get an email.

-- Open recoveries end, because the people who vouched have their codes. So the table is created again, without rows.
delete from sessions where method = 'recovery';
-- squawk-ignore ban-drop-table
drop table recoveries;

create table recoveries (
  recovery_id     text primary key,
  person_id       text not null references people (person_id) constraint recoveries_one_for_each_person unique,
  -- The organisation whose people vouch; null when the operator's staff vouch for a merchant's person.
  organisation_id text references organisations (organisation_id),
  asked_by        text references people (person_id),
  -- The operating system's login name, for a recovery at the command line.
  command_by      text,
  confirmed_by    text references people (person_id),
  confirmed_at    timestamptz,
  reason          text not null,
  -- Digest of the code that the person gets by email; null until both people have vouched.
  code_hash       bytea constraint recoveries_have_codes_of_their_own unique,
  -- Digest of the link in the emails that stops the recovery.
  cancel_hash     bytea not null constraint recoveries_have_links_of_their_own unique,
  asked_at        timestamptz not null,
  -- When the code can be used.
  ready_at        timestamptz,
  expires_at      timestamptz not null,
  constraint recoveries_have_one_origin check ((asked_by is null) = (command_by is not null)),
  constraint recoveries_are_vouched_for_by_others
    check (asked_by is distinct from person_id and confirmed_by is distinct from person_id),
  constraint recoveries_are_vouched_for_by_two check (asked_by is null or confirmed_by is distinct from asked_by),
  constraint recoveries_by_command_have_no_second_person check (command_by is null or confirmed_by is null),
  constraint recoveries_that_are_confirmed_have_a_time check ((confirmed_by is null) = (confirmed_at is null)),
  constraint recoveries_have_a_code_when_two_vouch
    check ((code_hash is not null) = (confirmed_by is not null or command_by is not null)),
  constraint recoveries_with_a_code_have_a_time check ((ready_at is null) = (code_hash is null)),
  -- Two people of the person's own organisation know the person. Every other recovery waits, so that the person can
  -- object.
  constraint recoveries_by_others_wait_a_day
    check ((organisation_id is not null and command_by is null) or ready_at >= asked_at + interval '24 hours')
);

create index recoveries_of_an_organisation on recoveries (organisation_id);

grant select, insert, update, delete on recoveries to tollgate_accounts;

create function recoveries_by_established_members() returns trigger
  language plpgsql set search_path = pg_catalog, public as $$
declare
  staff text;
  vouching text;
begin
  select organisation_id into staff from organisations where kind = 'staff';
  vouching := coalesce(new.organisation_id, staff);
  if new.command_by is null and exists (
      select from memberships where organisation_id = staff and person_id = new.person_id)
    and (new.organisation_id is distinct from staff or exists (
      select from memberships where organisation_id = staff and person_id in (new.asked_by, new.confirmed_by)
        and role <> 'staff-admin')) then
    raise exception 'Person % is staff: only two staff-admins, or the command line, can start a recovery.', new.person_id
      using errcode = 'check_violation', constraint = 'recoveries_of_staff_by_staff_admins';
  end if;
  if (new.asked_by is not null and not member_may_approve(vouching, new.asked_by, new.asked_at, new.asked_at))
    or (new.confirmed_by is not null
      and not member_may_approve(vouching, new.confirmed_by, new.asked_at, new.confirmed_at)) then
    raise exception 'Recovery %: a person who vouches is not a member, or a member in this role for less than 24 hours.',
      new.recovery_id using errcode = 'check_violation', constraint = 'recoveries_by_established_members';
  end if;
  return new;
end
$$;

create trigger recoveries_by_established_members before insert or update on recoveries
  for each row execute function recoveries_by_established_members();
