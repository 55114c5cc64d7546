-- A possible first migration of the next release, for the proof of a rolling update: an expand step on the busiest tables.
-- The code of this release must work before, during and after it.

alter table payments
  add column next_release text,
  add constraint payments_next_release_is_short check (length(next_release) <= 32) not valid;
alter table jobs add column next_release boolean not null default false;
