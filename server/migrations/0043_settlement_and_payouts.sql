-- Settlement and payouts: what the operator owes a merchant is collected in batches, and a batch is paid to the
-- merchant's bank account. See docs/decisions/0102.
--
-- Sums are changes of what the operator owes the merchant, in minor units: refunds, fees and reserves are negative.

-- Destinations of payouts. One person requests an account, and another person approves it. Payouts to the account begin
-- at `usable_from`.
create table bank_accounts (
  bucket      smallint not null constraint bank_accounts_bucket_in_range check (bucket between 0 and 1023),
  client_id   text not null,
  account_id  text not null,
  currency    text not null,
  holder      text not null constraint bank_accounts_holder_fits_the_file check (length(holder) between 1 and 140),
  iban        text not null constraint bank_accounts_iban_looks_like_one check (iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'),
  -- The masked IBAN for all roles except finance.
  iban_shown  text not null constraint bank_accounts_iban_shown_in_part check (iban_shown = left(iban, 4) || ' … ' || right(iban, 4)),
  bic         text constraint bank_accounts_bic_looks_like_one check (bic ~ '^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$'),
  -- Hours between the approval and the first payout.
  wait_hours  smallint not null constraint bank_accounts_wait_is_not_for_ever check (wait_hours between 0 and 720),
  asked_by    text not null,
  asked_login text not null,
  asked_at    timestamptz not null,
  approved_by text,
  approved_login text,
  approved_at timestamptz,
  usable_from timestamptz,
  ended_at    timestamptz,
  primary key (bucket, client_id, account_id),
  constraint bank_accounts_approved_in_full
    check (num_nulls(approved_by, approved_login, approved_at, usable_from) in (0, 4))
);

create unique index bank_accounts_one_approved on bank_accounts (bucket, client_id, currency)
  where approved_at is not null and ended_at is null;
create unique index bank_accounts_one_asked_for on bank_accounts (bucket, client_id, currency)
  where approved_at is null and ended_at is null;

-- The database sets logins itself. In live the login that requested an account cannot approve it. The owner's login can
-- approve its own request: the command requires an explicit confirmation, and the audit log shows it. The owner's login
-- also inserts the rows of merchants that move to this cell. The destination never changes: another account is a new
-- row.
create function bank_account_is_of_two() returns trigger
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  is_owner boolean := pg_has_role(session_user, (select relowner from pg_class where oid = tg_relid), 'member');
begin
  if tg_op = 'INSERT' then
    if not is_owner then
      new.asked_login := session_user;
      new.approved_by := null;
      new.approved_login := null;
      new.approved_at := null;
      new.usable_from := null;
    end if;
    return new;
  end if;
  if (new.currency, new.holder, new.iban, new.bic, new.wait_hours, new.asked_by, new.asked_login, new.asked_at)
    is distinct from
    (old.currency, old.holder, old.iban, old.bic, old.wait_hours, old.asked_by, old.asked_login, old.asked_at)
    or (old.approved_at is not null and (new.approved_by, new.approved_login, new.approved_at, new.usable_from)
      is distinct from (old.approved_by, old.approved_login, old.approved_at, old.usable_from))
  then
    raise exception 'A bank account cannot be changed. Request another one.' using errcode = 'restrict_violation';
  end if;
  if old.approved_at is null and new.approved_at is not null and not is_owner then
    new.approved_login := session_user;
    new.approved_at := clock_timestamp();
    new.usable_from := greatest(new.usable_from, new.approved_at);
    if session_user = old.asked_login and (select name from environment) = 'live' then
      raise exception 'The login that requested the bank account cannot approve it.'
        using errcode = 'check_violation', constraint = 'bank_accounts_approved_by_another_login';
    end if;
  end if;
  return new;
end
$$;

create trigger bank_account_is_of_two before insert or update on bank_accounts
  for each row execute function bank_account_is_of_two();
revoke all on function bank_account_is_of_two() from public;

-- Settlement terms of a merchant, from a book day on.
create table settlement_terms (
  bucket               smallint not null constraint settlement_terms_bucket_in_range check (bucket between 0 and 1023),
  client_id            text not null,
  currency             text not null,
  from_day             date not null,
  -- The period of a batch: a day (D), a week from Monday (W), or a month (M).
  cycle                text not null constraint settlement_terms_cycle_known check (cycle in ('D', 'W', 'M')),
  -- Business days between the end of a batch and its due day.
  days_after           smallint not null constraint settlement_terms_days_after_in_range check (days_after between 0 and 60),
  minimum_minor        bigint not null constraint settlement_terms_minimum_not_negative check (minimum_minor >= 0),
  reserve_basis_points integer not null
    constraint settlement_terms_reserve_is_a_part check (reserve_basis_points between 0 and 10000),
  reserve_days         integer not null constraint settlement_terms_reserve_days_in_range check (reserve_days between 0 and 3650),
  primary key (bucket, client_id, currency, from_day)
);

create table settlement_batches (
  bucket         smallint not null constraint settlement_batches_bucket_in_range check (bucket between 0 and 1023),
  client_id      text not null,
  batch_id       text not null,
  currency       text not null,
  -- Book days, `to_day` included.
  from_day       date not null,
  to_day         date not null,
  due_day        date not null,
  gross_minor    bigint not null,
  refunds_minor  bigint not null,
  disputes_minor bigint not null,
  fees_minor     bigint not null,
  tax_minor      bigint not null,
  other_minor    bigint not null,
  -- Reserves released from earlier batches, minus the reserve that this batch withholds.
  reserve_minor  bigint not null,
  -- The sum of earlier batches that were carried into this batch, because they were below the minimum or negative.
  carried_minor  bigint not null,
  net_minor      bigint not null,
  -- The reserve that this batch withholds, its release day, and the batch in which it was released.
  held_minor     bigint not null constraint settlement_batches_held_not_negative check (held_minor >= 0),
  release_day    date,
  released_in    text,
  -- The batch that includes this carried batch.
  carried_to     text,
  status         text not null constraint settlement_batches_status_known check (status in ('DUE', 'CARRIED', 'PAYING', 'PAID')),
  -- Why a due batch was not paid: a value of settlement/payouts/payout.ts.
  waits_for      text,
  closed_at      timestamptz not null,
  -- The bank that pays the batch; set when the batch is released for payment.
  bank           text,
  -- The payout that pays or has paid the batch; null until a payout claims the batch, and again after the payout was
  -- returned.
  payout_id      text,
  primary key (bucket, client_id, batch_id),
  constraint settlement_batches_once_a_day unique (bucket, client_id, currency, to_day),
  constraint settlement_batches_days_in_order check (from_day <= to_day),
  constraint settlement_batches_sums_add_up check (net_minor = gross_minor + refunds_minor + disputes_minor + fees_minor
    + tax_minor + other_minor + reserve_minor + carried_minor),
  constraint settlement_batches_only_what_is_owed_is_paid check (status = 'CARRIED' or net_minor > 0),
  constraint settlement_batches_carried_ones_are_carried check (carried_to is null or status = 'CARRIED'),
  constraint settlement_batches_held_until_a_day check ((held_minor > 0) = (release_day is not null))
);

create trigger settlement_batch_follows_its_lifecycle before update of status on settlement_batches
  for each row execute function settlement_batch_follows_its_lifecycle();

create index settlement_batches_to_pay on settlement_batches (status, due_day) where status in ('DUE', 'PAYING');
create index settlement_batches_to_carry on settlement_batches (bucket, client_id, currency)
  where status = 'CARRIED' and carried_to is null;
create index settlement_batches_to_release on settlement_batches (bucket, client_id, currency, release_day)
  where held_minor > 0 and released_in is null;

-- Each movement of what the operator owes a merchant is in exactly one batch. Payouts and their returns are not
-- movements in this sense: they belong to the batch itself.
create table settlement_items (
  bucket     smallint not null constraint settlement_items_bucket_in_range check (bucket between 0 and 1023),
  client_id  text not null,
  subject_id text not null,
  effect     text not null,
  batch_id   text not null,
  primary key (bucket, subject_id, effect)
);

create index settlement_items_by_batch on settlement_items (bucket, client_id, batch_id);

-- Debtor accounts: the operator's own accounts from which payouts are made.
create table banks (
  name     text not null constraint banks_name_is_short check (name ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  currency text not null,
  holder   text not null constraint banks_holder_fits_the_file check (length(holder) between 1 and 140),
  iban     text not null constraint banks_iban_looks_like_one check (iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'),
  bic      text not null constraint banks_bic_looks_like_one check (bic ~ '^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$'),
  primary key (name, currency)
);

-- A payout file for a bank (pain.001). It can be written again with the same bytes from the rows of its payouts.
create table payout_files (
  -- The message id: a bank accepts a message once.
  file_id        text primary key,
  bank           text not null,
  currency       text not null,
  format         text not null constraint payout_files_format_known check (format in ('pain.001.001.09', 'pain.001.001.03')),
  sha256         bytea not null,
  payout_count   integer not null constraint payout_files_has_payouts check (payout_count > 0),
  sum_minor      bigint not null,
  created_at     timestamptz not null,
  handed_over_at timestamptz
);

create index payout_files_to_hand_over on payout_files (file_id) where handed_over_at is null;

create table payouts (
  bucket        smallint not null constraint payouts_bucket_in_range check (bucket between 0 and 1023),
  client_id     text not null,
  payout_id     text not null,
  batch_id      text not null,
  currency      text not null,
  amount_minor  bigint not null constraint payouts_amount_positive check (amount_minor > 0),
  account_id    text not null,
  bank          text not null,
  -- The reference that the bank reports back. It is equal to the payout id.
  end_to_end_id text not null,
  status        text not null constraint payouts_status_known check (status in ('CREATED', 'SENT', 'PAID', 'FAILED', 'RETURNED')),
  -- The bank's reason code (ISO 20022) for a failed or returned payout.
  reason_code   text constraint payouts_reason_code_is_short check (length(reason_code) between 1 and 35),
  file_id       text,
  created_at    timestamptz not null,
  sent_at       timestamptz,
  finished_at   timestamptz,
  primary key (bucket, client_id, payout_id),
  constraint payouts_end_to_end_once unique (end_to_end_id),
  constraint payouts_sent_in_a_file check (status = 'CREATED' or (file_id is not null and sent_at is not null))
);

create trigger payout_follows_its_lifecycle before update of status on payouts
  for each row execute function payout_follows_its_lifecycle();

-- Prevents a duplicate payout: a batch gets another payout only after the previous one failed or was returned.
create unique index payouts_one_for_a_batch on payouts (bucket, client_id, batch_id) where status in ('CREATED', 'SENT', 'PAID');
create index payouts_by_file on payouts (file_id);
create index payouts_to_send on payouts (bank, currency) where status = 'CREATED';

do $$
declare
  made text;
begin
  foreach made in array array['bank_accounts', 'settlement_terms', 'settlement_batches', 'settlement_items', 'payouts']
  loop
    execute format('alter table %I enable row level security', made);
    execute format('alter table %I force row level security', made);
    execute format('create policy %I on %I using (client_id = any (nullif(current_setting(''app.clients'', true), '''')::text[]))',
      made || '_own_rows', made);
    execute format('create policy %I on %I for select to current_user using (current_setting(''app.oversight'', true) = ''on'')',
      made || '_seen_by_the_operator', made);
    execute format('create policy %I on %I for select to tollgate_support using (current_setting(''app.oversight'', true) = ''on'')',
      made || '_seen_by_staff', made);
  end loop;
end
$$;

grant select on settlement_batches, settlement_items, payouts to tollgate_app;
grant select on settlement_terms, settlement_batches, settlement_items, payout_files, payouts to tollgate_support;
grant select (bucket, client_id, account_id, currency, holder, iban_shown, bic, wait_hours, asked_by, asked_login, asked_at,
  approved_by, approved_login, approved_at, usable_from, ended_at) on bank_accounts to tollgate_support;

grant select, insert, update on bank_accounts, banks to tollgate_finance;
grant insert, update on settlement_terms, settlement_batches, payout_files, payouts to tollgate_finance;
grant insert on settlement_items, ledger_transfers to tollgate_finance;
grant insert, update on reserves to tollgate_finance;

-- In live a payout needs an approval by finance.
grant insert (digest, act, subject, about_client, before, after, reason, asked_by), update (approved_by, used_at) on approval_requests
  to tollgate_finance;
