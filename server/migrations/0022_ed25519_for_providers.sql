-- A second key pair of each gateway key, Ed25519, for payment providers whose own key is Ed25519: a signature takes a
-- tenth of the time of RSA. Signatures for merchants use RSA only, and merchants' tables do not refer to it. Older
-- versions of a gateway key have no Ed25519 pair.

alter table gateway_keys
  add column ed25519_public_key bytea,
  add column wrapped_ed25519_private_key bytea,
  -- The table has few rows, so the scan is short.
  -- squawk-ignore constraint-missing-not-valid
  add constraint gateway_keys_ed25519_is_a_pair
    check ((ed25519_public_key is null) = (wrapped_ed25519_private_key is null));

grant select (ed25519_public_key) on gateway_keys to tollgate_support;
-- `connector test` signs with this key, which is encrypted by a key that the database does not have.
grant select (wrapped_ed25519_private_key) on gateway_keys to tollgate_operator;

drop trigger audit_notes_sql on gateway_keys;
create constraint trigger audit_notes_sql after insert or update or delete on gateway_keys deferrable initially deferred
  for each row execute function audit_notes_sql('wrapped_private_key', 'wrapped_ed25519_private_key');
