-- Balances know on which server they were summed.
--
-- `summed_up_to` is the number of a transaction, and every server counts its own. On a server that a dump was restored
-- to, the first payments would look like old ones, and be left out for ever. So the mark says whose numbers it is made
-- of, and nobody sums or tells a balance by the numbers of another server, until `balances rebuild` was run. A physical
-- copy, such as a standby or a restore to a point in time, has the identifier and goes on with the numbers.
--
-- After a rebuild the ledger's numbers go on above all that are there: a row has its transaction's number and
-- `counted_from` on top. Rows that came with the dump keep theirs, because the ledger is only ever added to.

alter table balances_position
  add column server       bigint,
  add column counted_from bigint not null default 0;

-- Where the mark is still to come, a dump was restored before this migration: it stays foreign.
update balances_position set server = (select system_identifier from pg_control_system())
where summed_up_to < pg_snapshot_xmax(pg_current_snapshot());

create or replace function roll_up_balances() returns bigint
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
  -- After a long rest it catches up in steps, each of which fits into the time that a statement has.
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
  -- Also when there was nothing: a single transaction with more rows than a step holds is a step of its own.
  if horizon > mark.summed_up_to then
    update balances_position set summed_up_to = horizon;
  end if;
  perform set_config('app.rolls_up', 'off', true);
  return added;
end
$$;

-- Sums the whole ledger anew and makes this server's numbers count; gives the number of rows, and the balances that
-- were something else before. For the owner. Nobody writes to the ledger meanwhile: whoever came before is in the sum,
-- and whoever comes after is numbered above it.
create function rebuild_balances() returns jsonb
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  mark    balances_position;
  base    bigint;
  rebuilt jsonb;
begin
  -- In the order in which a roll-up takes them.
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
  -- A constant in the default, and not a look at the mark: a writer that waits for the lock has read it already.
  execute format('alter table ledger_transfers alter column transaction '
    'set default ((%s + pg_current_xact_id()::text::bigint)::text::xid8)', base);
  -- Below every number to come. That of this very transaction would not be: one that began before it may write after it.
  update balances_position set summed_up_to = base::text::xid8, counted_from = base,
    server = (select system_identifier from pg_control_system());
  perform set_config('app.rolls_up', 'off', true);
  return rebuilt;
end
$$;

revoke all on function rebuild_balances() from public;
