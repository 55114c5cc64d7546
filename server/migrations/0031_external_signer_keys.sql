-- Gateway keys whose private half was never in this database: an HSM or a key management service stores it under a
-- name, and `tollgate signer` signs with it. The public halves of the keys are stored as in any other version.

alter table gateway_keys
  -- The previous release fails on such a row. An operator adds it by hand, and only where every process has a signer.
  -- squawk-ignore ban-drop-not-null
  alter column wrapped_private_key drop not null,
  add column held_as text,
  drop constraint gateway_keys_ed25519_is_a_pair,
  -- The table has few rows, so the scan is short.
  -- squawk-ignore constraint-missing-not-valid
  add constraint gateway_keys_wrapped_or_held check ((wrapped_private_key is null) = (held_as is not null)),
  -- squawk-ignore constraint-missing-not-valid
  add constraint gateway_keys_ed25519_is_a_pair
    check (wrapped_ed25519_private_key is null = (ed25519_public_key is null or held_as is not null));

grant select (held_as) on gateway_keys to tollgate_support;
