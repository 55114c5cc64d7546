-- Approvals (four-eyes principle): one person requests an act, and another approves it. Each environment
-- decides which acts need an approval.

create table approvals (
  approval_id     text primary key,
  organisation_id text not null references organisations (organisation_id),
  environment     text not null constraint approvals_environment_known check (environment in ('sandbox', 'live')),
  -- The permission that both people need.
  needs           text not null,
  act             text not null,
  -- The merchant's client id; or the organisation, for an act on the organisation itself.
  place           text not null,
  -- The request that the approver reads. The digest in a token is calculated from it.
  request         json not null constraint approvals_request_is_small check (octet_length(request::text) <= 32768),
  reason          text not null,
  asked_by        text not null references people (person_id),
  asked_at        timestamptz not null,
  confirmed_by    text references people (person_id),
  confirmed_at    timestamptz,
  expires_at      timestamptz not null,
  constraint approvals_are_confirmed_by_another_person check (confirmed_by is distinct from asked_by),
  constraint approvals_that_are_confirmed_have_a_time check ((confirmed_by is null) = (confirmed_at is null))
);

create index approvals_of_an_organisation on approvals (organisation_id);

grant select, insert, update, delete on approvals to tollgate_accounts;
