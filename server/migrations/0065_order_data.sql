-- Optional data of orders: about the buyer, the device, the goods and so on. Payment providers use it for risk checks.

-- The groups of a payment's request that a connector wanted when the payment was created. Only a payment with such a
-- connector has a row. The job that submits the order reads it, so a repeated submit carries the same data.
create table order_data (
  bucket     smallint not null constraint order_data_bucket_in_range check (bucket between 0 and 1023),
  payment_id text not null,
  client_id  text not null,
  data       jsonb not null constraint order_data_has_groups check (jsonb_typeof(data) = 'object'),
  primary key (bucket, payment_id)
);

alter table order_data enable row level security;
alter table order_data force row level security;
create policy order_data_own_rows on order_data
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
-- A session's row is updated with the language of the checkout page on which the buyer chose the payment method.
grant select, insert, update (data) on order_data to tollgate_app;

-- The function of migration 0057, which now also empties the data of orders.
create or replace function erase_buyer(in_bucket smallint, in_client text, subjects text[], names text[]) returns jsonb
  language plpgsql set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
declare
  counts   jsonb := '{}';
  told_ids text[];
  touched  bigint;
begin
  update payments set order_description = null, order_shown = null, redirect_url = null, metadata = null, provider_url = null, sealed_code = null,
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
$$;
