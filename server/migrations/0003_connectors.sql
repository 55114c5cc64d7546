-- Connectors: the wallets that payments go to, on which terms, and which of their callbacks we have seen.

-- A connector belongs to the operator and not to a merchant, so it has no bucket and no row-level security.
create table connectors (
  name                    text primary key constraint connectors_name_well_formed check (name ~ '^[A-Za-z0-9_-]{1,32}$'),
  url                     text not null,
  -- How the wallet knows us.
  partner_id              text not null,
  public_key              bytea not null,
  -- A wallet is called with the gateway key that it was given, until the operator says that it has the next one.
  gateway_key_version     integer not null default 1,
  simulator               boolean not null default false,
  -- Which payment methods it serves; `*` for all that no other connector names.
  payment_method_types    text[] not null,
  -- Which currencies it takes; empty for all of them.
  currencies              text[] not null default '{}',
  -- Whether payments in a store are refused until the wallet has accepted the store.
  demands_registration    boolean not null default false,
  -- Whether a reference that is sent twice acts once; if not, an unknown outcome is not retried. And for how long after a
  -- send "not found" is not believed, because the message may still be in flight.
  idempotent_by_reference boolean not null default true,
  quiet_seconds           integer not null default 120,
  -- What its payment methods allow.
  captures                text not null default 'MANY',
  refunds                 text not null default 'MANY',
  refund_window_days      integer not null default 365,
  -- How long a payment that was made can be cancelled. DAY is until 00:15 (UTC+8) of the day after the payment.
  cancel_paid             text not null default 'DAY',
  -- When a worker last found that the wallet does not answer. Shows people why its jobs wait; no process acts on it.
  silent_seen_at          timestamptz,
  created_at              timestamptz not null default clock_timestamp(),
  constraint connectors_terms_known check (
    refunds in ('NONE', 'FULL', 'ONCE', 'MANY') and captures in ('NONE', 'ONE', 'MANY')
    and cancel_paid in ('NEVER', 'DAY', 'WEEK') and refund_window_days > 0)
);

grant select on connectors to tollgate_app;
grant update (silent_seen_at) on connectors to tollgate_work;

-- Deduplicates callbacks: the wallet's own event id is the key, so each is processed once.
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
grant select, insert on wallet_events to tollgate_app;
