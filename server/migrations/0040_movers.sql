-- Movers: copy progress, so that a mover can resume; buckets that are given to another cell; and feeds, which get no
-- positions while their merchant moves. See docs/decisions/0094.

-- At the target of a move: the source's transaction number up to which rows were copied, and the number of rows of each
-- table.
alter table client_homes add column copied jsonb;

-- The next owner of the bucket. The previous owner keeps the row, so that it knows the new owner and the new epoch.
alter table cell_buckets add column given_to text;

create or replace function clients_live_where_they_may() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if not exists (select from cell) then
    return new;
  end if;
  perform from cell_buckets where bucket = new.bucket and given_to is null for share;
  if not found and not exists (select from client_homes where bucket = new.bucket and client = new.client_id) then
    raise exception 'This cell does not own bucket %, so % cannot be opened here.', new.bucket, new.client_id
      using errcode = 'check_violation', constraint = 'clients_live_where_they_may';
  end if;
  return new;
end
$$;

-- The function of migration 0035, without merchants whose home is another cell. Both cells of a move would otherwise
-- number the same events, each in its own order.
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
    where position is null and created_at >= made_from
      and not exists (select from client_homes as home where home.client = notifications.client_id and home.state <> 'here')
    order by created_at limit row_limit
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
