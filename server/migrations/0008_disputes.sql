-- Disputes (chargebacks): a buyer, or the scheme behind the wallet, wants back what was paid, or wants documents.
--
-- What a dispute may cost is frozen, and in the end released or debited. The payment's row holds the sum of what its
-- disputes have frozen or taken (disputed_minor), so that the same money is not refunded as well.

create table disputes (
  bucket              smallint not null constraint disputes_bucket_in_range check (bucket between 0 and 1023),
  dispute_id          text not null constraint disputes_id_of_35_digits check (length(dispute_id) = 35 and translate(dispute_id, '0123456789', '') = ''),
  client_id           text not null,
  payment_id          text not null,
  connector           text not null,
  -- The wallet's own id of it, and the version of it that we know: an older report is ignored.
  wallet_dispute_id   text not null,
  wallet_sequence     integer not null,
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
  -- The merchant's deadline, and when it was reminded of it.
  due_at              timestamptz,
  alerted_at          timestamptz,
  -- What the merchant answered, for as long as the wallet has not confirmed it.
  answer              text constraint disputes_answer_known check (answer in ('ACCEPT', 'DEFEND')),
  answer_requested_at timestamptz,
  defenses            integer not null default 0,
  answered_at         timestamptz,
  accept_reason       text,
  judged_result       text,
  judged_minor        bigint,
  judged_at           timestamptz,
  -- When it became final.
  resolved_at         timestamptz,
  sequence            integer not null default 1 constraint disputes_sequence_positive check (sequence > 0),
  primary key (bucket, dispute_id),
  constraint disputes_once_for_ever unique (bucket, connector, wallet_dispute_id),
  constraint disputes_nothing_frozen_when_resolved check (resolved_at is null or frozen_minor = 0),
  constraint disputes_answer_has_a_time check ((answer is null) = (answer_requested_at is null))
);

create index disputes_by_payment on disputes (bucket, payment_id);

-- Those that wait for the merchant's answer, by deadline: the list that people look at first. They are few among all that a merchant
-- ever had. One without a deadline comes last; an index has no order for what is null, so it stands there as 'infinity'.
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

-- The history of a dispute: one row for each change, in its own order, and what the merchant was told of it.
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

-- Documents are large and seldom read, so they are apart from the table in which disputes are searched.
create table dispute_evidence (
  bucket     smallint not null constraint dispute_evidence_bucket_in_range check (bucket between 0 and 1023),
  dispute_id text not null,
  -- The first, second, ... defense of the dispute.
  number     integer not null,
  client_id  text not null,
  format     text not null constraint dispute_evidence_format_known check (format in ('PDF', 'WORD', 'ZIP', 'JPG')),
  sha256     bytea not null,
  content    bytea not null constraint dispute_evidence_of_limited_size check (octet_length(content) <= 750000),
  created_at timestamptz not null,
  primary key (bucket, dispute_id, number)
);
-- The document formats are compressed already.
alter table dispute_evidence alter column content set storage external;

alter table dispute_evidence enable row level security;
alter table dispute_evidence force row level security;
create policy dispute_evidence_own_rows on dispute_evidence
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
-- Update: a defense that did not reach the wallet may be sent anew, with another document.
grant select, insert, update on dispute_evidence to tollgate_app;
