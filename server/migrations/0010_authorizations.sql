-- Authorizations: buyers' consents, their tokens, and how consents and tokens ended.
--
-- Codes and tokens are looked up by a keyed hash. They are stored encrypted with another key, and only while they are
-- valid. The database has neither key. The provider's own token is encrypted too, and is sent only to that provider.

create table authorizations (
  bucket              smallint not null constraint authorizations_bucket_in_range check (bucket between 0 and 1023),
  authorization_id    text not null constraint authorizations_id_of_35_digits check (length(authorization_id) = 35 and translate(authorization_id, '0123456789', '') = ''),
  client_id           text not null,
  auth_state          text not null,
  auth_client_id      text,
  customer_belongs_to text not null,
  scopes              text[] not null,
  redirect_url        text not null,
  notify_url          text,
  fingerprint         bytea not null,
  connector           text not null,
  reference           text not null,
  provider_url          text,
  accepted_at         timestamptz,
  status              text not null constraint authorizations_status_known
    check (status in ('ASKED', 'AGREED', 'ACTIVE', 'DECLINED', 'REVOKED', 'CANCELED', 'EXPIRED')),
  result_code         text,
  -- When the current step expires: the consent page, then the code, then the newest refresh token.
  expires_at          timestamptz not null,
  code_hash           bytea,
  sealed_agreement    bytea,
  user_login_id       text,
  ended_at            timestamptz,
  -- The time at which the payment provider confirmed that it knows of the end of the consent.
  provider_told_at      timestamptz,
  sequence            integer not null default 1 constraint authorizations_sequence_positive check (sequence > 0),
  created_at          timestamptz not null,
  primary key (bucket, authorization_id),
  constraint authorizations_state_once_for_ever unique (bucket, client_id, auth_state),
  constraint authorizations_reference_once unique (bucket, client_id, connector, reference),
  constraint authorizations_agreement_while_active check ((status = 'ACTIVE') = (sealed_agreement is not null)),
  constraint authorizations_ended_when_final
    check ((status in ('ASKED', 'AGREED', 'ACTIVE')) = (ended_at is null))
);

create unique index authorizations_by_code on authorizations (bucket, client_id, code_hash);

alter table authorizations enable row level security;
alter table authorizations force row level security;
create policy authorizations_own_rows on authorizations
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy authorizations_seen_by_the_operator on authorizations for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create trigger authorization_follows_its_lifecycle before update of status on authorizations
  for each row execute function authorization_follows_its_lifecycle();
grant select, insert, update on authorizations to tollgate_app;

-- The history of an authorization: one ordered row for each change.
create table authorization_events (
  bucket           smallint not null,
  authorization_id text not null,
  sequence         integer not null,
  client_id        text not null,
  at               timestamptz not null,
  status           text not null,
  primary key (bucket, authorization_id, sequence)
);

alter table authorization_events enable row level security;
alter table authorization_events force row level security;
create policy authorization_events_own_rows on authorization_events
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy authorization_events_seen_by_the_operator on authorization_events for select to current_user
  using (current_setting('app.oversight', true) = 'on');
grant select, insert on authorization_events to tollgate_app;

-- A pair of access token and refresh token, and the code or refresh token that it was exchanged for.
create table tokens (
  bucket              smallint not null constraint tokens_bucket_in_range check (bucket between 0 and 1023),
  token_id            text not null constraint tokens_id_of_35_digits check (length(token_id) = 35 and translate(token_id, '0123456789', '') = ''),
  client_id           text not null,
  customer_belongs_to text not null,
  connector           text not null,
  given_hash          bytea not null,
  -- The code, encrypted, until the payment provider has exchanged or rejected it.
  sealed_given        bytea,
  authorization_id    text,
  status              text not null constraint tokens_status_known
    check (status in ('APPLIED', 'ISSUED', 'REFUSED', 'RETIRED')),
  result_code         text,
  access_hash         bytea,
  refresh_hash        bytea,
  access_expires_at   timestamptz,
  refresh_expires_at  timestamptz,
  sealed_pair         bytea,
  created_at          timestamptz not null,
  issued_at           timestamptz,
  used_at             timestamptz,
  -- The time at which the next pair of tokens was issued, which replaces this pair.
  replaced_at         timestamptz,
  primary key (bucket, token_id),
  constraint tokens_applied_for_once unique (bucket, client_id, given_hash),
  constraint tokens_given_while_applied check ((status = 'APPLIED') = (sealed_given is not null)),
  constraint tokens_pair_while_issued check ((status = 'ISSUED') = (sealed_pair is not null))
);

create unique index tokens_by_access on tokens (bucket, client_id, access_hash);
create unique index tokens_by_refresh on tokens (bucket, client_id, refresh_hash);
create index tokens_by_authorization on tokens (bucket, authorization_id);

alter table tokens enable row level security;
alter table tokens force row level security;
create policy tokens_own_rows on tokens
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy tokens_seen_by_the_operator on tokens for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create trigger token_follows_its_lifecycle before update of status on tokens
  for each row execute function token_follows_its_lifecycle();
grant select, insert, update on tokens to tollgate_app;
