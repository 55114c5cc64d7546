-- Fee rules with dates: what merchants pay to the operator, and what payment providers deduct.
--
-- A payment stores the terms that applied when it started, as one text. So a posting months later, by another process
-- or cell, needs only this row. Null if no rule applied; then fee_basis_points is the whole fee. Adding the column
-- rewrites no rows.
alter table payments add column fee_terms text;

-- The fee and tax that a refund returns, calculated once with the refund, so that the reserved, posted and released
-- amounts are equal.
alter table refunds add column returned_fee_minor bigint, add column returned_tax_minor bigint,
  add column charged_fee_minor bigint, add column charged_tax_minor bigint;

-- Rules are append-only. Rules for all merchants have the client_id 'HOUSE'.
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

-- Every process counts the rules for all merchants several times a second, so they have an index.
create index fee_rules_of_everybody on fee_rules (client_id) where client_id = 'HOUSE';

alter table fee_rules enable row level security;
alter table fee_rules force row level security;
-- A merchant also reads the rules for all merchants. The serving role may not write any rule.
create policy fee_rules_own_rows on fee_rules
  using (client_id = 'HOUSE' or client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy fee_rules_seen_by_the_operator on fee_rules for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create policy fee_rules_seen_by_the_operator_seen_by_staff on fee_rules for select to tollgate_support
  using (current_setting('app.oversight', true) = 'on');
grant select on fee_rules to tollgate_app, tollgate_support;
grant insert on fee_rules to tollgate_finance;

-- Fees that a payment provider should deduct by its contract with the operator.
create table provider_costs (
  connector           text not null references connectors (name),
  cost_id             text not null,
  payment_method_type text,
  currency            text,
  from_at             timestamptz not null,
  rate_millionths     integer not null constraint provider_costs_rate_in_range check (rate_millionths between 0 and 1000000),
  fixed_minor         bigint not null default 0 constraint provider_costs_fixed_not_negative check (fixed_minor >= 0),
  set_at              timestamptz not null default clock_timestamp(),
  primary key (connector, cost_id),
  constraint provider_costs_fixed_has_a_currency check (currency is not null or fixed_minor = 0)
);

grant select on provider_costs to tollgate_app, tollgate_support;
grant insert on provider_costs to tollgate_finance;

-- In live a fee rule needs an approval by finance.
grant insert (digest, act, subject, about_client, before, after, reason, asked_by), update (approved_by, used_at) on approval_requests
  to tollgate_finance;

create function fee_rules_are_append_only() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  raise exception 'Fee rules are append-only: rows cannot be changed or deleted.' using errcode = 'restrict_violation';
end
$$;

create trigger fee_rules_are_append_only before update or truncate on fee_rules
  for each statement execute function fee_rules_are_append_only();
-- The trigger does not protect rows of isolated test merchants, which are deleted with all their rows.
create trigger fee_rules_of_merchants_stay before delete on fee_rules
  for each row when (old.client_id not like 'SANDBOX\_U%') execute function fee_rules_are_append_only();
create trigger fee_rules_are_append_only before update or delete or truncate on provider_costs
  for each statement execute function fee_rules_are_append_only();

-- Processes cache clients with their rules, and revalidate them by their revision. Runs with the owner's privileges,
-- because finance may not update clients. Rules for all merchants are added to every client's revision when it is read,
-- see client.sql.ts.
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

-- The audit log records changes by hand (SQL), as for clients.
create constraint trigger audit_notes_sql after insert or update or delete on fee_rules deferrable initially deferred
  for each row execute function audit_notes_sql();
create constraint trigger audit_notes_sql after insert or update or delete on provider_costs deferrable initially deferred
  for each row execute function audit_notes_sql();
