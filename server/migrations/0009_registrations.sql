-- Registrations: merchants and stores that apply to payment providers, and each provider's decision.
--
-- One registration request goes to all providers. Each decides independently, and a new request can apply again. The
-- overall status is calculated from the providers' decisions and not stored.

create table registrations (
  bucket                  smallint not null constraint registrations_bucket_in_range check (bucket between 0 and 1023),
  registration_id         text not null constraint registrations_id_of_35_digits check (length(registration_id) = 35 and translate(registration_id, '0123456789', '') = ''),
  client_id               text not null,
  registration_request_id text not null,
  reference_merchant_id   text not null,
  -- The store that is registered; null if the merchant itself is registered.
  reference_store_id      text,
  product_codes           text[] not null,
  merchant_info           jsonb not null,
  store_info              jsonb,
  notify_url              text,
  pass_through_info       text,
  fingerprint             bytea not null,
  sequence                integer not null default 1 constraint registrations_sequence_positive check (sequence > 0),
  created_at              timestamptz not null,
  primary key (bucket, registration_id),
  constraint registrations_request_once_for_ever unique (bucket, client_id, registration_request_id)
);

create index registrations_by_merchant on registrations (bucket, client_id, reference_merchant_id, created_at);

alter table registrations enable row level security;
alter table registrations force row level security;
create policy registrations_own_rows on registrations
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy registrations_seen_by_the_operator on registrations for select to current_user
  using (current_setting('app.oversight', true) = 'on');
grant select, insert, update on registrations to tollgate_app;

create table provider_registrations (
  bucket          smallint not null constraint provider_registrations_bucket_in_range check (bucket between 0 and 1023),
  registration_id text not null,
  connector       text not null,
  client_id       text not null,
  status          text not null constraint provider_registrations_status_known
    check (status in ('PROCESSING', 'APPROVED', 'REJECTED', 'NOT_NEEDED')),
  reject_reasons  text[] not null default '{}',
  reference       text not null,
  -- The time at which the payment provider accepted the registration for review. After that the gateway only polls
  -- it and never sends it again.
  accepted_at     timestamptz,
  decided_at      timestamptz,
  primary key (bucket, registration_id, connector),
  constraint provider_registrations_decided_when_final check ((status = 'PROCESSING') = (decided_at is null))
);

alter table provider_registrations enable row level security;
alter table provider_registrations force row level security;
create policy provider_registrations_own_rows on provider_registrations
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy provider_registrations_seen_by_the_operator on provider_registrations for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create trigger registration_follows_its_lifecycle before update of status on provider_registrations
  for each row execute function registration_follows_its_lifecycle();
grant select, insert, update on provider_registrations to tollgate_app;
