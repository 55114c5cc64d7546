-- Registrations: merchants and stores that want to take payments of the wallets, and what each wallet decided.
--
-- A registration is one request and goes to every wallet; each wallet decides for itself, and can be asked again under a
-- new request. The status of the whole is computed from the wallets' decisions, and stored nowhere.

create table registrations (
  bucket                  smallint not null constraint registrations_bucket_in_range check (bucket between 0 and 1023),
  registration_id         text not null constraint registrations_id_of_35_digits check (length(registration_id) = 35 and translate(registration_id, '0123456789', '') = ''),
  client_id               text not null,
  registration_request_id text not null,
  reference_merchant_id   text not null,
  -- Null for the merchant itself; set for one of its stores.
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

create table wallet_registrations (
  bucket          smallint not null constraint wallet_registrations_bucket_in_range check (bucket between 0 and 1023),
  registration_id text not null,
  connector       text not null,
  client_id       text not null,
  status          text not null constraint wallet_registrations_status_known
    check (status in ('PROCESSING', 'APPROVED', 'REJECTED', 'NOT_NEEDED')),
  reject_reasons  text[] not null default '{}',
  reference       text not null,
  -- When the wallet accepted it for review; from then on it is only polled.
  accepted_at     timestamptz,
  decided_at      timestamptz,
  primary key (bucket, registration_id, connector),
  constraint wallet_registrations_decided_when_final check ((status = 'PROCESSING') = (decided_at is null))
);

alter table wallet_registrations enable row level security;
alter table wallet_registrations force row level security;
create policy wallet_registrations_own_rows on wallet_registrations
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy wallet_registrations_seen_by_the_operator on wallet_registrations for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create trigger registration_follows_its_lifecycle before update of status on wallet_registrations
  for each row execute function registration_follows_its_lifecycle();
grant select, insert, update on wallet_registrations to tollgate_app;
