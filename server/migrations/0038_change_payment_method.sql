-- A buyer who has chosen a payment method may choose another: when the change was requested, and the abandoned orders,
-- one "connector reference" per line.
alter table payments add column change_requested_at timestamptz;
alter table payments add column left_orders text;
