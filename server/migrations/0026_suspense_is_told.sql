-- Metrics tell how much money is in suspense: it came after its merchant was told "no", and has not gone back. For all merchants
-- together, so the worker learns a sum and no merchant's name.

-- Few balances are in it, and a look every 15 seconds must not read the others.
-- No installation has so many balances yet that anybody would wait for it.
-- squawk-ignore require-concurrent-index-creation
create index balances_in_suspense on balances (currency) where account = 'suspense' and amount_minor <> 0;

-- With the owner's rights (security definer), as the roll-up has them.
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
