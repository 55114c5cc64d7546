-- The ledger: every row moves an amount from one account to another.
--
-- A row has both sides, so each is balanced by its shape and the whole always sums to zero; there is
-- nothing that could be half written. An effect is posted once: its name is part of the key. Rows are
-- added and never changed.

create table ledger_transfers (
  bucket         smallint not null constraint ledger_transfers_bucket_in_range check (bucket between 0 and 1023),
  subject_id     text not null,
  effect         text not null,
  line           smallint not null,
  client_id      text not null,
  debit_account  text not null,
  credit_account text not null,
  currency       text not null,
  amount_minor   bigint not null constraint ledger_transfers_amount_positive check (amount_minor > 0),
  at             timestamptz not null,
  primary key (bucket, subject_id, effect, line),
  constraint ledger_transfers_between_two_accounts check (debit_account <> credit_account)
);

alter table ledger_transfers enable row level security;
alter table ledger_transfers force row level security;
create policy ledger_transfers_own_rows on ledger_transfers
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));

create function ledger_is_append_only() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  raise exception 'The ledger is only ever added to.' using errcode = 'restrict_violation';
end
$$;

create trigger ledger_is_append_only before update or delete or truncate on ledger_transfers
  for each statement execute function ledger_is_append_only();

grant select, insert on ledger_transfers to tollgate_app;
