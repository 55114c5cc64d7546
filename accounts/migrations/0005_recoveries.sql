-- Account recovery for people who have lost all their sign-in methods. Two people of their organisation vouch for them;
-- or the operator does, and everyone has one day to object. Email does not sign anyone in: it only informs, and has a
-- link that stops the recovery.
--
-- A row exists while a recovery is open. Its outcome is in the audit log.

create table recoveries (
  recovery_id         text primary key,
  person_id           text not null references people (person_id) constraint recoveries_one_for_each_person unique,
  -- The organisation whose people vouch; null when the operator vouches.
  organisation_id     text references organisations (organisation_id),
  asked_by            text not null references people (person_id),
  confirmed_by        text references people (person_id),
  reason              text not null,
  -- Each person who vouches passes on a code of their own, so no single person has both codes.
  asked_code_hash     bytea not null constraint recoveries_have_codes_of_their_own unique,
  confirmed_code_hash bytea,
  -- Digest of the link in the emails that stops the recovery.
  cancel_hash         bytea not null constraint recoveries_have_links_of_their_own unique,
  asked_at            timestamptz not null,
  -- The time from which the recovery can be used; null until both people have vouched.
  ready_at            timestamptz,
  expires_at          timestamptz not null,
  constraint recoveries_are_vouched_for_by_others
    check (asked_by <> person_id and confirmed_by is distinct from person_id),
  constraint recoveries_are_vouched_for_by_two check (confirmed_by is distinct from asked_by),
  constraint recoveries_of_an_organisation_are_ready_when_confirmed
    check (organisation_id is null or (ready_at is null) = (confirmed_by is null)),
  constraint recoveries_by_the_operator_wait_a_day
    check (organisation_id is not null or (ready_at is not null and ready_at >= asked_at + interval '24 hours'))
);

create index recoveries_of_an_organisation on recoveries (organisation_id);

grant select, insert, update, delete on recoveries to tollgate_accounts;
