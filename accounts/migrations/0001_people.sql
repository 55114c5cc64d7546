-- People, their organisations, and their roles there.
--
-- Accounts have a database of their own, without payments. The process runs as tollgate_accounts, which owns no tables.
-- Operators create a login and grant it this role.

do $$
begin
  if not exists (select from pg_roles where rolname = 'tollgate_accounts') then
    create role tollgate_accounts nologin;
  end if;
exception
  -- A race: two databases of one server may be migrated at the same moment.
  when duplicate_object or unique_violation then null;
end
$$;

grant usage on schema public to tollgate_accounts;

create table people (
  person_id  text primary key constraint people_id_well_formed check (person_id ~ '^per_[A-Za-z0-9_-]{20}$'),
  -- The person's email address in lower case. It is verified, because a row is inserted only when the person opens the
  -- link in the email.
  email      text not null constraint people_one_for_each_address unique
    constraint people_address_in_lower_case check (email = lower(email)),
  name       text not null,
  created_at timestamptz not null
);

create table organisations (
  organisation_id text primary key
    constraint organisations_id_well_formed check (organisation_id ~ '^org_[A-Za-z0-9_-]{20}$'),
  -- The operator's own organisation has the kind 'staff'.
  kind            text not null constraint organisations_kind_known check (kind in ('merchant', 'staff')),
  name            text not null,
  created_at      timestamptz not null,
  -- The time at which the operator's review admitted the organisation to live. Staff need no review.
  live_since      timestamptz
);

create unique index organisations_one_of_staff on organisations (kind) where kind = 'staff';

create table memberships (
  organisation_id text not null references organisations (organisation_id),
  person_id       text not null references people (person_id),
  role            text not null,
  since           timestamptz not null,
  primary key (organisation_id, person_id)
);

create index memberships_of_a_person on memberships (person_id);

-- An invitation is a link, sent by email. Only the digest of the link is stored.
create table invitations (
  invitation_id   text primary key,
  organisation_id text not null references organisations (organisation_id),
  link_hash       bytea not null constraint invitations_have_links_of_their_own unique,
  email           text not null constraint invitations_address_in_lower_case check (email = lower(email)),
  role            text not null,
  invited_by      text not null,
  created_at      timestamptz not null,
  expires_at      timestamptz not null
);

create unique index invitations_one_for_each_address on invitations (organisation_id, email);

-- Client ids of an organisation. Accounts assigns them, and the environment opens the client. Tokens contain them, so a
-- gateway never trusts a browser's claim about which merchant belongs to whom.
create table clients (
  client_id       text primary key,
  environment     text not null constraint clients_environment_known check (environment in ('sandbox', 'live')),
  organisation_id text not null references organisations (organisation_id),
  name            text not null,
  given_at        timestamptz not null,
  constraint clients_of_the_sandbox_carry_its_prefix
    check ((environment = 'sandbox') = (client_id like 'SANDBOX\_%'))
);

create index clients_of_an_organisation on clients (organisation_id, environment);

grant select, insert, update on people, organisations to tollgate_accounts;
grant select, insert, update, delete on memberships, invitations to tollgate_accounts;
grant select, insert on clients to tollgate_accounts;
