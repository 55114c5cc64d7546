-- Merchants and stores that want to take payments of the wallets, and what each wallet said.
--
-- A registration is one request and goes to every wallet; each wallet decides for itself, and can be asked again
-- under a new request. Where it stands as a whole follows from what the wallets said, and is written nowhere.

create table registrations (
  bucket                  smallint not null constraint registrations_bucket_in_range check (bucket between 0 and 1023),
  registration_id         text not null constraint registrations_id_of_35_digits check (registration_id ~ '^[0-9]{35}$'),
  client_id               text not null,
  registration_request_id text not null,
  reference_merchant_id   text not null,
  -- Only for a store: without one it is the merchant itself.
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

create table wallet_registrations (
  bucket          smallint not null constraint wallet_registrations_bucket_in_range check (bucket between 0 and 1023),
  registration_id text not null,
  wallet          text not null,
  client_id       text not null,
  status          text not null constraint wallet_registrations_status_known
    check (status in ('PROCESSING', 'APPROVED', 'REJECTED', 'NOT_NEEDED')),
  reject_reasons  text[] not null default '{}',
  reference       text not null,
  -- When the wallet took it on; from then on it is only asked after.
  accepted_at     timestamptz,
  decided_at      timestamptz,
  primary key (bucket, registration_id, wallet),
  constraint wallet_registrations_decided_when_final check ((status = 'PROCESSING') = (decided_at is null))
);

create trigger registration_follows_its_lifecycle before update of status on wallet_registrations
  for each row execute function registration_follows_its_lifecycle();

do $$
declare
  named text;
begin
  foreach named in array array['registrations', 'wallet_registrations'] loop
    execute format('alter table %I enable row level security', named);
    execute format('alter table %I force row level security', named);
    execute format(
      'create policy %I on %I using (client_id = any (nullif(current_setting(''app.clients'', true), '''')::text[]))',
      named || '_own_rows', named);
    execute format(
      'create policy %I on %I for select to current_user using (current_setting(''app.oversight'', true) = ''on'')',
      named || '_seen_by_the_operator', named);
    execute format('grant select, insert, update on %I to tollgate_app', named);
  end loop;
end
$$;

-- Whether payments in a store are refused until the wallet has accepted the store.
alter table connectors add column demands_registration boolean not null default false;
