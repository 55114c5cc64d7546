-- The constraint of 0024, checked for what was there before. Apart, so that nobody is locked out meanwhile.

alter table payments validate constraint payments_disputed_in_range;
