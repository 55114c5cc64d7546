-- Movements of one day, so that `reconcile` does not read the whole history. Rows of both tables are added in time order,
-- so an index of page ranges (BRIN) finds a day, at almost no cost for `pay`.

-- No installation has enough rows yet that building the index would delay writers.
-- squawk-ignore require-concurrent-index-creation
create index ledger_transfers_by_time on ledger_transfers using brin (at);
-- squawk-ignore require-concurrent-index-creation
create index settlement_rows_by_time on settlement_rows using brin (at);
-- squawk-ignore require-concurrent-index-creation
create index settlement_rows_by_payment on settlement_rows (payment_id);
