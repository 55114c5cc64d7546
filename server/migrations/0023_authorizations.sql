-- What buyers have agreed to: consents, the tokens that stand for them, and how both ended.
--
-- Codes and tokens are found by a hash under a key that the database does not have, and kept wrapped by another, no longer
-- than they are good for. The wallet's own token is wrapped, too, and leaves us only towards the wallet.

create table authorizations (
  bucket              smallint not null constraint authorizations_bucket_in_range check (bucket between 0 and 1023),
  authorization_id    text not null constraint authorizations_id_of_35_digits check (authorization_id ~ '^[0-9]{35}$'),
  client_id           text not null,
  auth_state          text not null,
  auth_client_id      text,
  customer_belongs_to text not null,
  scopes              text[] not null,
  redirect_url        text not null,
  notify_url          text,
  fingerprint         bytea not null,
  wallet              text not null,
  reference           text not null,
  wallet_url          text,
  accepted_at         timestamptz,
  status              text not null constraint authorizations_status_known
    check (status in ('ASKED', 'AGREED', 'ACTIVE', 'DECLINED', 'REVOKED', 'CANCELED', 'EXPIRED')),
  result_code         text,
  -- Until when it stays as it is: the consent page, then the code, then the newest refresh token.
  expires_at          timestamptz not null,
  code_hash           bytea,
  sealed_agreement    bytea,
  user_login_id       text,
  ended_at            timestamptz,
  -- When the wallet has heard that we ended it.
  wallet_told_at      timestamptz,
  sequence            integer not null default 1 constraint authorizations_sequence_positive check (sequence > 0),
  created_at          timestamptz not null,
  primary key (bucket, authorization_id),
  constraint authorizations_state_once_for_ever unique (bucket, client_id, auth_state),
  constraint authorizations_reference_once unique (bucket, client_id, wallet, reference),
  constraint authorizations_agreement_while_active check ((status = 'ACTIVE') = (sealed_agreement is not null)),
  constraint authorizations_ended_when_final
    check ((status in ('ASKED', 'AGREED', 'ACTIVE')) = (ended_at is null))
);

create unique index authorizations_by_code on authorizations (bucket, client_id, code_hash);

create table authorization_events (
  bucket           smallint not null,
  authorization_id text not null,
  sequence         integer not null,
  client_id        text not null,
  at               timestamptz not null,
  status           text not null,
  primary key (bucket, authorization_id, sequence)
);

-- A pair of access token and refresh token, and the code or refresh token that it was applied for with.
create table tokens (
  bucket              smallint not null constraint tokens_bucket_in_range check (bucket between 0 and 1023),
  token_id            text not null constraint tokens_id_of_35_digits check (token_id ~ '^[0-9]{35}$'),
  client_id           text not null,
  customer_belongs_to text not null,
  wallet              text not null,
  given_hash          bytea not null,
  -- The code, until the wallet has said what it is worth.
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
  -- When the pair that takes its place was issued.
  replaced_at         timestamptz,
  primary key (bucket, token_id),
  constraint tokens_applied_for_once unique (bucket, client_id, given_hash),
  constraint tokens_given_while_applied check ((status = 'APPLIED') = (sealed_given is not null)),
  constraint tokens_pair_while_issued check ((status = 'ISSUED') = (sealed_pair is not null))
);

create unique index tokens_by_access on tokens (bucket, client_id, access_hash);
create unique index tokens_by_refresh on tokens (bucket, client_id, refresh_hash);
create index tokens_by_authorization on tokens (bucket, authorization_id);

create trigger authorization_follows_its_lifecycle before update of status on authorizations
  for each row execute function authorization_follows_its_lifecycle();
create trigger token_follows_its_lifecycle before update of status on tokens
  for each row execute function token_follows_its_lifecycle();

do $$
declare
  named text;
begin
  foreach named in array array['authorizations', 'authorization_events', 'tokens'] loop
    execute format('alter table %I enable row level security', named);
    execute format('alter table %I force row level security', named);
    execute format(
      'create policy %I on %I using (client_id = any (nullif(current_setting(''app.clients'', true), '''')::text[]))',
      named || '_own_rows', named);
    execute format(
      'create policy %I on %I for select to current_user using (current_setting(''app.oversight'', true) = ''on'')',
      named || '_seen_by_the_operator', named);
  end loop;
end
$$;

grant select, insert, update on authorizations, tokens to tollgate_app;
grant select, insert on authorization_events to tollgate_app;

-- Whether the body is wrapped: one that tells a code or a token is opened only when it is sent.
alter table notifications add column sealed boolean not null default false;
