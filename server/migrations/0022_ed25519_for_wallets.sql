-- A second pair of each gateway key, Ed25519, for wallets whose own key is of that kind: such a signature costs a tenth of
-- RSA's. Merchants are signed for with RSA alone, and nothing of theirs points here. Versions of before have no such pair.

alter table gateway_keys
  add column ed25519_public_key bytea,
  add column wrapped_ed25519_private_key bytea,
  -- A handful of rows: the scan is over before anybody waits.
  -- squawk-ignore constraint-missing-not-valid
  add constraint gateway_keys_ed25519_is_a_pair
    check ((ed25519_public_key is null) = (wrapped_ed25519_private_key is null));

grant select (ed25519_public_key) on gateway_keys to tollgate_support;
-- `connector test` signs; the key is wrapped by one that the database does not have.
grant select (wrapped_ed25519_private_key) on gateway_keys to tollgate_operator;

drop trigger audit_notes_sql on gateway_keys;
create constraint trigger audit_notes_sql after insert or update or delete on gateway_keys deferrable initially deferred
  for each row execute function audit_notes_sql('wrapped_private_key', 'wrapped_ed25519_private_key');
