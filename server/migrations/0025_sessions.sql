-- Payment sessions: a payment whose buyer is yet to choose how to pay.
--
-- A session is a payment from its first moment, under the same request id, so that nothing can come between them. It has
-- no wallet until the buyer has chosen one; what it takes to offer a choice stands beside it, once for each session.

alter table payments
  -- Until when the buyer can choose; only of a payment that began as a session.
  add column session_expires_at timestamptz,
  add column chosen_at          timestamptz;

create table payment_sessions (
  bucket               smallint not null constraint payment_sessions_bucket_in_range check (bucket between 0 and 1023),
  payment_id           text not null,
  client_id            text not null,
  -- Narrows what is offered, in this order; null for all that can be used.
  payment_method_types text[],
  regions              text[],
  user_region          text,
  -- Until when it can be paid, if the merchant said so.
  payment_expires_at   timestamptz,
  order_info           jsonb not null,
  customized_info      jsonb,
  created_at           timestamptz not null,
  primary key (bucket, payment_id)
);

alter table payment_sessions enable row level security;
alter table payment_sessions force row level security;
create policy payment_sessions_own_rows on payment_sessions
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));

grant select, insert on payment_sessions to tollgate_app;

-- Which currencies a wallet takes; none named is all of them.
alter table connectors add column currencies text[] not null default '{}';
