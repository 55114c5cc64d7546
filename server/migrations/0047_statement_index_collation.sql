-- The index of statements, in a collation that no other query uses. A balance is a sum and the few newer rows, found by
-- their transaction number. The planner does not know how few they are, and read all rows of the merchant through the
-- old index instead. An index in another collation serves only queries that name this collation. See
-- docs/decisions/0103. No installation has enough rows yet that building the index would delay writers.
-- squawk-ignore require-concurrent-index-creation
create index ledger_transfers_of_client on ledger_transfers (client_id collate "C", at);
-- squawk-ignore require-concurrent-index-deletion
drop index ledger_transfers_by_client;
