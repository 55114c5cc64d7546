-- Days on which banks do not pay. The operator says which, a year at a time.
create table bank_holidays (
  currency text not null constraint bank_holidays_currency_looks_like_one check (currency ~ '^[A-Z]{3}$'),
  day      date not null,
  primary key (currency, day)
);

grant select on bank_holidays to tollgate_support;
grant insert, delete on bank_holidays to tollgate_finance;

-- The day that a file asks the bank to pay on. Kept, because a file that is written again is the same, whatever became a holiday meanwhile.
-- Null for files of before: they say the day on which they were made.
alter table payout_files add column execution_day date;
