-- Three minimal privileges, see server/src/audit/privileges.ts and docs/decisions/0107.

-- An operator's login could copy the gateway's encrypted private keys, and does not need them. `connector test` signs
-- with the signer process, or with a login of tollgate_admin, which also rotates the key file.
revoke select (wrapped_private_key, wrapped_ed25519_private_key) on gateway_keys from tollgate_operator;
grant select (wrapped_private_key, wrapped_ed25519_private_key) on gateway_keys to tollgate_admin;

-- The signer process signs the head of the audit log itself, with a login of tollgate_app. It reads a number and a
-- hash, but no row.
grant execute on function audit_head() to tollgate_app;

-- The highest version of the fleet's directory that this cell has used. A process rejects a lower one, also after a
-- restart: an old directory file has a valid signature, too (rollback attack).
alter table cell add column directory_version bigint not null default 0
  constraint cell_directory_version_not_negative check (directory_version >= 0);

create function keep_directory_version() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if new.directory_version < old.directory_version then
    raise exception 'The directory_version of the cell cannot decrease; it is %.', old.directory_version
      using errcode = 'check_violation';
  end if;
  return new;
end
$$;

create trigger keep_directory_version before update of directory_version on cell for each row
  execute function keep_directory_version();

grant update (directory_version) on cell to tollgate_app;
