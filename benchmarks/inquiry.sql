-- One inquiry as the server asks PostgreSQL for it, for pgbench: one transaction, in one trip.
-- The bench compares these statements with those that the server really sends, and fails if they differ.

-- Each of pgbench's clients speaks for one merchant after another.
\if :left = 0
select client, clients, bucket from bench_merchants order by random() limit 1 \gset
\set left 200
\endif
\set left :left - 1
\set request random(1, 2000)
\set logged random(1, 9000000000000000)

\startpipeline
-- First the row of the log, because a question ends what may be written. The server writes many at once.
select set_config('app.clients', :clients::text[]::text, true);
insert into request_log (bucket, at, request_id, client_id, key_version, path, result_code, duration_us,
  request_sha256, request_body, answer_body)
select * from unnest(array[:bucket]::smallint[], array[:at]::timestamptz[],
  array[:logged]::text[], array[:client]::text[], array[:keyVersion]::int[],
  array[:path]::text[], array[:resultCode]::text[], array[:durationUs]::int[],
  array[:sha256]::bytea[], array[:requestBody]::text[], array[:answerBody]::text[]);
select set_config('app.clients', :clients::text[]::text, true), set_config('transaction_read_only', 'on', true);
select bucket, payment_id, client_id, payment_request_id, product_code, status, result_code,
  currency, amount_minor, sequence, created_at, fingerprint, payment_method_type, order_description,
  redirect_url, notify_url, metadata, connector, wallet_reference, expires_at, cancel_requested_at, cancelled_at,
  capture_mode, fee_basis_points, scenario, sealed_code, paid_currency, paid_minor, paid_at, wallet_accepted_at,
  wallet_code, wallet_url, auth_expires_at, released_at, captured_minor, refunded_minor, disputed_minor,
  transaction_count, session_expires_at, chosen_at
from payments
where bucket = :bucket and client_id = :client and payment_request_id = :request;
\endpipeline
