-- A run can be killed after the bank's program may have taken a payout file, and before the handover is stored. If the
-- bank then rejects a payout of the file, the payout is FAILED before the handover. The handover must still be stored
-- with the bytes that the bank has, in which the rejected payout is contained.
create or replace function payout_file_needs_two_people() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  is_live   boolean := (select name from environment) = 'live';
  oversight text := coalesce(current_setting('app.oversight', true), '');
  created   payout_totals;
begin
  if tg_op = 'INSERT' then
    new.status := 'PLANNED';
    new.planned_login := session_user;
    new.planned_in := pg_current_xact_id();
    new.approved_by := null;
    new.approved_login := null;
    new.approved_at := null;
    new.approved_digest := null;
    new.handed_over_at := null;
    return new;
  end if;
  if (new.file_id, new.bank, new.currency, new.format, new.sha256, new.payout_count, new.sum_minor, new.created_at, new.execution_day,
      new.from_holder, new.from_iban, new.from_bic, new.is_recovered, new.planned_by, new.planned_login, new.planned_in)
    is distinct from
    (old.file_id, old.bank, old.currency, old.format, old.sha256, old.payout_count, old.sum_minor, old.created_at, old.execution_day,
      old.from_holder, old.from_iban, old.from_bic, old.is_recovered, old.planned_by, old.planned_login, old.planned_in)
    or (old.status <> 'PLANNED' and (new.approved_by, new.approved_login, new.approved_at, new.approved_digest)
      is distinct from (old.approved_by, old.approved_login, old.approved_at, old.approved_digest))
    or (old.status = 'HANDED_OVER' and (new.sent_sha256, new.sent_count, new.sent_minor, new.handed_over_at)
      is distinct from (old.sent_sha256, old.sent_count, old.sent_minor, old.handed_over_at))
  then
    raise exception 'A planned payout file cannot be changed. Plan another one.' using errcode = 'restrict_violation';
  end if;
  perform set_config('app.oversight', 'on', true);
  -- A payout that failed with VOID was never in the file. The bank has rejected the other failed ones, so they were in it.
  select count(*), count(*) filter (where status in ('PAID', 'RETURNED')), coalesce(sum(amount_minor), 0)
  into created from payouts
  where file_id = new.file_id and (status <> 'FAILED' or reason_code is distinct from 'VOID');
  perform set_config('app.oversight', oversight, true);
  if old.status = 'PLANNED' and new.status = 'APPROVED' then
    new.approved_login := session_user;
    new.approved_at := clock_timestamp();
    if new.approved_by is null or new.approved_digest is distinct from payout_file_digest(new.file_id) then
      raise exception 'The approved digest is not the digest of payout file %.', new.file_id
        using errcode = 'check_violation', constraint = 'payout_files_approved_as_shown';
    end if;
    if is_live and session_user = old.planned_login and not is_owner_login(tg_relid) then
      raise exception 'The login that planned payout file % cannot approve it.', new.file_id
        using errcode = 'check_violation', constraint = 'payout_files_approved_by_another_login';
    end if;
  elsif old.status = 'APPROVED' and new.status = 'RELEASED' then
    if old.approved_at < clock_timestamp() - interval '24 hours' then
      raise exception 'The approval of payout file % is older than 24 hours.', new.file_id
        using errcode = 'check_violation', constraint = 'payout_files_approval_expires';
    end if;
    if old.approved_digest is distinct from payout_file_digest(new.file_id) then
      raise exception 'Payout file % is not the one that was approved.', new.file_id
        using errcode = 'check_violation', constraint = 'payout_files_released_as_approved';
    end if;
  elsif old.status = 'RELEASED' and new.status = 'HANDED_OVER' then
    new.handed_over_at := coalesce(new.handed_over_at, clock_timestamp());
    if (new.sent_count, new.sent_minor) is distinct from (created.payout_count, created.sum_minor)
      or new.sent_sha256 is null or new.sent_count = 0
      or (new.sent_count = new.payout_count and new.sent_sha256 <> new.sha256)
    then
      raise exception 'The bytes of payout file % are not those of its payouts.', new.file_id
        using errcode = 'check_violation', constraint = 'payout_files_handed_over_as_approved';
    end if;
  end if;
  if new.status = 'DROPPED' and created.payout_count > 0 or new.status = 'VOIDED' and created.executed_count > 0 then
    raise exception 'Payout file % has payouts that the bank may execute.', new.file_id
      using errcode = 'check_violation', constraint = 'payout_files_given_up_without_payouts';
  end if;
  if new.void_requested_by is distinct from old.void_requested_by then
    new.void_requested_login := session_user;
  end if;
  if new.status = 'VOIDED' and old.status <> 'VOIDED' then
    new.voided_login := session_user;
    if new.voided_by is null or new.void_requested_login is null
      or (is_live and new.voided_login = new.void_requested_login and not is_owner_login(tg_relid))
    then
      raise exception 'Voiding payout file % needs an approval by another person.', new.file_id
        using errcode = 'check_violation', constraint = 'payout_files_voided_by_another_login';
    end if;
  end if;
  return new;
end
$$;
