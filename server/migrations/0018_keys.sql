-- Keys that change under traffic: merchants move to the gateway's next key by themselves, wallets by the operator's
-- word, and everybody can see which key is still in use.

-- A merchant's process may change this one column, in the rows that it sees. That there is such a key is the foreign
-- key's to say.
grant update (gateway_key_version) on clients to tollgate_app;

-- A wallet is called with the key that it was given, until it has the next one. The first key is version 1, and a
-- connector may be older than it.
alter table connectors add column gateway_key_version integer not null default 1;
update connectors set gateway_key_version = coalesce((select max(version) from gateway_keys), 1);

-- How often each key signed what, day by day. Counted by the processes and written down every second, so that to ask
-- for it costs the same however busy a merchant is. There is room in a page for the next version of each of its rows.
create table key_uses (
  bucket    smallint not null constraint key_uses_bucket_in_range check (bucket between 0 and 1023),
  client_id text not null,
  day       date not null,
  -- A request with a key of the merchant's; an answer or a notification with one of the gateway's.
  signed    text not null constraint key_uses_signed_known check (signed in ('REQUEST', 'ANSWER', 'NOTIFICATION')),
  version   integer not null,
  times     bigint not null constraint key_uses_times_positive check (times > 0),
  first_at  timestamptz not null,
  last_at   timestamptz not null,
  primary key (bucket, client_id, day, signed, version)
) with (fillfactor = 70);

-- These are written for many merchants at once, so the list is taken apart once and not for every row.
alter table key_uses enable row level security;
alter table key_uses force row level security;
create policy key_uses_own_rows on key_uses
  using (client_id in (select unnest(nullif(current_setting('app.clients', true), '')::text[])));
grant select, insert, update, delete on key_uses to tollgate_app;
