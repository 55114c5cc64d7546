-- Metrics report how much money is in suspense: it came after its merchant was notified of a failure, and has
-- not been returned. The worker gets the sum over all merchants, and no merchant's name.

-- Few balances are in suspense, and a scrape every 15 seconds must not read the others. No installation has enough
-- balances yet that building the index would delay writers.
-- squawk-ignore require-concurrent-index-creation
create index balances_in_suspense on balances (currency) where account = 'suspense' and amount_minor <> 0;

-- Runs with the owner's privileges (security definer), as the roll-up does.
create function money_in_suspense() returns table (currency text, minor numeric)
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform set_config('app.rolls_up', 'on', true);
  return query select balances.currency, -sum(balances.amount_minor) from balances
    where account = 'suspense' and amount_minor <> 0 group by balances.currency;
  perform set_config('app.rolls_up', 'off', true);
end
$$;

revoke all on function money_in_suspense() from public;
grant execute on function money_in_suspense() to tollgate_work;
