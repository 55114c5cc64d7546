-- The tables of migrations 0049, 0051 and 0052 in the matrix of database privileges: what staff write there is recorded
-- for the audit log, and in live the release of a payout hold needs approval. See server/src/audit/privileges.ts.
--
-- Payout files and payout resyncs have a separate approval by two logins. A payout is a line of an approved payout
-- file.

create trigger record_row_change after insert or update or delete on payout_holds for each row
  execute function record_row_change('approval', '=client_id', '=held_at', '-bucket', '@released_at', '!released_at', '!delete');
create trigger record_row_change after insert or update or delete on payout_resyncs for each row
  execute function record_row_change('staff', '=bank', '=newest_file', '@requested_at', '@confirmed_at');
create trigger record_row_change after insert or update or delete on payout_file_lines for each row
  execute function record_row_change('staff', '=client_id', '=file_id', '=batch_id', '-bucket');
create trigger record_bulk_insert after insert on payout_entries referencing new table as new_rows
  for each statement execute function record_bulk_insert();
create trigger record_bulk_insert after insert on payout_reports referencing new table as new_rows
  for each statement execute function record_bulk_insert();

-- `reconcile` opens a break again when written-off money is booked after all. The new break has the sum of the old one. A
-- change of that sum needs approval in live, as before.
grant insert (written_off_minor, write_off_account, assigned_to, assigned_at), update (written_off_minor) on breaks to tollgate_finance;
