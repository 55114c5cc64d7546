-- What waits for one wallet, or for one endpoint, is out of everybody else's way; and whoever runs the gateway sees what
-- was forgotten.

-- The wallet that a job needs, where it is known. A worker leaves jobs alone whose wallet does not answer, and without the
-- name it would have to take each to find out. Null says nothing: such a job is taken like any other.
alter table jobs add column connector text;
-- Since when it is parked. A row that a process of the release before has parked has none.
alter table jobs add column parked_at timestamptz;

-- Each row is in one of the two, so that a look at one wallet's jobs passes by nobody else's. Two, because the planner does
-- not know that the rows of `connector is null` are in the order of the rest of an index.
-- The table holds only what is not finished.
-- squawk-ignore require-concurrent-index-creation
create index jobs_due on jobs (due_at) where connector is null;
-- squawk-ignore require-concurrent-index-creation
create index jobs_due_by_connector on jobs (connector, due_at) where connector is not null;
-- A process of the release before finds what is due without it, by reading the table.
-- squawk-ignore require-concurrent-index-deletion
drop index jobs_by_due_time;

-- When a worker last found that the wallet does not answer. For people to see why its jobs wait; no process acts on it.
alter table connectors add column silent_seen_at timestamptz;
grant update (silent_seen_at) on connectors to tollgate_work;

create policy paused_lanes_seen_by_the_operator on paused_lanes for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create policy notification_attempts_seen_by_the_operator on notification_attempts for select to current_user
  using (current_setting('app.oversight', true) = 'on');

-- The same as assign_feed_positions(row_limit), for those that were made from a time on: who looks several times a second
-- need not read past all that has been numbered since the oldest open snapshot.
create function assign_feed_positions(row_limit integer, made_from timestamptz) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  assigned integer;
begin
  -- Every release takes the same lock. It is let go when the commit can be seen, not before.
  if not pg_try_advisory_xact_lock(7045518) then
    return null;
  end if;
  perform set_config('app.numbers_events', 'on', true);
  -- A statement of its own, so that it sees all that was there when the lock was got: the positions of whoever had it
  -- before, too. A row that is just being delivered is not waited for: its turn comes next time.
  with fresh as materialized (
    select bucket, client_id, notification_id, created_at from notifications
    where position is null and created_at >= made_from order by created_at limit row_limit
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
revoke all on function assign_feed_positions(integer, timestamptz) from public;
grant execute on function assign_feed_positions(integer, timestamptz) to tollgate_app;

-- For processes of the release before.
create or replace function assign_feed_positions(row_limit integer) returns integer
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  select public.assign_feed_positions(row_limit, '-infinity'::timestamptz)
$$;
