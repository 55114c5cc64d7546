-- What a wallet has said about one payment, for whoever looks into it: without this all callbacks of a merchant were read through, which
-- took 0.4 s where it had a hundred thousand.

-- No installation has so many callbacks yet that wallets would wait for it.
-- squawk-ignore require-concurrent-index-creation
create index wallet_events_by_payment on wallet_events (bucket, payment_id);
