-- What a payment needs to be driven to its end: who it goes to, under which reference, until when.
--
-- The wallet's reference is derived from the request, so that it is the same on every try, even if
-- this row were lost. A cancel and an expiry are intents here: the status moves when the wallet says so.

alter table payments
  add column fingerprint         bytea,
  add column payment_method_type text,
  add column reference_order_id  text,
  add column order_description   text,
  add column redirect_url        text,
  add column notify_url          text,
  add column metadata            text,
  add column wallet              text,
  add column wallet_reference    text,
  add column wallet_accepted_at  timestamptz,
  add column wallet_code         text,
  add column wallet_url          text,
  add column expires_at          timestamptz,
  add column cancel_requested_at timestamptz,
  add column cancelled_at        timestamptz;

-- One row a change: the history of a payment, in its own order.
create table payment_events (
  bucket      smallint not null,
  payment_id  text not null,
  sequence    integer not null,
  client_id   text not null,
  at          timestamptz not null,
  status      text not null,
  result_code text not null,
  primary key (bucket, payment_id, sequence)
);

alter table payment_events enable row level security;
alter table payment_events force row level security;
create policy payment_events_own_rows on payment_events
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));

grant insert, update on payments to tollgate_app;
grant select, insert on payment_events to tollgate_app;
