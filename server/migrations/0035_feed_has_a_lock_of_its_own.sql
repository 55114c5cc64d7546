-- Positions in the feed are given under a lock of their own. It had the number of the audit's, so that an operator's transaction
-- that had noted its act held up all feeds until it ended: a batch of the archive, for seconds.

-- Whoever gives positions by the function of before has the old lock; from here on nobody gets it until this is committed.
select pg_advisory_xact_lock(7045518);

create or replace function assign_feed_positions(row_limit integer, made_from timestamptz) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  assigned integer;
begin
  -- Every release takes the same lock. It is let go when the commit can be seen, not before.
  if not pg_try_advisory_xact_lock(7045519) then
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
