-- Feed positions are assigned under a separate advisory lock. Before, this lock had the number of the audit log's
-- lock. So an operator's open transaction with an audit row blocked all event feeds until its commit; a batch of the
-- archive blocked them for seconds.

-- Processes that still run the previous function use the old lock. While this migration holds it, none of them can
-- assign positions.
select pg_advisory_xact_lock(7045518);

create or replace function assign_feed_positions(row_limit integer, made_from timestamptz) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  assigned integer;
begin
  -- All releases use the same lock number. PostgreSQL releases the lock only when the commit is visible.
  if not pg_try_advisory_xact_lock(7045519) then
    return null;
  end if;
  perform set_config('app.numbers_events', 'on', true);
  -- The rows are read in a separate statement, so that its snapshot includes all positions of the lock's previous
  -- holder. The statement skips a row that is being delivered now; the next run numbers this row.
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
