-- The newest change that each merchant asked for, by operation, so that no older request undoes it.
--
-- A change has no request id: what tells two of them apart is the signed request-time. Many libraries write it in whole
-- seconds, so of the newest second all are remembered that came, in their order, by the digests of their bodies.

create table last_changes (
  bucket       smallint not null constraint last_changes_bucket_in_range check (bucket between 0 and 1023),
  client_id    text not null,
  operation    text not null,
  requested_at timestamptz not null,
  digests      bytea[] not null
    constraint last_changes_are_few_of_one_moment check (cardinality(digests) <= 32),
  primary key (bucket, client_id, operation)
);

alter table last_changes enable row level security;
alter table last_changes force row level security;
create policy last_changes_own_rows on last_changes
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant select, insert, update on last_changes to tollgate_app;
