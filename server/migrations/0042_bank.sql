-- Banks: fees and payouts in providers' settlement files, entries of bank statements, and breaks with an assigned
-- person. See docs/decisions/0101.

-- Rows without a payment have an empty reference and payment id, because both columns are part of a key.
alter table settlement_rows
  drop constraint settlement_rows_kind_known,
  drop constraint settlement_rows_amount_positive;
alter table settlement_rows
  -- Both constraints allow more than the ones they replace, so all existing rows pass.
  -- squawk-ignore constraint-missing-not-valid
  add constraint settlement_rows_kind_known check (kind in ('payment', 'capture', 'refund', 'chargeback', 'chargeback_reversal',
    'fee', 'payout', 'adjustment')),
  -- A negative fee is returned to the operator; a negative adjustment is taken from the operator.
  -- squawk-ignore constraint-missing-not-valid
  add constraint settlement_rows_amount_positive check (amount_minor > 0 or (amount_minor < 0 and kind in ('fee', 'adjustment')));

-- A bank statement. A file with several statements has a row for each.
create table bank_files (
  file_id       bigint generated always as identity primary key,
  bank          text not null constraint bank_files_bank_is_a_name check (bank ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  name          text not null,
  sha256        bytea not null,
  kind          text not null constraint bank_files_kind_known check (kind in ('camt.053', 'camt.054')),
  statement_id  text not null,
  -- The operator's account at the bank: an IBAN, or the bank's own number.
  account       text not null,
  currency      text not null,
  -- Balances in minor units, negative when overdrawn. A statement has both balances, and a notice (camt.054) has none.
  opening_minor bigint,
  opening_at    timestamptz,
  closing_minor bigint,
  closing_at    timestamptz,
  entry_count   integer not null,
  imported_at   timestamptz not null,
  constraint bank_files_statement_once unique (bank, account, kind, statement_id),
  constraint bank_files_statements_have_balances
    check (num_nulls(opening_minor, opening_at, closing_minor, closing_at) = case kind when 'camt.053' then 0 else 4 end)
);

create index bank_files_by_content on bank_files (bank, sha256);
create index bank_files_in_order on bank_files (bank, account, currency, closing_at);

-- The booked entries of statements.
create table bank_lines (
  bank            text not null,
  entry_reference text not null,
  currency        text not null,
  amount_minor    bigint not null constraint bank_lines_amount_positive check (amount_minor > 0),
  -- True if the entry is a credit of the operator's account.
  is_credit       boolean not null,
  is_reversal     boolean not null,
  booked_at       timestamptz not null,
  end_to_end_id   text,
  reference       text not null,
  return_reason   text,
  file_id         bigint not null,
  line            integer not null,
  primary key (bank, entry_reference)
);

create index bank_lines_by_end_to_end_id on bank_lines (end_to_end_id) where end_to_end_id is not null;
create index bank_lines_by_time on bank_lines (booked_at);

-- Transfers that wait for a bank entry are few compared with payments. No installation has enough rows yet that
-- building the index would delay writers.
-- squawk-ignore require-concurrent-index-creation
create index ledger_transfers_in_clearing on ledger_transfers (at) where debit_account = 'clearing' or credit_account = 'clearing';

alter table breaks
  add column assigned_to text,
  add column assigned_at timestamptz,
  -- The amount that was written off, which is how much less the provider or the bank owed than the ledger shows.
  -- `write_off_count` is the number of write-offs.
  add column written_off_minor bigint not null default 0,
  add column write_off_count smallint not null default 0,
  -- squawk-ignore constraint-missing-not-valid
  add constraint breaks_assigned_to_somebody check (length(assigned_to) between 1 and 200),
  -- squawk-ignore constraint-missing-not-valid
  add constraint breaks_assigned_at_a_moment check ((assigned_to is null) = (assigned_at is null));

grant select on bank_files, bank_lines to tollgate_support;
grant insert on bank_files, bank_lines, ledger_transfers to tollgate_finance;

-- In live a write-off needs an approval by finance.
grant insert (digest, act, subject, about_client, before, after, reason, asked_by), update (approved_by, used_at) on approval_requests
  to tollgate_finance;
