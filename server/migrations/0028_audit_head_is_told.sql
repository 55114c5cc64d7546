-- The worker signs the head of the audit once a minute and writes it to its log, which is kept elsewhere: an anchor that nobody has to
-- remember, and that an administrator of the database cannot make. It learns a number and a hash, and no row.

-- With the owner's rights (security definer), because the last row may be about any merchant.
create function audit_head() returns table (seq bigint, hash text)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp
  begin atomic
    select audit.seq, encode(audit.hash, 'hex') from audit order by audit.seq desc limit 1;
  end;

revoke all on function audit_head() from public;
grant execute on function audit_head() to tollgate_work;
