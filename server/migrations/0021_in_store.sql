-- Payments in a shop: how the store is paid, and the buyer's payment code for as long as it is needed.

-- The code is wrapped by a key that the database does not have, and goes when the payment is final.
alter table payments add column scenario text;
alter table payments add column sealed_code bytea;
