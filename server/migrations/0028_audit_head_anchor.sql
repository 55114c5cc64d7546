-- The worker signs the head of the audit log once a minute and writes it to its process log, which is stored elsewhere.
-- So there is an anchor without manual work, which a database administrator cannot forge. The worker reads a number and
-- a hash, but no row.

-- Runs with the owner's privileges (security definer), because the last row may be about any merchant.
create function audit_head() returns table (seq bigint, hash text)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp
  begin atomic
    select audit.seq, encode(audit.hash, 'hex') from audit order by audit.seq desc limit 1;
  end;

revoke all on function audit_head() from public;
grant execute on function audit_head() to tollgate_work;
