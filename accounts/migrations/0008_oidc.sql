-- Single sign-on by OpenID Connect: people whom the operator's own identity provider knows. Memberships and roles stay here.

-- Whom the identity provider means. Its subject is for ever; an address may pass to somebody else.
create table oidc_identities (
  issuer    text not null,
  subject   text not null,
  person_id text not null references people (person_id) constraint oidc_identities_one_for_each_person unique,
  linked_at timestamptz not null,
  primary key (issuer, subject)
);

-- Somebody who was sent to the identity provider, and has not come back yet.
create table oidc_attempts (
  state_hash    bytea primary key,
  nonce         text not null,
  -- PKCE (RFC 7636): of no use without the code, which comes back to the same browser alone.
  code_verifier text not null,
  -- The session that is to step up; a sign-in has none yet.
  session_id    text references sessions (session_id) on delete cascade,
  begun_at      timestamptz not null,
  expires_at    timestamptz not null
);

grant select, insert, delete on oidc_identities to tollgate_accounts;
grant select, insert, delete on oidc_attempts to tollgate_accounts;
