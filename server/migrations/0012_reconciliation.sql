-- Reconciliation: settlement files of payment providers, and breaks (discrepancies between files, records and ledger).
--
-- These tables belong to the operator and not to a merchant. The roles of `serve` and `work` cannot read them.

create table settlement_files (
  file_id     bigint generated always as identity primary key,
  connector   text not null references connectors (name),
  name        text not null,
  sha256      bytea not null,
  row_count   integer not null,
  -- The time of the file's newest row; null if the file has no rows.
  newest_at   timestamptz,
  imported_at timestamptz not null,
  constraint settlement_files_once_a_connector unique (connector, sha256)
);

-- A line of a settlement file as it first arrived. Files overlap, and an identical line is ignored.
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

-- A line that arrived again with other content, or twice in one file, is kept in addition to the first.
create table settlement_repeats (
  connector           text not null,
  kind                text not null,
  operation_reference text not null,
  reference           text not null,
  payment_id          text not null,
  currency            text not null,
  amount_minor        bigint not null,
  at                  timestamptz not null,
  -- The number among identical lines of one file. The second identical line is a second movement of money.
  nth                 integer not null,
  file_id             bigint not null,
  line                integer not null,
  primary key (connector, kind, operation_reference, at, nth, amount_minor, currency, payment_id, reference)
);

-- Breaks (discrepancies). Rows are never deleted: a break that disappears is resolved, and a break that returns is a
-- new row.
create table breaks (
  break_id      bigint generated always as identity primary key,
  kind          text not null,
  -- The connector of the break; null for a break without a payment provider.
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
