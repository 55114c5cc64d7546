-- Erasure: empties personal data of a buyer in a payment or an authorization, at the buyer's request, when nothing is
-- open any more. Data for ledger, disputes and idempotency stays: ids, sums, statuses, times, and the request
-- fingerprint, which is a keyed hash and reveals nothing. server/src/postgres/column-classes.ts classifies every
-- column.

-- Returns the body without free text of people. A body is signed when it is sent, so a resent webhook has a valid
-- signature.
create function without_free_text(body bytea) returns bytea
  language sql immutable set search_path = pg_catalog
  return convert_to((convert_from(body, 'UTF8')::jsonb
    - array['metadata', 'disputeReasonMsg', 'autoDefendReason', 'reason', 'userLoginId'])::text, 'UTF8');

-- Empties the personal data of these records: a payment with its refunds, captures and disputes, or an authorization.
-- `names` are ids for the search in the request log. For the owner, in a transaction that names the merchant. Returns
-- the number of changed rows of each table.
create function erase_buyer(in_bucket smallint, in_client text, subjects text[], names text[]) returns jsonb
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  counts   jsonb := '{}';
  told_ids text[];
  touched  bigint;
begin
  update payments set order_description = null, redirect_url = null, metadata = null, provider_url = null, sealed_code = null,
    notify_url = regexp_replace(notify_url, '[?#].*', '')
  where bucket = in_bucket and client_id = in_client and payment_id = any (subjects);
  get diagnostics touched = row_count;
  counts := counts || jsonb_build_object('payments', touched);

  update payment_sessions set customized_info = null, user_region = null, order_info = jsonb_build_object(
    'referenceOrderId', order_info -> 'referenceOrderId', 'orderDescription', '(erased)', 'orderAmount', order_info -> 'orderAmount')
  where bucket = in_bucket and client_id = in_client and payment_id = any (subjects);
  get diagnostics touched = row_count;
  counts := counts || jsonb_build_object('payment_sessions', touched);

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
  -- The SHA-256 of a document stays, to show later whether a presented file is the same.
  update dispute_evidence set content = ''
  where bucket = in_bucket and client_id = in_client and dispute_id = any (subjects);
  get diagnostics touched = row_count;
  counts := counts || jsonb_build_object('dispute_evidence', touched);

  update authorizations set user_login_id = null, provider_url = null, redirect_url = regexp_replace(redirect_url, '[?#].*', ''),
    notify_url = regexp_replace(notify_url, '[?#].*', '')
  where bucket = in_bucket and client_id = in_client and authorization_id = any (subjects);
  get diagnostics touched = row_count;
  counts := counts || jsonb_build_object('authorizations', touched);

  -- An encrypted body contains a code or a token, which has expired. The database cannot decrypt the body, so all of
  -- it is replaced.
  with emptied as (
    update notifications set url = regexp_replace(url, '[?#].*', ''), sealed = false,
      body = case when sealed then convert_to(jsonb_build_object('erased', true, 'sequence', sequence)::text, 'UTF8')
        else without_free_text(body) end
    where bucket = in_bucket and client_id = in_client and subject_id = any (subjects)
    returning notification_id
  )
  select coalesce(array_agg(notification_id), '{}') into told_ids from emptied;
  counts := counts || jsonb_build_object('notifications', cardinality(told_ids));
  update notification_attempts set answer = ''
  where bucket = in_bucket and client_id = in_client and notification_id = any (told_ids);
  get diagnostics touched = row_count;
  counts := counts || jsonb_build_object('notification_attempts', touched);

  update request_log set request_body = '(erased)', answer_body = '(erased)'
  where bucket = in_bucket and client_id = in_client and exists (
    select from unnest(subjects || names) as id
    where strpos(request_body, to_json(id)::text) > 0 or strpos(answer_body, to_json(id)::text) > 0);
  get diagnostics touched = row_count;
  return counts || jsonb_build_object('request_log', touched);
end
$$;

revoke all on function without_free_text(bytea), erase_buyer(smallint, text, text[], text[]) from public;
