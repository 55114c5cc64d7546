-- The way back for people who have lost all that they sign in with: two people of their organisation vouch for them, or the
-- operator does and everybody has a day to object. E-mail opens nothing; it only tells, and stops.
--
-- A row is there while a recovery is open. What became of it is in the audit.

create table recoveries (
  recovery_id         text primary key,
  person_id           text not null references people (person_id) constraint recoveries_one_for_each_person unique,
  -- Whose people vouch; null when the operator does.
  organisation_id     text references organisations (organisation_id),
  asked_by            text not null references people (person_id),
  confirmed_by        text references people (person_id),
  reason              text not null,
  -- Each who vouches tells the person a code of their own: none of them has both.
  asked_code_hash     bytea not null constraint recoveries_have_codes_of_their_own unique,
  confirmed_code_hash bytea,
  -- Of the link in the letters that stops it.
  cancel_hash         bytea not null constraint recoveries_have_links_of_their_own unique,
  asked_at            timestamptz not null,
  -- When it can be used; null while the second person has not vouched.
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
