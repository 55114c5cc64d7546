-- Generated from the migrations by `npm run generate`, for review; PostgreSQL runs the files in migrations/.
-- The trigger functions of lifecycles are in migrations/generated. Partitions of the request log are created daily.
-- `owner` is the role that ran the migrations. This is a sandbox; live has other client ids and fewer privileges.

create table approval_requests (
  asked_id bigint not null generated always as identity,
  digest bytea not null,
  act text not null,
  subject text not null,
  about_client text,
  before json,
  after json,
  reason text,
  asked_by text not null,
  asked_login text not null,
  asked_at timestamptz not null,
  approved_by text,
  approved_login text,
  approved_at timestamptz,
  used_at timestamptz,
  changes jsonb not null default '[]'::jsonb,
  used_in xid8,
  constraint approval_requests_pkey primary key (asked_id),
  constraint approval_requests_act_is_short check (length(act) >= 1 and length(act) <= 100),
  constraint approval_requests_approved_by_another_login check (approved_login <> asked_login),
  constraint approval_requests_approved_by_somebody check (length(approved_by) >= 1 and length(approved_by) <= 200),
  constraint approval_requests_approved_in_full check (num_nulls(approved_by, approved_login, approved_at) = any (array[0, 3])),
  constraint approval_requests_asked_by_somebody check (length(asked_by) >= 1 and length(asked_by) <= 200),
  constraint approval_requests_changes_are_a_list check (jsonb_typeof(changes) = 'array'),
  constraint approval_requests_reason_is_short check (length(reason) >= 1 and length(reason) <= 1000),
  constraint approval_requests_subject_is_short check (length(subject) <= 300),
  constraint approval_requests_used_when_approved check (used_at is null or approved_at is not null)
);
create index approval_requests_by_digest on approval_requests using btree (digest) where used_at is null;
create index approval_requests_by_transaction on approval_requests using btree (used_in) where used_in is not null;
create trigger asked_act_is_of_two before insert or update on approval_requests for each row execute function asked_act_is_of_two();
create trigger record_row_change after insert or delete or update on approval_requests for each row execute function record_row_change('staff', '=asked_id', '-digest', '-changes', '-before', '-after', '@asked_at', '@approved_at', '@used_at', '-used_in');
grant insert (about_client), insert (act), insert (after), insert (asked_by), insert (before), insert (changes), insert (reason), insert (subject), update (approved_by), update (used_at) on approval_requests to tollgate_finance;
grant insert (about_client), insert (act), insert (after), insert (asked_by), insert (before), insert (changes), insert (reason), insert (subject), update (approved_by), update (used_at) on approval_requests to tollgate_operator;
grant select on approval_requests to tollgate_support;

create table archives (
  archive_id integer not null,
  month text not null,
  bucket smallint not null,
  file text not null,
  sha256 bytea not null,
  byte_count bigint not null,
  payment_count integer not null,
  row_counts jsonb not null,
  written_at timestamptz not null default clock_timestamp(),
  erased_at timestamptz,
  constraint archives_pkey primary key (archive_id),
  constraint archives_file_once unique (file),
  constraint archives_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint archives_month_of_the_calendar check (month ~ '^\d{4}-(0[1-9]|1[0-2])$'),
  constraint archives_of_some_payments check (payment_count > 0),
  constraint archives_sha256_of_32_bytes check (length(sha256) = 32)
);
grant select on archives to tollgate_support;

create table audit (
  seq bigint not null,
  at timestamptz not null,
  actor_kind text not null,
  actor text not null,
  role text not null,
  login text not null,
  act text not null,
  subject text not null,
  about_client text,
  reason text,
  before json,
  after json,
  transaction xid8 not null,
  previous_hash bytea not null,
  hash bytea not null,
  changes json,
  constraint audit_pkey primary key (seq),
  constraint audit_act_is_short check (length(act) >= 1 and length(act) <= 100),
  constraint audit_actor_has_a_name check (length(actor) >= 1 and length(actor) <= 200),
  constraint audit_actor_kind_known check (actor_kind = any (array['person', 'command', 'sql'])),
  constraint audit_after_is_small check (octet_length(after::text) <= 16384),
  constraint audit_before_is_small check (octet_length(before::text) <= 16384),
  constraint audit_changes_are_small check (octet_length(changes::text) <= 20000),
  constraint audit_numbers_begin_with_one check (seq > 0),
  constraint audit_reason_is_short check (length(reason) >= 1 and length(reason) <= 1000),
  constraint audit_role_is_short check (length(role) >= 1 and length(role) <= 100),
  constraint audit_subject_is_short check (length(subject) <= 300)
);
create index audit_by_client on audit using btree (about_client, seq) where about_client is not null;
create index audit_by_transaction on audit using btree (transaction);
create trigger audit_is_a_chain before insert on audit for each row execute function audit_is_a_chain();
create trigger audit_is_append_only before delete or update or truncate on audit for each statement execute function audit_is_append_only();
alter table audit enable row level security, force row level security;
create policy audit_of_own_clients on audit for select to tollgate_app using (about_client = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy audit_of_people on audit for insert to tollgate_app with check (actor_kind = 'person' and (about_client is null or (about_client = any (nullif(current_setting('app.clients', true), '')::text[]))));
create policy audit_of_staff on audit for insert to tollgate_operator, tollgate_finance with check (actor_kind = 'command');
create policy audit_of_the_console on audit for insert to tollgate_console with check (actor_kind = 'person');
create policy audit_seen_by_staff on audit for select to tollgate_support using (true);
create policy audit_seen_by_the_owner on audit for select to owner using (true);
create policy audit_written_by_the_owner on audit for insert to owner with check (true);
grant insert (about_client), insert (act), insert (actor), insert (actor_kind), insert (after), insert (before), insert (reason), insert (role), insert (subject) on audit to tollgate_console;
grant insert (about_client), insert (act), insert (actor), insert (actor_kind), insert (after), insert (before), insert (reason), insert (role), insert (subject) on audit to tollgate_finance;
grant insert (about_client), insert (act), insert (actor), insert (actor_kind), insert (after), insert (before), insert (reason), insert (role), insert (subject) on audit to tollgate_operator;
grant insert (about_client), insert (act), insert (actor), insert (actor_kind), insert (after), insert (before), insert (reason), insert (role), insert (subject), select on audit to tollgate_app;
grant select on audit to tollgate_support;

create table authorization_events (
  bucket smallint not null,
  authorization_id text not null,
  sequence integer not null,
  client_id text not null,
  at timestamptz not null,
  status text not null,
  constraint authorization_events_pkey primary key (bucket, authorization_id, sequence)
);
alter table authorization_events enable row level security, force row level security;
create policy authorization_events_own_rows on authorization_events using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy authorization_events_seen_by_staff on authorization_events for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy authorization_events_seen_by_the_operator on authorization_events for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert, select on authorization_events to tollgate_app;
grant select on authorization_events to tollgate_support;

create table authorizations (
  bucket smallint not null,
  authorization_id text not null,
  client_id text not null,
  auth_state text not null,
  auth_client_id text,
  customer_belongs_to text not null,
  scopes text[] not null,
  redirect_url text not null,
  notify_url text,
  fingerprint bytea not null,
  connector text not null,
  reference text not null,
  provider_url text,
  accepted_at timestamptz,
  status text not null,
  result_code text,
  expires_at timestamptz not null,
  code_hash bytea,
  sealed_agreement bytea,
  user_login_id text,
  ended_at timestamptz,
  provider_told_at timestamptz,
  sequence integer not null default 1,
  created_at timestamptz not null,
  provider_account text,
  constraint authorizations_pkey primary key (bucket, authorization_id),
  constraint authorizations_reference_once unique (bucket, client_id, connector, reference),
  constraint authorizations_state_once_for_ever unique (bucket, client_id, auth_state),
  constraint authorizations_agreement_while_active check ((status = 'ACTIVE') = (sealed_agreement is not null)),
  constraint authorizations_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint authorizations_ended_when_final check ((status = any (array['ASKED', 'AGREED', 'ACTIVE'])) = (ended_at is null)),
  constraint authorizations_id_of_35_digits check (length(authorization_id) = 35 and translate(authorization_id, '0123456789', '') = ''),
  constraint authorizations_sequence_positive check (sequence > 0),
  constraint authorizations_status_known check (status = any (array['ASKED', 'AGREED', 'ACTIVE', 'DECLINED', 'REVOKED', 'CANCELED', 'EXPIRED']))
);
create unique index authorizations_by_code on authorizations using btree (bucket, client_id, code_hash);
create trigger authorization_follows_its_lifecycle before update of status on authorizations for each row execute function authorization_follows_its_lifecycle();
alter table authorizations enable row level security, force row level security;
create policy authorizations_own_rows on authorizations using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy authorizations_seen_by_staff on authorizations for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy authorizations_seen_by_the_operator on authorizations for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert, select, update on authorizations to tollgate_app;
grant select on authorizations to tollgate_support;

create table balances (
  bucket smallint not null,
  client_id text not null,
  account text not null,
  currency text not null,
  amount_minor numeric(38,0) not null,
  constraint balances_pkey primary key (bucket, client_id, account, currency),
  constraint balances_bucket_in_range check (bucket >= 0 and bucket <= 1023)
);
create index balances_in_suspense on balances using btree (currency) where account = 'suspense' and amount_minor <> 0::numeric;
alter table balances enable row level security, force row level security;
create policy balances_own_rows on balances using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy balances_seen_by_staff on balances for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy balances_seen_by_the_operator on balances for select to owner using (current_setting('app.oversight', true) = 'on');
create policy balances_to_roll_up on balances to owner using (current_setting('app.rolls_up', true) = 'on');
grant select on balances to tollgate_app;
grant select on balances to tollgate_support;

create table balances_position (
  summed_up_to xid8 not null,
  server bigint,
  counted_from bigint not null default 0,
  only_row boolean not null default true,
  constraint balances_position_has_one_row primary key (only_row),
  constraint balances_position_only_row_check check (only_row)
);
grant select on balances_position to tollgate_app;
grant select on balances_position to tollgate_support;

create table bank_accounts (
  bucket smallint not null,
  client_id text not null,
  account_id text not null,
  currency text not null,
  holder text not null,
  iban text not null,
  iban_shown text not null,
  bic text,
  wait_hours smallint not null,
  asked_by text not null,
  asked_login text not null,
  asked_at timestamptz not null,
  approved_by text,
  approved_login text,
  approved_at timestamptz,
  usable_from timestamptz,
  ended_at timestamptz,
  constraint bank_accounts_pkey primary key (bucket, client_id, account_id),
  constraint bank_accounts_approved_in_full check (num_nulls(approved_by, approved_login, approved_at, usable_from) = any (array[0, 4])),
  constraint bank_accounts_bic_looks_like_one check (bic ~ '^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$'),
  constraint bank_accounts_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint bank_accounts_holder_fits_the_file check (length(holder) >= 1 and length(holder) <= 140),
  constraint bank_accounts_iban_looks_like_one check (iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'),
  constraint bank_accounts_iban_shown_in_part check (iban_shown = (("left"(iban, 4) || ' … ') || "right"(iban, 4))),
  constraint bank_accounts_wait_is_not_for_ever check (wait_hours >= 0 and wait_hours <= 720)
);
create unique index bank_accounts_one_approved on bank_accounts using btree (bucket, client_id, currency) where approved_at is not null and ended_at is null;
create unique index bank_accounts_one_asked_for on bank_accounts using btree (bucket, client_id, currency) where approved_at is null and ended_at is null;
create trigger bank_account_is_of_two before insert or update on bank_accounts for each row execute function bank_account_is_of_two();
create trigger record_row_change after insert or delete or update on bank_accounts for each row execute function record_row_change('staff', '=client_id', '=account_id', '-bucket', '-iban', '@asked_at', '@approved_at', '@usable_from', '@ended_at');
alter table bank_accounts enable row level security, force row level security;
create policy bank_accounts_own_rows on bank_accounts using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy bank_accounts_seen_by_staff on bank_accounts for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy bank_accounts_seen_by_the_operator on bank_accounts for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert, select, update on bank_accounts to tollgate_finance;
grant select (account_id), select (approved_at), select (approved_by), select (approved_login), select (asked_at), select (asked_by), select (asked_login), select (bic), select (bucket), select (client_id), select (currency), select (ended_at), select (holder), select (iban_shown), select (usable_from), select (wait_hours) on bank_accounts to tollgate_support;

create table bank_files (
  file_id bigint not null generated always as identity,
  bank text not null,
  name text not null,
  sha256 bytea not null,
  kind text not null,
  statement_id text not null,
  account text not null,
  currency text not null,
  opening_minor bigint,
  opening_at timestamptz,
  closing_minor bigint,
  closing_at timestamptz,
  entry_count integer not null,
  imported_at timestamptz not null,
  page integer not null default 1,
  constraint bank_files_pkey primary key (file_id),
  constraint bank_files_page_once unique (bank, account, kind, statement_id, page),
  constraint bank_files_bank_is_a_name check (bank ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  constraint bank_files_kind_known check (kind = any (array['camt.053', 'camt.054'])),
  constraint bank_files_page_positive check (page > 0),
  constraint bank_files_statements_have_balances check (num_nulls(opening_minor, opening_at, closing_minor, closing_at) =
case kind
    when 'camt.053' then 0
    else 4
end)
);
create index bank_files_by_content on bank_files using btree (bank, sha256);
create index bank_files_in_order on bank_files using btree (bank, account, currency, closing_at);
create trigger record_row_change after insert or delete or update on bank_files for each row execute function record_row_change('staff', '=file_id', '@imported_at');
grant insert on bank_files to tollgate_finance;
grant select on bank_files to tollgate_support;

create table bank_holidays (
  currency text not null,
  day date not null,
  constraint bank_holidays_pkey primary key (currency, day),
  constraint bank_holidays_currency_looks_like_one check (currency ~ '^[A-Z]{3}$')
);
create trigger record_row_change after insert or delete or update on bank_holidays for each row execute function record_row_change('staff', '=currency', '=day');
grant delete, insert on bank_holidays to tollgate_finance;
grant select on bank_holidays to tollgate_support;

create table bank_lines (
  bank text not null,
  entry_reference text not null,
  currency text not null,
  amount_minor bigint not null,
  is_credit boolean not null,
  is_reversal boolean not null,
  booked_at timestamptz not null,
  end_to_end_id text,
  reference text not null,
  return_reason text,
  file_id bigint not null,
  line integer not null,
  constraint bank_lines_pkey primary key (bank, entry_reference),
  constraint bank_lines_amount_positive check (amount_minor > 0)
);
create index bank_lines_by_end_to_end_id on bank_lines using btree (end_to_end_id) where end_to_end_id is not null;
create index bank_lines_by_time on bank_lines using btree (booked_at);
create trigger record_bulk_insert after insert on bank_lines referencing new table as new_rows for each statement execute function record_bulk_insert();
grant insert on bank_lines to tollgate_finance;
grant select on bank_lines to tollgate_support;

create table banks (
  name text not null,
  currency text not null,
  holder text not null,
  iban text not null,
  bic text not null,
  constraint banks_pkey primary key (name, currency),
  constraint banks_bic_looks_like_one check (bic ~ '^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$'),
  constraint banks_holder_fits_the_file check (length(holder) >= 1 and length(holder) <= 140),
  constraint banks_iban_looks_like_one check (iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'),
  constraint banks_name_is_short check (name ~ '^[a-z0-9][a-z0-9-]{0,39}$')
);
create trigger record_row_change after insert or delete or update on banks for each row execute function record_row_change('approval', '=name', '=currency', '!insert', '!update', '!delete');
grant insert, select, update on banks to tollgate_finance;

create table brands (
  bucket smallint not null,
  client_id text not null,
  colour text,
  support_url text,
  logo bytea,
  logo_type text,
  constraint brands_pkey primary key (bucket, client_id),
  constraint brands_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint brands_colour_in_hex check (colour ~ '^#[0-9a-f]{6}$'),
  constraint brands_logo_is_small check (length(logo) <= 24576),
  constraint brands_logo_type_known check (logo_type = any (array['image/png', 'image/jpeg', 'image/webp']))
);
alter table brands enable row level security, force row level security;
create policy brands_own_rows on brands using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant delete, insert, select, update on brands to tollgate_app;
grant select on brands to tollgate_support;

create table breaks (
  break_id bigint not null generated always as identity,
  kind text not null,
  connector text,
  subject text not null,
  reference text not null,
  payment_id text,
  currency text not null,
  sums jsonb not null,
  effect_at timestamptz,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  resolved_at timestamptz,
  closed_at timestamptz,
  closed_by text,
  closing_reason text,
  assigned_to text,
  assigned_at timestamptz,
  written_off_minor bigint not null default 0,
  write_off_count smallint not null default 0,
  write_off_account text,
  constraint breaks_pkey primary key (break_id),
  constraint breaks_assigned_at_a_moment check ((assigned_to is null) = (assigned_at is null)),
  constraint breaks_assigned_to_somebody check (length(assigned_to) >= 1 and length(assigned_to) <= 200),
  constraint breaks_closed_by_somebody check (length(closed_by) >= 1 and length(closed_by) <= 200),
  constraint breaks_closed_with_a_reason check (length(closing_reason) >= 1 and length(closing_reason) <= 1000)
);
create unique index breaks_once_while_unresolved on breaks using btree (coalesce(connector, ''), subject, reference, currency, kind) where resolved_at is null;
create trigger record_row_change after insert or delete or update on breaks for each row execute function record_row_change('approval', '=break_id', '+kind', '+reference', '+currency', '@first_seen_at', '@last_seen_at', '@resolved_at', '@closed_at', '@assigned_at', '!written_off_minor', '!write_off_count');
grant insert (assigned_at), insert (assigned_to), insert (connector), insert (currency), insert (effect_at), insert (first_seen_at), insert (kind), insert (last_seen_at), insert (payment_id), insert (reference), insert (subject), insert (sums), insert (write_off_account), insert (written_off_minor), update (assigned_at), update (assigned_to), update (closed_at), update (closed_by), update (closing_reason), update (last_seen_at), update (payment_id), update (resolved_at), update (sums), update (written_off_minor) on breaks to tollgate_finance;
grant select on breaks to tollgate_support;
grant update (assigned_at), update (assigned_to), update (closed_at), update (closed_by), update (closing_reason) on breaks to tollgate_console;

create table captures (
  bucket smallint not null,
  capture_id text not null,
  client_id text not null,
  payment_id text not null,
  capture_request_id text not null,
  fingerprint bytea not null,
  status text not null,
  result_code text not null,
  currency text not null,
  amount_minor bigint not null,
  is_last boolean not null,
  connector text not null,
  reference text not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  accepted_at timestamptz,
  constraint captures_pkey primary key (bucket, capture_id),
  constraint captures_request_once_for_ever unique (bucket, client_id, capture_request_id),
  constraint captures_amount_positive check (amount_minor > 0),
  constraint captures_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint captures_finished_when_final check ((status = 'PROCESSING') = (finished_at is null)),
  constraint captures_id_of_35_digits check (length(capture_id) = 35 and translate(capture_id, '0123456789', '') = ''),
  constraint captures_status_known check (status = any (array['PROCESSING', 'SUCCESS', 'FAIL']))
);
create index captures_by_payment on captures using btree (bucket, payment_id);
create trigger capture_follows_its_lifecycle before update of status on captures for each row execute function capture_follows_its_lifecycle();
alter table captures enable row level security, force row level security;
create policy captures_own_rows on captures using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy captures_seen_by_staff on captures for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy captures_seen_by_the_operator on captures for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert, select, update on captures to tollgate_app;
grant select on captures to tollgate_support;

create table cell (
  name text not null,
  only_row boolean not null default true,
  directory_version bigint not null default 0,
  constraint cell_pkey primary key (name),
  constraint cell_has_one_row unique (only_row),
  constraint cell_directory_version_not_negative check (directory_version >= 0),
  constraint cell_name_well_formed check (name ~ '^[a-z][a-z0-9-]{0,31}$'),
  constraint cell_only_row_check check (only_row)
);
create trigger keep_directory_version before update of directory_version on cell for each row execute function keep_directory_version();
grant select on cell to tollgate_support;
grant select, update (directory_version) on cell to tollgate_app;

create table cell_buckets (
  bucket smallint not null,
  epoch integer not null,
  given_to text,
  constraint cell_buckets_pkey primary key (bucket),
  constraint cell_buckets_epoch_positive check (epoch > 0),
  constraint cell_buckets_in_range check (bucket >= 0 and bucket <= 1023)
);
grant select on cell_buckets to tollgate_app;
grant select on cell_buckets to tollgate_support;

create table changed_payments_queue (
  bucket smallint not null,
  payment_id text not null
);
grant insert on changed_payments_queue to tollgate_app;

create table client_homes (
  bucket smallint not null,
  client text not null,
  state text not null,
  epoch integer not null,
  cell text,
  turn integer,
  since timestamptz not null default clock_timestamp(),
  copied jsonb,
  constraint client_homes_pkey primary key (bucket, client),
  constraint client_homes_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint client_homes_epoch_positive check (epoch > 0),
  constraint client_homes_name_the_other_cell check (state = 'here' or cell is not null),
  constraint client_homes_state_known check (state = any (array['here', 'leaving', 'gone', 'arriving', 'ready']))
);
create unique index client_homes_fenced on client_homes using btree (client) where state <> 'here';
grant select on client_homes to tollgate_app;
grant select on client_homes to tollgate_support;

create table client_keys (
  bucket smallint not null,
  client_id text not null,
  version integer not null,
  public_key bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  revoked_at timestamptz,
  constraint client_keys_pkey primary key (bucket, client_id, version),
  constraint client_keys_bucket_client_id_fkey foreign key (bucket, client_id) references clients(bucket, client_id),
  constraint client_keys_version_not_negative check (version >= 0)
);
create trigger client_keys_count_as_changes after update on client_keys for each row execute function client_keys_count_as_changes();
create trigger client_keys_that_are_added_count_as_changes after insert on client_keys for each row when (new.version > 1 or new.client_id !~~ 'SANDBOX\_U%') execute function client_keys_count_as_changes();
create trigger record_delete after delete on client_keys for each row when (old.client_id !~~ 'SANDBOX\_U%') execute function record_row_change('all', '=client_id', '=version', '-bucket', '#public_key', '!delete');
create trigger record_first_key after insert on client_keys for each row when (new.version = 1 and new.client_id !~~ 'SANDBOX\_U%') execute function record_row_change('all', '=client_id', '=version', '-bucket', '#public_key', '@created_at');
create trigger record_insert after insert on client_keys for each row when (new.version <> 1 and new.client_id !~~ 'SANDBOX\_U%') execute function record_row_change('all', '=client_id', '=version', '-bucket', '#public_key', '@created_at', '!insert');
create trigger record_update after update on client_keys for each row when (new.client_id !~~ 'SANDBOX\_U%') execute function record_row_change('all', '=client_id', '=version', '#public_key', '@created_at', '@revoked_at', '!update');
alter table client_keys enable row level security, force row level security;
create policy client_keys_own_rows on client_keys using ((client_id in ( select unnest(nullif(current_setting('app.clients', true), '')::text[]) as unnest)));
grant insert, update (revoked_at) on client_keys to tollgate_operator;
grant select on client_keys to tollgate_app;
grant select on client_keys to tollgate_support;

create table clients (
  bucket smallint not null,
  client_id text not null,
  name text not null,
  status text not null default 'ACTIVE',
  gateway_key_version integer not null,
  time_tolerance_seconds integer not null default 600,
  rate_per_second integer not null default 200,
  rate_burst integer not null default 400,
  fee_basis_points integer not null default 0,
  link_schemes text[] not null default '{}'::text[],
  revision bigint not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  organisation text,
  constraint clients_pkey primary key (bucket, client_id),
  constraint clients_gateway_key_version_fkey foreign key (gateway_key_version) references gateway_keys(version),
  constraint clients_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint clients_burst_positive check (rate_burst > 0),
  constraint clients_fee_in_range check (fee_basis_points >= 0 and fee_basis_points <= 2000),
  constraint clients_id_well_formed check (client_id ~ '^[A-Za-z0-9_]{1,64}$'),
  constraint clients_of_the_sandbox_carry_its_prefix check (client_id ~~ 'SANDBOX\_%'),
  constraint clients_rate_positive check (rate_per_second > 0),
  constraint clients_status_known check (status = any (array['ACTIVE', 'SUSPENDED', 'CLOSED'])),
  constraint clients_time_tolerance_in_range check (time_tolerance_seconds >= 1 and time_tolerance_seconds <= 3600)
);
create trigger clients_count_their_changes before update on clients for each row execute function clients_count_their_changes();
create trigger clients_live_where_they_may before insert on clients for each row execute function clients_live_where_they_may();
create trigger record_delete after delete on clients for each row when (old.client_id !~~ 'SANDBOX\_U%') execute function record_row_change('all', '=client_id', '-bucket', '-revision', '!delete');
create trigger record_insert after insert on clients for each row when (new.client_id !~~ 'SANDBOX\_U%') execute function record_row_change('all', '=client_id', '-bucket', '-revision', '@created_at');
create trigger record_update after update on clients for each row when (new.client_id !~~ 'SANDBOX\_U%') execute function record_row_change('all', '=client_id', '-revision', '@created_at', '!client_id', '!bucket', '!fee_basis_points', '!status', '!gateway_key_version');
alter table clients enable row level security, force row level security;
create policy clients_own_rows on clients using ((client_id in ( select unnest(nullif(current_setting('app.clients', true), '')::text[]) as unnest)));
create policy clients_seen_by_staff on clients for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy clients_seen_by_the_operator on clients for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert, update (fee_basis_points), update (gateway_key_version), update (link_schemes), update (name), update (rate_burst), update (rate_per_second), update (revision), update (status), update (time_tolerance_seconds) on clients to tollgate_operator;
grant select on clients to tollgate_support;
grant select, update (gateway_key_version) on clients to tollgate_app;
grant update (fee_basis_points), update (gateway_key_version), update (link_schemes), update (name), update (rate_burst), update (rate_per_second), update (status), update (time_tolerance_seconds) on clients to tollgate_console;

create table clock_turns (
  bucket smallint not null,
  client_id text not null,
  turn_id text not null,
  turn_request_id text not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  is_done boolean not null default false,
  fingerprint bytea not null,
  fired jsonb not null default '[]'::jsonb,
  constraint clock_turns_pkey primary key (bucket, client_id, turn_request_id),
  constraint clock_turns_bucket_in_range check (bucket >= 0 and bucket <= 1023)
);
alter table clock_turns enable row level security, force row level security;
create policy clock_turns_own_rows on clock_turns using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant insert, select, update on clock_turns to tollgate_app;

create table clocks (
  bucket smallint not null,
  client_id text not null,
  ahead_ms bigint not null,
  constraint clocks_pkey primary key (bucket, client_id),
  constraint clocks_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint clocks_only_go_forward check (ahead_ms >= 0)
);
create trigger clocks_count_as_changes after insert or update on clocks for each row execute function clocks_count_as_changes();
alter table clocks enable row level security, force row level security;
create policy clocks_own_rows on clocks using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy clocks_seen_by_the_worker on clocks for select to tollgate_work using (true);
grant insert, select, update on clocks to tollgate_app;
grant select on clocks to tollgate_support;

create table closed_months (
  month text not null,
  row_count bigint not null,
  closed_at timestamptz not null,
  constraint closed_months_pkey primary key (month),
  constraint closed_months_of_the_calendar check (month ~ '^\d{4}-(0[1-9]|1[0-2])$')
);
create trigger record_row_change after insert or delete or update on closed_months for each row execute function record_row_change('staff', '=month', '@closed_at');
grant insert on closed_months to tollgate_finance;
grant select on closed_months to tollgate_support;

create table closed_sums (
  month text not null,
  client text not null,
  account text not null,
  currency text not null,
  amount_minor numeric(38,0) not null,
  row_count bigint not null,
  constraint closed_sums_pkey primary key (month, client, account, currency),
  constraint closed_sums_month_fkey foreign key (month) references closed_months(month)
);
create trigger record_bulk_insert after insert on closed_sums referencing new table as new_rows for each statement execute function record_bulk_insert();
grant insert on closed_sums to tollgate_finance;
grant select on closed_sums to tollgate_support;

create table connectors (
  name text not null,
  url text not null,
  partner_id text not null,
  public_key bytea not null,
  gateway_key_version integer not null default 1,
  simulator boolean not null default false,
  payment_method_types text[] not null,
  currencies text[] not null default '{}'::text[],
  demands_registration boolean not null default false,
  idempotent_by_reference boolean not null default true,
  quiet_seconds integer not null default 120,
  captures text not null default 'MANY',
  refunds text not null default 'MANY',
  refund_window_days integer not null default 365,
  cancel_paid text not null default 'DAY',
  silent_seen_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  disabled_at timestamptz,
  other_public_key bytea,
  client_certificate_file text,
  client_key_file text,
  ca_file text,
  facts jsonb,
  facts_at timestamptz,
  operator_terms text[] not null default '{}'::text[],
  idempotency_window_seconds integer,
  hold_seconds integer not null default 604800,
  accounts text not null default 'none',
  priority integer not null default 100,
  constraint connectors_pkey primary key (name),
  constraint connectors_accounts_known check (accounts = any (array['none', 'optional', 'required'])),
  constraint connectors_certificate_comes_with_its_key check ((client_certificate_file is null) = (client_key_file is null)),
  constraint connectors_facts_are_of_a_known_form check (facts is null or (jsonb_typeof(facts) = 'object' and (facts ->> 'protocolVersion') = '1.1' and jsonb_typeof(facts -> 'name') = 'string' and jsonb_typeof(facts -> 'softwareVersion') = 'string' and ((facts ->> 'refunds') = any (array['NONE', 'FULL', 'ONCE', 'MANY'])) and ((facts ->> 'captures') = any (array['NONE', 'ONE', 'MANY'])) and ((facts ->> 'cancelPaid') = any (array['NEVER', 'DAY', 'WEEK'])) and jsonb_typeof(facts -> 'currencies') = 'array' and jsonb_typeof(facts -> 'paymentMethodTypes') = 'array' and jsonb_typeof(facts -> 'queries') = 'array' and jsonb_typeof(facts -> 'wants') = 'array' and jsonb_typeof(facts -> 'evidenceTypes') = 'array' and jsonb_typeof(facts -> 'callbacks') = 'array') is true),
  constraint connectors_facts_have_a_time check ((facts is null) = (facts_at is null)),
  constraint connectors_holds_last check (hold_seconds > 0),
  constraint connectors_idempotency_window_is_positive check (idempotency_window_seconds > 0),
  constraint connectors_name_well_formed check (name ~ '^[A-Za-z0-9_-]{1,32}$'),
  constraint connectors_priority_in_range check (priority >= 0 and priority <= 1000000),
  constraint connectors_terms_known check ((refunds = any (array['NONE', 'FULL', 'ONCE', 'MANY'])) and (captures = any (array['NONE', 'ONE', 'MANY'])) and (cancel_paid = any (array['NEVER', 'DAY', 'WEEK'])) and refund_window_days > 0)
);
create trigger record_row_change after insert or delete or update on connectors for each row execute function record_row_change('all', '=name', '#public_key', '#other_public_key', '-silent_seen_at', '@created_at', '@disabled_at', '@facts_at', '!insert', '!delete', '!name', '!url', '!partner_id', '!public_key', '!other_public_key', '!gateway_key_version', '!simulator', '!client_certificate_file', '!client_key_file', '!ca_file');
grant insert, update on connectors to tollgate_operator;
grant select on connectors to tollgate_app;
grant select on connectors to tollgate_support;
grant update (disabled_at), update (gateway_key_version) on connectors to tollgate_console;
grant update (silent_seen_at) on connectors to tollgate_work;

create table console_approvals (
  approval_id bigint not null generated always as identity,
  transaction xid8 not null,
  login text not null,
  at timestamptz not null,
  act text not null,
  subject text not null,
  requested_by text not null,
  approved_by text not null,
  constraint console_approvals_pkey primary key (approval_id),
  constraint console_approvals_act_is_short check (length(act) >= 1 and length(act) <= 100),
  constraint console_approvals_approved_by_is_short check (length(approved_by) >= 1 and length(approved_by) <= 200),
  constraint console_approvals_need_two_people check (approved_by <> requested_by),
  constraint console_approvals_requested_by_is_short check (length(requested_by) >= 1 and length(requested_by) <= 200),
  constraint console_approvals_subject_is_short check (length(subject) <= 300)
);
create index console_approvals_by_transaction on console_approvals using btree (transaction);
create trigger console_approval_is_of_its_transaction before insert on console_approvals for each row execute function console_approval_is_of_its_transaction();
create trigger record_row_change after insert or delete or update on console_approvals for each row execute function record_row_change('staff', '=approval_id', '-transaction', '@at');
grant insert (act), insert (approved_by), insert (requested_by), insert (subject) on console_approvals to tollgate_console;
grant select on console_approvals to tollgate_support;

create table dispute_events (
  bucket smallint not null,
  dispute_id text not null,
  sequence integer not null,
  client_id text not null,
  at timestamptz not null,
  status text not null,
  told text,
  constraint dispute_events_pkey primary key (bucket, dispute_id, sequence),
  constraint dispute_events_bucket_in_range check (bucket >= 0 and bucket <= 1023)
);
alter table dispute_events enable row level security, force row level security;
create policy dispute_events_own_rows on dispute_events using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant insert, select on dispute_events to tollgate_app;
grant select on dispute_events to tollgate_support;

create table dispute_evidence (
  bucket smallint not null,
  dispute_id text not null,
  number integer not null,
  client_id text not null,
  format text not null,
  sha256 bytea not null,
  content bytea not null,
  created_at timestamptz not null,
  position smallint not null default 1,
  type text not null default 'OTHER',
  constraint dispute_evidence_pkey primary key (bucket, dispute_id, number, "position"),
  constraint dispute_evidence_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint dispute_evidence_format_known check (format = any (array['PDF', 'WORD', 'ZIP', 'JPG'])),
  constraint dispute_evidence_of_limited_size check (octet_length(content) <= 750000),
  constraint dispute_evidence_position_in_range check ("position" >= 1 and "position" <= 10),
  constraint dispute_evidence_type_known check (type = any (array['RECEIPT', 'PROOF_OF_DELIVERY', 'CUSTOMER_COMMUNICATION', 'REFUND_POLICY', 'TERMS_ACCEPTED', 'SERVICE_RECORD', 'DUPLICATE_EXPLANATION', 'IDENTITY', 'OTHER']))
);
alter table dispute_evidence enable row level security, force row level security;
create policy dispute_evidence_own_rows on dispute_evidence using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant delete, insert, select on dispute_evidence to tollgate_app;

create table disputes (
  bucket smallint not null,
  dispute_id text not null,
  client_id text not null,
  payment_id text not null,
  connector text not null,
  provider_dispute_id text not null,
  provider_sequence integer not null,
  type text not null,
  status text not null,
  currency text not null,
  amount_minor bigint not null,
  frozen_minor bigint not null default 0,
  debited_minor bigint not null default 0,
  reason_code text not null,
  reason_message text not null,
  source text not null,
  defendable boolean not null,
  auto_defend_reason text,
  created_at timestamptz not null,
  due_at timestamptz,
  alerted_at timestamptz,
  answer text,
  answer_requested_at timestamptz,
  defenses integer not null default 0,
  answered_at timestamptz,
  accept_reason text,
  judged_result text,
  judged_minor bigint,
  judged_at timestamptz,
  resolved_at timestamptz,
  sequence integer not null default 1,
  wanted_evidence text[] not null default '{}'::text[],
  constraint disputes_pkey primary key (bucket, dispute_id),
  constraint disputes_once_for_ever unique (bucket, connector, provider_dispute_id),
  constraint disputes_amount_positive check (amount_minor > 0),
  constraint disputes_answer_has_a_time check ((answer is null) = (answer_requested_at is null)),
  constraint disputes_answer_known check (answer = any (array['ACCEPT', 'DEFEND'])),
  constraint disputes_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint disputes_debited_not_negative check (debited_minor >= 0),
  constraint disputes_frozen_not_negative check (frozen_minor >= 0),
  constraint disputes_id_of_35_digits check (length(dispute_id) = 35 and translate(dispute_id, '0123456789', '') = ''),
  constraint disputes_nothing_frozen_when_resolved check (resolved_at is null or frozen_minor = 0),
  constraint disputes_sequence_positive check (sequence > 0),
  constraint disputes_status_known check (status = any (array['CREATED', 'DEFENDED', 'ACCEPTED', 'CANCELLED', 'JUDGED', 'EXPIRED', 'RESOLVED'])),
  constraint disputes_type_known check (type = any (array['CHARGEBACK', 'RETRIEVAL_REQUEST', 'COMPLIANCE_REQUEST', 'RDR', 'FRAUD_WARNING'])),
  constraint disputes_warnings_move_no_money check (type <> 'FRAUD_WARNING' or frozen_minor = 0 and debited_minor = 0)
);
create index disputes_by_client on disputes using btree (bucket, client_id, dispute_id);
create index disputes_by_payment on disputes using btree (bucket, payment_id);
create index disputes_unanswered on disputes using btree (bucket, client_id, coalesce(due_at, 'infinity'::timestamptz), dispute_id) where status = 'CREATED' and answer is null;
create trigger dispute_follows_its_lifecycle before update of status on disputes for each row execute function dispute_follows_its_lifecycle();
create trigger dispute_notes_its_change after update of debited_minor on disputes for each row when (new.debited_minor <> old.debited_minor) execute function payment_notes_its_change();
alter table disputes enable row level security, force row level security;
create policy disputes_own_rows on disputes using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy disputes_searched on disputes for select to owner using (current_setting('app.fills_search', true) = 'on');
create policy disputes_seen_by_staff on disputes for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy disputes_seen_by_the_operator on disputes for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert, select, update on disputes to tollgate_app;
grant select on disputes to tollgate_support;

create table environment (
  name text not null,
  only_row boolean not null default true,
  constraint environment_pkey primary key (name),
  constraint environment_has_one_row unique (only_row),
  constraint environment_is_sandbox_or_live check (name = any (array['sandbox', 'live'])),
  constraint environment_only_row_check check (only_row)
);
grant select on environment to tollgate_app;
grant select on environment to tollgate_support;

create table exchange_quotes (
  quote_id text not null,
  from_currency text not null,
  to_currency text not null,
  market_price numeric(24,15) not null,
  margin_millionths integer not null,
  price numeric(24,15) not null,
  from_at timestamptz not null,
  until_at timestamptz not null,
  set_at timestamptz not null default clock_timestamp(),
  constraint exchange_quotes_pkey primary key (quote_id),
  constraint exchange_quotes_begin_before_they_end check (from_at < until_at),
  constraint exchange_quotes_margin_in_range check (margin_millionths >= 0 and margin_millionths <= 200000),
  constraint exchange_quotes_market_price_positive check (market_price > 0::numeric),
  constraint exchange_quotes_of_two_currencies check (from_currency <> to_currency),
  constraint exchange_quotes_price_positive check (price > 0::numeric)
);
create index exchange_quotes_by_pair on exchange_quotes using btree (from_currency, to_currency, from_at);
create trigger exchange_quotes_are_append_only before delete or update or truncate on exchange_quotes for each statement execute function exchange_quotes_are_append_only();
create trigger record_row_change after insert or delete or update on exchange_quotes for each row execute function record_row_change('all', '=from_currency', '=to_currency', '-quote_id', '@from_at', '@set_at', '!insert', '!update', '!delete');
grant insert on exchange_quotes to tollgate_finance;
grant select on exchange_quotes to tollgate_support;

create table fee_rules (
  bucket smallint not null,
  client_id text not null,
  rule_id text not null,
  payment_method_type text,
  currency text,
  from_at timestamptz not null,
  rate_millionths integer not null,
  fixed_minor bigint not null default 0,
  minimum_minor bigint not null default 0,
  maximum_minor bigint,
  tax_millionths integer not null default 0,
  refund_policy text not null,
  refund_fixed_minor bigint not null default 0,
  set_at timestamptz not null default clock_timestamp(),
  constraint fee_rules_pkey primary key (bucket, client_id, rule_id),
  constraint fee_rules_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint fee_rules_rate_in_range check (rate_millionths >= 0 and rate_millionths <= 200000),
  constraint fee_rules_refund_policy_known check (refund_policy = any (array['keep', 'return rate', 'return all'])),
  constraint fee_rules_sums_have_a_currency check (currency is not null or fixed_minor = 0 and minimum_minor = 0 and refund_fixed_minor = 0 and maximum_minor is null),
  constraint fee_rules_sums_in_range check (fixed_minor >= 0 and fixed_minor <= '1000000000000'::bigint and minimum_minor >= 0 and minimum_minor <= '1000000000000'::bigint and refund_fixed_minor >= 0 and refund_fixed_minor <= '1000000000000'::bigint and maximum_minor >= minimum_minor and maximum_minor <= '1000000000000'::bigint),
  constraint fee_rules_tax_in_range check (tax_millionths >= 0 and tax_millionths <= 500000)
);
create index fee_rules_of_everybody on fee_rules using btree (client_id) where client_id = 'HOUSE';
create trigger fee_rules_are_append_only before update or truncate on fee_rules for each statement execute function fee_rules_are_append_only();
create trigger fee_rules_count_as_changes after insert on fee_rules for each row execute function fee_rules_count_as_changes();
create trigger fee_rules_of_merchants_stay before delete on fee_rules for each row when (old.client_id !~~ 'SANDBOX\_U%') execute function fee_rules_are_append_only();
create trigger record_row_change after insert or delete or update on fee_rules for each row execute function record_row_change('all', '=client_id', '-bucket', '-rule_id', '@from_at', '@set_at', '!insert', '!update', '!delete');
alter table fee_rules enable row level security, force row level security;
create policy fee_rules_own_rows on fee_rules using (client_id = 'HOUSE' or (client_id = any (nullif(current_setting('app.clients', true), '')::text[])));
create policy fee_rules_seen_by_the_operator on fee_rules for select to owner using (current_setting('app.oversight', true) = 'on');
create policy fee_rules_seen_by_the_operator_seen_by_staff on fee_rules for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
grant insert on fee_rules to tollgate_finance;
grant select on fee_rules to tollgate_app;
grant select on fee_rules to tollgate_support;

create table feed_heads (
  bucket smallint not null,
  client_id text not null,
  position bigint not null,
  constraint feed_heads_pkey primary key (bucket, client_id),
  constraint feed_heads_bucket_in_range check (bucket >= 0 and bucket <= 1023)
);
alter table feed_heads enable row level security, force row level security;
create policy feed_heads_moved on feed_heads to owner using (current_setting('app.numbers_events', true) = 'on');
create policy feed_heads_own_rows on feed_heads using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant select on feed_heads to tollgate_app;

create table gateway_keys (
  version integer not null,
  public_key bytea not null,
  wrapped_private_key bytea,
  created_at timestamptz not null default clock_timestamp(),
  ed25519_public_key bytea,
  wrapped_ed25519_private_key bytea,
  held_as text,
  constraint gateway_keys_pkey primary key (version),
  constraint gateway_keys_ed25519_is_a_pair check ((wrapped_ed25519_private_key is null) = (ed25519_public_key is null or held_as is not null)),
  constraint gateway_keys_version_positive check (version > 0),
  constraint gateway_keys_wrapped_or_held check ((wrapped_private_key is null) = (held_as is not null))
);
create trigger record_delete after delete on gateway_keys for each row execute function record_row_change('all', '=version', '#public_key', '#ed25519_public_key', '-wrapped_private_key', '-wrapped_ed25519_private_key', '!delete');
create trigger record_first_key after insert on gateway_keys for each row when (new.version = 1) execute function record_row_change('all', '=version', '#public_key', '#ed25519_public_key', '-wrapped_private_key', '-wrapped_ed25519_private_key', '@created_at');
create trigger record_insert after insert on gateway_keys for each row when (new.version <> 1) execute function record_row_change('all', '=version', '-public_key', '-ed25519_public_key', '-wrapped_private_key', '-wrapped_ed25519_private_key', '@created_at', '!insert');
create trigger record_update after update on gateway_keys for each row execute function record_row_change('all', '=version', '#public_key', '#ed25519_public_key', '#wrapped_private_key', '#wrapped_ed25519_private_key', '@created_at', '!version', '!public_key', '!ed25519_public_key', '!held_as');
grant delete, insert, select (wrapped_ed25519_private_key), select (wrapped_private_key), update (wrapped_ed25519_private_key), update (wrapped_private_key) on gateway_keys to tollgate_admin;
grant select (created_at), select (ed25519_public_key), select (held_as), select (public_key), select (version) on gateway_keys to tollgate_support;
grant select on gateway_keys to tollgate_app;

create table installation (
  wrapped_secret bytea not null,
  only_row boolean not null default true,
  constraint installation_has_one_row primary key (only_row),
  constraint installation_only_row_check check (only_row)
);
create trigger record_row_change after insert or delete or update on installation for each row execute function record_row_change('staff', '#wrapped_secret');
grant insert, select (wrapped_secret), update (wrapped_secret) on installation to tollgate_admin;
grant select on installation to tollgate_app;

create table jobs (
  bucket smallint not null,
  subject_id text not null,
  job text not null,
  client_id text not null,
  queue text,
  connector text,
  due_at timestamptz not null,
  follows_merchant_clock boolean not null default false,
  epoch integer not null default 1,
  attempts integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  parked_at timestamptz,
  sent_at timestamptz default now(),
  abandoned_at timestamptz,
  last_word text,
  rerun_at timestamptz,
  first_sent_at timestamptz,
  constraint jobs_pkey primary key (bucket, subject_id, job),
  constraint jobs_bucket_in_range check (bucket >= 0 and bucket <= 1023)
);
create index jobs_due on jobs using btree (due_at) where connector is null;
create index jobs_due_by_connector on jobs using btree (connector, due_at) where connector is not null;
create index jobs_parked on jobs using btree (queue, created_at) where due_at = 'infinity'::timestamptz;
create trigger record_row_change after insert or delete or update on jobs for each row when (pg_has_role(session_user, 'tollgate_support'::name, 'member')) execute function record_row_change('staff', '=client_id', '=subject_id', '=job', '-bucket', '@due_at', '@created_at', '@parked_at', '@sent_at', '@abandoned_at');
alter table jobs enable row level security, force row level security;
create policy jobs_of_staff on jobs for insert to tollgate_operator, tollgate_finance, tollgate_console with check (job = 'deliver-notification');
create policy jobs_own_rows on jobs using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy jobs_searched on jobs for select to owner using (current_setting('app.fills_search', true) = 'on');
create policy jobs_seen_by_staff on jobs for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy jobs_seen_by_the_operator on jobs for select to owner using (current_setting('app.oversight', true) = 'on');
create policy jobs_seen_by_the_worker on jobs to tollgate_work using (true);
grant delete, insert, select, update on jobs to tollgate_app;
grant insert (bucket), insert (client_id), insert (due_at), insert (follows_merchant_clock), insert (job), insert (queue), insert (subject_id), update (attempts), update (due_at) on jobs to tollgate_console;
grant insert (bucket), insert (client_id), insert (due_at), insert (follows_merchant_clock), insert (job), insert (queue), insert (subject_id), update (attempts), update (due_at) on jobs to tollgate_operator;
grant insert on jobs to tollgate_finance;
grant select on jobs to tollgate_support;

create table key_uses (
  bucket smallint not null,
  client_id text not null,
  day date not null,
  signed text not null,
  version integer not null,
  times bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  constraint key_uses_pkey primary key (bucket, client_id, day, signed, version),
  constraint key_uses_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint key_uses_signed_known check (signed = any (array['REQUEST', 'ANSWER', 'NOTIFICATION'])),
  constraint key_uses_times_positive check (times > 0)
) with (fillfactor=70);
alter table key_uses enable row level security, force row level security;
create policy key_uses_own_rows on key_uses using ((client_id in ( select unnest(nullif(current_setting('app.clients', true), '')::text[]) as unnest)));
grant delete, insert, select, update on key_uses to tollgate_app;
grant select on key_uses to tollgate_support;

create table last_changes (
  bucket smallint not null,
  client_id text not null,
  operation text not null,
  requested_at timestamptz not null,
  digests bytea[] not null,
  constraint last_changes_pkey primary key (bucket, client_id, operation),
  constraint last_changes_are_few_of_one_moment check (cardinality(digests) <= 32),
  constraint last_changes_bucket_in_range check (bucket >= 0 and bucket <= 1023)
);
alter table last_changes enable row level security, force row level security;
create policy last_changes_own_rows on last_changes using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant insert, select, update on last_changes to tollgate_app;

create table ledger_transfers (
  bucket smallint not null,
  subject_id text not null,
  effect text not null,
  line smallint not null,
  client_id text not null,
  debit_account text not null,
  credit_account text not null,
  currency text not null,
  amount_minor bigint not null,
  at timestamptz not null,
  transaction xid8 not null default pg_current_xact_id(),
  constraint ledger_transfers_pkey primary key (bucket, subject_id, effect, line),
  constraint ledger_transfers_amount_positive check (amount_minor > 0),
  constraint ledger_transfers_between_two_accounts check (debit_account <> credit_account),
  constraint ledger_transfers_bucket_in_range check (bucket >= 0 and bucket <= 1023)
);
create index ledger_transfers_by_time on ledger_transfers using brin (at);
create index ledger_transfers_by_transaction on ledger_transfers using btree (transaction);
create index ledger_transfers_in_clearing on ledger_transfers using btree (at) where debit_account = 'clearing' or credit_account = 'clearing';
create index ledger_transfers_of_client on ledger_transfers using btree (client_id collate "C", at);
create index ledger_transfers_of_exchange on ledger_transfers using btree (at) where starts_with(effect, 'exchange');
create trigger ledger_is_append_only before update or truncate on ledger_transfers for each statement execute function ledger_is_append_only();
create trigger ledger_of_merchants_is_append_only before delete on ledger_transfers for each row when (old.client_id !~~ 'SANDBOX\_U%') execute function ledger_is_append_only();
create trigger record_row_change after insert on ledger_transfers for each row when (pg_has_role(session_user, 'tollgate_support'::name, 'member') and new.effect <> 'write-off') execute function record_row_change('staff', '=subject_id', '=effect', '=line', '+client_id', '-bucket', '-transaction', '@at');
create trigger record_write_off after insert on ledger_transfers for each row when (new.effect = 'write-off') execute function record_row_change('approval', '=subject_id', '=effect', '=line', '+client_id', '-bucket', '-transaction', '@at', '!insert');
alter table ledger_transfers enable row level security, force row level security;
create policy ledger_transfers_own_rows on ledger_transfers using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy ledger_transfers_seen_by_staff on ledger_transfers for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy ledger_transfers_seen_by_the_operator on ledger_transfers for select to owner using (current_setting('app.oversight', true) = 'on');
create policy ledger_transfers_to_roll_up on ledger_transfers for select to owner using (current_setting('app.rolls_up', true) = 'on');
grant insert on ledger_transfers to tollgate_finance;
grant insert, select on ledger_transfers to tollgate_app;
grant select on ledger_transfers to tollgate_support;

create table migrations (
  name text not null,
  sha256 text not null,
  applied_at timestamptz not null default clock_timestamp(),
  constraint migrations_pkey primary key (name)
);
grant select on migrations to tollgate_app;
grant select on migrations to tollgate_support;

create table notification_attempts (
  bucket smallint not null,
  notification_id text not null,
  attempt integer not null,
  client_id text not null,
  at timestamptz not null,
  key_version integer not null,
  http_status integer not null,
  failure text,
  answer text not null,
  dns_ms real,
  connect_ms real,
  tls_ms real,
  first_byte_ms real,
  total_ms real not null,
  constraint notification_attempts_pkey primary key (bucket, notification_id, attempt),
  constraint notification_attempts_answer_is_short check (length(answer) <= 1024),
  constraint notification_attempts_bucket_in_range check (bucket >= 0 and bucket <= 1023)
);
alter table notification_attempts enable row level security, force row level security;
create policy notification_attempts_own_rows on notification_attempts using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy notification_attempts_seen_by_staff on notification_attempts for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy notification_attempts_seen_by_the_operator on notification_attempts for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert, select on notification_attempts to tollgate_app;
grant select on notification_attempts to tollgate_support;

create table notification_faults (
  bucket smallint not null,
  client_id text not null,
  fault_request_id text not null,
  kind text not null,
  subject_id text,
  origin text,
  remaining integer not null,
  delay_seconds integer not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint notification_faults_pkey primary key (bucket, client_id, fault_request_id),
  constraint notification_faults_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint notification_faults_remaining_not_negative check (remaining >= 0)
);
alter table notification_faults enable row level security, force row level security;
create policy notification_faults_own_rows on notification_faults using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant insert, select, update on notification_faults to tollgate_app;

create table notifications (
  bucket smallint not null,
  notification_id text not null,
  client_id text not null,
  kind text not null,
  subject_id text not null,
  sequence integer not null,
  url text,
  body bytea not null,
  sealed boolean not null default false,
  status text not null default 'WAITING',
  attempts integer not null default 0,
  position bigint,
  created_at timestamptz not null,
  delivered_at timestamptz,
  constraint notifications_pkey primary key (bucket, notification_id),
  constraint notifications_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint notifications_status_known check (status = any (array['WAITING', 'DELIVERED', 'EXHAUSTED', 'UNSENT']))
) with (fillfactor=50);
create index notifications_without_position on notifications using btree (created_at) where "position" is null;
create unique index notifications_by_position on notifications using btree (bucket, client_id, "position");
create trigger notification_follows_its_lifecycle before update of status on notifications for each row execute function notification_follows_its_lifecycle();
create trigger record_row_change after insert or delete or update on notifications for each row when (pg_has_role(session_user, 'tollgate_support'::name, 'member')) execute function record_row_change('staff', '=client_id', '=notification_id', '-bucket', '#url', '#body', '@created_at', '@delivered_at');
alter table notifications enable row level security, force row level security;
create policy notifications_found_to_number on notifications for select to owner using (current_setting('app.numbers_events', true) = 'on');
create policy notifications_numbered on notifications for update to owner using (current_setting('app.numbers_events', true) = 'on');
create policy notifications_of_finance on notifications for insert to tollgate_finance with check ((kind = any (array['notifyPayout', 'notifyBankAccount'])) and url is null and not sealed);
create policy notifications_own_rows on notifications using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy notifications_seen_by_staff on notifications for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy notifications_seen_by_the_operator on notifications for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert on notifications to tollgate_finance;
grant insert, select, update on notifications to tollgate_app;
grant select on notifications to tollgate_support;
grant update (delivered_at), update (status) on notifications to tollgate_console;
grant update (delivered_at), update (status) on notifications to tollgate_operator;

create table notify_urls (
  bucket smallint not null,
  client_id text not null,
  kind text not null,
  url text not null,
  constraint notify_urls_pkey primary key (bucket, client_id, kind),
  constraint notify_urls_bucket_in_range check (bucket >= 0 and bucket <= 1023)
);
create trigger record_row_change after insert or delete or update on notify_urls for each row execute function record_row_change('staff', '=client_id', '=kind', '-bucket', '#url', '!insert', '!update', '!delete');
alter table notify_urls enable row level security, force row level security;
create policy notify_urls_own_rows on notify_urls using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant delete, insert, select, update on notify_urls to tollgate_app;
grant delete, insert, update on notify_urls to tollgate_operator;
grant select on notify_urls to tollgate_support;

create table order_data (
  bucket smallint not null,
  payment_id text not null,
  client_id text not null,
  data jsonb not null,
  constraint order_data_pkey primary key (bucket, payment_id),
  constraint order_data_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint order_data_has_groups check (jsonb_typeof(data) = 'object')
);
alter table order_data enable row level security, force row level security;
create policy order_data_own_rows on order_data using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant insert, select, update (data) on order_data to tollgate_app;

create table paused_queues (
  bucket smallint not null,
  client_id text not null,
  queue text not null,
  paused_at timestamptz not null,
  constraint paused_queues_pkey primary key (bucket, client_id, queue),
  constraint paused_queues_bucket_in_range check (bucket >= 0 and bucket <= 1023)
);
alter table paused_queues enable row level security, force row level security;
create policy paused_queues_own_rows on paused_queues using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy paused_queues_seen_by_staff on paused_queues for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy paused_queues_seen_by_the_operator on paused_queues for select to owner using (current_setting('app.oversight', true) = 'on');
create policy paused_queues_seen_by_the_worker on paused_queues for select to tollgate_work using (true);
grant delete, insert, select, update on paused_queues to tollgate_app;
grant select on paused_queues to tollgate_support;

create table payment_counts (
  bucket smallint not null,
  client_id text not null,
  span text not null,
  starts_at timestamptz not null,
  currency text not null,
  payment_method_type text not null,
  status text not null,
  result_code text not null,
  payment_count bigint not null,
  amount_minor numeric(38,0) not null,
  final_count bigint not null,
  final_seconds bigint not null,
  within_5_s bigint not null,
  within_15_s bigint not null,
  within_60_s bigint not null,
  within_300_s bigint not null,
  constraint payment_counts_pkey primary key (bucket, client_id, span, starts_at, currency, payment_method_type, status, result_code),
  constraint payment_counts_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint payment_counts_span_known check (span = any (array['hour', 'day']))
) with (fillfactor=70);
alter table payment_counts enable row level security, force row level security;
create policy payment_counts_filled on payment_counts to owner using (current_setting('app.fills_search', true) = 'on');
create policy payment_counts_own_rows on payment_counts using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant select on payment_counts to tollgate_app;

create table payment_events (
  bucket smallint not null,
  payment_id text not null,
  sequence integer not null,
  client_id text not null,
  at timestamptz not null,
  status text not null,
  result_code text not null,
  constraint payment_events_pkey primary key (bucket, payment_id, sequence)
);
alter table payment_events enable row level security, force row level security;
create policy payment_events_own_rows on payment_events using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy payment_events_searched on payment_events for select to owner using (current_setting('app.fills_search', true) = 'on');
grant insert, select on payment_events to tollgate_app;
grant select on payment_events to tollgate_support;

create table payment_sessions (
  bucket smallint not null,
  payment_id text not null,
  client_id text not null,
  payment_method_types text[],
  regions text[],
  user_region text,
  payment_expires_at timestamptz,
  order_info jsonb not null,
  customized_info jsonb,
  created_at timestamptz not null,
  constraint payment_sessions_pkey primary key (bucket, payment_id),
  constraint payment_sessions_bucket_in_range check (bucket >= 0 and bucket <= 1023)
);
alter table payment_sessions enable row level security, force row level security;
create policy payment_sessions_own_rows on payment_sessions using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant insert, select on payment_sessions to tollgate_app;

create table payments (
  bucket smallint not null,
  payment_id text not null,
  client_id text not null,
  payment_request_id text not null,
  fingerprint bytea,
  product_code text not null,
  scenario text,
  payment_method_type text,
  capture_mode text not null default 'AUTOMATIC',
  order_description text,
  redirect_url text,
  notify_url text,
  metadata text,
  status text not null,
  result_code text not null,
  sequence integer not null default 1,
  currency text,
  amount_minor bigint,
  paid_currency text,
  paid_minor bigint,
  captured_minor bigint not null default 0,
  refunded_minor bigint not null default 0,
  disputed_minor bigint not null default 0,
  fee_basis_points integer not null default 0,
  transaction_count integer not null default 0,
  connector text,
  provider_reference text,
  provider_code text,
  provider_url text,
  provider_accepted_at timestamptz,
  sealed_code bytea,
  created_at timestamptz not null,
  session_expires_at timestamptz,
  chosen_at timestamptz,
  expires_at timestamptz,
  cancel_requested_at timestamptz,
  cancelled_at timestamptz,
  paid_at timestamptz,
  auth_expires_at timestamptz,
  released_at timestamptz,
  archive_id integer,
  ended_at timestamptz,
  order_shown text,
  change_requested_at timestamptz,
  left_orders text,
  fee_terms text,
  reference_order_id text,
  provider_account text,
  provider_registration_id text,
  provider_details text,
  next_action text,
  constraint payments_pkey primary key (bucket, payment_id),
  constraint payments_request_once_for_ever unique (bucket, client_id, payment_request_id),
  constraint payments_amount_positive check (amount_minor > 0),
  constraint payments_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint payments_capture_mode_known check (capture_mode = any (array['AUTOMATIC', 'MANUAL'])),
  constraint payments_captured_in_range check (captured_minor >= 0 and captured_minor <= coalesce(amount_minor, 0::bigint)),
  constraint payments_disputed_in_range check (disputed_minor >= 0 and disputed_minor <= (captured_minor - refunded_minor)),
  constraint payments_have_an_amount check ((currency is null) = (amount_minor is null) and (amount_minor is not null or status = 'CANCELLED')),
  constraint payments_id_of_35_digits check (length(payment_id) = 35 and translate(payment_id, '0123456789', '') = ''),
  constraint payments_paid_has_a_currency check ((paid_currency is null) = (paid_minor is null)),
  constraint payments_paid_not_negative check (paid_minor >= 0),
  constraint payments_product_known check (product_code = any (array['CASHIER_PAYMENT', 'AGREEMENT_PAYMENT', 'IN_STORE_PAYMENT'])),
  constraint payments_refunded_in_range check (refunded_minor >= 0 and refunded_minor <= captured_minor),
  constraint payments_sequence_positive check (sequence > 0),
  constraint payments_status_known check (status = any (array['PROCESSING', 'PENDING', 'SUCCESS', 'FAIL', 'CANCELLED'])),
  constraint payments_success_was_paid check (status <> 'SUCCESS' or paid_at is not null and paid_minor is not null)
) with (fillfactor=60);
create trigger payment_follows_its_lifecycle before update of status on payments for each row execute function payment_follows_its_lifecycle();
create trigger payment_notes_its_change after update of status, result_code, payment_method_type, connector, captured_minor, refunded_minor, disputed_minor, released_at on payments for each row execute function payment_notes_its_change();
create trigger payment_without_a_job_is_noted after insert on payments for each row when (new.status <> 'PROCESSING') execute function payment_notes_its_change();
alter table payments enable row level security, force row level security;
create policy payments_own_rows on payments using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy payments_searched on payments for select to owner using (current_setting('app.fills_search', true) = 'on');
create policy payments_seen_by_staff on payments for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy payments_seen_by_the_operator on payments for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert, select, update on payments to tollgate_app;
grant select on payments to tollgate_support;

create table payout_entries (
  bucket smallint not null,
  client_id text not null,
  payout_id text not null,
  entry_key bytea not null,
  account text not null,
  kind text not null,
  statement_id text not null,
  bank_reference text,
  currency text not null,
  amount_minor bigint not null,
  is_credit boolean not null,
  return_code text,
  booked_at timestamptz not null,
  imported_at timestamptz not null,
  constraint payout_entries_pkey primary key (bucket, client_id, payout_id, entry_key),
  constraint payout_entries_amount_positive check (amount_minor > 0),
  constraint payout_entries_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint payout_entries_key_is_sha256 check (length(entry_key) = 32),
  constraint payout_entries_kind_known check (kind = any (array['camt.053', 'camt.054']))
);
create trigger record_bulk_insert after insert on payout_entries referencing new table as new_rows for each statement execute function record_bulk_insert();
alter table payout_entries enable row level security, force row level security;
create policy payout_entries_own_rows on payout_entries using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy payout_entries_seen_by_staff on payout_entries for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy payout_entries_seen_by_the_operator on payout_entries for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert on payout_entries to tollgate_finance;
grant select on payout_entries to tollgate_support;

create table payout_file_lines (
  bucket smallint not null,
  client_id text not null,
  file_id text not null,
  batch_id text not null,
  attempt smallint not null,
  payout_id text not null,
  currency text not null,
  amount_minor bigint not null,
  account_id text not null,
  dropped_for text,
  constraint payout_file_lines_pkey primary key (bucket, client_id, file_id, batch_id),
  constraint payout_file_lines_amount_positive check (amount_minor > 0),
  constraint payout_file_lines_attempt_in_range check (attempt >= 1 and attempt <= 99),
  constraint payout_file_lines_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint payout_file_lines_dropped_for_is_short check (length(dropped_for) >= 1 and length(dropped_for) <= 100)
);
create index payout_file_lines_by_file on payout_file_lines using btree (file_id);
create trigger payout_file_line_is_frozen before insert or update on payout_file_lines for each row execute function payout_file_line_is_frozen();
create trigger record_row_change after insert or delete or update on payout_file_lines for each row execute function record_row_change('staff', '=client_id', '=file_id', '=batch_id', '-bucket');
alter table payout_file_lines enable row level security, force row level security;
create policy payout_file_lines_own_rows on payout_file_lines using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy payout_file_lines_seen_by_staff on payout_file_lines for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy payout_file_lines_seen_by_the_operator on payout_file_lines for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert (account_id), insert (amount_minor), insert (attempt), insert (batch_id), insert (bucket), insert (client_id), insert (currency), insert (file_id), insert (payout_id), update (dropped_for) on payout_file_lines to tollgate_finance;
grant select on payout_file_lines to tollgate_support;

create table payout_files (
  file_id text not null,
  bank text not null,
  currency text not null,
  format text not null,
  sha256 bytea not null,
  payout_count integer not null,
  sum_minor bigint not null,
  created_at timestamptz not null,
  handed_over_at timestamptz,
  execution_day date,
  status text not null default 'PLANNED',
  from_holder text,
  from_iban text,
  from_bic text,
  planned_by text,
  planned_login text,
  planned_in xid8,
  approved_by text,
  approved_login text,
  approved_at timestamptz,
  approved_digest bytea,
  is_recovered boolean not null default false,
  sent_sha256 bytea,
  sent_count integer,
  sent_minor bigint,
  void_requested_by text,
  void_requested_login text,
  voided_by text,
  voided_login text,
  constraint payout_files_pkey primary key (file_id),
  constraint payout_files_approved_by_is_short check (length(approved_by) >= 1 and length(approved_by) <= 200),
  constraint payout_files_format_known check (format = any (array['pain.001.001.09', 'pain.001.001.03'])),
  constraint payout_files_planned_by_is_short check (length(planned_by) >= 1 and length(planned_by) <= 200),
  constraint payout_files_status_known check (status = any (array['PLANNED', 'APPROVED', 'RELEASED', 'HANDED_OVER', 'VOIDED', 'DROPPED'])),
  constraint payout_files_void_requested_by_is_short check (length(void_requested_by) >= 1 and length(void_requested_by) <= 200),
  constraint payout_files_voided_by_is_short check (length(voided_by) >= 1 and length(voided_by) <= 200)
);
create unique index payout_files_one_open on payout_files using btree (bank, currency) where status = any (array['PLANNED', 'APPROVED', 'RELEASED']);
create constraint trigger payout_file_is_audited after update on payout_files deferrable initially deferred for each row when (new.status = 'HANDED_OVER' and old.status <> 'HANDED_OVER') execute function payout_file_is_audited();
create trigger payout_file_follows_its_lifecycle before update of status on payout_files for each row execute function payout_file_follows_its_lifecycle();
create trigger payout_file_needs_two_people before insert or update on payout_files for each row execute function payout_file_needs_two_people();
create trigger record_row_change after insert or delete or update on payout_files for each row execute function record_row_change('staff', '=file_id', '-from_iban', '-planned_in', '@created_at', '@approved_at', '@handed_over_at');
grant insert (bank), insert (created_at), insert (currency), insert (execution_day), insert (file_id), insert (format), insert (from_bic), insert (from_holder), insert (from_iban), insert (is_recovered), insert (payout_count), insert (planned_by), insert (sha256), insert (sum_minor), update (approved_by), update (approved_digest), update (handed_over_at), update (sent_count), update (sent_minor), update (sent_sha256), update (status), update (void_requested_by), update (voided_by) on payout_files to tollgate_finance;
grant select on payout_files to tollgate_support;

create table payout_holds (
  bucket smallint not null,
  client_id text not null,
  held_at timestamptz not null,
  held_by text not null,
  held_login text not null,
  reason text not null,
  released_at timestamptz,
  released_by text,
  released_login text,
  constraint payout_holds_pkey primary key (bucket, client_id, held_at),
  constraint payout_holds_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint payout_holds_reason_is_short check (length(reason) >= 1 and length(reason) <= 1000),
  constraint payout_holds_released_after_the_hold check (released_at >= held_at),
  constraint payout_holds_released_in_full check (num_nulls(released_at, released_by, released_login) = any (array[0, 3]))
);
create unique index payout_holds_one_open on payout_holds using btree (bucket, client_id) where released_at is null;
create trigger payout_hold_is_released_once before insert or update on payout_holds for each row execute function payout_hold_is_released_once();
create trigger record_row_change after insert or delete or update on payout_holds for each row execute function record_row_change('approval', '=client_id', '=held_at', '-bucket', '@released_at', '!released_at', '!delete');
alter table payout_holds enable row level security, force row level security;
create policy payout_holds_own_rows on payout_holds using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy payout_holds_seen_by_staff on payout_holds for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy payout_holds_seen_by_the_operator on payout_holds for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert (bucket), insert (client_id), insert (held_at), insert (held_by), insert (held_login), insert (reason), update (released_at), update (released_by), update (released_login) on payout_holds to tollgate_finance;
grant select on payout_holds to tollgate_support;

create table payout_reports (
  bucket smallint not null,
  client_id text not null,
  payout_id text not null,
  sha256 bytea not null,
  outcome text not null,
  is_duplicate boolean not null,
  reason_code text,
  imported_at timestamptz not null,
  constraint payout_reports_pkey primary key (bucket, client_id, payout_id, sha256),
  constraint payout_reports_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint payout_reports_only_rejections_are_duplicates check (not is_duplicate or outcome = 'rejected'),
  constraint payout_reports_outcome_known check (outcome = any (array['executed', 'rejected'])),
  constraint payout_reports_reason_code_is_short check (length(reason_code) >= 1 and length(reason_code) <= 35),
  constraint payout_reports_sha256_is_whole check (length(sha256) = 32)
);
create trigger record_bulk_insert after insert on payout_reports referencing new table as new_rows for each statement execute function record_bulk_insert();
alter table payout_reports enable row level security, force row level security;
create policy payout_reports_own_rows on payout_reports using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy payout_reports_seen_by_staff on payout_reports for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy payout_reports_seen_by_the_operator on payout_reports for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert on payout_reports to tollgate_finance;
grant select on payout_reports to tollgate_support;

create table payout_resyncs (
  bank text not null,
  newest_file text not null,
  requested_by text not null,
  requested_login text not null,
  requested_at timestamptz not null,
  confirmed_by text,
  confirmed_login text,
  confirmed_at timestamptz,
  constraint payout_resyncs_pkey primary key (bank, newest_file, requested_at),
  constraint payout_resyncs_confirmed_by_is_short check (length(confirmed_by) >= 1 and length(confirmed_by) <= 200),
  constraint payout_resyncs_newest_file_is_short check (length(newest_file) >= 1 and length(newest_file) <= 35),
  constraint payout_resyncs_requested_by_is_short check (length(requested_by) >= 1 and length(requested_by) <= 200)
);
create trigger payout_resync_needs_two_people before insert or update on payout_resyncs for each row execute function payout_resync_needs_two_people();
create trigger record_row_change after insert or delete or update on payout_resyncs for each row execute function record_row_change('staff', '=bank', '=newest_file', '@requested_at', '@confirmed_at');
grant insert (bank), insert (newest_file), insert (requested_by), update (confirmed_by) on payout_resyncs to tollgate_finance;
grant select on payout_resyncs to tollgate_support;

create table payouts (
  bucket smallint not null,
  client_id text not null,
  payout_id text not null,
  batch_id text not null,
  currency text not null,
  amount_minor bigint not null,
  account_id text not null,
  bank text not null,
  end_to_end_id text not null,
  status text not null,
  reason_code text,
  file_id text,
  created_at timestamptz not null,
  sent_at timestamptz,
  finished_at timestamptz,
  constraint payouts_pkey primary key (bucket, client_id, payout_id),
  constraint payouts_end_to_end_once unique (end_to_end_id),
  constraint payouts_amount_positive check (amount_minor > 0),
  constraint payouts_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint payouts_reason_code_is_short check (length(reason_code) >= 1 and length(reason_code) <= 35),
  constraint payouts_sent_in_a_file check (status = 'CREATED' or file_id is not null and sent_at is not null),
  constraint payouts_status_known check (status = any (array['CREATED', 'SENT', 'PAID', 'FAILED', 'RETURNED']))
);
create index payouts_by_batch on payouts using btree (bucket, client_id, batch_id);
create index payouts_by_file on payouts using btree (file_id);
create unique index payouts_one_for_a_batch on payouts using btree (bucket, client_id, batch_id) where status = any (array['CREATED', 'SENT', 'PAID']);
create constraint trigger payout_is_booked after insert on payouts deferrable initially deferred for each row execute function payout_is_booked();
create trigger payout_follows_its_lifecycle before update of status on payouts for each row execute function payout_follows_its_lifecycle();
create trigger payout_is_approved before insert or update on payouts for each row execute function payout_is_approved();
create trigger record_row_change after insert or delete or update on payouts for each row execute function record_row_change('staff', '=client_id', '=payout_id', '-bucket', '@created_at', '@sent_at', '@finished_at');
alter table payouts enable row level security, force row level security;
create policy payouts_own_rows on payouts using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy payouts_seen_by_staff on payouts for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy payouts_seen_by_the_operator on payouts for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert (account_id), insert (amount_minor), insert (bank), insert (batch_id), insert (bucket), insert (client_id), insert (created_at), insert (currency), insert (end_to_end_id), insert (file_id), insert (payout_id), insert (status), update (finished_at), update (reason_code), update (sent_at), update (status) on payouts to tollgate_finance;
grant select on payouts to tollgate_app;
grant select on payouts to tollgate_support;

create table provider_accounts (
  bucket smallint not null,
  client_id text not null,
  connector text not null,
  account text not null,
  set_at timestamptz not null default clock_timestamp(),
  constraint provider_accounts_pkey primary key (bucket, client_id, connector),
  constraint provider_accounts_account_printable check (account ~ '^[!-~]{1,128}$'),
  constraint provider_accounts_bucket_in_range check (bucket >= 0 and bucket <= 1023)
);
create index provider_accounts_by_connector on provider_accounts using btree (connector, client_id);
create trigger count_provider_change after insert or delete or update on provider_accounts for each row execute function count_provider_change();
create trigger record_delete after delete on provider_accounts for each row when (old.client_id !~~ 'SANDBOX\_U%') execute function record_row_change('all', '=client_id', '=connector', '-bucket', '@set_at', '!delete');
create trigger record_insert after insert on provider_accounts for each row when (new.client_id !~~ 'SANDBOX\_U%') execute function record_row_change('all', '=client_id', '=connector', '-bucket', '@set_at', '!insert');
create trigger record_update after update on provider_accounts for each row when (new.client_id !~~ 'SANDBOX\_U%') execute function record_row_change('all', '=client_id', '=connector', '-bucket', '@set_at', '!update');
alter table provider_accounts enable row level security, force row level security;
create policy provider_accounts_own_rows on provider_accounts using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy provider_accounts_seen_by_staff on provider_accounts for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy provider_accounts_seen_by_the_operator on provider_accounts for select to owner using (current_setting('app.oversight', true) = 'on');
grant delete, insert, update (account), update (set_at) on provider_accounts to tollgate_console;
grant delete, insert, update (account), update (set_at) on provider_accounts to tollgate_operator;
grant select on provider_accounts to tollgate_app;
grant select on provider_accounts to tollgate_support;

create table provider_costs (
  connector text not null,
  cost_id text not null,
  payment_method_type text,
  currency text,
  from_at timestamptz not null,
  rate_millionths integer not null,
  fixed_minor bigint not null default 0,
  set_at timestamptz not null default clock_timestamp(),
  constraint provider_costs_pkey primary key (connector, cost_id),
  constraint provider_costs_connector_fkey foreign key (connector) references connectors(name),
  constraint provider_costs_fixed_has_a_currency check (currency is not null or fixed_minor = 0),
  constraint provider_costs_fixed_not_negative check (fixed_minor >= 0),
  constraint provider_costs_rate_in_range check (rate_millionths >= 0 and rate_millionths <= 1000000)
);
create trigger fee_rules_are_append_only before delete or update or truncate on provider_costs for each statement execute function fee_rules_are_append_only();
create trigger record_row_change after insert or delete or update on provider_costs for each row execute function record_row_change('all', '=connector', '-cost_id', '@from_at', '@set_at');
grant insert on provider_costs to tollgate_finance;
grant select on provider_costs to tollgate_app;
grant select on provider_costs to tollgate_support;

create table provider_events (
  bucket smallint not null,
  connector text not null,
  event_id text not null,
  client_id text not null,
  payment_id text not null,
  at timestamptz not null,
  constraint provider_events_pkey primary key (bucket, connector, event_id)
);
create index provider_events_by_payment on provider_events using btree (bucket, payment_id);
alter table provider_events enable row level security, force row level security;
create policy provider_events_own_rows on provider_events using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant insert, select on provider_events to tollgate_app;
grant select on provider_events to tollgate_support;

create table provider_registrations (
  bucket smallint not null,
  registration_id text not null,
  connector text not null,
  client_id text not null,
  status text not null,
  reject_reasons text[] not null default '{}'::text[],
  reference text not null,
  accepted_at timestamptz,
  decided_at timestamptz,
  provider_registration_id text,
  constraint provider_registrations_pkey primary key (bucket, registration_id, connector),
  constraint provider_registrations_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint provider_registrations_decided_when_final check ((status = 'PROCESSING') = (decided_at is null)),
  constraint provider_registrations_status_known check (status = any (array['PROCESSING', 'APPROVED', 'REJECTED', 'NOT_NEEDED']))
);
create trigger count_provider_change after update of provider_registration_id on provider_registrations for each row when (old.provider_registration_id is distinct from new.provider_registration_id) execute function count_provider_change();
create trigger registration_follows_its_lifecycle before update of status on provider_registrations for each row execute function registration_follows_its_lifecycle();
alter table provider_registrations enable row level security, force row level security;
create policy provider_registrations_own_rows on provider_registrations using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy provider_registrations_seen_by_staff on provider_registrations for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy provider_registrations_seen_by_the_operator on provider_registrations for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert, select, update on provider_registrations to tollgate_app;
grant select on provider_registrations to tollgate_support;

create table reconciliation_runs (
  run_id bigint not null generated always as identity,
  ran_at timestamptz not null,
  connector text,
  day date,
  provider_files jsonb not null,
  bank_file_count integer not null,
  break_count integer not null,
  constraint reconciliation_runs_pkey primary key (run_id),
  constraint reconciliation_runs_count_breaks check (break_count >= 0),
  constraint reconciliation_runs_count_files check (bank_file_count >= 0)
);
create trigger record_bulk_insert after insert on reconciliation_runs referencing new table as new_rows for each statement execute function record_bulk_insert();
grant insert (bank_file_count), insert (break_count), insert (connector), insert (day), insert (provider_files), insert (ran_at) on reconciliation_runs to tollgate_finance;
grant select on reconciliation_runs to tollgate_support;

create table refunds (
  bucket smallint not null,
  refund_id text not null,
  client_id text not null,
  payment_id text not null,
  refund_request_id text not null,
  fingerprint bytea not null,
  reference_refund_id text,
  reason text,
  notify_url text,
  metadata text,
  status text not null,
  result_code text not null,
  currency text not null,
  amount_minor bigint not null,
  connector text not null,
  reference text not null,
  created_at timestamptz not null,
  accepted_at timestamptz,
  finished_at timestamptz,
  returned_fee_minor bigint,
  returned_tax_minor bigint,
  charged_fee_minor bigint,
  charged_tax_minor bigint,
  reversed_at timestamptz,
  constraint refunds_pkey primary key (bucket, refund_id),
  constraint refunds_request_once_for_ever unique (bucket, client_id, refund_request_id),
  constraint refunds_amount_positive check (amount_minor > 0),
  constraint refunds_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint refunds_finished_when_final check ((status = 'PROCESSING') = (finished_at is null)),
  constraint refunds_id_of_35_digits check (length(refund_id) = 35 and translate(refund_id, '0123456789', '') = ''),
  constraint refunds_reversed_when_failed check (reversed_at is null or status = 'FAIL'),
  constraint refunds_status_known check (status = any (array['PROCESSING', 'SUCCESS', 'FAIL']))
);
create index refunds_by_client on refunds using btree (bucket, client_id, refund_id);
create index refunds_by_payment on refunds using btree (bucket, payment_id);
create trigger refund_follows_its_lifecycle before update of status on refunds for each row execute function refund_follows_its_lifecycle();
alter table refunds enable row level security, force row level security;
create policy refunds_own_rows on refunds using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy refunds_seen_by_staff on refunds for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy refunds_seen_by_the_operator on refunds for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert, select, update on refunds to tollgate_app;
grant select on refunds to tollgate_support;

create table registrations (
  bucket smallint not null,
  registration_id text not null,
  client_id text not null,
  registration_request_id text not null,
  reference_merchant_id text not null,
  reference_store_id text,
  product_codes text[] not null,
  merchant_info jsonb not null,
  store_info jsonb,
  notify_url text,
  pass_through_info text,
  fingerprint bytea not null,
  sequence integer not null default 1,
  created_at timestamptz not null,
  constraint registrations_pkey primary key (bucket, registration_id),
  constraint registrations_request_once_for_ever unique (bucket, client_id, registration_request_id),
  constraint registrations_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint registrations_id_of_35_digits check (length(registration_id) = 35 and translate(registration_id, '0123456789', '') = ''),
  constraint registrations_sequence_positive check (sequence > 0)
);
create index registrations_by_merchant on registrations using btree (bucket, client_id, reference_merchant_id, created_at);
create index registrations_without_store on registrations using btree (bucket, client_id, registration_id) where reference_store_id is null;
alter table registrations enable row level security, force row level security;
create policy registrations_own_rows on registrations using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy registrations_seen_by_staff on registrations for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy registrations_seen_by_the_operator on registrations for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert, select, update on registrations to tollgate_app;
grant select on registrations to tollgate_support;

create table request_log (
  bucket smallint not null,
  at timestamptz not null,
  request_id text not null,
  client_id text not null,
  key_version integer not null,
  path text not null,
  result_code text not null,
  duration_us integer not null,
  request_sha256 bytea not null,
  request_body text not null,
  answer_body text not null,
  record_hash integer,
  constraint request_log_pkey primary key (bucket, at, request_id),
  constraint request_log_bucket_in_range check (bucket >= 0 and bucket <= 1023)
) partition by range (at);
create index request_log_by_record on only request_log using btree (bucket, record_hash) where record_hash is not null;
create index request_log_refused on only request_log using btree (bucket, client_id, at, request_id) where result_code <> all (array['SUCCESS', 'REQUEST_TRAFFIC_EXCEED_LIMIT', 'PAYMENT_IN_PROCESS', 'CAPTURE_IN_PROCESS', 'REFUND_IN_PROCESS', 'AUTH_IN_PROCESS', 'UNKNOWN_EXCEPTION']);
alter table request_log enable row level security, force row level security;
create policy request_log_own_rows on request_log using ((client_id in ( select unnest(nullif(current_setting('app.clients', true), '')::text[]) as unnest)));
grant insert, select (at), select (bucket), select (client_id), select (duration_us), select (key_version), select (path), select (request_id), select (result_code) on request_log to tollgate_app;

create table request_log_retention (
  only_row boolean not null default true,
  days integer not null,
  constraint request_log_retention_pkey primary key (only_row),
  constraint request_log_retention_is_a_day_to_ten_years check (days >= 1 and days <= 3650),
  constraint request_log_retention_is_one_row check (only_row)
);
create trigger record_row_change after insert or delete or update on request_log_retention for each row execute function record_row_change('staff', '=only_row');
grant update on request_log_retention to tollgate_admin;

create table reserves (
  bucket smallint not null,
  client_id text not null,
  currency text not null,
  open_refunds_minor bigint not null default 0,
  constraint reserves_pkey primary key (bucket, client_id, currency),
  constraint reserves_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint reserves_open_refunds_not_negative check (open_refunds_minor >= 0)
);
create trigger record_row_change after insert or delete or update on reserves for each row when (pg_has_role(session_user, 'tollgate_support'::name, 'member')) execute function record_row_change('staff', '=client_id', '=currency', '-bucket');
alter table reserves enable row level security, force row level security;
create policy reserves_own_rows on reserves using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy reserves_seen_by_staff on reserves for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy reserves_seen_by_the_operator on reserves for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert, select, update on reserves to tollgate_app;
grant insert, update on reserves to tollgate_finance;
grant select on reserves to tollgate_support;

create table reversals (
  bucket smallint not null,
  reversal_id text not null,
  client_id text not null,
  payment_id text not null,
  reason text not null default 'LATE_SUCCESS',
  status text not null,
  result_code text,
  currency text not null,
  amount_minor bigint not null,
  connector text not null,
  reference text not null,
  created_at timestamptz not null,
  accepted_at timestamptz,
  finished_at timestamptz,
  reversed_at timestamptz,
  constraint reversals_pkey primary key (bucket, reversal_id),
  constraint reversals_once_a_payment unique (bucket, payment_id),
  constraint reversals_amount_positive check (amount_minor > 0),
  constraint reversals_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint reversals_reason_known check (reason = any (array['LATE_SUCCESS', 'CANCEL'])),
  constraint reversals_reversed_when_failed check (reversed_at is null or status = 'FAIL'),
  constraint reversals_status_known check (status = any (array['PROCESSING', 'SUCCESS', 'FAIL']))
);
create trigger reversal_follows_its_lifecycle before update of status on reversals for each row execute function reversal_follows_its_lifecycle();
alter table reversals enable row level security, force row level security;
create policy reversals_own_rows on reversals using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy reversals_seen_by_staff on reversals for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy reversals_seen_by_the_operator on reversals for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert, select, update on reversals to tollgate_app;
grant select on reversals to tollgate_support;

create table row_changes (
  transaction xid8 not null,
  change_id bigint not null generated always as identity,
  is_first boolean not null,
  needs_approval boolean not null,
  is_audited boolean not null default false,
  is_checked boolean not null default false,
  row_count bigint not null,
  change jsonb not null,
  constraint row_changes_pkey primary key (transaction, change_id)
);
create constraint trigger check_row_changes after insert on row_changes deferrable initially deferred for each row when (new.is_first) execute function check_row_changes();

create table search_payments (
  bucket smallint not null,
  client_id text not null,
  payment_id text not null,
  created_at timestamptz not null,
  status text not null,
  result_code text not null,
  currency text not null,
  payment_method_type text not null,
  amount_minor bigint,
  final_seconds integer,
  payment_request_id text not null,
  provider_reference text,
  reference_order_id text,
  display_status text,
  constraint search_payments_pkey primary key (bucket, client_id, payment_id),
  constraint search_payments_bucket_in_range check (bucket >= 0 and bucket <= 1023)
);
create index search_payments_by_amount on search_payments using btree (bucket, client_id, amount_minor, payment_id);
create index search_payments_by_display_status on search_payments using btree (bucket, client_id, display_status, payment_id) where status = 'SUCCESS';
create index search_payments_by_kind on search_payments using btree (bucket, client_id, status, currency, payment_method_type, payment_id);
create index search_payments_by_order on search_payments using btree (bucket, client_id, reference_order_id);
create index search_payments_by_reference on search_payments using btree (bucket, client_id, provider_reference);
create index search_payments_by_request on search_payments using btree (bucket, client_id, payment_request_id);
alter table search_payments enable row level security, force row level security;
create policy search_payments_filled on search_payments to owner using (current_setting('app.fills_search', true) = 'on');
create policy search_payments_own_rows on search_payments using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant select on search_payments to tollgate_app;

create table search_position (
  position xid8 not null,
  as_of timestamptz not null,
  only_row boolean not null default true,
  constraint search_position_has_one_row primary key (only_row),
  constraint search_position_only_row_check check (only_row)
);
grant select on search_position to tollgate_app;

create table settlement_batches (
  bucket smallint not null,
  client_id text not null,
  batch_id text not null,
  currency text not null,
  from_day date not null,
  to_day date not null,
  due_day date not null,
  gross_minor bigint not null,
  refunds_minor bigint not null,
  disputes_minor bigint not null,
  fees_minor bigint not null,
  tax_minor bigint not null,
  other_minor bigint not null,
  reserve_minor bigint not null,
  carried_minor bigint not null,
  net_minor bigint not null,
  held_minor bigint not null,
  release_day date,
  released_in text,
  carried_to text,
  status text not null,
  waits_for text,
  closed_at timestamptz not null,
  bank text,
  payout_id text,
  settle_currency text,
  settle_minor bigint,
  quote_id text,
  quote_price numeric(24,15),
  constraint settlement_batches_pkey primary key (bucket, client_id, batch_id),
  constraint settlement_batches_once_a_day unique (bucket, client_id, currency, to_day),
  constraint settlement_batches_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint settlement_batches_carried_ones_are_carried check (carried_to is null or status = 'CARRIED'),
  constraint settlement_batches_changed_in_full check (num_nulls(settle_currency, settle_minor, quote_id, quote_price) = any (array[0, 4])),
  constraint settlement_batches_changed_into_another check (settle_currency <> currency and settle_minor > 0),
  constraint settlement_batches_changed_ones_are_carried_to_another check (status <> 'CARRIED' or settle_currency is null or carried_to is not null),
  constraint settlement_batches_days_in_order check (from_day <= to_day),
  constraint settlement_batches_held_not_negative check (held_minor >= 0),
  constraint settlement_batches_held_until_a_day check ((held_minor > 0) = (release_day is not null)),
  constraint settlement_batches_only_what_is_owed_is_paid check (status = 'CARRIED' or net_minor > 0),
  constraint settlement_batches_status_known check (status = any (array['DUE', 'CARRIED', 'PAYING', 'PAID'])),
  constraint settlement_batches_sums_add_up check (net_minor = (gross_minor + refunds_minor + disputes_minor + fees_minor + tax_minor + other_minor + reserve_minor + carried_minor))
);
create index settlement_batches_to_carry on settlement_batches using btree (bucket, client_id, currency) where status = 'CARRIED' and carried_to is null;
create index settlement_batches_to_pay on settlement_batches using btree (status, due_day) where status = any (array['DUE', 'PAYING']);
create index settlement_batches_to_release on settlement_batches using btree (bucket, client_id, currency, release_day) where held_minor > 0 and released_in is null;
create trigger record_row_change after insert or delete or update on settlement_batches for each row execute function record_row_change('staff', '=client_id', '=batch_id', '-bucket', '@closed_at');
create trigger settlement_batch_follows_its_lifecycle before update of status on settlement_batches for each row execute function settlement_batch_follows_its_lifecycle();
alter table settlement_batches enable row level security, force row level security;
create policy settlement_batches_own_rows on settlement_batches using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy settlement_batches_seen_by_staff on settlement_batches for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy settlement_batches_seen_by_the_operator on settlement_batches for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert, update (bank), update (carried_to), update (payout_id), update (released_in), update (status), update (waits_for) on settlement_batches to tollgate_finance;
grant select on settlement_batches to tollgate_app;
grant select on settlement_batches to tollgate_support;

create table settlement_files (
  file_id bigint not null generated always as identity,
  connector text not null,
  name text not null,
  sha256 bytea not null,
  row_count integer not null,
  newest_at timestamptz,
  imported_at timestamptz not null,
  constraint settlement_files_pkey primary key (file_id),
  constraint settlement_files_once_a_connector unique (connector, sha256),
  constraint settlement_files_connector_fkey foreign key (connector) references connectors(name)
);
create trigger record_row_change after insert or delete or update on settlement_files for each row execute function record_row_change('staff', '=file_id', '@imported_at');
grant insert on settlement_files to tollgate_finance;
grant select on settlement_files to tollgate_support;

create table settlement_items (
  bucket smallint not null,
  client_id text not null,
  subject_id text not null,
  effect text not null,
  batch_id text not null,
  constraint settlement_items_pkey primary key (bucket, subject_id, effect),
  constraint settlement_items_bucket_in_range check (bucket >= 0 and bucket <= 1023)
);
create index settlement_items_in_order on settlement_items using btree (bucket, client_id, batch_id, subject_id, effect);
create trigger record_bulk_insert after insert on settlement_items referencing new table as new_rows for each statement execute function record_bulk_insert();
alter table settlement_items enable row level security, force row level security;
create policy settlement_items_own_rows on settlement_items using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy settlement_items_seen_by_staff on settlement_items for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy settlement_items_seen_by_the_operator on settlement_items for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert on settlement_items to tollgate_finance;
grant select on settlement_items to tollgate_app;
grant select on settlement_items to tollgate_support;

create table settlement_payout_rows (
  connector text not null,
  kind text not null,
  operation_reference text not null,
  payout_id text not null,
  value_date date,
  file_id bigint not null,
  constraint settlement_payout_rows_pkey primary key (connector, kind, operation_reference)
);
create index settlement_payout_rows_by_payout on settlement_payout_rows using btree (connector, payout_id);
create trigger record_bulk_insert after insert on settlement_payout_rows referencing new table as new_rows for each statement execute function record_bulk_insert();
grant insert on settlement_payout_rows to tollgate_finance;
grant select on settlement_payout_rows to tollgate_support;

create table settlement_repeats (
  connector text not null,
  kind text not null,
  operation_reference text not null,
  reference text not null,
  payment_id text not null,
  currency text not null,
  amount_minor bigint not null,
  at timestamptz not null,
  nth integer not null,
  file_id bigint not null,
  line integer not null,
  constraint settlement_repeats_pkey primary key (connector, kind, operation_reference, at, nth, amount_minor, currency, payment_id, reference)
);
create trigger record_bulk_insert after insert on settlement_repeats referencing new table as new_rows for each statement execute function record_bulk_insert();
grant insert on settlement_repeats to tollgate_finance;
grant select on settlement_repeats to tollgate_support;

create table settlement_rows (
  connector text not null,
  kind text not null,
  operation_reference text not null,
  reference text not null,
  payment_id text not null,
  currency text not null,
  amount_minor bigint not null,
  at timestamptz not null,
  file_id bigint not null,
  line integer not null,
  fee_of text,
  constraint settlement_rows_pkey primary key (connector, kind, operation_reference),
  constraint settlement_rows_amount_positive check (amount_minor > 0 or amount_minor < 0 and (kind = any (array['fee', 'adjustment']))),
  constraint settlement_rows_kind_known check (kind = any (array['payment', 'capture', 'refund', 'refund_reversal', 'chargeback', 'chargeback_reversal', 'fee', 'payout', 'adjustment']))
);
create index settlement_rows_by_payment on settlement_rows using btree (payment_id);
create index settlement_rows_by_time on settlement_rows using brin (at);
create trigger record_bulk_insert after insert on settlement_rows referencing new table as new_rows for each statement execute function record_bulk_insert();
grant insert on settlement_rows to tollgate_finance;
grant select on settlement_rows to tollgate_support;

create table settlement_terms (
  bucket smallint not null,
  client_id text not null,
  currency text not null,
  from_day date not null,
  cycle text not null,
  days_after smallint not null,
  minimum_minor bigint not null,
  reserve_basis_points integer not null,
  reserve_days integer not null,
  settle_in text,
  constraint settlement_terms_pkey primary key (bucket, client_id, currency, from_day),
  constraint settlement_terms_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint settlement_terms_cycle_known check (cycle = any (array['D', 'W', 'M'])),
  constraint settlement_terms_days_after_in_range check (days_after >= 0 and days_after <= 60),
  constraint settlement_terms_minimum_not_negative check (minimum_minor >= 0),
  constraint settlement_terms_reserve_days_in_range check (reserve_days >= 0 and reserve_days <= 3650),
  constraint settlement_terms_reserve_is_a_part check (reserve_basis_points >= 0 and reserve_basis_points <= 10000),
  constraint settlement_terms_settle_in_another check (settle_in <> currency)
);
create trigger record_row_change after insert or delete or update on settlement_terms for each row execute function record_row_change('approval', '=client_id', '=currency', '=from_day', '-bucket', '!insert', '!update', '!delete');
alter table settlement_terms enable row level security, force row level security;
create policy settlement_terms_own_rows on settlement_terms using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy settlement_terms_seen_by_staff on settlement_terms for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy settlement_terms_seen_by_the_operator on settlement_terms for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert, update on settlement_terms to tollgate_finance;
grant select on settlement_terms to tollgate_support;

create table tokens (
  bucket smallint not null,
  token_id text not null,
  client_id text not null,
  customer_belongs_to text not null,
  connector text not null,
  given_hash bytea not null,
  sealed_given bytea,
  authorization_id text,
  status text not null,
  result_code text,
  access_hash bytea,
  refresh_hash bytea,
  access_expires_at timestamptz,
  refresh_expires_at timestamptz,
  sealed_pair bytea,
  created_at timestamptz not null,
  issued_at timestamptz,
  used_at timestamptz,
  replaced_at timestamptz,
  provider_account text,
  constraint tokens_pkey primary key (bucket, token_id),
  constraint tokens_applied_for_once unique (bucket, client_id, given_hash),
  constraint tokens_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint tokens_given_while_applied check ((status = 'APPLIED') = (sealed_given is not null)),
  constraint tokens_id_of_35_digits check (length(token_id) = 35 and translate(token_id, '0123456789', '') = ''),
  constraint tokens_pair_while_issued check ((status = 'ISSUED') = (sealed_pair is not null)),
  constraint tokens_status_known check (status = any (array['APPLIED', 'ISSUED', 'REFUSED', 'RETIRED']))
);
create index tokens_by_authorization on tokens using btree (bucket, authorization_id);
create unique index tokens_by_access on tokens using btree (bucket, client_id, access_hash);
create unique index tokens_by_refresh on tokens using btree (bucket, client_id, refresh_hash);
create trigger token_follows_its_lifecycle before update of status on tokens for each row execute function token_follows_its_lifecycle();
alter table tokens enable row level security, force row level security;
create policy tokens_own_rows on tokens using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy tokens_seen_by_staff on tokens for select to tollgate_support using (current_setting('app.oversight', true) = 'on');
create policy tokens_seen_by_the_operator on tokens for select to owner using (current_setting('app.oversight', true) = 'on');
grant insert, select, update on tokens to tollgate_app;
grant select on tokens to tollgate_support;

create table universe_limits (
  only_row boolean not null default true,
  open_max integer not null,
  kept_max integer not null,
  lifetime_seconds integer not null,
  constraint universe_limits_pkey primary key (only_row),
  constraint universe_limits_are_one_row check (only_row),
  constraint universe_limits_kept_in_range check (kept_max >= 0 and kept_max <= 1000000),
  constraint universe_limits_lifetime_is_a_minute_to_a_month check (lifetime_seconds >= 60 and lifetime_seconds <= 2592000),
  constraint universe_limits_open_in_range check (open_max >= 0 and open_max <= 100000)
);
create trigger record_row_change after insert or delete or update on universe_limits for each row execute function record_row_change('staff', '=only_row');
grant select on universe_limits to tollgate_support;
grant update on universe_limits to tollgate_admin;

create table universes (
  bucket smallint not null,
  client_id text not null,
  opened_at timestamptz not null,
  closes_at timestamptz not null,
  closed_at timestamptz,
  constraint universes_pkey primary key (bucket, client_id),
  constraint universes_bucket_client_id_fkey foreign key (bucket, client_id) references clients(bucket, client_id),
  constraint universes_bucket_in_range check (bucket >= 0 and bucket <= 1023),
  constraint universes_carry_their_prefix check (client_id ~~ 'SANDBOX\_U%')
);
create index universes_by_end on universes using btree (closes_at) where closed_at is null;
alter table universes enable row level security, force row level security;
create policy universes_kept on universes to owner using (current_setting('app.keeps_universes', true) = 'on');
create policy universes_own_rows on universes using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));

create or replace function add_client_key(id text, key_version integer, key bytea)
 returns void
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
begin
  perform check_client_of_people(id);
  insert into client_keys (bucket, client_id, version, public_key) values (bucket_of(id), id, key_version, key);
end
$function$;
grant execute on function add_client_key(text,integer,bytea) to tollgate_app;

create or replace function add_row_change(change jsonb, needs_approval boolean, row_count bigint)
 returns void
 language sql
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
  insert into row_changes (transaction, is_first, needs_approval, row_count, change)
  values (pg_current_xact_id(), not exists (
      select from row_changes where transaction = pg_current_xact_id() and not is_checked),
    needs_approval, row_count, change)
$function$;

create or replace function approval_digest(act text, subject text, changes jsonb, before jsonb, after jsonb)
 returns bytea
 language sql
 immutable
 set search_path to 'pg_catalog'
return sha256(convert_to((jsonb_build_array(act, subject, changes, before, after))::text, 'UTF8'::name));
grant execute on function approval_digest(text,text,jsonb,jsonb,jsonb) to tollgate_operator, tollgate_finance;

create or replace function asked_act_is_of_two()
 returns trigger
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
begin
  if tg_op = 'INSERT' then
    new.digest := approval_digest(new.act, new.subject, new.changes, new.before::jsonb, new.after::jsonb);
    new.asked_login := session_user;
    new.asked_at := clock_timestamp();
    new.approved_by := null;
    new.approved_login := null;
    new.approved_at := null;
    new.used_at := null;
    new.used_in := null;
    return new;
  end if;
  if old.approved_at is null then
    if old.asked_at < clock_timestamp() - interval '1 day' then
      raise exception 'The request has expired: it is older than a day.' using errcode = 'restrict_violation';
    end if;
    if not may_make_changes(session_user, old.changes) then
      raise exception 'This login may not make these changes itself, so it may not approve them.'
        using errcode = 'check_violation', constraint = 'approval_requests_approved_by_who_may_do_it';
    end if;
    new.approved_login := session_user;
    new.approved_at := clock_timestamp();
    new.used_at := null;
    new.used_in := null;
  elsif old.used_at is null and session_user = old.asked_login and new.approved_by = old.approved_by then
    if old.approved_at < clock_timestamp() - interval '1 hour' then
      raise exception 'The approval has expired: it is older than an hour.' using errcode = 'restrict_violation';
    end if;
    new.approved_at := old.approved_at;
    new.used_at := clock_timestamp();
    new.used_in := pg_current_xact_id();
  else
    raise exception 'An approval is used once, by the login that requested it.' using errcode = 'restrict_violation';
  end if;
  return new;
end
$function$;

create or replace function assign_feed_positions(row_limit integer)
 returns integer
 language sql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
  select public.assign_feed_positions(row_limit, '-infinity'::timestamptz)
$function$;
grant execute on function assign_feed_positions(integer) to tollgate_app;

create or replace function assign_feed_positions(row_limit integer, made_from timestamptz)
 returns integer
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  assigned integer;
begin
  -- All releases use the same lock number. PostgreSQL releases the lock only when the commit is visible.
  if not pg_try_advisory_xact_lock(7045519) then
    return null;
  end if;
  perform set_config('app.numbers_events', 'on', true);
  -- The rows are read in a separate statement, so that its snapshot includes all positions of the lock's previous
  -- holder. The statement skips a row that is being delivered now; the next run numbers this row.
  with fresh as materialized (
    select bucket, client_id, notification_id, created_at from notifications
    where position is null and created_at >= made_from
      and not exists (select from client_homes as home where home.client = notifications.client_id and home.state <> 'here')
    order by created_at limit row_limit
    for update skip locked
  ), placed as (
    select bucket, client_id, notification_id,
      row_number() over (partition by bucket, client_id order by created_at, notification_id) as place,
      count(*) over (partition by bucket, client_id) as places
    from fresh
  ), moved as (
    insert into feed_heads as head (bucket, client_id, position)
    select bucket, client_id, count(*) from fresh group by bucket, client_id
    on conflict (bucket, client_id) do update set position = head.position + excluded.position
    returning bucket, client_id, position
  )
  update notifications as n set position = moved.position - placed.places + placed.place
  from placed join moved on moved.bucket = placed.bucket and moved.client_id = placed.client_id
  where n.bucket = placed.bucket and n.notification_id = placed.notification_id;
  get diagnostics assigned = row_count;
  perform set_config('app.numbers_events', 'off', true);
  return assigned;
end
$function$;
grant execute on function assign_feed_positions(integer,timestamptz) to tollgate_app;

create or replace function audit_head()
 returns table(seq bigint, hash text)
 language sql
 stable security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
begin atomic
 select audit.seq,
     encode(audit.hash, 'hex') as encode
    from audit
   order by audit.seq desc
  limit 1;
end;
grant execute on function audit_head() to tollgate_app, tollgate_work;

create or replace function audit_is_a_chain()
 returns trigger
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  field   text;
  content text := '';
begin
  -- An arbitrary number for the lock; every release must use the same one.
  perform pg_advisory_xact_lock(7045518);
  select seq, hash into new.seq, new.previous_hash from audit order by seq desc limit 1;
  new.seq := coalesce(new.seq, 0) + 1;
  new.previous_hash := coalesce(new.previous_hash, '\x'::bytea);
  new.at := clock_timestamp();
  new.login := session_user;
  new.transaction := pg_current_xact_id();
  new.changes := summarize_row_changes();
  if new.changes is not null then
    update row_changes set is_audited = true where transaction = pg_current_xact_id() and not is_audited;
  end if;
  foreach field in array array[
    new.seq::text, to_char(new.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), new.actor_kind, new.actor, new.role,
    new.login, new.act, new.subject, new.about_client, new.reason, new.before::text, new.after::text, new.transaction::text]
    || case when new.changes is null then '{}'::text[] else array[new.changes::text] end
  loop
    content := content || coalesce(octet_length(convert_to(field, 'UTF8')) || ':' || field, '-');
  end loop;
  new.hash := sha256(new.previous_hash || convert_to(content, 'UTF8'));
  return new;
end
$function$;

create or replace function audit_is_append_only()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog'
as $function$
begin
  raise exception 'The audit log is append-only: rows cannot be changed or deleted.' using errcode = 'restrict_violation';
end
$function$;

create or replace function audit_remaining_changes()
 returns void
 language plpgsql
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  change   jsonb;
  is_one   boolean;
  tables   text;
  clients  text[];
begin
  select count(*) = 1, (array_agg(rest.change))[1],
    string_agg(distinct rest.change ->> 'table', ', '),
    array_agg(distinct coalesce(rest.change -> 'key' ->> 'client_id', ''))
  into is_one, change, tables, clients
  from row_changes as rest where transaction = pg_current_xact_id() and not is_audited;
  if tables is null then
    return;
  end if;
  insert into audit (actor_kind, actor, role, act, subject, about_client, before, after)
  values ('sql', session_user, 'login',
    case when is_one then (change ->> 'operation') || ' ' || (change ->> 'table') else 'row changes' end,
    left(case when is_one and change ? 'key' then coalesce(
      (select string_agg(value, ' ' order by name) from jsonb_each_text(change -> 'key') as key (name, value)), '') else tables end, 300),
    case when cardinality(clients) = 1 then nullif(clients[1], '') end,
    case when is_one and octet_length(change ->> 'before') <= 16000 then nullif(change -> 'before', '{}')::json end,
    case when is_one and octet_length(change ->> 'after') <= 16000 then nullif(change -> 'after', '{}')::json end);
end
$function$;

create or replace function bank_account_is_of_two()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  owner        oid := (select relowner from pg_class where oid = tg_relid);
  is_owner     boolean := pg_has_role(session_user, owner, 'member');
  had_account  boolean;
  by_the_owner boolean;
begin
  if tg_op = 'INSERT' then
    if is_owner then
      return new;
    end if;
    new.asked_login := session_user;
    new.approved_by := null;
    new.approved_login := null;
    new.approved_at := null;
    new.usable_from := null;
  elsif old.ended_at is not null then
    raise exception 'Bank account % has ended and cannot be changed.', old.account_id using errcode = 'restrict_violation';
  elsif (new.bucket, new.client_id, new.account_id, new.currency, new.holder, new.iban, new.bic, new.wait_hours, new.asked_by,
      new.asked_login, new.asked_at)
    is distinct from
    (old.bucket, old.client_id, old.account_id, old.currency, old.holder, old.iban, old.bic, old.wait_hours, old.asked_by,
      old.asked_login, old.asked_at)
    or (old.approved_at is not null and (new.approved_by, new.approved_login, new.approved_at, new.usable_from)
      is distinct from (old.approved_by, old.approved_login, old.approved_at, old.usable_from))
  then
    raise exception 'A bank account cannot be changed. Request another one.' using errcode = 'restrict_violation';
  elsif new.ended_at is not null and not is_owner then
    new.ended_at := clock_timestamp();
  end if;

  -- Race: the lock makes the second of two concurrent approvals wait until it sees the first.
  perform pg_advisory_xact_lock(hashtextextended('bank accounts of ' || new.client_id, 0));
  had_account := exists (select from bank_accounts as a
    where a.bucket = new.bucket and a.client_id = new.client_id and a.account_id <> new.account_id and a.approved_at is not null);
  if tg_op = 'INSERT' then
    if had_account and new.wait_hours < 72 then
      raise exception 'The merchant had an approved bank account before, so this one needs a wait of at least 72 hours.'
        using errcode = 'check_violation', constraint = 'bank_accounts_wait_is_long_enough';
    end if;
    return new;
  end if;
  if old.approved_at is not null or new.approved_at is null then
    return new;
  end if;

  if not is_owner then
    new.approved_login := session_user;
    new.approved_at := clock_timestamp();
    if session_user = old.asked_login and (select name from environment) = 'live' then
      raise exception 'The login that requested the bank account cannot approve it.'
        using errcode = 'check_violation', constraint = 'bank_accounts_approved_by_another_login';
    end if;
  end if;
  -- The waiting time is calculated at the approval, because another account may have been approved since this account
  -- was requested.
  by_the_owner := coalesce((select pg_has_role(r.oid, owner, 'member') from pg_roles as r where r.rolname = old.asked_login), false);
  new.usable_from := greatest(new.usable_from, new.approved_at
    + make_interval(hours => case when had_account and not by_the_owner then greatest(old.wait_hours, 72) else old.wait_hours end));
  return new;
end
$function$;

create or replace function bucket_of(client_id text)
 returns smallint
 language sql
 immutable parallel safe strict
return (((get_byte(sha256(convert_to(client_id, 'UTF8'::name)), 0) << 2) | (get_byte(sha256(convert_to(client_id, 'UTF8'::name)), 1) >> 6)))::smallint;

create or replace function changes_to_approve()
 returns jsonb
 language sql
 stable security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
  select coalesce(jsonb_agg(change order by change::text), '[]') from row_changes
  where transaction = pg_current_xact_id() and needs_approval
$function$;
grant execute on function changes_to_approve() to tollgate_operator, tollgate_finance, tollgate_console;

create or replace function check_client_of_people(id text)
 returns void
 language plpgsql
 stable
 set search_path to 'pg_catalog'
as $function$
begin
  if (id = any (nullif(current_setting('app.clients', true), '')::text[])) is not true or id like 'SANDBOX\_U%' then
    raise exception 'The transaction may not change client %.', id using errcode = 'insufficient_privilege';
  end if;
end
$function$;

create or replace function check_row_changes()
 returns trigger
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
begin
  perform require_approval();
  perform require_backing();
  perform audit_remaining_changes();
  -- A session can run the check early (set constraints). So changes that need approval stay until the transaction ends,
  -- and an approval that was used for one is not used again. The next check of any session deletes them.
  delete from row_changes where transaction = pg_current_xact_id() and not needs_approval;
  update row_changes set is_checked = true where transaction = pg_current_xact_id() and not is_checked;
  delete from row_changes where (transaction, change_id) in (
    select transaction, change_id from row_changes where transaction < pg_snapshot_xmin(pg_current_snapshot())
    for update skip locked);
  return null;
end
$function$;

create or replace function client_keys_count_as_changes()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog', 'public'
as $function$
begin
  update clients set revision = revision + 1 where bucket = new.bucket and client_id = new.client_id;
  return new;
end
$function$;
grant execute on function client_keys_count_as_changes() to public;

create or replace function clients_count_their_changes()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog'
as $function$
begin
  new.revision := old.revision + 1;
  return new;
end
$function$;
grant execute on function clients_count_their_changes() to public;

create or replace function clients_live_where_they_may()
 returns trigger
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
begin
  if not exists (select from cell) then
    return new;
  end if;
  perform from cell_buckets where bucket = new.bucket and given_to is null for share;
  if not found and not exists (select from client_homes where bucket = new.bucket and client = new.client_id) then
    raise exception 'This cell does not own bucket %, so % cannot be opened here.', new.bucket, new.client_id
      using errcode = 'check_violation', constraint = 'clients_live_where_they_may';
  end if;
  return new;
end
$function$;

create or replace function clocks_count_as_changes()
 returns trigger
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
begin
  update clients set revision = revision + 1 where bucket = new.bucket and client_id = new.client_id;
  return new;
end
$function$;

create or replace function close_expired_universes()
 returns integer
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  expired text[];
begin
  perform set_config('app.keeps_universes', 'on', true);
  expired := array(
    select client_id from universes where closed_at is null and closes_at <= clock_timestamp()
    order by closes_at limit 100 for update skip locked);
  perform close_universe(id) from unnest(expired) as id;
  perform set_config('app.keeps_universes', 'off', true);
  return cardinality(expired);
end
$function$;
grant execute on function close_expired_universes() to tollgate_work;

create or replace function close_universe(id text)
 returns timestamptz
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  scope  text := current_setting('app.clients', true);
  -- The bucket is computed once, as a value. A function call in the query would prevent an index scan behind row-level
  -- security.
  place  smallint := bucket_of(id);
  closed timestamptz;
begin
  perform set_config('app.clients', array[id]::text, true);
  update universes set closed_at = clock_timestamp()
  where bucket = place and client_id = id and closed_at is null;
  if found then
    update clients set status = 'CLOSED' where bucket = place and client_id = id;
    delete from jobs where bucket = place and client_id = id;
  end if;
  select closed_at into closed from universes where bucket = place and client_id = id;
  perform set_config('app.clients', coalesce(scope, ''), true);
  return closed;
end
$function$;
grant execute on function close_universe(text) to tollgate_app;

create or replace function closings_around(of_client text, of_account text, of_currency text, of_month text)
 returns table(month text, amount_minor numeric)
 language sql
 stable security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
  select sums.month, sums.amount_minor from (
    select max(m.month) from closed_months as m where m.month < of_month
    union all
    select min(m.month) from closed_months as m where m.month >= of_month
  ) as near (month) join closed_months as closed using (month) join closed_sums as sums using (month)
  where sums.client = of_client and sums.account = of_account and sums.currency = of_currency
    and of_client = any (nullif(current_setting('app.clients', true), '')::text[])
    and not exists (select from client_homes as home where home.client = of_client and home.since >= closed.closed_at)
$function$;
grant execute on function closings_around(text,text,text,text) to tollgate_app, tollgate_support;

create or replace function console_approval_is_of_its_transaction()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog'
as $function$
begin
  new.transaction := pg_current_xact_id();
  new.login := session_user;
  new.at := clock_timestamp();
  return new;
end
$function$;

create or replace function count_provider_change()
 returns trigger
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  changed record := case tg_op when 'DELETE' then old else new end;
begin
  update clients set revision = revision + 1 where bucket = changed.bucket and client_id = changed.client_id;
  return null;
end
$function$;

create or replace function delete_search_rows(of_bucket smallint, of_client text, from_id text, until_id text, from_hour timestamptz, until_hour timestamptz)
 returns void
 language sql
 set search_path to 'pg_catalog', 'public', 'pg_temp'
 set enable_seqscan to 'off'
 set enable_bitmapscan to 'off'
as $function$
  delete from search_payments where bucket = of_bucket and client_id = of_client and payment_id >= from_id and payment_id < until_id;
  delete from payment_counts where bucket = of_bucket and client_id = of_client and span = 'hour' and starts_at >= from_hour and starts_at < until_hour;
$function$;

create or replace function display_status_of(status text, capture_mode text, is_released boolean, captured_minor bigint, refunded_minor bigint, disputed_minor bigint, lost_minor bigint)
 returns text
 language sql
 immutable
 set search_path to 'pg_catalog', 'pg_temp'
as $function$
  select case
    when status <> 'SUCCESS' then status
    when disputed_minor > coalesce(lost_minor, 0) then 'DISPUTED'
    when lost_minor > 0 then 'DISPUTE_LOST'
    when capture_mode = 'MANUAL' and captured_minor = 0 then case when is_released then 'RELEASED' else 'AUTHORIZED' end
    when refunded_minor = 0 then 'PAID'
    when refunded_minor >= captured_minor then 'REFUNDED'
    else 'PARTLY_REFUNDED'
  end
$function$;
grant execute on function display_status_of(text,text,boolean,bigint,bigint,bigint,bigint) to public;

create or replace function erase_buyer(in_bucket smallint, in_client text, subjects text[], names text[])
 returns jsonb
 language plpgsql
 set search_path to 'pg_catalog', 'public', 'pg_temp'
 set enable_seqscan to 'off'
 set enable_hashjoin to 'off'
 set enable_mergejoin to 'off'
 set enable_bitmapscan to 'off'
as $function$
declare
  counts   jsonb := '{}';
  told_ids text[];
  touched  bigint;
begin
  update payments set provider_details = null, order_description = null, order_shown = null, redirect_url = null, metadata = null, provider_url = null, next_action = null, sealed_code = null,
    notify_url = regexp_replace(notify_url, '[?#].*', '')
  where bucket = in_bucket and client_id = in_client and payment_id = any (subjects);
  get diagnostics touched = row_count;
  counts := counts || jsonb_build_object('payments', touched);

  update payment_sessions set customized_info = null, user_region = null, order_info = jsonb_build_object(
    'referenceOrderId', order_info -> 'referenceOrderId', 'orderDescription', '(erased)', 'orderAmount', order_info -> 'orderAmount')
  where bucket = in_bucket and client_id = in_client and payment_id = any (subjects);
  get diagnostics touched = row_count;
  counts := counts || jsonb_build_object('payment_sessions', touched);

  update order_data set data = '{}'
  where bucket = in_bucket and client_id = in_client and payment_id = any (subjects);
  get diagnostics touched = row_count;
  counts := counts || jsonb_build_object('order_data', touched);

  update refunds set reason = null, metadata = null, notify_url = regexp_replace(notify_url, '[?#].*', '')
  where bucket = in_bucket and client_id = in_client and refund_id = any (subjects);
  get diagnostics touched = row_count;
  counts := counts || jsonb_build_object('refunds', touched);

  update disputes set reason_message = '(erased)', auto_defend_reason = null
  where bucket = in_bucket and client_id = in_client and dispute_id = any (subjects);
  get diagnostics touched = row_count;
  counts := counts || jsonb_build_object('disputes', touched);
  update dispute_events set told = null
  where bucket = in_bucket and client_id = in_client and dispute_id = any (subjects) and told is not null;
  -- The SHA-256 of a document stays, to show later whether a merchant presents the same file.
  update dispute_evidence set content = ''
  where bucket = in_bucket and client_id = in_client and dispute_id = any (subjects);
  get diagnostics touched = row_count;
  counts := counts || jsonb_build_object('dispute_evidence', touched);

  update authorizations set user_login_id = null, provider_url = null, redirect_url = regexp_replace(redirect_url, '[?#].*', ''),
    notify_url = regexp_replace(notify_url, '[?#].*', '')
  where bucket = in_bucket and client_id = in_client and authorization_id = any (subjects);
  get diagnostics touched = row_count;
  counts := counts || jsonb_build_object('authorizations', touched);

  told_ids := array(select notification_id from notifications_about(in_bucket, in_client, subjects));
  -- An encrypted body contains a code or a token, which is used up. The database cannot decrypt the body, so all of it
  -- is replaced.
  update notifications set url = regexp_replace(url, '[?#].*', ''), sealed = false,
    body = case when sealed then convert_to(jsonb_build_object('erased', true, 'sequence', sequence)::text, 'UTF8')
      else without_free_text(body) end
  where bucket = in_bucket and client_id = in_client and notification_id = any (told_ids);
  counts := counts || jsonb_build_object('notifications', cardinality(told_ids));
  update notification_attempts set answer = ''
  where bucket = in_bucket and client_id = in_client and notification_id = any (told_ids);
  get diagnostics touched = row_count;
  counts := counts || jsonb_build_object('notification_attempts', touched);

  -- Two ids can have the same hash, so the query also searches the bodies for the id.
  update request_log set request_body = '(erased)', answer_body = '(erased)'
  from (select distinct request_record_hash(id) as hash from unnest(subjects || names) as given (id)) as record
  where bucket = in_bucket and record_hash = record.hash and client_id = in_client and exists (
    select from unnest(subjects || names) as given (id)
    where strpos(request_body, to_json(id)::text) > 0 or strpos(answer_body, to_json(id)::text) > 0);
  get diagnostics touched = row_count;
  return counts || jsonb_build_object('request_log', touched);
end
$function$;

create or replace function exchange_quotes_are_append_only()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog'
as $function$
begin
  raise exception 'FX quotes are append-only: rows cannot be changed or deleted.' using errcode = 'restrict_violation';
end
$function$;

create or replace function fee_rules_are_append_only()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog'
as $function$
begin
  raise exception 'Fee rules are append-only: rows cannot be changed or deleted.' using errcode = 'restrict_violation';
end
$function$;

create or replace function fee_rules_count_as_changes()
 returns trigger
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
begin
  update clients set revision = revision + 1 where bucket = new.bucket and client_id = new.client_id;
  return new;
end
$function$;

create or replace function fill_search(row_limit integer)
 returns integer
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
 set enable_seqscan to 'on'
as $function$
declare
  mark    search_position;
  horizon xid8;
  began   timestamptz;
  -- The number of transactions since the position was stored.
  reach   bigint;
  begun   integer;
  buckets smallint[];
  ids     text[];
begin
  select * into mark from search_position for update skip locked;
  if mark.position is null then
    return null;
  end if;
  perform set_config('app.fills_search', 'on', true);
  -- Time and horizon are taken before the statement that reads, so that this statement sees everything that was
  -- committed until then.
  began := clock_timestamp();
  horizon := pg_snapshot_xmin(pg_current_snapshot());
  reach := pg_snapshot_xmax(pg_current_snapshot())::text::bigint - mark.position::text::bigint;
  -- Each server has its own transaction numbers, and those of rows have 32 bits. If the position is from another server
  -- or very old, it is useless. Then all jobs are read, which is slower and misses nothing.
  if reach < 0 or reach > 1000000000 then
    reach := 2147483647;
  end if;
  with changed as (
    delete from changed_payments_queue where ctid = any (array(select ctid from changed_payments_queue limit row_limit))
    returning bucket, payment_id
  ), fresh as materialized (
    -- A payment whose transaction was open at the last poll has a number at or above the position, however late it
    -- committed. The same is true for a job that changed since then.
    select j.bucket, j.client_id, j.subject_id from jobs as j
    where age(j.xmin) <= reach and j.job in ('drive-payment', 'close-session')
  ), lists as (
    select array_agg(bucket) as buckets, array_agg(client_id) as clients, array_agg(subject_id) as ids from fresh
  ), missing as (
    select lacking.bucket, lacking.subject_id
    from lists cross join lateral missing_search_payments(lists.buckets, lists.clients, lists.ids, row_limit) as lacking
  ), both_kinds as (
    select 0 as is_new, bucket, payment_id from changed union all select 1, bucket, subject_id from missing
  )
  select array_agg(bucket), array_agg(payment_id), sum(is_new) into buckets, ids, begun from both_kinds;
  if ids is not null then
    perform update_search_rows(buckets, ids);
  end if;
  -- Payments over the limit are left for the next run and are not in the tables yet.
  if cardinality(ids) is null or (begun < row_limit and cardinality(ids) - begun < row_limit) then
    update search_position set position = horizon, as_of = began;
  end if;
  perform set_config('app.fills_search', 'off', true);
  return coalesce(cardinality(ids), 0);
end
$function$;
grant execute on function fill_search(integer) to tollgate_work;

create or replace function is_backed(posting jsonb)
 returns boolean
 language plpgsql
 stable
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  effect   text := posting -> 'key' ->> 'effect';
  subject  text := posting -> 'key' ->> 'subject_id';
  client   text := posting -> 'key' ->> 'client_id';
  debit    text := posting -> 'after' ->> 'debit_account';
  credit   text := posting -> 'after' ->> 'credit_account';
  sum_in   text := posting -> 'after' ->> 'currency';
  sum      bigint := (posting -> 'after' ->> 'amount_minor')::bigint;
  -- The name of a connector or a bank contains no space.
  named    text := split_part(subject, ' ', 1);
  rest     text := substr(subject, length(named) + 2);
  payable  text := 'merchant payable ' || client;
  reserve  text := 'merchant reserve ' || client;
  transit  text := 'payout in transit ' || client;
begin
  if effect in ('provider fee', 'provider payout', 'provider adjustment', 'bank entry', 'bank opening', 'write-off')
    or effect like 'exchange _%'
  then
    if client <> 'HOUSE' then
      return false;
    end if;
  end if;
  if effect in ('provider fee', 'provider payout', 'provider adjustment') then
    return exists (
      select from settlement_rows as r where r.connector = named and r.operation_reference = rest and r.kind = split_part(effect, ' ', 2)
        and r.currency = sum_in and abs(r.amount_minor) = sum
        and (case when r.amount_minor > 0 then array[debit, credit] else array[credit, debit] end) = case r.kind
          when 'fee' then array['provider fee ' || named, 'provider receivable ' || named]
          when 'payout' then array['clearing', 'provider receivable ' || named]
          else array['provider receivable ' || named, 'adjustment'] end);
  elsif effect = 'bank entry' then
    return exists (
      select from bank_lines as l where l.bank = named and l.entry_reference = rest and l.currency = sum_in and l.amount_minor = sum
        and (case when l.is_credit then array[debit, credit] else array[credit, debit] end) = array['bank ' || named, 'clearing']);
  elsif effect = 'bank opening' then
    return exists (
      select from bank_files as f where f.bank = named and f.account || ' ' || f.currency = rest and f.currency = sum_in
        and abs(f.opening_minor) = sum
        and (case when f.opening_minor > 0 then array[debit, credit] else array[credit, debit] end) = array['bank ' || named, 'adjustment']);
  elsif effect = 'write-off' then
    return exists (
      select from row_changes as r where r.transaction = pg_current_xact_id() and r.change ->> 'table' = 'breaks'
        and r.change -> 'key' ->> 'currency' = sum_in and subject ~ ('^break ' || (r.change -> 'key' ->> 'break_id') || '(/[0-9]+)?$')
        and abs((r.change -> 'after' ->> 'written_off_minor')::numeric - (r.change -> 'before' ->> 'written_off_minor')::numeric) = sum);
  elsif effect in ('exchange sold', 'exchange bought', 'exchange difference') then
    return (debit = 'clearing' or debit like 'exchange %') and (credit = 'clearing' or credit like 'exchange %');
  elsif effect in ('reserve hold', 'reserve release', 'exchange') then
    return exists (
      select from settlement_batches as b where b.client_id = client and b.batch_id = subject and case effect
        when 'reserve hold' then b.currency = sum_in and b.held_minor = sum and array[debit, credit] = array[payable, reserve]
        when 'reserve release' then b.currency = sum_in and b.held_minor = sum and b.released_in is not null
          and array[debit, credit] = array[reserve, payable]
        else array[debit, credit] = array[payable, 'exchange ' || b.currency || '/' || b.settle_currency]
            and b.currency = sum_in and b.net_minor = sum
          or array[debit, credit] = array['exchange ' || b.currency || '/' || b.settle_currency, payable]
            and b.settle_currency = sum_in and b.settle_minor = sum end);
  elsif effect in ('payout', 'payout paid', 'payout failed', 'payout returned') then
    return exists (
      select from payouts as p where p.client_id = client and p.payout_id = subject and p.currency = sum_in and p.amount_minor = sum
        and array[debit, credit] = case effect when 'payout' then array[payable, transit]
          when 'payout paid' then array[transit, 'clearing'] when 'payout failed' then array[transit, payable]
          else array['clearing', payable] end
        and (effect = 'payout' or p.status = upper(substr(effect, 8))));
  end if;
  return false;
end
$function$;

create or replace function is_owner_login(of_table oid)
 returns boolean
 language sql
 stable
 set search_path to 'pg_catalog'
as $function$
  select pg_has_role(session_user, (select relowner from pg_class where oid = of_table), 'member')
$function$;

create or replace function is_staff_session()
 returns boolean
 language sql
 stable
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
  select pg_has_role(session_user, 'tollgate_support', 'member')
    and not pg_has_role(session_user, (select relowner from pg_class where oid = 'public.audit'::regclass), 'member')
$function$;

create or replace function keep_directory_version()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
begin
  if new.directory_version < old.directory_version then
    raise exception 'The directory_version of the cell cannot decrease; it is %.', old.directory_version
      using errcode = 'check_violation';
  end if;
  return new;
end
$function$;
grant execute on function keep_directory_version() to public;

create or replace function ledger_is_append_only()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog'
as $function$
begin
  raise exception 'The ledger is append-only: rows cannot be changed or deleted.' using errcode = 'restrict_violation';
end
$function$;
grant execute on function ledger_is_append_only() to public;

create or replace function list_universes()
 returns table(client_id text, name text, opened_at timestamptz, closes_at timestamptz)
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
#variable_conflict use_column
declare
  scope text := current_setting('app.clients', true);
begin
  perform set_config('app.keeps_universes', 'on', true);
  perform set_config('app.clients',
    array(select client_id from universes where closed_at is null and closes_at > clock_timestamp())::text, true);
  perform set_config('app.keeps_universes', 'off', true);
  return query
  select universes.client_id, clients.name, universes.opened_at, universes.closes_at
  from universes join clients using (bucket, client_id) order by universes.opened_at, universes.client_id;
  perform set_config('app.clients', coalesce(scope, ''), true);
end
$function$;
grant execute on function list_universes() to tollgate_app;

create or replace function maintain_request_log()
 returns void
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
 set lock_timeout to '200ms'
as $function$
declare
  today  date := (clock_timestamp() at time zone 'utc')::date;
  oldest date := today - (select days from public.request_log_retention);
  day    date;
  old    text;
begin
  perform pg_advisory_xact_lock(hashtext('maintain_request_log'));
  for ahead in 0..3 loop
    day := today + ahead;
    if to_regclass(format('public.request_log_%s', to_char(day, 'YYYYMMDD'))) is null then
      execute format(
        'create table public.request_log_%s partition of public.request_log for values from (%L) to (%L)',
        to_char(day, 'YYYYMMDD'), day::text || ' 00:00:00+00', (day + 1)::text || ' 00:00:00+00');
      -- A query on the partition itself uses the policies of the partition, not of its parent. A partition has no
      -- policy, so such a query returns no rows.
      execute format('alter table public.request_log_%s enable row level security', to_char(day, 'YYYYMMDD'));
      execute format('alter table public.request_log_%s force row level security', to_char(day, 'YYYYMMDD'));
    end if;
  end loop;
  for old in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.request_log'::regclass
      and c.relname < 'request_log_' || to_char(oldest, 'YYYYMMDD')
  loop
    execute format('drop table public.%I', old);
  end loop;
end
$function$;
grant execute on function maintain_request_log() to tollgate_app;

create or replace function maintain_request_log(retention_days integer)
 returns void
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
begin
  perform public.maintain_request_log();
end
$function$;
grant execute on function maintain_request_log(integer) to tollgate_app;

create or replace function may_make_changes(login name, changes jsonb)
 returns boolean
 language sql
 stable
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
  select coalesce(bool_and(case
    when change ->> 'table' = 'breaks' then has_function_privilege(login, 'write_off_break(bigint, bigint, text, text)', 'execute')
    when change ->> 'operation' = 'update' then (
      select bool_and(has_column_privilege(login, change ->> 'table', name, 'update'))
      from jsonb_object_keys((change -> 'before') || (change -> 'after')) as name)
    else has_table_privilege(login, change ->> 'table', change ->> 'operation') end), true)
  from jsonb_array_elements(changes) as change
$function$;

create or replace function missing_search_payments(buckets smallint[], clients text[], ids text[], row_limit integer)
 returns table(bucket smallint, subject_id text)
 language sql
 stable
 set search_path to 'pg_catalog', 'public', 'pg_temp'
 set enable_seqscan to 'off'
 set enable_hashjoin to 'off'
 set enable_mergejoin to 'off'
 set enable_bitmapscan to 'off'
as $function$
  select f.bucket, f.subject_id from unnest(buckets, clients, ids) as f (bucket, client_id, subject_id)
  where f.subject_id is distinct from (
    select s.payment_id from search_payments as s
    where s.bucket = f.bucket and s.client_id = f.client_id and s.payment_id >= f.subject_id
    order by s.payment_id limit 1)
  limit row_limit;
$function$;

create or replace function money_in_suspense()
 returns table(currency text, minor numeric)
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
begin
  perform set_config('app.rolls_up', 'on', true);
  return query select balances.currency, -sum(balances.amount_minor) from balances
    where account = 'suspense' and amount_minor <> 0 group by balances.currency;
  perform set_config('app.rolls_up', 'off', true);
end
$function$;
grant execute on function money_in_suspense() to tollgate_work;

create or replace function notifications_about(in_bucket smallint, in_client text, subjects text[])
 returns table(notification_id text, status text)
 language sql
 stable
 set search_path to 'pg_catalog', 'public', 'pg_temp'
 set enable_seqscan to 'off'
 set enable_hashjoin to 'off'
 set enable_mergejoin to 'off'
 set enable_bitmapscan to 'off'
as $function$
  with subject as materialized (
    select in_bucket as bucket, id from unnest(subjects) as given (id)
  ), moments as materialized (
    select e.at from subject as s join payment_events as e on e.bucket = s.bucket and e.payment_id = s.id
    union all select r.finished_at from subject as s join refunds as r on r.bucket = s.bucket and r.refund_id = s.id
    union all select r.reversed_at from subject as s join refunds as r on r.bucket = s.bucket and r.refund_id = s.id
    union all select c.finished_at from subject as s join captures as c on c.bucket = s.bucket and c.capture_id = s.id
    union all select v.finished_at from subject as s join reversals as v on v.bucket = s.bucket and v.reversal_id = s.id
    union all select e.at from subject as s join dispute_events as e on e.bucket = s.bucket and e.dispute_id = s.id
    union all select e.at from subject as s join authorization_events as e on e.bucket = s.bucket and e.authorization_id = s.id
  ), windows as materialized (
    select to_char(lower(span) at time zone 'utc', 'YYYYMMDDHH24MISSMS') as id_from,
      to_char(upper(span) at time zone 'utc', 'YYYYMMDDHH24MISSMS') as id_until
    from (
      select unnest(range_agg(tstzrange(at - interval '1 second', at + interval '1 second'))) as span
      from moments where at is not null
    ) as joined
  )
  -- `offset 0` makes the planner search each time window by the primary key.
  select n.notification_id, n.status from windows cross join lateral (
    select notification_id, status, client_id, subject_id from notifications
    where bucket = in_bucket and notification_id >= windows.id_from and notification_id < windows.id_until offset 0
  ) as n
  where n.client_id = in_client and n.subject_id = any (subjects)
$function$;

create or replace function open_client(id text, named text, first_key bytea, opener text)
 returns boolean
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
begin
  perform check_client_of_people(id);
  insert into clients (bucket, client_id, name, gateway_key_version, organisation)
  values (bucket_of(id), id, named, (select max(version) from gateway_keys), opener)
  on conflict (bucket, client_id) do nothing;
  if not found then
    return false;
  end if;
  insert into client_keys (bucket, client_id, version, public_key) values (bucket_of(id), id, 1, first_key);
  return true;
end
$function$;
grant execute on function open_client(text,text,bytea,text) to tollgate_app;

create or replace function open_universes(names text[], public_keys bytea[], lifetimes integer[])
 returns table(place integer, client_id text, gateway_key_version integer, closes_at timestamptz)
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
#variable_conflict use_column
declare
  scope   text := current_setting('app.clients', true);
  opened  timestamptz := clock_timestamp();
  newest  integer := (select max(version) from gateway_keys);
  limits  universe_limits;
  room    bigint;
  ids     text[];
  ends    timestamptz[];
begin
  -- The row lock prevents concurrent requests from exceeding the limits together.
  select * into limits from universe_limits for update;
  perform close_expired_universes();
  perform set_config('app.keeps_universes', 'on', true);
  select least(limits.open_max - count(*) filter (where closed_at is null), limits.kept_max - count(*)) into room
  from universes;
  perform set_config('app.keeps_universes', 'off', true);
  -- The random part prevents reuse after a restore, when the sequence repeats numbers that payment providers have
  -- already seen.
  ids := array(
    select format('SANDBOX_U%s_%s', nextval('universe_numbers'), upper(left(replace(gen_random_uuid()::text, '-', ''), 12)))
    from generate_series(1, least(room, cardinality(names))));
  perform set_config('app.clients', ids::text, true);
  insert into clients (bucket, client_id, name, gateway_key_version)
  select bucket_of(id), id, names[nth], newest from unnest(ids) with ordinality as made (id, nth);
  insert into client_keys (bucket, client_id, version, public_key)
  select bucket_of(id), id, 1, public_keys[nth] from unnest(ids) with ordinality as made (id, nth);
  -- A request without a lifetime gets the longest lifetime, because `least` ignores null.
  ends := array(
    select opened + make_interval(secs => least(lifetime, limits.lifetime_seconds))
    from unnest(lifetimes) with ordinality as asked (lifetime, nth) order by nth);
  insert into universes (bucket, client_id, opened_at, closes_at)
  select bucket_of(id), id, opened, ends[nth] from unnest(ids) with ordinality as made (id, nth);
  return query
  select nth::integer, id, newest, ends[nth] from unnest(ids) with ordinality as made (id, nth);
  perform set_config('app.clients', coalesce(scope, ''), true);
end
$function$;
grant execute on function open_universes(text[],bytea[],integer[]) to tollgate_app;

create or replace function payment_notes_its_change()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
begin
  insert into changed_payments_queue (bucket, payment_id) values (new.bucket, new.payment_id);
  return null;
end
$function$;
grant execute on function payment_notes_its_change() to public;

create or replace function payout_file_digest(of_file text)
 returns bytea
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  oversight text := coalesce(current_setting('app.oversight', true), '');
  digest    bytea;
begin
  perform set_config('app.oversight', 'on', true);
  select sha256(convert_to(jsonb_build_array(f.file_id, f.bank, f.currency, f.format, f.execution_day, f.created_at, f.from_holder,
    f.from_iban, f.from_bic, encode(f.sha256, 'hex'), f.payout_count, f.sum_minor, (
      select jsonb_agg(jsonb_build_array(l.client_id, l.batch_id, l.attempt, l.payout_id, l.currency, l.amount_minor, l.account_id,
        a.holder, a.iban, a.bic) order by l.client_id, l.batch_id)
      from payout_file_lines as l
      join bank_accounts as a on a.bucket = l.bucket and a.client_id = l.client_id and a.account_id = l.account_id
      where l.file_id = f.file_id))::text, 'UTF8'))
  into digest
  from payout_files as f where f.file_id = of_file;
  perform set_config('app.oversight', oversight, true);
  return digest;
end
$function$;
grant execute on function payout_file_digest(text) to tollgate_finance;

create or replace function payout_file_is_audited()
 returns trigger
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
begin
  if not exists (
    select from audit where transaction = pg_current_xact_id() and act = 'payout hand-over' and subject = new.file_id
      and after ->> 'sha256' = encode(new.sent_sha256, 'hex') and after ->> 'payoutCount' = new.sent_count::text
      and after ->> 'totalMinor' = new.sent_minor::text)
  then
    raise exception 'Payout file % is handed over without an audit row.', new.file_id
      using errcode = 'check_violation', constraint = 'payout_files_handed_over_is_audited';
  end if;
  return null;
end
$function$;

create or replace function payout_file_line_is_frozen()
 returns trigger
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
begin
  if is_owner_login(tg_relid) and tg_op = 'INSERT' then
    return new;
  end if;
  if tg_op = 'INSERT' then
    if new.dropped_for is not null or not exists (
      select from payout_files as f where f.file_id = new.file_id and f.status = 'PLANNED' and f.currency = new.currency
        and f.planned_in = pg_current_xact_id())
    then
      raise exception 'A line is planned in the transaction of its file, or not at all.'
        using errcode = 'check_violation', constraint = 'payout_file_lines_planned_with_their_file';
    end if;
    return new;
  end if;
  if (new.bucket, new.client_id, new.file_id, new.batch_id, new.attempt, new.payout_id, new.currency, new.amount_minor, new.account_id)
    is distinct from
    (old.bucket, old.client_id, old.file_id, old.batch_id, old.attempt, old.payout_id, old.currency, old.amount_minor, old.account_id)
    or old.dropped_for is not null
    or exists (select from payouts as p where p.bucket = old.bucket and p.client_id = old.client_id and p.payout_id = old.payout_id)
  then
    raise exception 'A line of a payout file cannot be changed.' using errcode = 'restrict_violation';
  end if;
  return new;
end
$function$;

create or replace function payout_file_needs_two_people()
 returns trigger
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  is_live   boolean := (select name from environment) = 'live';
  oversight text := coalesce(current_setting('app.oversight', true), '');
  created   payout_totals;
begin
  if tg_op = 'INSERT' then
    new.status := 'PLANNED';
    new.planned_login := session_user;
    new.planned_in := pg_current_xact_id();
    new.approved_by := null;
    new.approved_login := null;
    new.approved_at := null;
    new.approved_digest := null;
    new.handed_over_at := null;
    return new;
  end if;
  if (new.file_id, new.bank, new.currency, new.format, new.sha256, new.payout_count, new.sum_minor, new.created_at, new.execution_day,
      new.from_holder, new.from_iban, new.from_bic, new.is_recovered, new.planned_by, new.planned_login, new.planned_in)
    is distinct from
    (old.file_id, old.bank, old.currency, old.format, old.sha256, old.payout_count, old.sum_minor, old.created_at, old.execution_day,
      old.from_holder, old.from_iban, old.from_bic, old.is_recovered, old.planned_by, old.planned_login, old.planned_in)
    or (old.status <> 'PLANNED' and (new.approved_by, new.approved_login, new.approved_at, new.approved_digest)
      is distinct from (old.approved_by, old.approved_login, old.approved_at, old.approved_digest))
    or (old.status = 'HANDED_OVER' and (new.sent_sha256, new.sent_count, new.sent_minor, new.handed_over_at)
      is distinct from (old.sent_sha256, old.sent_count, old.sent_minor, old.handed_over_at))
  then
    raise exception 'A planned payout file cannot be changed. Plan another one.' using errcode = 'restrict_violation';
  end if;
  perform set_config('app.oversight', 'on', true);
  -- A payout that failed with VOID was never in the file. The bank has rejected the other failed ones, so they were in it.
  select count(*), count(*) filter (where status in ('PAID', 'RETURNED')), coalesce(sum(amount_minor), 0)
  into created from payouts
  where file_id = new.file_id and (status <> 'FAILED' or reason_code is distinct from 'VOID');
  perform set_config('app.oversight', oversight, true);
  if old.status = 'PLANNED' and new.status = 'APPROVED' then
    new.approved_login := session_user;
    new.approved_at := clock_timestamp();
    if new.approved_by is null or new.approved_digest is distinct from payout_file_digest(new.file_id) then
      raise exception 'The approved digest is not the digest of payout file %.', new.file_id
        using errcode = 'check_violation', constraint = 'payout_files_approved_as_shown';
    end if;
    if is_live and session_user = old.planned_login and not is_owner_login(tg_relid) then
      raise exception 'The login that planned payout file % cannot approve it.', new.file_id
        using errcode = 'check_violation', constraint = 'payout_files_approved_by_another_login';
    end if;
  elsif old.status = 'APPROVED' and new.status = 'RELEASED' then
    if old.approved_at < clock_timestamp() - interval '24 hours' then
      raise exception 'The approval of payout file % is older than 24 hours.', new.file_id
        using errcode = 'check_violation', constraint = 'payout_files_approval_expires';
    end if;
    if old.approved_digest is distinct from payout_file_digest(new.file_id) then
      raise exception 'Payout file % is not the one that was approved.', new.file_id
        using errcode = 'check_violation', constraint = 'payout_files_released_as_approved';
    end if;
  elsif old.status = 'RELEASED' and new.status = 'HANDED_OVER' then
    new.handed_over_at := coalesce(new.handed_over_at, clock_timestamp());
    if (new.sent_count, new.sent_minor) is distinct from (created.payout_count, created.sum_minor)
      or new.sent_sha256 is null or new.sent_count = 0
      or (new.sent_count = new.payout_count and new.sent_sha256 <> new.sha256)
    then
      raise exception 'The bytes of payout file % are not those of its payouts.', new.file_id
        using errcode = 'check_violation', constraint = 'payout_files_handed_over_as_approved';
    end if;
  end if;
  if new.status = 'DROPPED' and created.payout_count > 0 or new.status = 'VOIDED' and created.executed_count > 0 then
    raise exception 'Payout file % has payouts that the bank may execute.', new.file_id
      using errcode = 'check_violation', constraint = 'payout_files_given_up_without_payouts';
  end if;
  if new.void_requested_by is distinct from old.void_requested_by then
    new.void_requested_login := session_user;
  end if;
  if new.status = 'VOIDED' and old.status <> 'VOIDED' then
    new.voided_login := session_user;
    if new.voided_by is null or new.void_requested_login is null
      or (is_live and new.voided_login = new.void_requested_login and not is_owner_login(tg_relid))
    then
      raise exception 'Voiding payout file % needs an approval by another person.', new.file_id
        using errcode = 'check_violation', constraint = 'payout_files_voided_by_another_login';
    end if;
  end if;
  return new;
end
$function$;

create or replace function payout_hold_is_released_once()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  is_owner boolean := pg_has_role(session_user, (select relowner from pg_class where oid = tg_relid), 'member');
begin
  if tg_op = 'INSERT' then
    if not is_owner then
      new.held_at := clock_timestamp();
      new.held_login := session_user;
    end if;
    return new;
  end if;
  if old.released_at is not null or new.released_at is null
    or (new.bucket, new.client_id, new.held_at, new.held_by, new.held_login, new.reason)
      is distinct from (old.bucket, old.client_id, old.held_at, old.held_by, old.held_login, old.reason)
  then
    raise exception 'A payout hold can only be released, and only once.' using errcode = 'restrict_violation';
  end if;
  if not is_owner then
    new.released_at := clock_timestamp();
    new.released_login := session_user;
  end if;
  return new;
end
$function$;

create or replace function payout_is_approved()
 returns trigger
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
begin
  if tg_op = 'UPDATE' then
    if (new.bucket, new.client_id, new.payout_id, new.batch_id, new.currency, new.amount_minor, new.account_id, new.bank,
        new.end_to_end_id, new.file_id, new.created_at)
      is distinct from
      (old.bucket, old.client_id, old.payout_id, old.batch_id, old.currency, old.amount_minor, old.account_id, old.bank,
        old.end_to_end_id, old.file_id, old.created_at)
    then
      raise exception 'A payout cannot be changed, except for its progress.' using errcode = 'restrict_violation';
    end if;
    return new;
  end if;
  if is_owner_login(tg_relid) then
    return new;
  end if;
  -- `payouts_are_held` is created in migration 0052.
  if new.status <> 'CREATED' or new.sent_at is not null or new.finished_at is not null or new.end_to_end_id <> new.payout_id
    or not exists (
    select from payout_files as f
    join payout_file_lines as l on l.file_id = f.file_id
    join settlement_batches as b on b.bucket = l.bucket and b.client_id = l.client_id and b.batch_id = l.batch_id
    join bank_accounts as a on a.bucket = l.bucket and a.client_id = l.client_id and a.account_id = l.account_id
    where f.file_id = new.file_id and f.status = 'RELEASED' and f.bank = new.bank and f.currency = new.currency
      and (l.bucket, l.client_id, l.batch_id, l.payout_id, l.account_id, l.currency, l.amount_minor)
        = (new.bucket, new.client_id, new.batch_id, new.payout_id, new.account_id, new.currency, new.amount_minor)
      and l.dropped_for is null
      and b.status = 'PAYING' and b.payout_id = new.payout_id and b.bank = new.bank
      and coalesce(b.settle_currency, b.currency) = new.currency and coalesce(b.settle_minor, b.net_minor) = new.amount_minor
      and a.currency = new.currency and a.approved_at is not null
      -- A recovered file is not checked for ended accounts and holds, because the bank already has it.
      and (f.is_recovered
        or (a.ended_at is null and a.usable_from <= clock_timestamp() and not payouts_are_held(new.bucket, new.client_id))))
  then
    raise exception 'Payout % is not a line of a released payout file.', new.payout_id
      using errcode = 'check_violation', constraint = 'payouts_are_approved';
  end if;
  return new;
end
$function$;

create or replace function payout_is_booked()
 returns trigger
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  payable text := 'merchant payable ' || new.client_id;
  summed  xid8 := (select summed_up_to from balances_position);
  owed    numeric;
begin
  if is_owner_login(tg_relid) then
    return null;
  end if;
  if not exists (
    select from ledger_transfers where bucket = new.bucket and subject_id = new.payout_id and effect = 'payout'
      and client_id = new.client_id and debit_account = payable and credit_account = 'payout in transit ' || new.client_id
      and currency = new.currency and amount_minor = new.amount_minor)
  then
    raise exception 'Payout % has no ledger transfer.', new.payout_id
      using errcode = 'check_violation', constraint = 'payouts_are_booked';
  end if;
  select coalesce((select -amount_minor from balances
      where bucket = new.bucket and client_id = new.client_id and account = payable and currency = new.currency), 0)
    + coalesce(sum(case when debit_account = payable then -amount_minor else amount_minor end), 0)
  into owed
  from ledger_transfers
  where transaction >= summed and client_id = new.client_id and currency = new.currency and payable in (debit_account, credit_account);
  if owed < 0 then
    raise exception 'Payout % exceeds what the operator owes the merchant.', new.payout_id
      using errcode = 'check_violation', constraint = 'payouts_are_covered';
  end if;
  return null;
end
$function$;

create or replace function payout_resync_needs_two_people()
 returns trigger
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
begin
  if tg_op = 'INSERT' then
    new.requested_login := session_user;
    new.requested_at := clock_timestamp();
    new.confirmed_by := null;
    new.confirmed_login := null;
    new.confirmed_at := null;
    return new;
  end if;
  if (new.bank, new.newest_file, new.requested_by, new.requested_login, new.requested_at)
    is distinct from (old.bank, old.newest_file, old.requested_by, old.requested_login, old.requested_at)
    or old.confirmed_at is not null or new.confirmed_by is null
  then
    raise exception 'A statement about the bank folder cannot be changed.' using errcode = 'restrict_violation';
  end if;
  new.confirmed_login := session_user;
  new.confirmed_at := clock_timestamp();
  if session_user = old.requested_login and (select name from environment) = 'live' and not is_owner_login(tg_relid) then
    raise exception 'The login that stated the newest file cannot confirm it.'
      using errcode = 'check_violation', constraint = 'payout_resyncs_confirmed_by_another_login';
  end if;
  return new;
end
$function$;

create or replace function payouts_are_held(bucket smallint, client_id text)
 returns boolean
 language plpgsql
 stable security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  oversight text := current_setting('app.oversight', true);
  is_held   boolean;
begin
  perform set_config('app.oversight', 'on', true);
  is_held := exists (select from public.payout_holds as h
      where h.bucket = $1 and h.client_id = $2 and h.released_at is null)
    or not exists (select from public.clients as c
      where c.bucket = $1 and c.client_id = $2 and c.status = 'ACTIVE');
  perform set_config('app.oversight', coalesce(oversight, ''), true);
  return is_held;
end
$function$;
grant execute on function payouts_are_held(smallint,text) to tollgate_finance;

create or replace function rebuild_balances()
 returns jsonb
 language plpgsql
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  mark    balances_position;
  base    bigint;
  rebuilt jsonb;
begin
  -- Locks in the same order as a roll-up (deadlock).
  select * into mark from balances_position for update;
  lock table ledger_transfers in access exclusive mode;
  perform set_config('app.rolls_up', 'on', true);
  with sides as (
    select bucket, client_id, debit_account as account, currency, amount_minor::numeric as minor from ledger_transfers
    union all
    select bucket, client_id, credit_account, currency, -amount_minor::numeric from ledger_transfers
  ), summed as (
    select bucket, client_id, account, currency, sum(minor) as minor from sides
    group by bucket, client_id, account, currency
  ), wrong as materialized (
    select bucket, client_id, account, currency,
      coalesce(balances.amount_minor, 0) as was, coalesce(summed.minor, 0) as sum
    from balances full join summed using (bucket, client_id, account, currency)
    where coalesce(balances.amount_minor, 0) <> coalesce(summed.minor, 0)
  ), mended as (
    insert into balances (bucket, client_id, account, currency, amount_minor)
    select bucket, client_id, account, currency, sum from wrong
    on conflict (bucket, client_id, account, currency) do update set amount_minor = excluded.amount_minor
  )
  select jsonb_build_object(
    'rowCount', (select count(*) from ledger_transfers),
    'differences', coalesce((select jsonb_agg(jsonb_build_object('clientId', client_id, 'account', account,
      'currency', currency, 'was', was::text, 'sum', sum::text) order by client_id, account, currency) from wrong), '[]'))
  into rebuilt;
  base := 1 + greatest(mark.summed_up_to,
    (select transaction from ledger_transfers order by transaction desc limit 1))::text::bigint;
  -- The default is a constant and not a subquery on the position, because a writer that waits for the lock has already
  -- read it.
  execute format('alter table ledger_transfers alter column transaction '
    'set default ((%s + pg_current_xact_id()::text::bigint)::text::xid8)', base);
  -- The position is below every later transaction number. The number of this transaction would be too high, because a
  -- transaction that began earlier may write later.
  update balances_position set summed_up_to = base::text::xid8, counted_from = base,
    server = (select system_identifier from pg_control_system());
  perform set_config('app.rolls_up', 'off', true);
  return rebuilt;
end
$function$;

create or replace function rebuild_search(of_bucket smallint, from_id text, row_limit integer, out rebuilt integer, out next_id text)
 returns record
 language plpgsql
 set search_path to 'pg_catalog', 'public', 'pg_temp'
 set enable_seqscan to 'off'
 set enable_hashjoin to 'off'
 set enable_mergejoin to 'off'
 set enable_bitmapscan to 'off'
as $function$
declare
  first_id  text;
  last_id   text;
  ids       text[];
  from_hour timestamptz := '-infinity';
  next_hour timestamptz := 'infinity';
begin
  -- The lock of every fill.
  perform from search_position for update;
  perform set_config('app.fills_search', 'on', true);
  ids := array(select payment_id from payments where bucket = of_bucket and payment_id >= from_id order by payment_id limit row_limit);
  if cardinality(ids) = row_limit then
    first_id := ids[1];
    last_id := ids[row_limit];
    -- The batch ends before the hour of its last payment. If all of its payments are in one hour, it ends at the end
    -- of that hour.
    next_id := case when left(last_id, 10) > left(first_id, 10) then left(last_id, 10)
      else to_char(to_timestamp(left(last_id, 10), 'YYYYMMDDHH24') + interval '1 hour', 'YYYYMMDDHH24') end;
    next_hour := to_timestamp(next_id || '+00', 'YYYYMMDDHH24TZH');
    ids := array(select payment_id from payments where bucket = of_bucket and payment_id >= from_id and payment_id < next_id);
  end if;
  if from_id <> '' then
    from_hour := to_timestamp(from_id || '+00', 'YYYYMMDDHH24TZH');
  end if;
  perform delete_search_rows(of_bucket, client_id, from_id, coalesce(next_id, 'z'), from_hour, next_hour) from searched_clients(of_bucket) as client_id;
  perform update_search_rows(array_fill(of_bucket, array[cardinality(ids)]), ids);
  perform sum_search_days(of_bucket, client_id, from_hour, next_hour) from searched_clients(of_bucket) as client_id;
  rebuilt := cardinality(ids);
  perform set_config('app.fills_search', 'off', true);
end
$function$;

create or replace function record_bulk_insert()
 returns trigger
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
 set bytea_output to 'hex'
 set "TimeZone" to 'UTC'
 set "DateStyle" to 'ISO'
as $function$
declare
  inserted bigint;
  digest   text;
begin
  if not is_staff_session() then
    return null;
  end if;
  select count(*), encode(sha256(convert_to(coalesce(string_agg(rows::text, chr(10) order by rows::text), ''), 'UTF8')), 'hex')
  into inserted, digest from new_rows as rows;
  if inserted > 0 then
    perform add_row_change(
      jsonb_build_object('table', tg_table_name, 'operation', 'insert', 'sha256', digest), false, inserted);
  end if;
  return null;
end
$function$;

create or replace function record_row_change()
 returns trigger
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
 set bytea_output to 'hex'
 set "TimeZone" to 'UTC'
 set "DateStyle" to 'ISO'
as $function$
declare
  operation text := lower(tg_op);
  rules     text[] := tg_argv[1:];
  is_staff  boolean := is_staff_session();
  was       jsonb := coalesce(to_jsonb(old), '{}');
  became    jsonb := coalesce(to_jsonb(new), '{}');
  row_now   jsonb := case tg_op when 'DELETE' then was else became end;
  key       jsonb;
  changed   text[];
  to_approve  boolean;
begin
  if tg_argv[0] = 'staff' and not is_staff then
    return null;
  end if;
  -- A merchant moves to the next gateway key by an API request, which is in the request log.
  if not is_staff and pg_has_role(session_user, 'tollgate_app', 'member')
    and not pg_has_role(session_user, 'tollgate_support', 'member')
  then
    rules := array_append(rules, '-gateway_key_version');
  end if;
  select jsonb_object_agg(name, row_now -> name) into key
  from (select substr(rule, 2) as name from unnest(rules) as rule where rule ~ '^[=+]') as names;
  select array_agg(name) into changed from jsonb_object_keys(was || became) as name
  where was -> name is distinct from became -> name and '-' || name <> all (rules);
  to_approve := '!' || operation = any (rules)
    or tg_op = 'UPDATE' and exists (select from unnest(changed) as name where '!' || name = any (rules));
  if changed is null or (tg_argv[0] = 'approval' and not is_staff and not to_approve) then
    return null;
  end if;
  select coalesce(jsonb_object_agg(name, value) filter (where value <> 'null' or tg_op = 'UPDATE'), '{}') into was
  from jsonb_each(shown_row(was, rules)) as each (name, value) where name = any (changed);
  select coalesce(jsonb_object_agg(name, value) filter (where value <> 'null' or tg_op = 'UPDATE'), '{}') into became
  from jsonb_each(shown_row(became, rules)) as each (name, value) where name = any (changed);
  perform add_row_change(
    jsonb_build_object('table', tg_table_name, 'operation', operation, 'key', coalesce(key, '{}'), 'before', was, 'after', became),
    to_approve, 1);
  return null;
end
$function$;

create or replace function request_record_hash(id text)
 returns integer
 language sql
 immutable
 set search_path to 'pg_catalog'
return ((('x' || encode(substr(sha256(convert_to(id, 'UTF8'::name)), 1, 4), 'hex')))::bit(32))::integer;

create or replace function require_approval()
 returns void
 language plpgsql
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  this       xid8 := pg_current_xact_id();
  is_console boolean := pg_has_role(session_user, 'tollgate_console', 'member')
    and not pg_has_role(session_user, 'tollgate_operator', 'member') and not pg_has_role(session_user, 'tollgate_finance', 'member');
  differing  jsonb;
begin
  if not is_staff_session() or (select name from environment) <> 'live' then
    return;
  end if;
  if is_console and exists (select from console_approvals where transaction = this) then
    return;
  end if;
  select change into differing from (
    select change from row_changes where transaction = this and needs_approval
    except all
    select jsonb_array_elements(changes) from approval_requests
    where used_in = this and asked_login = session_user and approved_login <> session_user
      and may_make_changes(approved_login::name, changes)) as unapproved (change)
  order by change::text limit 1;
  if differing is not null then
    raise exception 'In live this change needs an approval by another login: %', differing
      using errcode = 'check_violation', constraint = 'changes_need_approval', hint = 'tollgate approval list';
  end if;
  select change into differing from (
    select jsonb_array_elements(changes) from approval_requests where used_in = this
    except all
    select change from row_changes where transaction = this and needs_approval) as not_made (change)
  order by change::text limit 1;
  if differing is not null then
    raise exception 'The approval is for a change that this transaction did not make: %', differing
      using errcode = 'check_violation', constraint = 'approved_changes_are_all_made';
  end if;
end
$function$;

create or replace function require_backing()
 returns void
 language plpgsql
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  posting jsonb;
begin
  if not is_staff_session() then
    return;
  end if;
  select change into posting from row_changes
  where transaction = pg_current_xact_id() and not is_checked and change ->> 'table' = 'ledger_transfers' and not is_backed(change)
  order by change_id limit 1;
  if posting is not null then
    raise exception 'No record with the same amount exists for this posting: %', posting
      using errcode = 'check_violation', constraint = 'postings_of_staff_are_backed';
  end if;
end
$function$;

create or replace function revoke_client_key(id text, key_version integer)
 returns timestamptz
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  place smallint := bucket_of(id);
begin
  perform check_client_of_people(id);
  update client_keys set revoked_at = clock_timestamp()
  where bucket = place and client_id = id and version = key_version and revoked_at is null;
  return (select revoked_at from client_keys where bucket = place and client_id = id and version = key_version);
end
$function$;
grant execute on function revoke_client_key(text,integer) to tollgate_app;

create or replace function roll_up_balances()
 returns bigint
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  mark    balances_position;
  horizon xid8;
  added   bigint;
begin
  select * into mark from balances_position for update skip locked;
  if mark.summed_up_to is null then
    return 0;
  end if;
  if mark.server is distinct from (select system_identifier from pg_control_system())
    or mark.summed_up_to::text::bigint >= mark.counted_from + pg_snapshot_xmax(pg_current_snapshot())::text::bigint
  then
    raise exception 'The balances were summed on another server.'
      using errcode = 'object_not_in_prerequisite_state', hint = 'Run `balances rebuild`.';
  end if;
  perform set_config('app.rolls_up', 'on', true);
  horizon := (mark.counted_from + pg_snapshot_xmin(pg_current_snapshot())::text::bigint)::text::xid8;
  -- After a long pause, the roll-up catches up in steps that fit into the statement timeout.
  horizon := coalesce(
    (select transaction from ledger_transfers where transaction > mark.summed_up_to and transaction < horizon
     order by transaction offset 50000 limit 1), horizon);
  with moved as (
    select bucket, client_id, debit_account, credit_account, currency, amount_minor
    from ledger_transfers where transaction >= mark.summed_up_to and transaction < horizon
  ), sides as (
    select bucket, client_id, debit_account as account, currency, amount_minor::numeric from moved
    union all
    select bucket, client_id, credit_account, currency, -amount_minor::numeric from moved
  ), summed as (
    insert into balances (bucket, client_id, account, currency, amount_minor)
    select bucket, client_id, account, currency, sum(amount_minor) from sides
    group by bucket, client_id, account, currency
    on conflict (bucket, client_id, account, currency)
      do update set amount_minor = balances.amount_minor + excluded.amount_minor
  )
  select count(*) into added from moved;
  -- The position advances also if no rows were added.
  if horizon > mark.summed_up_to then
    update balances_position set summed_up_to = horizon;
  end if;
  perform set_config('app.rolls_up', 'off', true);
  return added;
end
$function$;
grant execute on function roll_up_balances() to tollgate_app;

create or replace function searched_clients(of_bucket smallint)
 returns setof text
 language sql
 set search_path to 'pg_catalog', 'public', 'pg_temp'
 set enable_seqscan to 'off'
 set enable_bitmapscan to 'off'
as $function$
  with recursive clients (client_id) as (
    (select client_id from (
      (select client_id from search_payments where bucket = of_bucket order by client_id limit 1)
      union all (select client_id from payment_counts where bucket = of_bucket order by client_id limit 1)) as first
    order by client_id limit 1)
    union all
    select (select min(client_id) from (
      (select s.client_id from search_payments as s where s.bucket = of_bucket and s.client_id > clients.client_id order by s.client_id limit 1)
      union all (select c.client_id from payment_counts as c where c.bucket = of_bucket and c.client_id > clients.client_id order by c.client_id limit 1)
    ) as next)
    from clients where clients.client_id is not null
  )
  select client_id from clients where client_id is not null
$function$;

create or replace function shown_row(fields jsonb, rules text[])
 returns jsonb
 language plpgsql
 stable
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  rule text;
  name text;
begin
  foreach rule in array rules loop
    name := substr(rule, 2);
    if fields -> name is null or fields -> name = 'null' then
      continue;
    elsif rule like '-%' then
      fields := fields - name;
    elsif rule like '#%' then
      fields := fields || jsonb_build_object(name, encode(sha256(case
        when fields ->> name like '\\x%' then decode(substr(fields ->> name, 3), 'hex')
        else convert_to(fields ->> name, 'UTF8') end), 'hex'));
    elsif rule like '@%' and (fields ->> name)::timestamptz
      between transaction_timestamp() - interval '1 minute' and clock_timestamp() + interval '1 minute'
    then
      fields := fields || jsonb_build_object(name, 'now');
    end if;
  end loop;
  return fields;
end
$function$;

create or replace function sum_search_days(of_bucket smallint, of_client text, from_hour timestamptz, until_hour timestamptz)
 returns void
 language sql
 set search_path to 'pg_catalog', 'public', 'pg_temp'
 set enable_seqscan to 'off'
 set enable_bitmapscan to 'off'
as $function$
  delete from payment_counts where bucket = of_bucket and client_id = of_client and span = 'day'
    and starts_at > from_hour - interval '1 day' and starts_at < until_hour;
  insert into payment_counts
  select bucket, client_id, 'day', date_trunc('day', starts_at, 'UTC'), currency, payment_method_type, status, result_code, sum(payment_count),
    sum(amount_minor), sum(final_count), sum(final_seconds), sum(within_5_s), sum(within_15_s), sum(within_60_s), sum(within_300_s)
  from payment_counts where bucket = of_bucket and client_id = of_client and span = 'hour'
    and starts_at >= date_trunc('day', from_hour, 'UTC') and starts_at < date_trunc('day', until_hour - interval '1 microsecond', 'UTC') + interval '1 day'
  group by 1, 2, 4, 5, 6, 7, 8;
$function$;

create or replace function summarize_row_changes()
 returns json
 language plpgsql
 stable
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  in_full json;
begin
  select json_agg(change || case when change ? 'sha256' then jsonb_build_object('rows', row_count) else '{}' end order by change_id)
  into in_full
  from (select * from row_changes where transaction = pg_current_xact_id() and not is_audited order by change_id limit 21) as few
  having count(*) <= 20;
  if octet_length(in_full::text) <= 16000 then
    return in_full;
  end if;
  return (
    select json_agg(json_build_object('table', name, 'operation', operation, 'rows', rows, 'sha256', digest) order by name, operation)
    from (
      select change ->> 'table' as name, change ->> 'operation' as operation, sum(row_count) as rows,
        encode(sha256(convert_to(string_agg(change::text, chr(10) order by change_id), 'UTF8')), 'hex') as digest
      from row_changes where transaction = pg_current_xact_id() and not is_audited group by 1, 2) as sums);
end
$function$;

create or replace function sweep_universes(closed_for interval)
 returns integer
 language plpgsql
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  ids      text[];
  buckets  smallint[];
  since    timestamptz;
  swept    text;
begin
  perform close_expired_universes();
  -- This row lock blocks a concurrent roll-up, which would add deleted rows to the balances.
  perform from balances_position for update;
  -- This row lock blocks a concurrent fill of the search tables, which would add deleted payments.
  perform from search_position for update;
  perform set_config('app.keeps_universes', 'on', true);
  select array_agg(client_id), array_agg(distinct bucket), min(opened_at) - interval '1 day' into ids, buckets, since
  from (
    select bucket, client_id, opened_at from universes where closed_at <= clock_timestamp() - closed_for
    order by closed_at limit 100 for update
  ) as due;
  perform set_config('app.keeps_universes', 'off', true);
  if ids is null then
    return 0;
  end if;
  perform set_config('app.clients', ids::text, true);
  for swept in
    select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attname = 'client_id' and not a.attisdropped
    -- The table `clients` comes last, because other tables have foreign keys to it.
    order by c.relname = 'clients', c.relname
  loop
    execute format('delete from public.%I where bucket = any ($1) and client_id = any ($2) %s', swept,
      -- In the request log, the statement searches only the days on which these isolated test merchants could send
      -- requests.
      case swept when 'request_log' then 'and at >= $3' else '' end) using buckets, ids, since;
  end loop;
  perform set_config('app.clients', '', true);
  return cardinality(ids);
end
$function$;

create or replace function update_search_rows(buckets smallint[], ids text[])
 returns void
 language sql
 set search_path to 'pg_catalog', 'public', 'pg_temp'
 set enable_seqscan to 'off'
 set enable_hashjoin to 'off'
 set enable_mergejoin to 'off'
 set enable_bitmapscan to 'off'
as $function$
  with asked as materialized (
    select distinct bucket, payment_id from unnest(buckets, ids) as asked (bucket, payment_id)
  ), present as materialized (
    select p.bucket, p.client_id, p.payment_id, p.created_at, p.status, p.result_code,
      coalesce(p.currency, '') as currency, coalesce(p.payment_method_type, '') as payment_method_type, p.amount_minor,
      extract(epoch from coalesce(ended.at, p.ended_at) - p.created_at)::integer as final_seconds, p.payment_request_id, p.provider_reference,
      coalesce(p.reference_order_id, p.order_shown::json ->> 'number') as reference_order_id,
      display_status_of(p.status, p.capture_mode, p.released_at is not null, p.captured_minor, p.refunded_minor, p.disputed_minor,
        lost.minor) as display_status
    from asked join payments as p using (bucket, payment_id)
    left join lateral (
      -- The condition on the status is inside the subquery and not in the join, so that open payments read no events.
      select e.at from payment_events as e
      where p.status in ('SUCCESS', 'FAIL', 'CANCELLED')
        and e.bucket = p.bucket and e.payment_id = p.payment_id and e.status = p.status
      order by e.sequence limit 1
    ) as ended on true
    left join lateral (
      -- The condition makes the query read disputes only for payments with a disputed amount.
      select sum(d.debited_minor)::bigint as minor from disputes as d
      where p.disputed_minor > 0 and d.bucket = p.bucket and d.payment_id = p.payment_id
    ) as lost on true
  ), past as materialized (
    -- The query uses a range and its order instead of an equality. Only the primary key has this order, so the planner
    -- cannot choose another index.
    select nearest.* from present cross join lateral (
      select s.* from search_payments as s
      where s.bucket = present.bucket and s.client_id = present.client_id and s.payment_id >= present.payment_id
        and s.payment_id <= present.payment_id
      order by s.payment_id limit 1
    ) as nearest
    where nearest.payment_id = present.payment_id
  ), written as (
    insert into search_payments (bucket, client_id, payment_id, created_at, status, result_code, currency,
      payment_method_type, amount_minor, final_seconds, payment_request_id, provider_reference, reference_order_id, display_status)
    select * from present
    on conflict (bucket, client_id, payment_id) do update set status = excluded.status,
      result_code = excluded.result_code, currency = excluded.currency,
      payment_method_type = excluded.payment_method_type, amount_minor = excluded.amount_minor,
      final_seconds = excluded.final_seconds, provider_reference = excluded.provider_reference,
      reference_order_id = excluded.reference_order_id, display_status = excluded.display_status
  ), moved as (
    select 1 as sign, * from present union all select -1, * from past
  )
  insert into payment_counts as counts (bucket, client_id, span, starts_at, currency, payment_method_type, status,
    result_code, payment_count, amount_minor, final_count, final_seconds, within_5_s, within_15_s, within_60_s,
    within_300_s)
  select bucket, client_id, span, date_trunc(span, created_at, 'UTC'), currency, payment_method_type, status,
    result_code, sum(sign), coalesce(sum(sign * amount_minor), 0), coalesce(sum(sign) filter (where final_seconds >= 0), 0),
    coalesce(sum(sign * final_seconds), 0), coalesce(sum(sign) filter (where final_seconds <= 5), 0),
    coalesce(sum(sign) filter (where final_seconds <= 15), 0), coalesce(sum(sign) filter (where final_seconds <= 60), 0),
    coalesce(sum(sign) filter (where final_seconds <= 300), 0)
  from moved cross join (values ('hour'), ('day')) as spans (span)
  group by bucket, client_id, span, date_trunc(span, created_at, 'UTC'), currency, payment_method_type, status, result_code
  having sum(sign) <> 0 or sum(sign * amount_minor) <> 0 or sum(sign * final_seconds) <> 0
  order by 1, 2, 3, 4, 5, 6, 7, 8
  on conflict (bucket, client_id, span, starts_at, currency, payment_method_type, status, result_code) do update set
    payment_count = counts.payment_count + excluded.payment_count,
    amount_minor = counts.amount_minor + excluded.amount_minor,
    final_count = counts.final_count + excluded.final_count,
    final_seconds = counts.final_seconds + excluded.final_seconds,
    within_5_s = counts.within_5_s + excluded.within_5_s, within_15_s = counts.within_15_s + excluded.within_15_s,
    within_60_s = counts.within_60_s + excluded.within_60_s, within_300_s = counts.within_300_s + excluded.within_300_s;
$function$;

create or replace function without_free_text(body bytea)
 returns bytea
 language sql
 immutable
 set search_path to 'pg_catalog'
return convert_to((((convert_from(body, 'UTF8'::name))::jsonb - array['metadata', 'disputeReasonMsg', 'autoDefendReason', 'reason', 'userLoginId', 'paymentResultInfo']))::text, 'UTF8'::name);

create or replace function write_off_break(asked_break bigint, expected_minor bigint, closing_person text, reason text)
 returns void
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
as $function$
declare
  found   breaks;
  excess  numeric;
  account text;
  against text;
begin
  select * into found from breaks where break_id = asked_break and resolved_at is null for update;
  if found.break_id is null or found.closed_at is not null then
    raise exception 'Break % is not open.', asked_break using errcode = 'restrict_violation';
  end if;
  if found.kind in ('missing at the provider', 'missing here', 'other amount') and found.connector is not null then
    account := 'provider receivable ' || found.connector;
    excess := coalesce((found.sums -> 'ledger' ->> 'minor')::numeric, 0) - coalesce((found.sums -> 'provider' ->> 'minor')::numeric, 0);
    if found.subject not in ('payment', 'capture', 'refund_reversal', 'chargeback_reversal', 'adjustment') then
      excess := -excess;
    end if;
  elsif found.kind in ('not at the bank', 'only at the bank', 'other amount at the bank') then
    account := 'clearing';
    excess := coalesce((coalesce(found.sums -> 'provider', found.sums -> 'ledger') ->> 'minor')::numeric, 0)
      - coalesce((found.sums -> 'bank' ->> 'minor')::numeric, 0);
  -- The written-off money was booked after all. So the write-off's account lacks this amount.
  elsif found.kind = 'written off, then booked by bank or provider' and found.write_off_account is not null then
    account := found.write_off_account;
    excess := 0;
  end if;
  excess := excess - found.written_off_minor;
  if excess is null or excess = 0 or excess <> expected_minor then
    raise exception 'Break % is not about %, but about %.', asked_break, expected_minor, coalesce(excess, 0)
      using errcode = 'restrict_violation';
  end if;
  against := case when abs(excess) = 1 then 'rounding' else 'adjustment' end;
  -- 250 is the bucket of HOUSE.
  insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
  values (250, 'break ' || asked_break || case when found.write_off_count > 0 then '/' || (found.write_off_count + 1) else '' end,
    'write-off', 1, 'HOUSE', case when excess > 0 then against else account end, case when excess > 0 then account else against end,
    found.currency, abs(excess), transaction_timestamp());
  update breaks set written_off_minor = written_off_minor + expected_minor, write_off_count = write_off_count + 1,
    write_off_account = account, closed_at = transaction_timestamp(), closed_by = closing_person, closing_reason = reason
  where break_id = asked_break;
end
$function$;
grant execute on function write_off_break(bigint,bigint,text,text) to tollgate_finance, tollgate_console;
