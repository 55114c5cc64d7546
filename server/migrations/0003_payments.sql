-- Payments: the record is its own idempotency key.
--
-- (bucket, client, request id) is unique for ever, so the second of two equal requests finds the
-- first one's record. Every invariant of money that the code keeps, the table keeps as well.

create table payments (
  bucket             smallint not null constraint payments_bucket_in_range check (bucket between 0 and 1023),
  payment_id         text not null constraint payments_id_of_35_digits check (payment_id ~ '^[0-9]{35}$'),
  client_id          text not null,
  payment_request_id text not null,
  product_code       text not null constraint payments_product_known
    check (product_code in ('CASHIER_PAYMENT', 'AGREEMENT_PAYMENT', 'IN_STORE_PAYMENT')),
  status             text not null constraint payments_status_known
    check (status in ('PROCESSING', 'PENDING', 'SUCCESS', 'FAIL', 'CANCELLED')),
  result_code        text not null,
  currency           text,
  amount_minor       bigint constraint payments_amount_positive check (amount_minor > 0),
  paid_currency      text,
  paid_minor         bigint constraint payments_paid_not_negative check (paid_minor >= 0),
  sequence           integer not null default 1 constraint payments_sequence_positive check (sequence > 0),
  created_at         timestamptz not null,
  paid_at            timestamptz,
  primary key (bucket, payment_id),
  constraint payments_request_once_for_ever unique (bucket, client_id, payment_request_id),
  -- Only a cancel for a payment that nobody had asked for leaves a record without an amount.
  constraint payments_have_an_amount
    check ((currency is null) = (amount_minor is null) and (amount_minor is not null or status = 'CANCELLED')),
  constraint payments_paid_has_a_currency check ((paid_currency is null) = (paid_minor is null)),
  constraint payments_success_was_paid check (status <> 'SUCCESS' or (paid_at is not null and paid_minor is not null))
);

alter table payments enable row level security;
alter table payments force row level security;
create policy payments_own_rows on payments
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));

create trigger payment_follows_its_lifecycle before update of status on payments
  for each row execute function payment_follows_its_lifecycle();

grant select on payments to tollgate_app;
