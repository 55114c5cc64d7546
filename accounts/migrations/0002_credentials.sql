-- How people prove who they are: links, passkeys, passwords with codes; and the sessions that come of it.
--
-- Nothing here opens anything by itself: links, sessions and challenges are digests, passwords are hashes (argon2id), the
-- secrets of codes (TOTP) are wrapped by a key that the database does not have, and of a passkey only the public half exists.

-- A registration that waits for its link to be opened.
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
  -- The time step of the last code that was taken: a code holds once.
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
  -- Where the person acts at the moment.
  organisation_id text references organisations (organisation_id),
  -- By a link alone a person may set up how it signs in, and nothing else: e-mail is no factor.
  method          text not null constraint sessions_method_known check (method in ('link', 'recovery', 'passkey', 'password', 'oidc', 'developer')),
  created_at      timestamptz not null,
  seen_at         timestamptz not null,
  stepped_up_at   timestamptz,
  network         text not null,
  browser         text not null
);

create index sessions_of_a_person on sessions (person_id);

-- A password that is chosen and not yet confirmed by a first code.
create table password_drafts (
  session_id  text primary key references sessions (session_id) on delete cascade,
  hash        text not null,
  wrapped_otp bytea not null
);

-- Challenges that passkeys sign: each holds once.
create table challenges (
  challenge_hash bytea primary key,
  purpose        text not null constraint challenges_purpose_known check (purpose in ('add', 'sign-in', 'step-up')),
  -- A sign-in has no session yet.
  session_id     text references sessions (session_id) on delete cascade,
  expires_at     timestamptz not null
);

-- Rate limit of guesses: a sliding window of tries, by account and by network. The key is a digest, so that this is no list
-- of addresses that somebody tried.
create table tries (
  key      bytea primary key,
  tried_at timestamptz[] not null
);

grant select, insert, update, delete on
  registrations, passwords, passkeys, sessions, password_drafts, challenges, tries to tollgate_accounts;
