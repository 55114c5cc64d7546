-- The tables of a connector. They contain no secrets, no payment codes and no personal data of buyers.

-- An order of the gateway. A tombstone (an order that was cancelled before its submit, or that came too late) has no
-- content_hash and the state CLOSED.
create table orders (
  reference         text primary key,
  payment_id        text,
  merchant_id       text,
  account           text,
  currency          text,
  amount_minor      bigint,
  method_type       text,
  capture_mode      text constraint orders_capture_mode_known check (capture_mode in ('AUTOMATIC', 'MANUAL')),
  -- SHA-256 of the fields by which repeats are compared.
  content_hash      bytea,
  callback_url      text,
  expiry_time       timestamptz,
  created_at        timestamptz not null,

  -- The message to the provider. first_sent_at is written before the first message is sent.
  first_sent_at     timestamptz,
  last_sent_at      timestamptz,
  -- Number of the idempotency key; it grows when the provider has stored an error under the earlier key.
  key_number        int not null default 1,
  -- Whether the last message ended with an error that the provider may repeat for the same key.
  has_stored_error  boolean not null default false,
  leased_until      timestamptz,

  -- The last report about the provider's order; null until the outcome of the message is known.
  state             text constraint orders_state_known
    check (state in ('OPEN', 'PENDING', 'PAID', 'AUTHORIZED', 'DECLINED', 'CLOSED', 'LAPSED')),
  provider_order_id text,
  -- Counts the changes that the gateway can see.
  sequence          int not null default 0,
  -- Fields of the report that the gateway gets unchanged: nextAction, paidAmount, paidTime, resultCode, details …
  -- json and not jsonb: the gateway and the provider's signatures see the fields in the order of the report.
  report            json not null default '{}',
  cancel_state      text constraint orders_cancel_state_known check (cancel_state in ('PROCESSING', 'DONE', 'FAILED')),
  cancel_code       text,

  poll_at           timestamptz,
  polls             int not null default 0,
  constraint orders_tombstone_or_order check ((content_hash is null) = (payment_id is null))
);

create index orders_to_poll on orders (poll_at) where poll_at is not null;
create index orders_by_provider_id on orders (provider_order_id) where provider_order_id is not null;

-- A capture or a refund.
create table money_operations (
  kind              text not null constraint money_operations_kind_known check (kind in ('capture', 'refund')),
  reference         text not null,
  order_reference   text not null references orders (reference),
  currency          text not null,
  amount_minor      bigint not null constraint money_operations_amount_positive check (amount_minor > 0),
  is_last           boolean not null default false,
  created_at        timestamptz not null,

  first_sent_at     timestamptz,
  last_sent_at      timestamptz,
  key_number        int not null default 1,
  has_stored_error  boolean not null default false,
  leased_until      timestamptz,

  -- REJECTED: the provider did not act, and the gateway may request the operation again.
  state             text constraint money_operations_state_known
    check (state in ('PROCESSING', 'DONE', 'FAILED', 'REJECTED')),
  provider_id       text,
  sequence          int not null default 0,
  done_time         text,
  result_code       text,

  poll_at           timestamptz,
  polls             int not null default 0,
  primary key (kind, reference)
);

create index money_operations_of_an_order on money_operations (order_reference);
create index money_operations_to_poll on money_operations (poll_at) where poll_at is not null;
create index money_operations_by_provider_id on money_operations (provider_id) where provider_id is not null;

-- A dispute of an order.
create table disputes (
  provider_dispute_id text primary key,
  order_reference     text not null references orders (reference),
  state               text not null,
  sequence            int not null,
  report              json not null,
  poll_at             timestamptz,
  polls               int not null default 0
);

create index disputes_to_poll on disputes (poll_at) where poll_at is not null;

-- The merchant's answers to disputes: an answer reference has one content permanently. Documents are not stored.
create table dispute_answers (
  answer_reference    text primary key,
  provider_dispute_id text not null references disputes (provider_dispute_id),
  content_hash        bytea not null,
  is_done             boolean not null default false
);

-- Outbox of callbacks to the gateway, in the same transaction as the change that each reports.
create table callbacks (
  event_id   text primary key,
  url        text not null,
  body       json not null,
  attempts   int not null default 0,
  due_at     timestamptz not null
);

create index callbacks_due on callbacks (due_at);

-- Inbox of the provider's webhooks: the provider's event id makes a repeated webhook harmless.
create table webhook_events (
  account    text not null,
  event_id   text not null,
  event      jsonb,
  received_at timestamptz not null,
  attempts   int not null default 0,
  -- Null once the event is handled.
  due_at     timestamptz,
  primary key (account, event_id)
);

create index webhook_events_due on webhook_events (due_at) where due_at is not null;
create index webhook_events_handled on webhook_events (received_at) where due_at is null;
