-- Bank holidays, on which banks do not pay. The operator enters them for one year at a time.
create table bank_holidays (
  currency text not null constraint bank_holidays_currency_looks_like_one check (currency ~ '^[A-Z]{3}$'),
  day      date not null,
  primary key (currency, day)
);

grant select on bank_holidays to tollgate_support;
grant insert, delete on bank_holidays to tollgate_finance;

-- The day on which the bank should execute the file. It is stored, so that a rewritten file is the same even if the
-- holidays changed meanwhile. Null for older files, which have the day of their creation.
alter table payout_files add column execution_day date;
