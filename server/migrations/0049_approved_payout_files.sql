-- Payouts need an approved payout file (four-eyes principle). See docs/decisions/0105.
--
-- `payout run` stores a plan: a payout file with one line per payee, and the SHA-256 of its bytes. Another person
-- approves that plan. Only then can payout rows exist, each for one approved line, and only then can the file be handed
-- over.
--
-- The checks below apply to every login except the table owner and superusers, who can always bypass them. Only the
-- owner's login inserts the rows of a merchant that moves here from another cell.

do $$
begin
  if exists (select from payout_files where handed_over_at is null) or exists (select from payouts where status = 'CREATED')
    or exists (select from settlement_batches where status = 'PAYING' and payout_id is null)
  then
    raise exception 'A payout run of the previous release is not finished. Finish it with that release (`payout run`), then migrate.';
  end if;
end
$$;

alter table payout_files
  drop constraint payout_files_has_payouts,
  add column status               text not null default 'HANDED_OVER'
    constraint payout_files_status_known check (status in ('PLANNED', 'APPROVED', 'RELEASED', 'HANDED_OVER', 'VOIDED', 'DROPPED')),
  -- The debtor account, copied at planning, so that the bytes do not change when `banks` changes.
  add column from_holder          text,
  add column from_iban            text,
  add column from_bic             text,
  add column planned_by           text constraint payout_files_planned_by_is_short check (length(planned_by) between 1 and 200),
  -- The database sets every `_login`, `_in` and `approved_at` column; a statement cannot.
  add column planned_login        text,
  add column planned_in           xid8,
  add column approved_by          text constraint payout_files_approved_by_is_short check (length(approved_by) between 1 and 200),
  add column approved_login       text,
  add column approved_at          timestamptz,
  add column approved_digest      bytea,
  -- True if the row was read from a file in the bank folder that a restored database did not know. Such a file is not
  -- handed over again.
  add column is_recovered         boolean not null default false,
  -- The SHA-256 of the bytes that were handed over. It differs from the planned SHA-256 only if lines were dropped
  -- after the approval.
  add column sent_sha256          bytea,
  add column sent_count           integer,
  add column sent_minor           bigint,
  add column void_requested_by    text constraint payout_files_void_requested_by_is_short check (length(void_requested_by) between 1 and 200),
  add column void_requested_login text,
  add column voided_by            text constraint payout_files_voided_by_is_short check (length(voided_by) between 1 and 200),
  add column voided_login         text;
alter table payout_files alter column status set default 'PLANNED';

-- At most one open plan per debtor account, so that two concurrent runs cannot pay the same batch. The table has a row
-- per payout run, so the lock is short.
-- squawk-ignore require-concurrent-index-creation
create unique index payout_files_one_open on payout_files (bank, currency) where status in ('PLANNED', 'APPROVED', 'RELEASED');
-- squawk-ignore require-concurrent-index-deletion
drop index payout_files_to_hand_over;

create trigger payout_file_follows_its_lifecycle before update of status on payout_files
  for each row execute function payout_file_follows_its_lifecycle();

-- One payee of a planned file. Lines are inserted with their file, in one transaction, and never changed. If a merchant
-- cannot be paid any more when the approved file is released, its line is dropped, with the reason.
create table payout_file_lines (
  bucket       smallint not null constraint payout_file_lines_bucket_in_range check (bucket between 0 and 1023),
  client_id    text not null,
  file_id      text not null,
  batch_id     text not null,
  -- The number of the attempt: 1 for the first payout of the batch, 2 after the first payout failed or was returned.
  attempt      smallint not null constraint payout_file_lines_attempt_in_range check (attempt between 1 and 99),
  -- The payout id, which is also the end-to-end id. It is derived from merchant, currency, the batch's last day and the
  -- attempt, so it is the same after a restore.
  payout_id    text not null,
  currency     text not null,
  amount_minor bigint not null constraint payout_file_lines_amount_positive check (amount_minor > 0),
  account_id   text not null,
  dropped_for  text constraint payout_file_lines_dropped_for_is_short check (length(dropped_for) between 1 and 100),
  primary key (bucket, client_id, file_id, batch_id)
);
create index payout_file_lines_by_file on payout_file_lines (file_id);

alter table payout_file_lines enable row level security;
alter table payout_file_lines force row level security;
create policy payout_file_lines_own_rows on payout_file_lines
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy payout_file_lines_seen_by_the_operator on payout_file_lines for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create policy payout_file_lines_seen_by_staff on payout_file_lines for select to tollgate_support
  using (current_setting('app.oversight', true) = 'on');

-- The digest that two people approve: the file's header data, the SHA-256 of its bytes, and each payee with account and
-- amount.
create function payout_file_digest(of_file text) returns bytea
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  oversight text := coalesce(current_setting('app.oversight', true), '');
  digest    bytea;
begin
  perform set_config('app.oversight', 'on', true);
  select sha256(convert_to(jsonb_build_array(f.file_id, f.bank, f.currency, f.format, f.execution_day, f.created_at, f.from_holder,
    f.from_iban, f.from_bic, encode(f.sha256, 'hex'), f.payout_count, f.sum_minor, (
      select jsonb_agg(jsonb_build_array(l.client_id, l.batch_id, l.attempt, l.payout_id, l.currency, l.amount_minor, l.account_id,
        a.holder, a.iban, a.bic) order by l.client_id, l.batch_id)
      from payout_file_lines as l
      join bank_accounts as a on a.bucket = l.bucket and a.client_id = l.client_id and a.account_id = l.account_id
      where l.file_id = f.file_id))::text, 'UTF8'))
  into digest
  from payout_files as f where f.file_id = of_file;
  perform set_config('app.oversight', oversight, true);
  return digest;
end
$$;

-- Returns whether the session's login is the owner of a table, or a superuser.
create function is_owner_login(of_table oid) returns boolean
  language sql stable set search_path = pg_catalog as $$
  select pg_has_role(session_user, (select relowner from pg_class where oid = of_table), 'member')
$$;

create type payout_totals as (payout_count integer, executed_count integer, sum_minor bigint);

create function payout_file_needs_two_people() returns trigger
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
  select count(*), count(*) filter (where status in ('PAID', 'RETURNED')), coalesce(sum(amount_minor), 0)
  into created from payouts where file_id = new.file_id and status <> 'FAILED';
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
create trigger payout_file_needs_two_people before insert or update on payout_files
  for each row execute function payout_file_needs_two_people();

-- No file is handed over without an audit row that has its SHA-256, number of payouts and total.
create function payout_file_is_audited() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if not exists (
    select from audit where transaction = pg_current_xact_id() and act = 'payout hand-over' and subject = new.file_id
      and after ->> 'sha256' = encode(new.sent_sha256, 'hex') and after ->> 'payoutCount' = new.sent_count::text
      and after ->> 'totalMinor' = new.sent_minor::text)
  then
    raise exception 'Payout file % is handed over without an audit row.', new.file_id
      using errcode = 'check_violation', constraint = 'payout_files_handed_over_is_audited';
  end if;
  return null;
end
$$;
create constraint trigger payout_file_is_audited after update on payout_files deferrable initially deferred
  for each row when (new.status = 'HANDED_OVER' and old.status <> 'HANDED_OVER') execute function payout_file_is_audited();

create function payout_file_line_is_frozen() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if is_owner_login(tg_relid) and tg_op = 'INSERT' then
    return new;
  end if;
  if tg_op = 'INSERT' then
    if new.dropped_for is not null or not exists (
      select from payout_files as f where f.file_id = new.file_id and f.status = 'PLANNED' and f.currency = new.currency
        and f.planned_in = pg_current_xact_id())
    then
      raise exception 'A line is planned in the transaction of its file, or not at all.'
        using errcode = 'check_violation', constraint = 'payout_file_lines_planned_with_their_file';
    end if;
    return new;
  end if;
  if (new.bucket, new.client_id, new.file_id, new.batch_id, new.attempt, new.payout_id, new.currency, new.amount_minor, new.account_id)
    is distinct from
    (old.bucket, old.client_id, old.file_id, old.batch_id, old.attempt, old.payout_id, old.currency, old.amount_minor, old.account_id)
    or old.dropped_for is not null
    or exists (select from payouts as p where p.bucket = old.bucket and p.client_id = old.client_id and p.payout_id = old.payout_id)
  then
    raise exception 'A line of a payout file cannot be changed.' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger payout_file_line_is_frozen before insert or update on payout_file_lines
  for each row execute function payout_file_line_is_frozen();

-- A payout exists only for a line of a released file, with that line's batch, account and amount. The account must be
-- approved, past its cooling-off period and not ended, and the merchant's payouts not on hold. After that only the
-- payout's progress changes.
create function payout_is_approved() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op = 'UPDATE' then
    if (new.bucket, new.client_id, new.payout_id, new.batch_id, new.currency, new.amount_minor, new.account_id, new.bank,
        new.end_to_end_id, new.file_id, new.created_at)
      is distinct from
      (old.bucket, old.client_id, old.payout_id, old.batch_id, old.currency, old.amount_minor, old.account_id, old.bank,
        old.end_to_end_id, old.file_id, old.created_at)
    then
      raise exception 'A payout cannot be changed, except for its progress.' using errcode = 'restrict_violation';
    end if;
    return new;
  end if;
  if is_owner_login(tg_relid) then
    return new;
  end if;
  -- `payouts_are_held` is created in migration 0052.
  if new.status <> 'CREATED' or new.sent_at is not null or new.finished_at is not null or new.end_to_end_id <> new.payout_id
    or not exists (
    select from payout_files as f
    join payout_file_lines as l on l.file_id = f.file_id
    join settlement_batches as b on b.bucket = l.bucket and b.client_id = l.client_id and b.batch_id = l.batch_id
    join bank_accounts as a on a.bucket = l.bucket and a.client_id = l.client_id and a.account_id = l.account_id
    where f.file_id = new.file_id and f.status = 'RELEASED' and f.bank = new.bank and f.currency = new.currency
      and (l.bucket, l.client_id, l.batch_id, l.payout_id, l.account_id, l.currency, l.amount_minor)
        = (new.bucket, new.client_id, new.batch_id, new.payout_id, new.account_id, new.currency, new.amount_minor)
      and l.dropped_for is null
      and b.status = 'PAYING' and b.payout_id = new.payout_id and b.bank = new.bank
      and coalesce(b.settle_currency, b.currency) = new.currency and coalesce(b.settle_minor, b.net_minor) = new.amount_minor
      and a.currency = new.currency and a.approved_at is not null
      -- A recovered file is not checked for ended accounts and holds, because the bank already has it.
      and (f.is_recovered
        or (a.ended_at is null and a.usable_from <= clock_timestamp() and not payouts_are_held(new.bucket, new.client_id))))
  then
    raise exception 'Payout % is not a line of a released payout file.', new.payout_id
      using errcode = 'check_violation', constraint = 'payouts_are_approved';
  end if;
  return new;
end
$$;
-- An index of the payouts of a batch, to number the attempts. The table has few rows: one per merchant and day.
-- squawk-ignore require-concurrent-index-creation
create index payouts_by_batch on payouts (bucket, client_id, batch_id);
-- squawk-ignore require-concurrent-index-deletion
drop index payouts_to_send;
create trigger payout_is_approved before insert or update on payouts for each row execute function payout_is_approved();

-- A payout needs its ledger transfer, and the merchant's balance must cover it.
create function payout_is_booked() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  payable text := 'merchant payable ' || new.client_id;
  summed  xid8 := (select summed_up_to from balances_position);
  owed    numeric;
begin
  if is_owner_login(tg_relid) then
    return null;
  end if;
  if not exists (
    select from ledger_transfers where bucket = new.bucket and subject_id = new.payout_id and effect = 'payout'
      and client_id = new.client_id and debit_account = payable and credit_account = 'payout in transit ' || new.client_id
      and currency = new.currency and amount_minor = new.amount_minor)
  then
    raise exception 'Payout % has no ledger transfer.', new.payout_id
      using errcode = 'check_violation', constraint = 'payouts_are_booked';
  end if;
  select coalesce((select -amount_minor from balances
      where bucket = new.bucket and client_id = new.client_id and account = payable and currency = new.currency), 0)
    + coalesce(sum(case when debit_account = payable then -amount_minor else amount_minor end), 0)
  into owed
  from ledger_transfers
  where transaction >= summed and client_id = new.client_id and currency = new.currency and payable in (debit_account, credit_account);
  if owed < 0 then
    raise exception 'Payout % exceeds what the operator owes the merchant.', new.payout_id
      using errcode = 'check_violation', constraint = 'payouts_are_covered';
  end if;
  return null;
end
$$;
create constraint trigger payout_is_booked after insert on payouts deferrable initially deferred
  for each row execute function payout_is_booked();

revoke all on function payout_file_digest(text), is_owner_login(oid), payout_file_needs_two_people(), payout_file_is_audited(),
  payout_file_line_is_frozen(), payout_is_approved(), payout_is_booked() from public;
grant execute on function payout_file_digest(text) to tollgate_finance;

grant select on payout_file_lines to tollgate_support;
grant insert (bucket, client_id, file_id, batch_id, attempt, payout_id, currency, amount_minor, account_id), update (dropped_for)
  on payout_file_lines to tollgate_finance;

revoke insert, update on payout_files, payouts from tollgate_finance;
revoke update on settlement_batches from tollgate_finance;
grant insert (file_id, bank, currency, format, sha256, payout_count, sum_minor, created_at, execution_day, from_holder, from_iban,
  from_bic, is_recovered, planned_by), update (status, approved_by, approved_digest, sent_sha256, sent_count, sent_minor, handed_over_at,
  void_requested_by, voided_by) on payout_files to tollgate_finance;
grant insert (bucket, client_id, payout_id, batch_id, currency, amount_minor, account_id, bank, end_to_end_id, status, file_id,
  created_at), update (status, reason_code, sent_at, finished_at) on payouts to tollgate_finance;
grant update (status, waits_for, bank, payout_id, carried_to, released_in) on settlement_batches to tollgate_finance;

-- The newest file in the bank's folder, as stated by two people after a restore. See docs/operating/payouts.md.
create table payout_resyncs (
  bank            text not null,
  newest_file     text not null constraint payout_resyncs_newest_file_is_short check (length(newest_file) between 1 and 35),
  requested_by    text not null constraint payout_resyncs_requested_by_is_short check (length(requested_by) between 1 and 200),
  requested_login text not null,
  requested_at    timestamptz not null,
  confirmed_by    text constraint payout_resyncs_confirmed_by_is_short check (length(confirmed_by) between 1 and 200),
  confirmed_login text,
  confirmed_at    timestamptz,
  primary key (bank, newest_file, requested_at)
);

create function payout_resync_needs_two_people() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    new.requested_login := session_user;
    new.requested_at := clock_timestamp();
    new.confirmed_by := null;
    new.confirmed_login := null;
    new.confirmed_at := null;
    return new;
  end if;
  if (new.bank, new.newest_file, new.requested_by, new.requested_login, new.requested_at)
    is distinct from (old.bank, old.newest_file, old.requested_by, old.requested_login, old.requested_at)
    or old.confirmed_at is not null or new.confirmed_by is null
  then
    raise exception 'A statement about the bank folder cannot be changed.' using errcode = 'restrict_violation';
  end if;
  new.confirmed_login := session_user;
  new.confirmed_at := clock_timestamp();
  if session_user = old.requested_login and (select name from environment) = 'live' and not is_owner_login(tg_relid) then
    raise exception 'The login that stated the newest file cannot confirm it.'
      using errcode = 'check_violation', constraint = 'payout_resyncs_confirmed_by_another_login';
  end if;
  return new;
end
$$;
create trigger payout_resync_needs_two_people before insert or update on payout_resyncs
  for each row execute function payout_resync_needs_two_people();
revoke all on function payout_resync_needs_two_people() from public;
grant select on payout_resyncs to tollgate_support;
grant insert (bank, newest_file, requested_by), update (confirmed_by) on payout_resyncs to tollgate_finance;
