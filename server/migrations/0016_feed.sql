-- The feed: everything that a merchant is told, in an order that it can read by.
--
-- A row gets its position after it was committed, from one hand. Numbers that are given when a row is inserted become
-- visible in the order of the commits: whoever has read up to 7 would never see a 6 that was committed later.
--
-- Positions are each merchant's own: 1, 2, 3, without a gap, and without a word about anybody else's trade.

alter table notifications add column position bigint;

-- No installation has so many notifications that it is worth the wait yet.
-- squawk-ignore require-concurrent-index-creation
create index notifications_without_position on notifications (created_at) where position is null;
-- squawk-ignore require-concurrent-index-creation
create unique index notifications_by_position on notifications (bucket, client_id, position);

-- The position that each merchant's newest event has.
create table feed_heads (
  bucket    smallint not null constraint feed_heads_bucket_in_range check (bucket between 0 and 1023),
  client_id text not null,
  position  bigint not null,
  primary key (bucket, client_id)
);

alter table feed_heads enable row level security;
alter table feed_heads force row level security;
create policy feed_heads_own_rows on feed_heads
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));

-- Gives up to so many notifications that have none their positions, and says how many; null when somebody else is at
-- it, who is left to it. Runs with the owner's rights, who sees everybody's rows in here and nowhere else.
create function assign_feed_positions(row_limit integer) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  assigned integer;
begin
  -- Any number will do, as long as every release uses the same. It is let go when the commit can be seen, not before.
  if not pg_try_advisory_xact_lock(7045518) then
    return null;
  end if;
  perform set_config('app.numbers_events', 'on', true);
  -- A statement of its own, so that it sees all that was there when the lock was got: the positions of whoever had it
  -- before, too. A row that is just being delivered is not waited for: its turn comes next time.
  with fresh as materialized (
    select bucket, client_id, notification_id, created_at from notifications
    where position is null order by created_at limit row_limit
    for update skip locked
  ), placed as (
    select bucket, client_id, notification_id,
      row_number() over (partition by bucket, client_id order by created_at, notification_id) as place,
      count(*) over (partition by bucket, client_id) as places
    from fresh
  ), moved as (
    insert into feed_heads as head (bucket, client_id, position)
    select bucket, client_id, count(*) from fresh group by bucket, client_id
    on conflict (bucket, client_id) do update set position = head.position + excluded.position
    returning bucket, client_id, position
  )
  update notifications as n set position = moved.position - placed.places + placed.place
  from placed join moved on moved.bucket = placed.bucket and moved.client_id = placed.client_id
  where n.bucket = placed.bucket and n.notification_id = placed.notification_id;
  get diagnostics assigned = row_count;
  perform set_config('app.numbers_events', 'off', true);
  return assigned;
end
$$;

create policy notifications_found_to_number on notifications for select to current_user
  using (current_setting('app.numbers_events', true) = 'on');
create policy notifications_numbered on notifications for update to current_user
  using (current_setting('app.numbers_events', true) = 'on');
create policy feed_heads_moved on feed_heads to current_user
  using (current_setting('app.numbers_events', true) = 'on');
revoke all on function assign_feed_positions(integer) from public;
grant execute on function assign_feed_positions(integer) to tollgate_app;
grant select on feed_heads to tollgate_app;
