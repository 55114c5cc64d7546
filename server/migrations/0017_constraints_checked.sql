-- The constraint of 0015, checked for what was there before. Apart, so that nobody is locked out meanwhile.

alter table notifications validate constraint notifications_status_known;
