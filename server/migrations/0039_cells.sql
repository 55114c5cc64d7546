-- Cells: which part of a fleet this installation is, which buckets it owns, and which clients have moved.
--
-- An installation that is no cell has none of these rows, and owns everything. See docs/decisions/0093.

create table cell (
  name     text primary key constraint cell_name_well_formed check (name ~ '^[a-z][a-z0-9-]{0,31}$'),
  only_row boolean not null default true constraint cell_has_one_row unique check (only_row)
);

-- The owner of a bucket has a row about every client of the bucket that there is anywhere: in `clients`, or below. So it
-- alone can say that there is no such client.
create table cell_buckets (
  bucket smallint primary key constraint cell_buckets_in_range check (bucket between 0 and 1023),
  -- Counts the owners that the bucket has had.
  epoch  integer not null constraint cell_buckets_epoch_positive check (epoch > 0)
);

-- The home of a client that moves, or has moved: whether it lives here, and if not, where. Not merchants' data but the
-- cell's own, and not copied with a client: hence `client`, and no row-level security, which is set by what stands here.
create table client_homes (
  bucket smallint not null constraint client_homes_bucket_in_range check (bucket between 0 and 1023),
  client text not null,
  state  text not null
    constraint client_homes_state_known check (state in ('here', 'leaving', 'gone', 'arriving', 'ready')),
  -- Counts attempts to move the client, in whichever cells it has lived.
  epoch  integer not null constraint client_homes_epoch_positive check (epoch > 0),
  -- The other cell: where it goes, or comes from.
  cell   text,
  -- Counts the runs of the mover that have written what arrives.
  turn   integer,
  since  timestamptz not null default clock_timestamp(),
  primary key (bucket, client),
  constraint client_homes_name_the_other_cell check (state = 'here' or cell is not null)
);

-- The fence, which every transaction asks. It is empty where nobody has moved.
create unique index client_homes_fenced on client_homes (client) where state <> 'here';

grant select on cell, cell_buckets, client_homes to tollgate_app, tollgate_support;

-- A client is opened where its bucket is, or arrives by a move. The lock is for a bucket that is given away meanwhile.
create function clients_live_where_they_may() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if not exists (select from cell) then
    return new;
  end if;
  perform from cell_buckets where bucket = new.bucket for share;
  if not found and not exists (select from client_homes where bucket = new.bucket and client = new.client_id) then
    raise exception 'Bucket % is not of this cell, so % cannot be opened here.', new.bucket, new.client_id
      using errcode = 'check_violation', constraint = 'clients_live_where_they_may';
  end if;
  return new;
end
$$;

revoke all on function clients_live_where_they_may() from public;

create trigger clients_live_where_they_may before insert on clients
  for each row execute function clients_live_where_they_may();
