-- The two-person rule: what one person asks, and a second one confirms. Which acts need it, each environment says for itself.

create table approvals (
  approval_id     text primary key,
  organisation_id text not null references organisations (organisation_id),
  environment     text not null constraint approvals_environment_known check (environment in ('sandbox', 'live')),
  -- The right that both of them have.
  needs           text not null,
  act             text not null,
  -- The merchant; the organisation itself for what is its own.
  place           text not null,
  -- What the second person reads, and what the digest in a token stands for.
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
