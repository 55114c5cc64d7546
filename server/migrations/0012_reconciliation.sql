-- Reconciliation: what wallets say that they moved, and the breaks, where they, our records and the ledger do not agree.
--
-- These tables belong to the operator and to no merchant: the roles that serve and work may not even read them.

create table settlement_files (
  file_id     bigint generated always as identity primary key,
  connector   text not null references connectors (name),
  name        text not null,
  sha256      bytea not null,
  row_count   integer not null,
  -- The time of its newest row; absent when it has none.
  newest_at   timestamptz,
  imported_at timestamptz not null,
  constraint settlement_files_once_a_connector unique (connector, sha256)
);

-- A wallet's line as it first came. Files overlap, and the same line again is ignored.
create table settlement_rows (
  connector           text not null,
  kind                text not null constraint settlement_rows_kind_known check (kind in ('payment', 'capture', 'refund')),
  operation_reference text not null,
  reference           text not null,
  payment_id          text not null,
  currency            text not null,
  amount_minor        bigint not null constraint settlement_rows_amount_positive check (amount_minor > 0),
  at                  timestamptz not null,
  file_id             bigint not null,
  line                integer not null,
  primary key (connector, kind, operation_reference)
);

-- A line that came again with other content, or stands twice in one file, is kept beside the first.
create table settlement_repeats (
  connector           text not null,
  kind                text not null,
  operation_reference text not null,
  reference           text not null,
  payment_id          text not null,
  currency            text not null,
  amount_minor        bigint not null,
  at                  timestamptz not null,
  -- Numbers lines of one file that are equal to the last character: the second of them is a second movement.
  nth                 integer not null,
  file_id             bigint not null,
  line                integer not null,
  primary key (connector, kind, operation_reference, at, nth, amount_minor, currency, payment_id, reference)
);

-- Kept for ever: a break that is gone is resolved, and one that comes back is another row.
create table breaks (
  break_id      bigint generated always as identity primary key,
  kind          text not null,
  -- Null for a break in which no wallet has a part.
  connector     text,
  subject       text not null,
  reference     text not null,
  payment_id    text,
  currency      text not null,
  sums          jsonb not null,
  effect_at     timestamptz,
  first_seen_at timestamptz not null,
  last_seen_at  timestamptz not null,
  resolved_at   timestamptz
);

create unique index breaks_once_while_unresolved on breaks
  (coalesce(connector, ''), subject, reference, currency, kind) where resolved_at is null;
