-- Captures, refunds and reversals of a payment: captures collect authorized money, refunds and reversals return it.
--
-- The payment's row stores the sums of captures and refunds (captured_minor, refunded_minor) and rejects a sum that is
-- too high.

create table captures (
  bucket             smallint not null constraint captures_bucket_in_range check (bucket between 0 and 1023),
  capture_id         text not null constraint captures_id_of_35_digits check (length(capture_id) = 35 and translate(capture_id, '0123456789', '') = ''),
  client_id          text not null,
  payment_id         text not null,
  capture_request_id text not null,
  fingerprint        bytea not null,
  status             text not null constraint captures_status_known check (status in ('PROCESSING', 'SUCCESS', 'FAIL')),
  result_code        text not null,
  currency           text not null,
  amount_minor       bigint not null constraint captures_amount_positive check (amount_minor > 0),
  -- Whether the rest of the authorization hold is released.
  is_last            boolean not null,
  connector          text not null,
  reference          text not null,
  created_at         timestamptz not null,
  finished_at        timestamptz,
  primary key (bucket, capture_id),
  constraint captures_request_once_for_ever unique (bucket, client_id, capture_request_id),
  constraint captures_finished_when_final check ((status = 'PROCESSING') = (finished_at is null))
);

create index captures_by_payment on captures (bucket, payment_id);

alter table captures enable row level security;
alter table captures force row level security;
create policy captures_own_rows on captures
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy captures_seen_by_the_operator on captures for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create trigger capture_follows_its_lifecycle before update of status on captures
  for each row execute function capture_follows_its_lifecycle();
grant select, insert, update on captures to tollgate_app;

create table refunds (
  bucket              smallint not null constraint refunds_bucket_in_range check (bucket between 0 and 1023),
  refund_id           text not null constraint refunds_id_of_35_digits check (length(refund_id) = 35 and translate(refund_id, '0123456789', '') = ''),
  client_id           text not null,
  payment_id          text not null,
  refund_request_id   text not null,
  fingerprint         bytea not null,
  reference_refund_id text,
  reason              text,
  notify_url          text,
  metadata            text,
  status              text not null constraint refunds_status_known check (status in ('PROCESSING', 'SUCCESS', 'FAIL')),
  result_code         text not null,
  currency            text not null,
  amount_minor        bigint not null constraint refunds_amount_positive check (amount_minor > 0),
  connector           text not null,
  reference           text not null,
  created_at          timestamptz not null,
  -- The time at which the payment provider accepted the request. After that the gateway only polls it and never sends
  -- it again.
  accepted_at         timestamptz,
  finished_at         timestamptz,
  primary key (bucket, refund_id),
  constraint refunds_request_once_for_ever unique (bucket, client_id, refund_request_id),
  constraint refunds_finished_when_final check ((status = 'PROCESSING') = (finished_at is null))
);

create index refunds_by_payment on refunds (bucket, payment_id);

alter table refunds enable row level security;
alter table refunds force row level security;
create policy refunds_own_rows on refunds
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy refunds_seen_by_the_operator on refunds for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create trigger refund_follows_its_lifecycle before update of status on refunds
  for each row execute function refund_follows_its_lifecycle();
grant select, insert, update on refunds to tollgate_app;

-- A reversal returns the full amount of a payment: its money came after the merchant was notified of its failure, or
-- the merchant cancelled it after it was paid.
create table reversals (
  bucket       smallint not null constraint reversals_bucket_in_range check (bucket between 0 and 1023),
  reversal_id  text not null,
  client_id    text not null,
  payment_id   text not null,
  reason       text not null default 'LATE_SUCCESS'
    constraint reversals_reason_known check (reason in ('LATE_SUCCESS', 'CANCEL')),
  status       text not null constraint reversals_status_known check (status in ('PROCESSING', 'SUCCESS', 'FAIL')),
  result_code  text,
  currency     text not null,
  amount_minor bigint not null constraint reversals_amount_positive check (amount_minor > 0),
  connector    text not null,
  reference    text not null,
  created_at   timestamptz not null,
  -- The time at which the payment provider accepted the request. After that the gateway only polls it and never sends
  -- it again.
  accepted_at  timestamptz,
  finished_at  timestamptz,
  primary key (bucket, reversal_id),
  -- A payment has at most one reversal, also if a provider reports the same late success several times.
  constraint reversals_once_a_payment unique (bucket, payment_id)
);

alter table reversals enable row level security;
alter table reversals force row level security;
create policy reversals_own_rows on reversals
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy reversals_seen_by_the_operator on reversals for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create trigger reversal_follows_its_lifecycle before update of status on reversals
  for each row execute function reversal_follows_its_lifecycle();
grant select, insert, update on reversals to tollgate_app;
