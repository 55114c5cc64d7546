-- Single sign-on with OpenID Connect, for people in the operator's identity provider. Memberships and roles stay in
-- this database.

-- The person at the identity provider. The subject never changes, while an email address may pass to another person.
create table oidc_identities (
  issuer    text not null,
  subject   text not null,
  person_id text not null references people (person_id) constraint oidc_identities_one_for_each_person unique,
  linked_at timestamptz not null,
  primary key (issuer, subject)
);

-- A person who was redirected to the identity provider and has not returned yet.
create table oidc_attempts (
  state_hash    bytea primary key,
  nonce         text not null,
  -- PKCE (RFC 7636): useless without the authorization code, which returns only to the same browser.
  code_verifier text not null,
  -- The session to re-authenticate; null for a sign-in, which has no session yet.
  session_id    text references sessions (session_id) on delete cascade,
  begun_at      timestamptz not null,
  expires_at    timestamptz not null
);

grant select, insert, delete on oidc_identities to tollgate_accounts;
grant select, insert, delete on oidc_attempts to tollgate_accounts;
