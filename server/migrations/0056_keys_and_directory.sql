-- Three narrow privileges, see server/src/audit/privileges.ts and docs/decisions/0107.

-- An operator's login could copy the gateway's wrapped private keys, and needs none of them: `connector test` signs by the signer process, or with
-- a login of tollgate_admin, which also rotates the key file.
revoke select (wrapped_private_key, wrapped_ed25519_private_key) on gateway_keys from tollgate_operator;
grant select (wrapped_private_key, wrapped_ed25519_private_key) on gateway_keys to tollgate_admin;

-- The signer process signs the head of the audit by itself, with a login of tollgate_app. It reads a number and a hash, and no row.
grant execute on function audit_head() to tollgate_app;

-- The highest version of the fleet's directory that this cell has used. A process refuses a lower one, also after a restart: a directory file is
-- signed, but a copy of an old one is signed as well (rollback).
alter table cell add column directory_version bigint not null default 0
  constraint cell_directory_version_not_negative check (directory_version >= 0);

create function keep_directory_version() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if new.directory_version < old.directory_version then
    raise exception 'The directory_version of the cell only grows; it is %.', old.directory_version
      using errcode = 'check_violation';
  end if;
  return new;
end
$$;

create trigger keep_directory_version before update of directory_version on cell for each row
  execute function keep_directory_version();

grant update (directory_version) on cell to tollgate_app;
