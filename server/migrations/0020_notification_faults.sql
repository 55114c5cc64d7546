-- What a merchant of the sandbox wants to go wrong with its notifications, and how often.

create table notification_faults (
  bucket           smallint not null constraint notification_faults_bucket_in_range check (bucket between 0 and 1023),
  client_id        text not null,
  fault_request_id text not null,
  kind             text not null,
  subject_id       text,
  origin           text,
  remaining        integer not null constraint notification_faults_remaining_not_negative check (remaining >= 0),
  delay_seconds    integer not null,
  created_at       timestamptz not null default clock_timestamp(),
  primary key (bucket, client_id, fault_request_id)
);

alter table notification_faults enable row level security;
alter table notification_faults force row level security;
create policy notification_faults_own_rows on notification_faults
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));

-- Nothing goes wrong on demand in live: there it stays empty.
do $$
begin
  if current_setting('tollgate.environment') = 'sandbox' then
    grant insert, update on notification_faults to tollgate_app;
  end if;
end
$$;
grant select on notification_faults to tollgate_app;
