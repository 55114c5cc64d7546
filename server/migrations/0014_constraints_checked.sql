-- The constraints of 0011 hold for what is written since; here they are checked for what was there before. Apart, so
-- that nobody is locked out meanwhile.

alter table payments validate constraint payments_capture_mode_known;
alter table payments validate constraint payments_captured_in_range;
alter table payments validate constraint payments_refunded_in_range;
alter table reversals validate constraint reversals_reason_known;
alter table connectors validate constraint connectors_terms_known;
alter table clients validate constraint clients_fee_in_range;
