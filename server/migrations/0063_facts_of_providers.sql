-- A provider states facts about itself, such as how long it recognises a repeated message. The facts drive retries.

alter table connectors
  -- The provider's response to `facts`, and its time. Null if the provider was never asked.
  add column facts jsonb,
  add column facts_at timestamptz,
  -- The terms that the operator has set. They win over the facts.
  add column operator_terms text[] not null default '{}',
  -- How long after the first send an idempotent provider recognises a repeated message; null: without limit.
  add column idempotency_window_seconds integer,
  -- The length of an authorization hold whose end the provider does not state.
  add column hold_seconds integer not null default 604800,
  -- The table has few rows, so the scans are short.
  -- squawk-ignore constraint-missing-not-valid
  add constraint connectors_facts_have_a_time check ((facts is null) = (facts_at is null)),
  -- squawk-ignore constraint-missing-not-valid
  add constraint connectors_facts_are_of_a_known_form check (
    facts is null or (jsonb_typeof(facts) = 'object' and facts ->> 'protocolVersion' = '1.1'
      and jsonb_typeof(facts -> 'name') = 'string' and jsonb_typeof(facts -> 'softwareVersion') = 'string'
      and facts ->> 'refunds' in ('NONE', 'FULL', 'ONCE', 'MANY') and facts ->> 'captures' in ('NONE', 'ONE', 'MANY')
      and facts ->> 'cancelPaid' in ('NEVER', 'DAY', 'WEEK') and jsonb_typeof(facts -> 'currencies') = 'array'
      and jsonb_typeof(facts -> 'paymentMethodTypes') = 'array' and jsonb_typeof(facts -> 'queries') = 'array'
      and jsonb_typeof(facts -> 'wants') = 'array' and jsonb_typeof(facts -> 'evidenceTypes') = 'array'
      and jsonb_typeof(facts -> 'callbacks') = 'array') is true),
  -- squawk-ignore constraint-missing-not-valid
  add constraint connectors_idempotency_window_is_positive check (idempotency_window_seconds > 0),
  -- squawk-ignore constraint-missing-not-valid
  add constraint connectors_holds_last check (hold_seconds > 0);

-- The trigger of migration 0050, with one more rule: the time of the facts is no change that an approver has to read.
drop trigger record_row_change on connectors;

-- The operator has set what differs from the defaults of this release.
update connectors set operator_terms = array_remove(array[
  case when refunds <> 'MANY' then 'refunds' end,
  case when refund_window_days <> 365 then 'refundWindowDays' end,
  case when captures <> 'MANY' then 'captures' end,
  case when cancel_paid <> 'DAY' then 'cancelPaid' end,
  case when not idempotent_by_reference then 'idempotentByReference' end,
  case when quiet_seconds <> 120 then 'quietSeconds' end,
  case when currencies <> '{}' then 'currencies' end], null);

create trigger record_row_change after insert or update or delete on connectors for each row
  execute function record_row_change('all', '=name', '#public_key', '#other_public_key', '-silent_seen_at', '@created_at',
    '@disabled_at', '@facts_at', '!insert', '!delete', '!name', '!url', '!partner_id', '!public_key', '!other_public_key',
    '!gateway_key_version', '!simulator', '!client_certificate_file', '!client_key_file', '!ca_file');

-- When a message of the job may first have been sent to the provider. Null if none was, or if only an earlier release
-- or a process that lost its lease may have sent one: then the time is not known, and `created_at` is a lower bound.
alter table jobs add column first_sent_at timestamptz;
