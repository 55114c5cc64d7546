-- What merchants are to be told. The body's bytes are fixed in the transaction that makes them true.

create table notifications (
  bucket          smallint not null constraint notifications_bucket_in_range check (bucket between 0 and 1023),
  notification_id text not null,
  client_id       text not null,
  kind            text not null,
  subject_id      text not null,
  sequence        integer not null,
  url             text not null,
  body            bytea not null,
  status          text not null default 'WAITING' constraint notifications_status_known
    check (status in ('WAITING', 'DELIVERED', 'EXHAUSTED')),
  attempts        integer not null default 0,
  created_at      timestamptz not null,
  delivered_at    timestamptz,
  primary key (bucket, notification_id)
);

alter table notifications enable row level security;
alter table notifications force row level security;
create policy notifications_own_rows on notifications
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));

create trigger notification_follows_its_lifecycle before update of status on notifications
  for each row execute function notification_follows_its_lifecycle();

grant select, insert, update on notifications to tollgate_app;
