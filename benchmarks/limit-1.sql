-- limit-1: a minimal schema that durably stores the data of a payment that the interface requires, and nothing else.
--
-- This file never changes; a leaner schema becomes limit-2, with the reason. There is no row-level security, no trigger
-- and no check constraint: those are worth their cost, and the ratio shows the cost.

create table merchants (
  merchant  integer primary key,
  client_id text not null unique
);

insert into merchants select number, 'SANDBOX_' || lpad(number::text, 16, '0') from generate_series(1, 50) as number;

-- The only row that a payment changes. Ids have 16 bytes and are in time order. Columns with fixed width come first, so
-- that there is no padding. Half of each page is free: later versions of a row fit on the same page, and no index is
-- written (HOT update). Times of events are columns, so no event needs its own row. The job is in the row, too: jobs of
-- a crashed process are found among the newest rows.
create table payments (
  payment_id    uuid primary key,
  created_at    timestamptz not null,
  expires_at    timestamptz not null,
  due_at        timestamptz,
  accepted_at   timestamptz,
  paid_at       timestamptz,
  amount_minor  bigint not null,
  paid_minor    bigint,
  merchant      integer not null,
  epoch         smallint not null default 1,
  sequence      smallint not null default 1,
  connector     smallint not null,
  method        smallint not null,
  product       smallint not null,
  fee           smallint not null default 0,
  result_code   smallint not null,
  status        "char" not null,
  currency      char(3) not null,
  -- The id of the provider's callback that settled the payment, to recognise a repeated callback.
  provider_event  uuid,
  request_id    text not null,
  fingerprint   bytea not null,
  -- Description, URLs and metadata are never searched, so they are one text.
  texts         text not null,
  -- The code and the address that are shown to the buyer.
  provider_texts  text,
  unique (merchant, request_id)
) with (fillfactor = 50);
create index on payments using brin (created_at);

create table ledger (
  payment_id   uuid not null,
  at           timestamptz not null,
  amount_minor bigint not null,
  merchant     integer not null,
  effect       smallint not null,
  line         smallint not null,
  debit        smallint not null,
  credit       smallint not null,
  currency     char(3) not null,
  primary key (payment_id, effect, line)
);
create index on ledger using brin (at);

-- The outbox of webhooks, with the outcome of the last delivery attempt.
create table notifications (
  notification_id uuid primary key,
  payment_id      uuid not null,
  position        bigint generated always as identity,
  created_at      timestamptz not null,
  delivered_at    timestamptz,
  merchant        integer not null,
  total_ms        real,
  sequence        smallint not null,
  attempts        smallint not null default 0,
  key_version     smallint,
  http_status     smallint,
  body            text not null,
  answer          text
) with (fillfactor = 70);
create index on notifications using brin (created_at);

create table request_log (
  at           timestamptz not null,
  request_id   uuid not null,
  merchant     integer not null,
  duration_us  integer not null,
  key_version  smallint not null,
  path         smallint not null,
  result_code  smallint not null,
  sha256       bytea not null,
  request_body text not null,
  answer_body  text not null
);
create index on request_log using brin (at);

-- 2,000 payments for each merchant, as in the compared gateway.
insert into payments (payment_id, created_at, expires_at, accepted_at, paid_at, amount_minor, paid_minor, merchant, sequence,
  connector, method, product, result_code, status, currency, provider_event, request_id, fingerprint, texts, provider_texts)
select gen_random_uuid(), at, at + interval '1 hour', at, at, 1250, 1250, merchant, 2, 1, 1, 1, 1, 's', 'EUR',
  gen_random_uuid(), number::text, sha256(number::text::bytea), '', ''
from merchants, generate_series(1, 2000) as number, lateral (select timestamptz '2026-03-01Z' + number * interval '1 s') as made (at);

analyze;
