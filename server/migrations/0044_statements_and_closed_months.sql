-- Daily statements of a merchant's money, and closed months.

-- A statement lists one merchant's movements in time order. No other index finds them: ids contain the creation time of
-- the record, and its money moves later. No installation has enough rows yet that building the index would delay
-- writers.
-- squawk-ignore require-concurrent-index-creation
create index ledger_transfers_by_client on ledger_transfers (client_id, at);

-- A closed month. Postings into it are not prevented, because `pay` would have to check it. `reconcile` compares the sums
-- stored here with the ledger, and a difference is a break.
create table closed_months (
  month     text primary key constraint closed_months_of_the_calendar check (month ~ '^\d{4}-(0[1-9]|1[0-2])$'),
  row_count bigint not null,
  closed_at timestamptz not null
);

-- The balance of each account at the end of a closed month. The client is part of the key, because a merchant can move
-- to another cell.
create table closed_sums (
  month        text not null references closed_months (month),
  client       text not null,
  account      text not null,
  currency     text not null,
  -- Debits less credits.
  amount_minor numeric(38, 0) not null,
  -- The number of debits and credits, so that two errors that cancel each other out are detected.
  row_count    bigint not null,
  primary key (month, client, account, currency)
);

grant select on closed_months, closed_sums to tollgate_support;
grant insert on closed_months, closed_sums to tollgate_finance;
