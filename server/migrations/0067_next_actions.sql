-- The next action of a buyer, beyond an address and a code: an app, a code that renews, fields of the payment provider in
-- a frame, or a confirmation elsewhere.

-- JSON, null for the first address or code of an order, which is in provider_url and provider_code. A change of the
-- payment's status deletes it, because it may contain the client secret of an order. Adding the column rewrites no rows.
alter table payments add column next_action text;

-- erase_buyer empties the column, too. The function is otherwise unchanged, so this replaces only its list of columns.
do $$
declare
  before text := pg_get_functiondef('erase_buyer(smallint, text, text[], text[])'::regprocedure);
  after  text := replace(before, 'provider_url = null, sealed_code = null', 'provider_url = null, next_action = null, sealed_code = null');
begin
  if after = before then
    raise exception 'erase_buyer does not empty provider_url and sealed_code in one list';
  end if;
  execute after;
end
$$;
