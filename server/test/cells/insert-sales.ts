import { bucketOf } from "../../src/core/bucket.ts";
import { asSuperuser, type TestDatabase } from "../start/test-database.ts";

/**
 * Inserts the rows that a paid payment leaves in each table, one statement per table; $1 bucket, $2 client, $3 number
 * of payments.
 */
const statements = [
  `insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code, currency,
     amount_minor, paid_currency, paid_minor, captured_minor, connector, provider_reference, order_description, created_at, paid_at)
   select $1::smallint, '20260301120000000' || lpad($1::smallint::text, 4, '0') || '01' ||
     lpad((abs(hashtext($2::text)) % 1000000)::text, 6, '0') || lpad(n::text, 6, '0'), $2::text, 'sale-' || n, 'CASHIER_PAYMENT',
     'SUCCESS', 'SUCCESS', 'EUR', 1250, 'EUR', 1250, 1250, 'provider', 'reference-' || n, 'Two coffees',
     '2026-03-01T12:00:00Z', '2026-03-01T12:00:05Z' from generate_series(1, $3::int) as n`,
  `insert into payment_events (bucket, payment_id, sequence, client_id, at, status, result_code)
   select bucket, payment_id, nth, client_id, created_at, status, result_code
   from payments cross join generate_series(1, 2) as nth where bucket = $1 and client_id = $2 and $3::int > 0`,
  `insert into ledger_transfers (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
   select bucket, payment_id, 'payment', line, client_id, 'provider:provider:receivable', 'merchant:' || client_id || ':' || line, 'EUR',
     600 + line, paid_at from payments cross join generate_series(1, 2) as line where bucket = $1 and client_id = $2 and $3::int > 0`,
  `insert into notifications (bucket, notification_id, client_id, kind, subject_id, sequence, url, body, status, attempts, position,
     created_at, delivered_at)
   select bucket, overlay(payment_id placing '08' from 22), client_id, 'notifyPayment', payment_id, 1, 'https://shop.example/notify',
     convert_to(repeat('{"paymentId":"' || payment_id || '"}', 8), 'UTF8'), 'DELIVERED', 1,
     row_number() over (order by payment_id), created_at, paid_at
   from payments where bucket = $1 and client_id = $2 and $3::int > 0`,
  `insert into notification_attempts (bucket, notification_id, attempt, client_id, at, key_version, http_status, answer, total_ms)
   select bucket, notification_id, 1, client_id, delivered_at, 1, 200, '', 12.5 from notifications
   where bucket = $1 and client_id = $2 and $3::int > 0`,
  `insert into feed_heads (bucket, client_id, position) values ($1, $2, $3::int)`,
];

/** Inserts a merchant's history: paid payments with webhooks and ledger rows. */
export async function insertSales(
  { superuserUrl }: TestDatabase,
  clientId: string,
  saleCount: number,
): Promise<void> {
  for (const statement of statements)
    await asSuperuser(statement, [bucketOf(clientId), clientId, saleCount], superuserUrl);
}
