-- Keys come to an end: the key file is rotated, which wraps rows anew, and gateway keys that nobody is pinned to are deleted. Both are
-- for admins alone, who are the ones that may add such keys.

grant update (wrapped_private_key, wrapped_ed25519_private_key), delete on gateway_keys to tollgate_admin;
grant select (wrapped_secret), update (wrapped_secret) on installation to tollgate_admin;
