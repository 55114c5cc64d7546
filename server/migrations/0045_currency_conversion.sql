-- Currency conversion: a merchant sells in one currency and is paid in another. A batch is converted when it is closed,
-- at a quote that is valid then. See docs/decisions/0104.

-- FX quotes for merchants. Append-only: a newer quote supersedes an older one. Each cell has its own.
create table exchange_quotes (
  quote_id          text primary key,
  -- One unit of `from_currency` costs `price` units of `to_currency`.
  from_currency     text not null,
  to_currency       text not null,
  -- The market price and the operator's margin that `price` is calculated from.
  market_price      numeric(24, 15) not null constraint exchange_quotes_market_price_positive check (market_price > 0),
  margin_millionths integer not null constraint exchange_quotes_margin_in_range check (margin_millionths between 0 and 200000),
  price             numeric(24, 15) not null constraint exchange_quotes_price_positive check (price > 0),
  from_at           timestamptz not null,
  until_at          timestamptz not null,
  set_at            timestamptz not null default clock_timestamp(),
  constraint exchange_quotes_of_two_currencies check (from_currency <> to_currency),
  constraint exchange_quotes_begin_before_they_end check (from_at < until_at)
);

create index exchange_quotes_by_pair on exchange_quotes (from_currency, to_currency, from_at);

grant select on exchange_quotes to tollgate_support;
grant insert on exchange_quotes to tollgate_finance;

create function exchange_quotes_are_append_only() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  raise exception 'FX quotes are append-only: rows cannot be changed or deleted.' using errcode = 'restrict_violation';
end
$$;

revoke all on function exchange_quotes_are_append_only() from public;

create trigger exchange_quotes_are_append_only before update or delete or truncate on exchange_quotes
  for each statement execute function exchange_quotes_are_append_only();
create constraint trigger audit_notes_sql after insert or update or delete on exchange_quotes deferrable initially deferred
  for each row execute function audit_notes_sql();

-- The currency that a merchant is paid in; null for the currency of its sales.
alter table settlement_terms
  add column settle_in text,
  -- No existing row has a value.
  -- squawk-ignore constraint-missing-not-valid
  add constraint settlement_terms_settle_in_another check (settle_in <> currency);

-- The currency and amount after conversion, and the quote. The price is copied, because a merchant that moves to
-- another cell takes its batches along, but not the quotes.
alter table settlement_batches
  add column settle_currency text,
  add column settle_minor bigint,
  add column quote_id text,
  add column quote_price numeric(24, 15),
  -- squawk-ignore constraint-missing-not-valid
  add constraint settlement_batches_changed_in_full
    check (num_nulls(settle_currency, settle_minor, quote_id, quote_price) in (0, 4)),
  -- squawk-ignore constraint-missing-not-valid
  add constraint settlement_batches_changed_into_another check (settle_currency <> currency and settle_minor > 0),
  -- squawk-ignore constraint-missing-not-valid
  add constraint settlement_batches_carried_ones_are_not_changed check (status <> 'CARRIED' or settle_currency is null);

-- Conversions are few compared with payments. No installation has enough rows yet that building the index would delay
-- writers.
-- squawk-ignore require-concurrent-index-creation
create index ledger_transfers_of_exchange on ledger_transfers (at) where starts_with(effect, 'exchange');
