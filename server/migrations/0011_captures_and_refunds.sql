-- Captures of money that is held, refunds of money that was taken, and what a merchant has.
--
-- A payment's row counts what was captured and refunded, what is still under way included, so that the
-- table itself refuses a refund of more than was captured, and a capture of more than is held.

alter table payments
  add column capture_mode     text not null default 'AUTOMATIC',
  add column auth_expires_at  timestamptz,
  add column released_at      timestamptz,
  add column captured_minor   bigint not null default 0,
  add column refunded_minor   bigint not null default 0,
  -- The terms of the day on which it was taken; a later change of the contract does not reach back.
  add column fee_basis_points integer not null default 0,
  -- How many captures, refunds and reversals it has had, failed ones included. Whoever inserts one counts it, in the
  -- same statement that moves the sums above: an inquiry looks for transactions only where there are some.
  add column transaction_count integer not null default 0;

alter table payments add constraint payments_capture_mode_known
  check (capture_mode in ('AUTOMATIC', 'MANUAL')) not valid;
alter table payments add constraint payments_captured_in_range
  check (captured_minor between 0 and coalesce(amount_minor, 0)) not valid;
alter table payments add constraint payments_refunded_in_range
  check (refunded_minor between 0 and captured_minor) not valid;

create table captures (
  bucket             smallint not null constraint captures_bucket_in_range check (bucket between 0 and 1023),
  capture_id         text not null constraint captures_id_of_35_digits check (capture_id ~ '^[0-9]{35}$'),
  client_id          text not null,
  capture_request_id text not null,
  payment_id         text not null,
  status             text not null constraint captures_status_known check (status in ('PROCESSING', 'SUCCESS', 'FAIL')),
  result_code        text not null,
  currency           text not null,
  amount_minor       bigint not null constraint captures_amount_positive check (amount_minor > 0),
  is_last            boolean not null,
  fingerprint        bytea not null,
  wallet             text not null,
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
create trigger capture_follows_its_lifecycle before update of status on captures
  for each row execute function capture_follows_its_lifecycle();

create table refunds (
  bucket              smallint not null constraint refunds_bucket_in_range check (bucket between 0 and 1023),
  refund_id           text not null constraint refunds_id_of_35_digits check (refund_id ~ '^[0-9]{35}$'),
  client_id           text not null,
  refund_request_id   text not null,
  payment_id          text not null,
  status              text not null constraint refunds_status_known check (status in ('PROCESSING', 'SUCCESS', 'FAIL')),
  result_code         text not null,
  currency            text not null,
  amount_minor        bigint not null constraint refunds_amount_positive check (amount_minor > 0),
  fingerprint         bytea not null,
  reference_refund_id text,
  reason              text,
  notify_url          text,
  metadata            text,
  wallet              text not null,
  reference           text not null,
  created_at          timestamptz not null,
  -- When the wallet took it on; from then on it is only asked after.
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
create trigger refund_follows_its_lifecycle before update of status on refunds
  for each row execute function refund_follows_its_lifecycle();

-- Why money goes back: it came too late, or the merchant cancelled a payment that was made.
alter table reversals
  add column reason      text not null default 'LATE_SUCCESS',
  add column result_code text;
alter table reversals add constraint reversals_reason_known
  check (reason in ('LATE_SUCCESS', 'CANCEL')) not valid;

-- What a merchant has is the sum of the ledger's rows: `balances` is that sum up to a transaction, and the rows
-- after it are added when somebody asks. Transactions are numbered when they begin and become visible when they
-- end, so the sum goes only as far as every earlier one has ended.
alter table ledger_transfers add column transaction xid8 not null default pg_current_xact_id();
-- No installation has a ledger that is worth the wait yet.
-- squawk-ignore require-concurrent-index-creation
create index ledger_transfers_by_transaction on ledger_transfers (transaction);

create table balances (
  bucket       smallint not null constraint balances_bucket_in_range check (bucket between 0 and 1023),
  client_id    text not null,
  account      text not null,
  currency     text not null,
  -- Debits less credits.
  amount_minor numeric(38, 0) not null,
  primary key (bucket, client_id, account, currency)
);

alter table balances enable row level security;
alter table balances force row level security;
create policy balances_own_rows on balances
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));

create table balances_position (
  summed_up_to xid8 not null,
  only_row     boolean not null default true constraint balances_position_has_one_row primary key check (only_row)
);
insert into balances_position (summed_up_to) values (pg_current_xact_id());

-- Adds to `balances` what has come to the ledger since, as far as nothing can come before it any more; gives the
-- number of rows. One at a time: who comes second leaves it to the first. Runs with the owner's rights, who sees
-- everybody's rows in here and nowhere else.
create function roll_up_balances() returns bigint
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  since   xid8;
  horizon xid8;
  added   bigint;
begin
  select summed_up_to into since from balances_position for update skip locked;
  if since is null then
    return 0;
  end if;
  -- Another server counts transactions anew, and what is written there would be left out.
  if since >= pg_snapshot_xmax(pg_current_snapshot()) then
    raise exception 'The balances are summed up to a transaction that is still to come.'
      using errcode = 'object_not_in_prerequisite_state',
        hint = 'A database that was restored from a dump has its balances summed anew, from the first row on.';
  end if;
  perform set_config('app.rolls_up', 'on', true);
  horizon := pg_snapshot_xmin(pg_current_snapshot());
  -- After a long rest it catches up in steps, each of which fits into the time that a statement has.
  horizon := coalesce(
    (select transaction from ledger_transfers where transaction > since and transaction < horizon
     order by transaction offset 50000 limit 1), horizon);
  with moved as (
    select bucket, client_id, debit_account, credit_account, currency, amount_minor
    from ledger_transfers where transaction >= since and transaction < horizon
  ), sides as (
    select bucket, client_id, debit_account as account, currency, amount_minor::numeric from moved
    union all
    select bucket, client_id, credit_account, currency, -amount_minor::numeric from moved
  ), summed as (
    insert into balances (bucket, client_id, account, currency, amount_minor)
    select bucket, client_id, account, currency, sum(amount_minor) from sides
    group by bucket, client_id, account, currency
    on conflict (bucket, client_id, account, currency)
      do update set amount_minor = balances.amount_minor + excluded.amount_minor
  )
  select count(*) into added from moved;
  -- Also when there was nothing: a single transaction with more rows than a step holds is a step of its own.
  if horizon > since then
    update balances_position set summed_up_to = horizon;
  end if;
  perform set_config('app.rolls_up', 'off', true);
  return added;
end
$$;

create policy ledger_transfers_to_roll_up on ledger_transfers for select to current_user
  using (current_setting('app.rolls_up', true) = 'on');
create policy balances_to_roll_up on balances to current_user
  using (current_setting('app.rolls_up', true) = 'on');
revoke all on function roll_up_balances() from public;
grant execute on function roll_up_balances() to tollgate_app;

-- Refunds of one merchant in one currency go through one row, one after the other: what is there is not spent twice.
create table reserves (
  bucket             smallint not null constraint reserves_bucket_in_range check (bucket between 0 and 1023),
  client_id          text not null,
  currency           text not null,
  open_refunds_minor bigint not null default 0 constraint reserves_open_refunds_not_negative check (open_refunds_minor >= 0),
  primary key (bucket, client_id, currency)
);

alter table reserves enable row level security;
alter table reserves force row level security;
create policy reserves_own_rows on reserves
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));

-- What a connector's payment methods allow. `cancel_paid` DAY is until 00:15 (UTC+8) of the day after the payment.
alter table connectors
  add column refunds            text not null default 'MANY',
  add column refund_window_days integer not null default 365,
  add column captures           text not null default 'MANY',
  add column cancel_paid        text not null default 'DAY';
alter table connectors add constraint connectors_terms_known check (
  refunds in ('NONE', 'FULL', 'ONCE', 'MANY') and captures in ('NONE', 'ONE', 'MANY')
  and cancel_paid in ('NEVER', 'DAY', 'WEEK') and refund_window_days > 0) not valid;

alter table clients add column fee_basis_points integer not null default 0;
alter table clients add constraint clients_fee_in_range check (fee_basis_points between 0 and 2000) not valid;

grant select, insert, update on captures, refunds, reserves to tollgate_app;
grant select on balances, balances_position to tollgate_app;
