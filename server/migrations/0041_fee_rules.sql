-- Fees as dated rules: what merchants pay us, what wallets keep, each from a moment on.
--
-- A payment remembers the terms that it began under, in one word, so that what is booked months later, by another process or in
-- another cell, needs nothing but its row. Null where no rule fitted: then fee_basis_points is the whole fee. No rewrite.
alter table payments add column fee_terms text;

-- What a refund changes in fees, decided with it, so that what is set aside, booked and let go is the same sum.
alter table refunds add column returned_fee_minor bigint, add column returned_tax_minor bigint,
  add column charged_fee_minor bigint, add column charged_tax_minor bigint;

-- Rules are only ever added. Those for everybody are the house's: client_id 'HOUSE'.
create table fee_rules (
  bucket              smallint not null constraint fee_rules_bucket_in_range check (bucket between 0 and 1023),
  client_id           text not null,
  rule_id             text not null,
  payment_method_type text,
  currency            text,
  from_at             timestamptz not null,
  rate_millionths     integer not null constraint fee_rules_rate_in_range check (rate_millionths between 0 and 200000),
  fixed_minor         bigint not null default 0,
  minimum_minor       bigint not null default 0,
  maximum_minor       bigint,
  tax_millionths      integer not null default 0 constraint fee_rules_tax_in_range check (tax_millionths between 0 and 500000),
  refund_policy       text not null constraint fee_rules_refund_policy_known check (refund_policy in ('keep', 'return rate', 'return all')),
  refund_fixed_minor  bigint not null default 0,
  set_at              timestamptz not null default clock_timestamp(),
  primary key (bucket, client_id, rule_id),
  constraint fee_rules_sums_in_range check (
    fixed_minor between 0 and 1000000000000 and minimum_minor between 0 and 1000000000000
    and refund_fixed_minor between 0 and 1000000000000 and maximum_minor between minimum_minor and 1000000000000),
  constraint fee_rules_sums_have_a_currency check (
    currency is not null or (fixed_minor = 0 and minimum_minor = 0 and refund_fixed_minor = 0 and maximum_minor is null))
);

-- Counted by every process several times a second.
create index fee_rules_of_everybody on fee_rules (client_id) where client_id = 'HOUSE';

alter table fee_rules enable row level security;
alter table fee_rules force row level security;
-- Those for everybody come with each merchant. Who serves has no right to write any.
create policy fee_rules_own_rows on fee_rules
  using (client_id = 'HOUSE' or client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy fee_rules_seen_by_the_operator on fee_rules for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create policy fee_rules_seen_by_the_operator_seen_by_staff on fee_rules for select to tollgate_support
  using (current_setting('app.oversight', true) = 'on');
grant select on fee_rules to tollgate_app, tollgate_support;
grant insert on fee_rules to tollgate_finance;

-- What a wallet should keep, by its contract with us.
create table wallet_costs (
  connector           text not null references connectors (name),
  cost_id             text not null,
  payment_method_type text,
  currency            text,
  from_at             timestamptz not null,
  rate_millionths     integer not null constraint wallet_costs_rate_in_range check (rate_millionths between 0 and 1000000),
  fixed_minor         bigint not null default 0 constraint wallet_costs_fixed_not_negative check (fixed_minor >= 0),
  set_at              timestamptz not null default clock_timestamp(),
  primary key (connector, cost_id),
  constraint wallet_costs_fixed_has_a_currency check (currency is not null or fixed_minor = 0)
);

grant select on wallet_costs to tollgate_app, tollgate_support;
grant insert on wallet_costs to tollgate_finance;

-- A rule takes two people in live, and those are people of finance.
grant insert (digest, act, subject, about_client, before, after, reason, asked_by), update (approved_by, used_at) on asked_acts
  to tollgate_finance;

create function fee_rules_are_append_only() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  raise exception 'Rules of fees are only ever added to.' using errcode = 'restrict_violation';
end
$$;

create trigger fee_rules_are_append_only before update or truncate on fee_rules
  for each statement execute function fee_rules_are_append_only();
-- A universe is swept whole, as with the ledger.
create trigger fee_rules_of_merchants_stay before delete on fee_rules
  for each row when (old.client_id not like 'SANDBOX\_U%') execute function fee_rules_are_append_only();
create trigger fee_rules_are_append_only before update or delete or truncate on wallet_costs
  for each statement execute function fee_rules_are_append_only();

-- Processes cache clients with their rules, and revalidate them by their revision. With the owner's rights, because finance may not
-- update clients. Everybody's rules are counted into every client's revision where it is read, see client.sql.ts.
create function fee_rules_count_as_changes() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update clients set revision = revision + 1 where bucket = new.bucket and client_id = new.client_id;
  return new;
end
$$;

revoke all on function fee_rules_are_append_only(), fee_rules_count_as_changes() from public;

create trigger fee_rules_count_as_changes after insert on fee_rules
  for each row execute function fee_rules_count_as_changes();

-- What was changed by hand is in the audit, as with clients.
create constraint trigger audit_notes_sql after insert or update or delete on fee_rules deferrable initially deferred
  for each row execute function audit_notes_sql();
create constraint trigger audit_notes_sql after insert or update or delete on wallet_costs deferrable initially deferred
  for each row execute function audit_notes_sql();
