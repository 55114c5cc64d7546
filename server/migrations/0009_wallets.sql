-- The wallets that payments go to, and what each has told us.
--
-- A connector belongs to the operator and not to a merchant. Its callbacks are taken once: the wallet's
-- own event id is the key. A reversal returns money that came after the merchant had been told "no".

create table connectors (
  name                     text primary key constraint connectors_name_well_formed check (name ~ '^[A-Za-z0-9_-]{1,32}$'),
  url                      text not null,
  -- How the wallet knows us.
  partner_id               text not null,
  public_key               bytea not null,
  -- Which payment methods it serves; `*` for all that no other connector names.
  payment_method_types     text[] not null,
  simulator                boolean not null default false,
  idempotent_by_reference  boolean not null default true,
  quiet_seconds            integer not null default 120,
  created_at               timestamptz not null default clock_timestamp()
);

create table wallet_events (
  bucket     smallint not null,
  connector  text not null,
  event_id   text not null,
  client_id  text not null,
  payment_id text not null,
  at         timestamptz not null,
  primary key (bucket, connector, event_id)
);

alter table wallet_events enable row level security;
alter table wallet_events force row level security;
create policy wallet_events_own_rows on wallet_events
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));

create table reversals (
  bucket       smallint not null constraint reversals_bucket_in_range check (bucket between 0 and 1023),
  reversal_id  text not null,
  payment_id   text not null,
  client_id    text not null,
  wallet       text not null,
  reference    text not null,
  status       text not null constraint reversals_status_known check (status in ('PROCESSING', 'SUCCESS', 'FAIL')),
  currency     text not null,
  amount_minor bigint not null constraint reversals_amount_positive check (amount_minor > 0),
  created_at   timestamptz not null,
  finished_at  timestamptz,
  primary key (bucket, reversal_id),
  -- However often a wallet reports the same late success, it is reversed once.
  constraint reversals_once_a_payment unique (bucket, payment_id)
);

alter table reversals enable row level security;
alter table reversals force row level security;
create policy reversals_own_rows on reversals
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));

create trigger reversal_follows_its_lifecycle before update of status on reversals
  for each row execute function reversal_follows_its_lifecycle();

grant select on connectors to tollgate_app;
grant select, insert on wallet_events to tollgate_app;
grant select, insert, update on reversals to tollgate_app;
