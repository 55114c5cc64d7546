-- Creates 50 merchants like the registered one, and 2,000 payments for each of them, unless `bench.payments` is set.
--
-- They share its key and have no practical rate limit. Request ids of the payments are the numbers from 1 on.

insert into clients (bucket, client_id, name, gateway_key_version)
select (get_byte(hash, 0) << 8 | get_byte(hash, 1)) >> 6, made.client_id, registered.name,
  registered.gateway_key_version
from clients registered,
  generate_series(1, 49) number,
  lateral (select 'SANDBOX_BENCH' || lpad(number::text, 11, '0')) made (client_id),
  lateral (select sha256(made.client_id::bytea)) hashed (hash);

insert into client_keys (bucket, client_id, version, public_key)
select made.bucket, made.client_id, registered.version, registered.public_key
from clients made, client_keys registered
where made.client_id <> registered.client_id;

update clients set rate_per_second = 1000000, rate_burst = 1000000;

insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code,
  currency, amount_minor, paid_currency, paid_minor, created_at, paid_at)
select bucket, '20260301123450000' || lpad(bucket::text, 4, '0') || '01' || lpad((rank * 2000 + number)::text, 12, '0'),
  client_id, number::text, 'CASHIER_PAYMENT', 'SUCCESS', 'SUCCESS',
  'EUR', 1250, 'EUR', 1250, '2026-03-01T12:34:50Z', '2026-03-01T12:34:56Z'
from (select bucket, client_id, row_number() over (order by client_id) from clients) ranked (bucket, client_id, rank),
  generate_series(1, coalesce(current_setting('bench.payments', true), '2000')::int) number;

-- The cost of search is measured for new payments, and not for a backlog of the payments that were inserted here.
truncate changed_payments_queue;

analyze;
