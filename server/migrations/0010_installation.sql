-- The secret of an installation, wrapped like the gateway's private keys.
--
-- What is derived from it has to stay the same for ever: the fingerprints by which a repeated request is
-- recognised. So it is a row of its own, and does not change when the key that wraps it does.

create table installation (
  wrapped_secret bytea not null,
  only_row       boolean not null default true constraint installation_has_one_row primary key check (only_row)
);

grant select on installation to tollgate_app;
