-- Typed evidence of disputes, fraud warnings, and the payout of a row in a provider's settlement file.

-- A fraud warning (TC40, SAFE) moves no money and takes no answer. The table has few rows, so the scan is short.
alter table disputes
  add column wanted_evidence text[] not null default '{}',
  drop constraint disputes_type_known;
alter table disputes
  -- This constraint allows more than the one it replaces, so all existing rows pass.
  -- squawk-ignore constraint-missing-not-valid
  add constraint disputes_type_known check (type in ('CHARGEBACK', 'RETRIEVAL_REQUEST', 'COMPLIANCE_REQUEST', 'RDR', 'FRAUD_WARNING')),
  -- squawk-ignore constraint-missing-not-valid
  add constraint disputes_warnings_move_no_money check (type <> 'FRAUD_WARNING' or (frozen_minor = 0 and debited_minor = 0));

-- A defense has several documents, each with a type.
alter table dispute_evidence
  -- 1 for the first document of the defense.
  add column position smallint not null default 1 constraint dispute_evidence_position_in_range check (position between 1 and 10),
  add column type text not null default 'OTHER' constraint dispute_evidence_type_known check (type in ('RECEIPT',
    'PROOF_OF_DELIVERY', 'CUSTOMER_COMMUNICATION', 'REFUND_POLICY', 'TERMS_ACCEPTED', 'SERVICE_RECORD', 'DUPLICATE_EXPLANATION',
    'IDENTITY', 'OTHER')),
  drop constraint dispute_evidence_pkey;
alter table dispute_evidence
  -- The table has a row for each document of a dispute, so the index is built in a moment.
  -- squawk-ignore adding-serial-primary-key-field, constraint-missing-not-valid
  add constraint dispute_evidence_pkey primary key (bucket, dispute_id, number, position);
-- A defense that did not reach the payment provider may be sent again with other, and fewer, documents. The gateway
-- deletes the documents of the first attempt.
revoke update on dispute_evidence from tollgate_app;
grant delete on dispute_evidence to tollgate_app;

-- The kind of the row whose fee this row is; null for a fee that the provider lists as a row of its own.
alter table settlement_rows add column fee_of text;

-- The payout that contains a row. A provider often names the payout later than the row, and rows are never changed, so
-- the payout has a table of its own. The first payout that a file names stays.
create table settlement_payout_rows (
  connector           text not null,
  kind                text not null,
  operation_reference text not null,
  payout_id           text not null,
  -- The day on which the provider pays the row out; null if the file does not say.
  value_date          date,
  file_id             bigint not null,
  primary key (connector, kind, operation_reference)
);

create index settlement_payout_rows_by_payout on settlement_payout_rows (connector, payout_id);

grant select on settlement_payout_rows to tollgate_support;
grant insert on settlement_payout_rows to tollgate_finance;
create trigger record_bulk_insert after insert on settlement_payout_rows referencing new table as new_rows
  for each statement execute function record_bulk_insert();
