-- For payment providers: a second public key, accepted in addition to the first during the provider's key rotation; and
-- file paths of a client certificate or of the provider's own CA. The table stores no private keys.

alter table connectors
  add column other_public_key bytea,
  add column client_certificate_file text,
  add column client_key_file text,
  add column ca_file text,
  -- The table has few rows, so the scan is short.
  -- squawk-ignore constraint-missing-not-valid
  add constraint connectors_certificate_comes_with_its_key
    check ((client_certificate_file is null) = (client_key_file is null));
