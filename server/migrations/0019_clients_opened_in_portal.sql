-- Clients that people open, and the keys that they add and revoke. Accounts assigns a client id to an organisation, and
-- a person whose token contains it opens the client here, without the operator.
--
-- `serve` may write neither clients nor keys. It calls the functions below, which run with the owner's privileges
-- (security definer). They only change clients that the transaction names (app.clients), and never an isolated test
-- merchant, which belongs to no organisation. The caller checks proof of possession and the person's permission first.

-- The organisation in accounts whose person opened it; null for a client that an operator command created.
alter table clients add column organisation text;

-- Rejects a client that the transaction does not name. Row-level security does the same, except for an owner who is a
-- superuser.
create function check_client_of_people(id text) returns void
  language plpgsql stable set search_path = pg_catalog as $$
begin
  if (id = any (nullif(current_setting('app.clients', true), '')::text[])) is not true or id like 'SANDBOX\_U%' then
    raise exception 'The transaction may not change client %.', id using errcode = 'insufficient_privilege';
  end if;
end
$$;

-- Creates the client with its first key; returns false if the client exists already, for any organisation.
create function open_client(id text, named text, first_key bytea, opener text) returns boolean
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform check_client_of_people(id);
  insert into clients (bucket, client_id, name, gateway_key_version, organisation)
  values (bucket_of(id), id, named, (select max(version) from gateway_keys), opener)
  on conflict (bucket, client_id) do nothing;
  if not found then
    return false;
  end if;
  insert into client_keys (bucket, client_id, version, public_key) values (bucket_of(id), id, 1, first_key);
  return true;
end
$$;

create function add_client_key(id text, key_version integer, key bytea) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform check_client_of_people(id);
  insert into client_keys (bucket, client_id, version, public_key) values (bucket_of(id), id, key_version, key);
end
$$;

-- Returns when the key was revoked, now or earlier; null if there is no such key.
create function revoke_client_key(id text, key_version integer) returns timestamptz
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  place smallint := bucket_of(id);
begin
  perform check_client_of_people(id);
  update client_keys set revoked_at = clock_timestamp()
  where bucket = place and client_id = id and version = key_version and revoked_at is null;
  return (select revoked_at from client_keys where bucket = place and client_id = id and version = key_version);
end
$$;

revoke all on function check_client_of_people(text), open_client(text, text, bytea, text), add_client_key(text, integer, bytea),
  revoke_client_key(text, integer) from public;
grant execute on function open_client(text, text, bytea, text), add_client_key(text, integer, bytea),
  revoke_client_key(text, integer) to tollgate_app;
