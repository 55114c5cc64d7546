-- Rotation of the key file, which encrypts rows again, and deletion of gateway keys that no client or connector uses.
-- Only admins may do both, as only they may add such keys.

grant update (wrapped_private_key, wrapped_ed25519_private_key), delete on gateway_keys to tollgate_admin;
grant select (wrapped_secret), update (wrapped_secret) on installation to tollgate_admin;
