-- Movements of one day, for a `match` that need not read all that ever moved. Rows of both tables are added in the order of their time, so
-- an index of page ranges (BRIN) finds a day, and costs `pay` next to nothing.

-- No installation has so many rows yet that anybody would wait for it.
-- squawk-ignore require-concurrent-index-creation
create index ledger_transfers_by_time on ledger_transfers using brin (at);
-- squawk-ignore require-concurrent-index-creation
create index settlement_rows_by_time on settlement_rows using brin (at);
-- squawk-ignore require-concurrent-index-creation
create index settlement_rows_by_payment on settlement_rows (payment_id);
