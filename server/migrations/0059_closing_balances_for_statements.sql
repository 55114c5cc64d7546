-- The closing balances of a merchant's account around a month: of the newest closed month before it, and of the oldest
-- closed month from it on. A statement of an old month starts from one of them, and does not read all movements since.
-- None from before a move of the merchant between cells, because each cell closes only the rows that it has. The
-- function runs with the owner's privileges, because the closed months of all merchants are one table without row-level
-- security; it returns rows of the session's merchants only.
create function closings_around(of_client text, of_account text, of_currency text, of_month text)
  returns table (month text, amount_minor numeric)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select sums.month, sums.amount_minor from (
    select max(m.month) from closed_months as m where m.month < of_month
    union all
    select min(m.month) from closed_months as m where m.month >= of_month
  ) as near (month) join closed_months as closed using (month) join closed_sums as sums using (month)
  where sums.client = of_client and sums.account = of_account and sums.currency = of_currency
    and of_client = any (nullif(current_setting('app.clients', true), '')::text[])
    and not exists (select from client_homes as home where home.client = of_client and home.since >= closed.closed_at)
$$;
revoke all on function closings_around(text, text, text, text) from public;
grant execute on function closings_around(text, text, text, text) to tollgate_app, tollgate_support;
