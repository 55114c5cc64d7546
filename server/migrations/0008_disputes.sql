-- Disputes (chargebacks): a buyer, or the card scheme, demands the money of a payment back, or demands documents.
--
-- The disputed amount is frozen, and at the end released or debited. The payment's row stores the sum that its disputes
-- have frozen or taken (disputed_minor), so that the same money is not also refunded.

create table disputes (
  bucket              smallint not null constraint disputes_bucket_in_range check (bucket between 0 and 1023),
  dispute_id          text not null constraint disputes_id_of_35_digits check (length(dispute_id) = 35 and translate(dispute_id, '0123456789', '') = ''),
  client_id           text not null,
  payment_id          text not null,
  connector           text not null,
  -- The provider's own id of the dispute, and the newest version that was stored. An older report is ignored.
  provider_dispute_id   text not null,
  provider_sequence     integer not null,
  type                text not null constraint disputes_type_known
    check (type in ('CHARGEBACK', 'RETRIEVAL_REQUEST', 'COMPLIANCE_REQUEST', 'RDR')),
  status              text not null constraint disputes_status_known
    check (status in ('CREATED', 'DEFENDED', 'ACCEPTED', 'CANCELLED', 'JUDGED', 'EXPIRED', 'RESOLVED')),
  currency            text not null,
  amount_minor        bigint not null constraint disputes_amount_positive check (amount_minor > 0),
  frozen_minor        bigint not null default 0 constraint disputes_frozen_not_negative check (frozen_minor >= 0),
  debited_minor       bigint not null default 0 constraint disputes_debited_not_negative check (debited_minor >= 0),
  reason_code         text not null,
  reason_message      text not null,
  source              text not null,
  defendable          boolean not null,
  auto_defend_reason  text,
  created_at          timestamptz not null,
  -- The merchant's deadline, and when a reminder was sent.
  due_at              timestamptz,
  alerted_at          timestamptz,
  -- The merchant's answer, until the payment provider has confirmed it.
  answer              text constraint disputes_answer_known check (answer in ('ACCEPT', 'DEFEND')),
  answer_requested_at timestamptz,
  defenses            integer not null default 0,
  answered_at         timestamptz,
  accept_reason       text,
  judged_result       text,
  judged_minor        bigint,
  judged_at           timestamptz,
  -- The time at which the dispute reached its final status.
  resolved_at         timestamptz,
  sequence            integer not null default 1 constraint disputes_sequence_positive check (sequence > 0),
  primary key (bucket, dispute_id),
  constraint disputes_once_for_ever unique (bucket, connector, provider_dispute_id),
  constraint disputes_nothing_frozen_when_resolved check (resolved_at is null or frozen_minor = 0),
  constraint disputes_answer_has_a_time check ((answer is null) = (answer_requested_at is null))
);

create index disputes_by_payment on disputes (bucket, payment_id);

-- Disputes that wait for the merchant's answer, ordered by deadline: the first list that people open. They are few
-- among all disputes. Those without a deadline come last as 'infinity', because nulls have no order in the index.
create index disputes_unanswered on disputes (bucket, client_id, (coalesce(due_at, 'infinity'::timestamptz)), dispute_id)
  where status = 'CREATED' and answer is null;

alter table disputes enable row level security;
alter table disputes force row level security;
create policy disputes_own_rows on disputes
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy disputes_seen_by_the_operator on disputes for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create trigger dispute_follows_its_lifecycle before update of status on disputes
  for each row execute function dispute_follows_its_lifecycle();
grant select, insert, update on disputes to tollgate_app;

-- The history of a dispute: one ordered row for each change.
create table dispute_events (
  bucket     smallint not null constraint dispute_events_bucket_in_range check (bucket between 0 and 1023),
  dispute_id text not null,
  sequence   integer not null,
  client_id  text not null,
  at         timestamptz not null,
  status     text not null,
  told       text,
  primary key (bucket, dispute_id, sequence)
);

alter table dispute_events enable row level security;
alter table dispute_events force row level security;
create policy dispute_events_own_rows on dispute_events
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant select, insert on dispute_events to tollgate_app;

-- Documents are large and rarely read, so they are not in the table in which disputes are searched.
create table dispute_evidence (
  bucket     smallint not null constraint dispute_evidence_bucket_in_range check (bucket between 0 and 1023),
  dispute_id text not null,
  -- 1 for the first defense of the dispute, 2 for the second.
  number     integer not null,
  client_id  text not null,
  format     text not null constraint dispute_evidence_format_known check (format in ('PDF', 'WORD', 'ZIP', 'JPG')),
  sha256     bytea not null,
  content    bytea not null constraint dispute_evidence_of_limited_size check (octet_length(content) <= 750000),
  created_at timestamptz not null,
  primary key (bucket, dispute_id, number)
);
-- No compression: the document formats are already compressed.
alter table dispute_evidence alter column content set storage external;

alter table dispute_evidence enable row level security;
alter table dispute_evidence force row level security;
create policy dispute_evidence_own_rows on dispute_evidence
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
-- The gateway may update evidence, because a defense that did not reach the payment provider may be sent again with
-- another document.
grant select, insert, update on dispute_evidence to tollgate_app;
