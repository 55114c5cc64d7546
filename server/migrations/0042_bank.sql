-- The bank: what a wallet says that it keeps and pays, what a bank says that came and went, and breaks that have somebody who looks
-- after them. See docs/decisions/0101.

-- What belongs to no payment has an empty reference and payment id: both are part of a key.
alter table settlement_rows
  drop constraint settlement_rows_kind_known,
  drop constraint settlement_rows_amount_positive;
alter table settlement_rows
  -- Both are wider than what they stand for: no row of before can fail them.
  -- squawk-ignore constraint-missing-not-valid
  add constraint settlement_rows_kind_known check (kind in ('payment', 'capture', 'refund', 'chargeback', 'chargeback_reversal',
    'fee', 'payout', 'adjustment')),
  -- A fee below zero is given back; an adjustment below zero is taken from us.
  -- squawk-ignore constraint-missing-not-valid
  add constraint settlement_rows_amount_positive check (amount_minor > 0 or (amount_minor < 0 and kind in ('fee', 'adjustment')));

-- A statement of a bank. A file with several has a row for each.
create table bank_files (
  file_id       bigint generated always as identity primary key,
  bank          text not null constraint bank_files_bank_is_a_name check (bank ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  name          text not null,
  sha256        bytea not null,
  kind          text not null constraint bank_files_kind_known check (kind in ('camt.053', 'camt.054')),
  statement_id  text not null,
  -- Our account there: an IBAN, or the bank's own number.
  account       text not null,
  currency      text not null,
  -- In minor units; below zero when it is overdrawn. A statement has both, a notice (camt.054) none.
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

-- What was booked, by statements.
create table bank_lines (
  bank            text not null,
  entry_reference text not null,
  currency        text not null,
  amount_minor    bigint not null constraint bank_lines_amount_positive check (amount_minor > 0),
  -- Whether it came to us.
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

-- What is expected at the bank is few beside what is paid.
-- No installation has so many rows yet that anybody would wait for it.
-- squawk-ignore require-concurrent-index-creation
create index ledger_transfers_in_clearing on ledger_transfers (at) where debit_account = 'clearing' or credit_account = 'clearing';

alter table breaks
  add column assigned_to text,
  add column assigned_at timestamptz,
  -- What was written off of it: how much the wallet or the bank owed us less than the books said; and how often.
  add column written_off_minor bigint not null default 0,
  add column write_off_count smallint not null default 0,
  -- squawk-ignore constraint-missing-not-valid
  add constraint breaks_assigned_to_somebody check (length(assigned_to) between 1 and 200),
  -- squawk-ignore constraint-missing-not-valid
  add constraint breaks_assigned_at_a_moment check ((assigned_to is null) = (assigned_at is null));

grant select on bank_files, bank_lines to tollgate_support;
grant insert on bank_files, bank_lines, ledger_transfers to tollgate_finance;

-- Writing off takes two people in live, and those are people of finance.
grant insert (digest, act, subject, about_client, before, after, reason, asked_by), update (approved_by, used_at) on asked_acts
  to tollgate_finance;
