-- Provider callbacks of one payment, for its timeline. Without this index all callbacks of the merchant were read,
-- which took 0.4 s with a hundred thousand of them.

-- No installation has enough callbacks yet that building the index would delay payment providers.
-- squawk-ignore require-concurrent-index-creation
create index provider_events_by_payment on provider_events (bucket, payment_id);
