-- A buyer who has chosen a wallet may want another: when that was asked for, and the orders that were left behind, a line each, "connector reference".
alter table payments add column change_requested_at timestamptz;
alter table payments add column left_orders text;
