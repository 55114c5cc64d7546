-- `row_changes` is unlogged, and PostgreSQL 15 makes the sequence of its identity column unlogged as well. A standby
-- that is promoted before its first restartpoint after `migrate` has no first page of an unlogged sequence ("bad magic
-- number in sequence"). There, each command that writes an audited row failed. The table needs no WAL, because no row
-- outlives its transaction. The sequence needs it.
alter sequence row_changes_change_id_seq set logged;
