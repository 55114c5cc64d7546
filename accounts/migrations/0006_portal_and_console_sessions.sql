-- Two applications: the portal for merchants' people, and the operator console for staff. Each has its own address and
-- cookie.
--
-- A session or passkey is valid only in the application in which it was created.

alter table sessions
  add column door text not null default 'portal' constraint sessions_door_known check (door in ('portal', 'operator'));
alter table passkeys
  add column door text not null default 'portal' constraint passkeys_door_known check (door in ('portal', 'operator'));

-- Announcements of the operator above every page of the portal. The newest row is shown.
create table announcements (
  announcement_id bigint generated always as identity primary key,
  text            text not null constraint announcements_say_something check (length(text) between 1 and 500),
  -- 'notice' is for information, 'warning' for a problem.
  tone            text not null constraint announcements_tone_known check (tone in ('notice', 'warning')),
  made_at         timestamptz not null,
  ends_at         timestamptz not null
);

grant select, insert, update on announcements to tollgate_accounts;
