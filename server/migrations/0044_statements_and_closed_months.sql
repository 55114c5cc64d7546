-- What a merchant is told of its money day by day, and the months that finance has closed.

-- A statement is one merchant's movements in the order of their time. Nothing else finds them: ids are by when a record was made, and money
-- moves later.
-- No installation has so many rows yet that anybody would wait for it.
-- squawk-ignore require-concurrent-index-creation
create index ledger_transfers_by_client on ledger_transfers (client_id, at);

-- A month of the books that was closed. Nothing is kept from being posted into it, because `pay` would have to ask: `match` compares what was
-- written down here with what the ledger says since, and a difference is a break.
create table closed_months (
  month     text primary key constraint closed_months_of_the_calendar check (month ~ '^\d{4}-(0[1-9]|1[0-2])$'),
  row_count bigint not null,
  closed_at timestamptz not null
);

-- What stood in each account at the end of a month that was closed. The client is part of it, because a merchant can move to another cell.
create table closed_sums (
  month        text not null references closed_months (month),
  client       text not null,
  account      text not null,
  currency     text not null,
  -- Debits less credits.
  amount_minor numeric(38, 0) not null,
  -- How often it was debited or credited: two mistakes that make up for each other are seen, too.
  row_count    bigint not null,
  primary key (month, client, account, currency)
);

grant select on closed_months, closed_sums to tollgate_support;
grant insert on closed_months, closed_sums to tollgate_finance;
