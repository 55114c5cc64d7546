-- Two doors: the portal, for merchants' people, and the operator's console, for staff. Each has an address and a cookie of its own.
--
-- A session, and a passkey, belongs to the door at which it was made, and opens nothing at the other.

alter table sessions
  add column door text not null default 'portal' constraint sessions_door_known check (door in ('portal', 'operator'));
alter table passkeys
  add column door text not null default 'portal' constraint passkeys_door_known check (door in ('portal', 'operator'));

-- What operators tell merchants' people, above every page of the portal. The last one counts.
create table announcements (
  announcement_id bigint generated always as identity primary key,
  text            text not null constraint announcements_say_something check (length(text) between 1 and 500),
  -- Good to know, or something is wrong.
  tone            text not null constraint announcements_tone_known check (tone in ('notice', 'warning')),
  made_at         timestamptz not null,
  ends_at         timestamptz not null
);

grant select, insert, update on announcements to tollgate_accounts;
