-- The ledger, the balances (its sums), and the reserves for refunds.
--
-- A row of the ledger moves an amount from one account to another. It has both sides, so each row is balanced by
-- itself, the ledger always sums to zero, and no entry can be half written. An effect is posted once, because its name
-- is part of the key. Rows are only added, never changed.

create table ledger_transfers (
  bucket         smallint not null constraint ledger_transfers_bucket_in_range check (bucket between 0 and 1023),
  subject_id     text not null,
  effect         text not null,
  line           smallint not null,
  client_id      text not null,
  debit_account  text not null,
  credit_account text not null,
  currency       text not null,
  amount_minor   bigint not null constraint ledger_transfers_amount_positive check (amount_minor > 0),
  at             timestamptz not null,
  -- The transaction that inserted the row. The roll-up below uses these numbers.
  transaction    xid8 not null default pg_current_xact_id(),
  primary key (bucket, subject_id, effect, line),
  constraint ledger_transfers_between_two_accounts check (debit_account <> credit_account)
);

create index ledger_transfers_by_transaction on ledger_transfers (transaction);

alter table ledger_transfers enable row level security;
alter table ledger_transfers force row level security;
create policy ledger_transfers_own_rows on ledger_transfers
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy ledger_transfers_seen_by_the_operator on ledger_transfers for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create policy ledger_transfers_to_roll_up on ledger_transfers for select to current_user
  using (current_setting('app.rolls_up', true) = 'on');

create function ledger_is_append_only() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  raise exception 'The ledger is append-only: rows cannot be changed or deleted.' using errcode = 'restrict_violation';
end
$$;

create trigger ledger_is_append_only before update or delete or truncate on ledger_transfers
  for each statement execute function ledger_is_append_only();

grant select, insert on ledger_transfers to tollgate_app;

-- A merchant's balance is the sum of its ledger rows. This table stores that sum up to a transaction number, and a
-- reader adds the rows after it. Transactions get numbers when they begin and become visible when they commit. So the
-- sum includes only transactions before the oldest one that is still open.
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
create policy balances_seen_by_the_operator on balances for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create policy balances_to_roll_up on balances to current_user
  using (current_setting('app.rolls_up', true) = 'on');
grant select on balances to tollgate_app;

-- The transaction number up to which the balances are summed, and the server that it belongs to: each server has its
-- own numbers. After a restore from a dump, new rows could have lower numbers and would be left out of the sum. So
-- balances are neither summed nor read with another server's numbers until `balances rebuild` was run. A physical copy
-- (a standby, or a point-in-time restore) has the same identifier and continues the numbers.
create table balances_position (
  summed_up_to xid8 not null,
  -- The server's system identifier.
  server       bigint,
  -- A rebuild after a restore sets this number, which is added to each later transaction number, so that later numbers
  -- exceed all existing ones. Rows from the dump keep their numbers, because the ledger is append-only.
  counted_from bigint not null default 0,
  only_row     boolean not null default true constraint balances_position_has_one_row primary key check (only_row)
);

insert into balances_position (summed_up_to, server)
select pg_current_xact_id(), system_identifier from pg_control_system();

grant select on balances_position to tollgate_app;

-- Adds new ledger rows to `balances`, up to the oldest transaction that is still open, and returns the number of rows.
-- One roll-up runs at a time: a second one returns immediately. Runs with the owner's privileges (security definer),
-- which read the rows of all merchants only inside this function.
create function roll_up_balances() returns bigint
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  mark    balances_position;
  horizon xid8;
  added   bigint;
begin
  select * into mark from balances_position for update skip locked;
  if mark.summed_up_to is null then
    return 0;
  end if;
  if mark.server is distinct from (select system_identifier from pg_control_system())
    or mark.summed_up_to::text::bigint >= mark.counted_from + pg_snapshot_xmax(pg_current_snapshot())::text::bigint
  then
    raise exception 'The balances were summed on another server.'
      using errcode = 'object_not_in_prerequisite_state', hint = 'Run `balances rebuild`.';
  end if;
  perform set_config('app.rolls_up', 'on', true);
  horizon := (mark.counted_from + pg_snapshot_xmin(pg_current_snapshot())::text::bigint)::text::xid8;
  -- After a long pause, the roll-up catches up in steps that fit into the statement timeout.
  horizon := coalesce(
    (select transaction from ledger_transfers where transaction > mark.summed_up_to and transaction < horizon
     order by transaction offset 50000 limit 1), horizon);
  with moved as (
    select bucket, client_id, debit_account, credit_account, currency, amount_minor
    from ledger_transfers where transaction >= mark.summed_up_to and transaction < horizon
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
  -- The position advances also if no rows were added.
  if horizon > mark.summed_up_to then
    update balances_position set summed_up_to = horizon;
  end if;
  perform set_config('app.rolls_up', 'off', true);
  return added;
end
$$;

revoke all on function roll_up_balances() from public;
grant execute on function roll_up_balances() to tollgate_app;

-- Recalculates all balances from the whole ledger and adopts this server's transaction numbers. Returns the number of
-- rows, and the balances that differed. For the owner. The ledger is locked meanwhile: an earlier transaction is in the
-- sum, and a later one gets a number above it.
create function rebuild_balances() returns jsonb
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  mark    balances_position;
  base    bigint;
  rebuilt jsonb;
begin
  -- Locks in the same order as a roll-up (deadlock).
  select * into mark from balances_position for update;
  lock table ledger_transfers in access exclusive mode;
  perform set_config('app.rolls_up', 'on', true);
  with sides as (
    select bucket, client_id, debit_account as account, currency, amount_minor::numeric as minor from ledger_transfers
    union all
    select bucket, client_id, credit_account, currency, -amount_minor::numeric from ledger_transfers
  ), summed as (
    select bucket, client_id, account, currency, sum(minor) as minor from sides
    group by bucket, client_id, account, currency
  ), wrong as materialized (
    select bucket, client_id, account, currency,
      coalesce(balances.amount_minor, 0) as was, coalesce(summed.minor, 0) as sum
    from balances full join summed using (bucket, client_id, account, currency)
    where coalesce(balances.amount_minor, 0) <> coalesce(summed.minor, 0)
  ), mended as (
    insert into balances (bucket, client_id, account, currency, amount_minor)
    select bucket, client_id, account, currency, sum from wrong
    on conflict (bucket, client_id, account, currency) do update set amount_minor = excluded.amount_minor
  )
  select jsonb_build_object(
    'rowCount', (select count(*) from ledger_transfers),
    'differences', coalesce((select jsonb_agg(jsonb_build_object('clientId', client_id, 'account', account,
      'currency', currency, 'was', was::text, 'sum', sum::text) order by client_id, account, currency) from wrong), '[]'))
  into rebuilt;
  base := 1 + greatest(mark.summed_up_to,
    (select transaction from ledger_transfers order by transaction desc limit 1))::text::bigint;
  -- The default is a constant and not a subquery on the position, because a writer that waits for the lock has already
  -- read it.
  execute format('alter table ledger_transfers alter column transaction '
    'set default ((%s + pg_current_xact_id()::text::bigint)::text::xid8)', base);
  -- The position is below every later transaction number. The number of this transaction would be too high, because a
  -- transaction that began earlier may write later.
  update balances_position set summed_up_to = base::text::xid8, counted_from = base,
    server = (select system_identifier from pg_control_system());
  perform set_config('app.rolls_up', 'off', true);
  return rebuilt;
end
$$;

revoke all on function rebuild_balances() from public;

-- A lock on one row serializes the refunds of one merchant in one currency, so that a balance is not spent twice.
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
create policy reserves_seen_by_the_operator on reserves for select to current_user
  using (current_setting('app.oversight', true) = 'on');
grant select, insert, update on reserves to tollgate_app;
