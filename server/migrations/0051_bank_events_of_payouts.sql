-- Bank events of payouts: account entries and status reports under a payout's reference, pages of statements, and the
-- account of a write-off.

-- Account entries under a payout's end-to-end id, from camt.054 and camt.053, as `payout import` reads them. The sum of
-- all entries decides whether a payout was executed or returned, so an entry is stored once and never changed.
create table payout_entries (
  bucket         smallint not null constraint payout_entries_bucket_in_range check (bucket between 0 and 1023),
  client_id      text not null,
  payout_id      text not null,
  -- Identifies an entry within a statement: a hash over account, message kind, statement, page, content, and the number
  -- of equal entries before.
  entry_key      bytea not null constraint payout_entries_key_is_sha256 check (length(entry_key) = 32),
  account        text not null,
  kind           text not null constraint payout_entries_kind_known check (kind in ('camt.053', 'camt.054')),
  statement_id   text not null,
  -- The bank's own reference of the entry (AcctSvcrRef), by which camt.054 and camt.053 name the same entry.
  bank_reference text,
  currency       text not null,
  amount_minor   bigint not null constraint payout_entries_amount_positive check (amount_minor > 0),
  -- True if the entry is a credit of the operator's account.
  is_credit      boolean not null,
  -- The bank's return reason code, or the subfamily of its bank transaction code.
  return_code    text,
  booked_at      timestamptz not null,
  imported_at    timestamptz not null,
  primary key (bucket, client_id, payout_id, entry_key)
);

-- Status reports (pain.002) that changed no payout, although they report a final outcome: duplicates and
-- contradictions.
create table payout_reports (
  bucket       smallint not null constraint payout_reports_bucket_in_range check (bucket between 0 and 1023),
  client_id    text not null,
  payout_id    text not null,
  -- The checksum of the file.
  sha256       bytea not null constraint payout_reports_sha256_is_whole check (length(sha256) = 32),
  outcome      text not null constraint payout_reports_outcome_known check (outcome in ('executed', 'rejected')),
  is_duplicate boolean not null,
  reason_code  text constraint payout_reports_reason_code_is_short check (length(reason_code) between 1 and 35),
  imported_at  timestamptz not null,
  primary key (bucket, client_id, payout_id, sha256),
  constraint payout_reports_only_rejections_are_duplicates check (not is_duplicate or outcome = 'rejected')
);

do $$
declare
  made text;
begin
  foreach made in array array['payout_entries', 'payout_reports']
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

grant select on payout_entries, payout_reports to tollgate_support;
grant insert on payout_entries, payout_reports to tollgate_finance;

-- A statement may have several pages, each with its own balances.
alter table bank_files
  add column page integer not null default 1,
  -- squawk-ignore constraint-missing-not-valid
  add constraint bank_files_page_positive check (page > 0),
  drop constraint bank_files_statement_once;
alter table bank_files
  -- No installation has enough statements that building the index would delay a query.
  -- squawk-ignore disallowed-unique-constraint, constraint-missing-not-valid
  add constraint bank_files_page_once unique (bank, account, kind, statement_id, page);

-- The account to which write-offs of a break were posted. If the money is booked after all, the write-off is reversed
-- there.
alter table breaks add column write_off_account text;
