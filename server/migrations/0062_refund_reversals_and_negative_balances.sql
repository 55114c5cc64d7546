-- The constraints of migration 0061. Validating them in its transaction would block reads.
alter table refunds validate constraint refunds_reversed_when_failed;
alter table reversals validate constraint reversals_reversed_when_failed;

-- Providers report a refund that failed after it succeeded as a movement of its own, `refund_reversal`, which the ledger
-- has as the effect `refund reversal`.
alter table settlement_rows drop constraint settlement_rows_kind_known;
-- This constraint allows more than the one it replaces, so all existing rows pass.
-- squawk-ignore constraint-missing-not-valid
alter table settlement_rows add constraint settlement_rows_kind_known check (kind in ('payment', 'capture', 'refund', 'refund_reversal',
  'chargeback', 'chargeback_reversal', 'fee', 'payout', 'adjustment'));

-- A write-off of a `refund_reversal` corrects the provider's receivable in the direction of a payment. Nothing else
-- changes from migration 0050.
create or replace function write_off_break(asked_break bigint, expected_minor bigint, closing_person text, reason text) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  found   breaks;
  excess  numeric;
  account text;
  against text;
begin
  select * into found from breaks where break_id = asked_break and resolved_at is null for update;
  if found.break_id is null or found.closed_at is not null then
    raise exception 'Break % is not open.', asked_break using errcode = 'restrict_violation';
  end if;
  if found.kind in ('missing at the provider', 'missing here', 'other amount') and found.connector is not null then
    account := 'provider receivable ' || found.connector;
    excess := coalesce((found.sums -> 'ledger' ->> 'minor')::numeric, 0) - coalesce((found.sums -> 'provider' ->> 'minor')::numeric, 0);
    if found.subject not in ('payment', 'capture', 'refund_reversal', 'chargeback_reversal', 'adjustment') then
      excess := -excess;
    end if;
  elsif found.kind in ('not at the bank', 'only at the bank', 'other amount at the bank') then
    account := 'clearing';
    excess := coalesce((coalesce(found.sums -> 'provider', found.sums -> 'ledger') ->> 'minor')::numeric, 0)
      - coalesce((found.sums -> 'bank' ->> 'minor')::numeric, 0);
  -- The written-off money was booked after all. So the write-off's account lacks this amount.
  elsif found.kind = 'written off, then booked by bank or provider' and found.write_off_account is not null then
    account := found.write_off_account;
    excess := 0;
  end if;
  excess := excess - found.written_off_minor;
  if excess is null or excess = 0 or excess <> expected_minor then
    raise exception 'Break % is not about %, but about %.', asked_break, expected_minor, coalesce(excess, 0)
      using errcode = 'restrict_violation';
  end if;
  against := case when abs(excess) = 1 then 'rounding' else 'adjustment' end;
  -- 250 is the bucket of HOUSE.
  insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
  values (250, 'break ' || asked_break || case when found.write_off_count > 0 then '/' || (found.write_off_count + 1) else '' end,
    'write-off', 1, 'HOUSE', case when excess > 0 then against else account end, case when excess > 0 then account else against end,
    found.currency, abs(excess), transaction_timestamp());
  update breaks set written_off_minor = written_off_minor + expected_minor, write_off_count = write_off_count + 1,
    write_off_account = account, closed_at = transaction_timestamp(), closed_by = closing_person, closing_reason = reason
  where break_id = asked_break;
end
$$;
