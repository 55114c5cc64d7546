-- Cells: the name of this cell in the fleet, the buckets that it owns, and the clients that have moved.
--
-- An installation that is not a cell has no rows in these tables, and owns all buckets. See docs/decisions/0093.

create table cell (
  name     text primary key constraint cell_name_well_formed check (name ~ '^[a-z][a-z0-9-]{0,31}$'),
  only_row boolean not null default true constraint cell_has_one_row unique check (only_row)
);

-- The owner of a bucket has a row for every existing client of the bucket: in `clients`, or in `client_homes`. So only
-- the owner can report that a client does not exist.
create table cell_buckets (
  bucket smallint primary key constraint cell_buckets_in_range check (bucket between 0 and 1023),
  -- Incremented with each new owner of the bucket.
  epoch  integer not null constraint cell_buckets_epoch_positive check (epoch > 0)
);

-- The home cell of a client that is moving or has moved: this cell or another one. The rows belong to the cell, not to
-- the merchant, and are not copied in a move. So the column is named `client`, and there is no row-level security;
-- row-level security depends on these rows.
create table client_homes (
  bucket smallint not null constraint client_homes_bucket_in_range check (bucket between 0 and 1023),
  client text not null,
  state  text not null
    constraint client_homes_state_known check (state in ('here', 'leaving', 'gone', 'arriving', 'ready')),
  -- Incremented with each attempt to move the client, across all cells.
  epoch  integer not null constraint client_homes_epoch_positive check (epoch > 0),
  -- The name of the other cell: in the source of a move the target, and in the target the source.
  cell   text,
  -- Number of mover runs that have written arriving rows.
  turn   integer,
  since  timestamptz not null default clock_timestamp(),
  primary key (bucket, client),
  constraint client_homes_name_the_other_cell check (state = 'here' or cell is not null)
);

-- The index for the fence, which every transaction checks. It is empty if no client has moved.
create unique index client_homes_fenced on client_homes (client) where state <> 'here';

grant select on cell, cell_buckets, client_homes to tollgate_app, tollgate_support;

-- A client is opened in the cell that owns its bucket, or arrives by a move. The lock is against a race with a bucket
-- that is given to another cell.
create function clients_live_where_they_may() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if not exists (select from cell) then
    return new;
  end if;
  perform from cell_buckets where bucket = new.bucket for share;
  if not found and not exists (select from client_homes where bucket = new.bucket and client = new.client_id) then
    raise exception 'This cell does not own bucket %, so % cannot be opened here.', new.bucket, new.client_id
      using errcode = 'check_violation', constraint = 'clients_live_where_they_may';
  end if;
  return new;
end
$$;

revoke all on function clients_live_where_they_may() from public;

create trigger clients_live_where_they_may before insert on clients
  for each row execute function clients_live_where_they_may();
