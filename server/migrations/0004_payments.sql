-- Payments, their history, and the sessions in which a buyer chooses how to pay.
--
-- The record is its own idempotency key: (bucket, client, request id) is unique for ever, so the second of two equal
-- requests finds the first one's record. Every invariant of money that the code keeps, the table keeps as well.

create table payments (
  bucket              smallint not null constraint payments_bucket_in_range check (bucket between 0 and 1023),
  payment_id          text not null constraint payments_id_of_35_digits check (length(payment_id) = 35 and translate(payment_id, '0123456789', '') = ''),
  client_id           text not null,

  -- What the merchant asked for. The fingerprint is a hash of the fields that a repeat must have equal; null only for a
  -- cancel that came before its payment.
  payment_request_id  text not null,
  fingerprint         bytea,
  product_code        text not null constraint payments_product_known
    check (product_code in ('CASHIER_PAYMENT', 'AGREEMENT_PAYMENT', 'IN_STORE_PAYMENT')),
  -- How a store is paid; only of in-store payments.
  scenario            text,
  payment_method_type text,
  capture_mode        text not null default 'AUTOMATIC'
    constraint payments_capture_mode_known check (capture_mode in ('AUTOMATIC', 'MANUAL')),
  order_description   text,
  redirect_url        text,
  notify_url          text,
  metadata            text,

  status              text not null constraint payments_status_known
    check (status in ('PROCESSING', 'PENDING', 'SUCCESS', 'FAIL', 'CANCELLED')),
  result_code         text not null,
  -- The version of this payment: a receiver of two messages can tell the newer one.
  sequence            integer not null default 1 constraint payments_sequence_positive check (sequence > 0),

  currency            text,
  amount_minor        bigint constraint payments_amount_positive check (amount_minor > 0),
  paid_currency       text,
  paid_minor          bigint constraint payments_paid_not_negative check (paid_minor >= 0),
  -- Sums of captures, refunds and disputes, those under way included, so that the table itself refuses to capture more
  -- than is held, to refund more than was captured, and to refund what a dispute has frozen or taken.
  captured_minor      bigint not null default 0,
  refunded_minor      bigint not null default 0,
  disputed_minor      bigint not null default 0,
  -- The merchant's fee on the day of the payment; a later change of the contract does not reach back.
  fee_basis_points    integer not null default 0,
  -- How many captures, refunds and reversals it has had, failed ones included. The statement that inserts one counts it,
  -- together with the sums above: an inquiry looks for transactions only where there are some.
  transaction_count   integer not null default 0,

  -- The order at the wallet; null until the buyer of a session has chosen one. The reference is the idempotency key
  -- towards the wallet. It is derived from the request, so every retry has the same, even if this row were lost.
  connector           text,
  wallet_reference    text,
  wallet_code         text,
  wallet_url          text,
  wallet_accepted_at  timestamptz,
  -- The buyer's payment code or the wallet's agreement token, encrypted by a key that the database does not have.
  -- Deleted when the payment is final.
  sealed_code         bytea,

  created_at          timestamptz not null,
  -- Until when the buyer can choose how to pay; only of a payment that began as a session.
  session_expires_at  timestamptz,
  chosen_at           timestamptz,
  -- An expiry and a cancel are intents here: the status moves when the wallet has confirmed.
  expires_at          timestamptz,
  cancel_requested_at timestamptz,
  cancelled_at        timestamptz,
  paid_at             timestamptz,
  -- Until when held money can be captured, and when the rest of it was released.
  auth_expires_at     timestamptz,
  released_at         timestamptz,

  primary key (bucket, payment_id),
  constraint payments_request_once_for_ever unique (bucket, client_id, payment_request_id),
  -- Only a cancel for a payment that nobody had asked for leaves a record without an amount.
  constraint payments_have_an_amount
    check ((currency is null) = (amount_minor is null) and (amount_minor is not null or status = 'CANCELLED')),
  constraint payments_paid_has_a_currency check ((paid_currency is null) = (paid_minor is null)),
  constraint payments_success_was_paid check (status <> 'SUCCESS' or (paid_at is not null and paid_minor is not null)),
  constraint payments_captured_in_range check (captured_minor between 0 and coalesce(amount_minor, 0)),
  constraint payments_refunded_in_range check (refunded_minor between 0 and captured_minor),
  constraint payments_disputed_in_range check (disputed_minor between 0 and captured_minor - refunded_minor)
  -- A payment is written three times at least: when it is asked for, accepted and paid. With room on its page the later
  -- ones are heap-only (HOT): they write to no index.
) with (fillfactor = 60);

alter table payments enable row level security;
alter table payments force row level security;
create policy payments_own_rows on payments
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
-- Operators' reports (`stuck`, `match`) read the rows of every merchant and change none. Only the owner's role can switch
-- `app.oversight` on, for a transaction; it could read everything anyway. For the roles that serve and work no such policy
-- exists, whatever they set. The same goes for every policy of this name.
create policy payments_seen_by_the_operator on payments for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create trigger payment_follows_its_lifecycle before update of status on payments
  for each row execute function payment_follows_its_lifecycle();
grant select, insert, update on payments to tollgate_app;

-- The history of a payment: one row for each change, in its own order.
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
grant select, insert on payment_events to tollgate_app;

-- A session is a payment from its first moment, under the same request id, so that no other payment can take that id in
-- between. What it takes to offer the buyer a choice stands here, once for each session, and is not changed.
create table payment_sessions (
  bucket               smallint not null constraint payment_sessions_bucket_in_range check (bucket between 0 and 1023),
  payment_id           text not null,
  client_id            text not null,
  -- Restricts what is offered, in this order; null for every method that can be used.
  payment_method_types text[],
  regions              text[],
  user_region          text,
  -- Until when it can be paid, if the merchant said so.
  payment_expires_at   timestamptz,
  order_info           jsonb not null,
  customized_info      jsonb,
  created_at           timestamptz not null,
  primary key (bucket, payment_id)
);

alter table payment_sessions enable row level security;
alter table payment_sessions force row level security;
create policy payment_sessions_own_rows on payment_sessions
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant select, insert on payment_sessions to tollgate_app;
