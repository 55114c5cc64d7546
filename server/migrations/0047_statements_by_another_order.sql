-- The index of statements, where nothing else is tempted to use it. A balance is a sum and the few rows after it, found by their transaction; but
-- the planner, which does not know how few, took the merchant's own rows instead, all of them. An index in another collation serves only
-- whoever asks in that collation. See docs/decisions/0103.
-- No installation has so many rows yet that anybody would wait for it.
-- squawk-ignore require-concurrent-index-creation
create index ledger_transfers_of_client on ledger_transfers (client_id collate "C", at);
-- squawk-ignore require-concurrent-index-deletion
drop index ledger_transfers_by_client;
