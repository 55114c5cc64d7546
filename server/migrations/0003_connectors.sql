-- Connectors: the payment providers, the settings for each of them, and the callbacks that were processed.

-- A connector belongs to the operator and not to a merchant, so the table has no bucket and no row-level security.
create table connectors (
  name                    text primary key constraint connectors_name_well_formed check (name ~ '^[A-Za-z0-9_-]{1,32}$'),
  url                     text not null,
  -- The gateway's client id at the payment provider.
  partner_id              text not null,
  public_key              bytea not null,
  -- The gateway key that the payment provider has. It changes when the operator records that the provider has the next
  -- one.
  gateway_key_version     integer not null default 1,
  simulator               boolean not null default false,
  -- The payment methods that the connector serves; `*` for all methods that no other connector names.
  payment_method_types    text[] not null,
  -- The currencies that the connector accepts; empty for all currencies.
  currencies              text[] not null default '{}',
  -- Whether in-store payments are rejected until the payment provider has accepted the store.
  demands_registration    boolean not null default false,
  -- `idempotent_by_reference`: whether a reference that is sent twice takes effect once. If not, the gateway does not
  -- retry an unknown outcome. `quiet_seconds` is the time after a send in which the gateway does not trust "not
  -- found", because the message may still be in flight.
  idempotent_by_reference boolean not null default true,
  quiet_seconds           integer not null default 120,
  -- Captures and refunds that the connector's payment methods support.
  captures                text not null default 'MANY',
  refunds                 text not null default 'MANY',
  refund_window_days      integer not null default 365,
  -- How long a paid payment can be cancelled. DAY is until 00:15 (UTC+8) on the day after the payment.
  cancel_paid             text not null default 'DAY',
  -- The last time at which a worker found that the payment provider does not respond. The time shows people why jobs
  -- wait. No process uses it for a decision.
  silent_seen_at          timestamptz,
  created_at              timestamptz not null default clock_timestamp(),
  constraint connectors_terms_known check (
    refunds in ('NONE', 'FULL', 'ONCE', 'MANY') and captures in ('NONE', 'ONE', 'MANY')
    and cancel_paid in ('NEVER', 'DAY', 'WEEK') and refund_window_days > 0)
);

grant select on connectors to tollgate_app;
grant update (silent_seen_at) on connectors to tollgate_work;

-- Deduplicates callbacks. The provider's own event id is the key, so each event is processed once.
create table provider_events (
  bucket     smallint not null,
  connector  text not null,
  event_id   text not null,
  client_id  text not null,
  payment_id text not null,
  at         timestamptz not null,
  primary key (bucket, connector, event_id)
);

alter table provider_events enable row level security;
alter table provider_events force row level security;
create policy provider_events_own_rows on provider_events
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant select, insert on provider_events to tollgate_app;
