-- Two currencies: a merchant sells in one and is paid in another. A batch is changed when it is closed, at a quote that is good then.
-- See docs/decisions/0104.

-- Prices that merchants get. Only ever added: another quote follows. Each cell has its own.
create table exchange_quotes (
  quote_id          text primary key,
  -- One unit of the first costs `price` of the second.
  from_currency     text not null,
  to_currency       text not null,
  -- What the price was made of: that of the market, less our part.
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
  raise exception 'Quotes are only ever added to.' using errcode = 'restrict_violation';
end
$$;

revoke all on function exchange_quotes_are_append_only() from public;

create trigger exchange_quotes_are_append_only before update or delete or truncate on exchange_quotes
  for each statement execute function exchange_quotes_are_append_only();
create constraint trigger audit_notes_sql after insert or update or delete on exchange_quotes deferrable initially deferred
  for each row execute function audit_notes_sql();

-- The currency that a merchant is paid in; that of its sales where it is null.
alter table settlement_terms
  add column settle_in text,
  -- No row of before has it.
  -- squawk-ignore constraint-missing-not-valid
  add constraint settlement_terms_settle_in_another check (settle_in <> currency);

-- What a batch was changed into, and by which quote. The price is kept, too: a merchant that moves takes its batches along, and not the quotes.
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

-- What was changed is few beside what is paid.
-- No installation has so many rows yet that anybody would wait for it.
-- squawk-ignore require-concurrent-index-creation
create index ledger_transfers_of_exchange on ledger_transfers (at) where starts_with(effect, 'exchange');
