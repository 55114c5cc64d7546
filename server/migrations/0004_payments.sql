-- Payments, their history, and the sessions in which a buyer chooses a payment method.
--
-- Idempotency: (bucket, client, request id) is unique forever, so the second of two equal requests finds the record of
-- the first. The table enforces every money invariant that the code enforces.

create table payments (
  bucket              smallint not null constraint payments_bucket_in_range check (bucket between 0 and 1023),
  payment_id          text not null constraint payments_id_of_35_digits check (length(payment_id) = 35 and translate(payment_id, '0123456789', '') = ''),
  client_id           text not null,

  -- The merchant's request. The fingerprint is a hash of the fields that must be equal in a repeat. It is null only for
  -- a cancel that arrived before its payment.
  payment_request_id  text not null,
  fingerprint         bytea,
  product_code        text not null constraint payments_product_known
    check (product_code in ('CASHIER_PAYMENT', 'AGREEMENT_PAYMENT', 'IN_STORE_PAYMENT')),
  -- How the buyer pays in a store; set only for in-store payments.
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
  -- The version of this payment. A receiver of two messages uses it to find the newer one.
  sequence            integer not null default 1 constraint payments_sequence_positive check (sequence > 0),

  currency            text,
  amount_minor        bigint constraint payments_amount_positive check (amount_minor > 0),
  paid_currency       text,
  paid_minor          bigint constraint payments_paid_not_negative check (paid_minor >= 0),
  -- Sums of captures, refunds and disputes, including those in progress. With these sums, the table's constraints
  -- reject a capture of more than is held, a refund of more than was captured, and a refund of money that a dispute has
  -- frozen or taken.
  captured_minor      bigint not null default 0,
  refunded_minor      bigint not null default 0,
  disputed_minor      bigint not null default 0,
  -- The merchant's fee on the day of the payment. Later changes of the contract do not apply to it.
  fee_basis_points    integer not null default 0,
  -- Number of captures, refunds and reversals of the payment, including failed ones. The statement that inserts such a
  -- row also increments this number. An inquiry reads these rows only if the number is not zero.
  transaction_count   integer not null default 0,

  -- The order at the payment provider; null until the buyer of a session has chosen a method. The reference is the
  -- idempotency key towards the provider. It is derived from the request, so every retry has the same one, even if this
  -- row were lost.
  connector           text,
  provider_reference    text,
  provider_code         text,
  provider_url          text,
  provider_accepted_at  timestamptz,
  -- The buyer's payment code or the provider's agreement token, encrypted by a key that the database does not have.
  -- Deleted when the payment is final.
  sealed_code         bytea,

  created_at          timestamptz not null,
  -- Until when the buyer can choose a payment method; set only for a payment that began as a session.
  session_expires_at  timestamptz,
  chosen_at           timestamptz,
  -- Expiry and cancel are only requests: the payment's status changes when the payment provider has confirmed.
  expires_at          timestamptz,
  cancel_requested_at timestamptz,
  cancelled_at        timestamptz,
  paid_at             timestamptz,
  -- Until when the authorized amount can be captured, and when the uncaptured rest was released.
  auth_expires_at     timestamptz,
  released_at         timestamptz,

  primary key (bucket, payment_id),
  constraint payments_request_once_for_ever unique (bucket, client_id, payment_request_id),
  -- Only a cancel that arrives before its payment makes a record without an amount.
  constraint payments_have_an_amount
    check ((currency is null) = (amount_minor is null) and (amount_minor is not null or status = 'CANCELLED')),
  constraint payments_paid_has_a_currency check ((paid_currency is null) = (paid_minor is null)),
  constraint payments_success_was_paid check (status <> 'SUCCESS' or (paid_at is not null and paid_minor is not null)),
  constraint payments_captured_in_range check (captured_minor between 0 and coalesce(amount_minor, 0)),
  constraint payments_refunded_in_range check (refunded_minor between 0 and captured_minor),
  constraint payments_disputed_in_range check (disputed_minor between 0 and captured_minor - refunded_minor)
  -- A payment is written at least three times: when it is created, accepted and paid. The fill factor leaves room on
  -- the page for later versions of the row, so that they are heap-only (HOT) and write to no index.
) with (fillfactor = 60);

alter table payments enable row level security;
alter table payments force row level security;
create policy payments_own_rows on payments
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
-- The operator's reports (`stuck`, `reconcile`) read the rows of all merchants and change none. Only the owner's role can
-- enable `app.oversight`, for one transaction; the owner could read everything anyway. The roles of `serve` and `work`
-- have no such policy, whatever they set. The same applies to every policy of this name.
create policy payments_seen_by_the_operator on payments for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create trigger payment_follows_its_lifecycle before update of status on payments
  for each row execute function payment_follows_its_lifecycle();
grant select, insert, update on payments to tollgate_app;

-- The history of a payment: one ordered row for each change.
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

-- A session is a payment from its creation, under the same request id, so that no other payment can use that id. This
-- table stores what is needed to offer the buyer a choice. A row is inserted once for each session and never changed.
create table payment_sessions (
  bucket               smallint not null constraint payment_sessions_bucket_in_range check (bucket between 0 and 1023),
  payment_id           text not null,
  client_id            text not null,
  -- Restricts the offered payment methods, in this order; null for all usable methods.
  payment_method_types text[],
  regions              text[],
  user_region          text,
  -- The payment deadline, if the merchant set one.
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
