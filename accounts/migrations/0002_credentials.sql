-- Authentication of people: links, passkeys, passwords with codes, and the resulting sessions.
--
-- A copy of these tables is not enough to sign in. Links, sessions and challenges are digests, and passwords are
-- argon2id hashes. TOTP secrets are encrypted by a key that the database does not have, and only the public half of a
-- passkey is stored.

-- A registration whose link has not been opened yet.
create table registrations (
  link_hash    bytea primary key,
  email        text not null,
  name         text not null,
  organisation text not null,
  expires_at   timestamptz not null
);

create table passwords (
  person_id   text primary key references people (person_id),
  -- PHC string format: algorithm, parameters, salt and hash.
  hash        text not null,
  wrapped_otp bytea not null,
  -- The time step of the last accepted code. Each code is accepted once (replay protection).
  last_step   bigint not null,
  set_at      timestamptz not null
);

create table passkeys (
  credential_id text primary key,
  person_id     text not null references people (person_id),
  public_key    bytea not null,
  counter       bigint not null,
  transports    text[] not null,
  name          text not null,
  created_at    timestamptz not null,
  used_at       timestamptz
);

create index passkeys_of_a_person on passkeys (person_id);

create table sessions (
  session_id      text primary key,
  token_hash      bytea not null constraint sessions_have_tokens_of_their_own unique,
  person_id       text not null references people (person_id),
  -- The organisation that the person acts for now.
  organisation_id text references organisations (organisation_id),
  -- With a session that began with a link alone, a person can only set up a way to sign in. Email is no authentication
  -- factor.
  method          text not null constraint sessions_method_known check (method in ('link', 'recovery', 'passkey', 'password', 'oidc', 'developer')),
  created_at      timestamptz not null,
  seen_at         timestamptz not null,
  stepped_up_at   timestamptz,
  network         text not null,
  browser         text not null
);

create index sessions_of_a_person on sessions (person_id);

-- A new password that waits for its first code.
create table password_drafts (
  session_id  text primary key references sessions (session_id) on delete cascade,
  hash        text not null,
  wrapped_otp bytea not null
);

-- Challenges that passkeys sign. Each is accepted once.
create table challenges (
  challenge_hash bytea primary key,
  purpose        text not null constraint challenges_purpose_known check (purpose in ('add', 'sign-in', 'step-up')),
  -- The session that requested the challenge; null for a sign-in, which has no session yet.
  session_id     text references sessions (session_id) on delete cascade,
  expires_at     timestamptz not null
);

-- Rate limit of sign-in attempts: a sliding window by account and by network. The key is a digest, so the table does
-- not list the attempted addresses.
create table tries (
  key      bytea primary key,
  tried_at timestamptz[] not null
);

grant select, insert, update, delete on
  registrations, passwords, passkeys, sessions, password_drafts, challenges, tries to tollgate_accounts;
