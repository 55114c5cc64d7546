-- Towards wallets: a second public key, taken beside the first while a wallet changes it, and the paths of files on the machines that serve,
-- for wallets that demand a client certificate or have a CA of their own. No key is here.

alter table connectors
  add column other_public_key bytea,
  add column client_certificate_file text,
  add column client_key_file text,
  add column ca_file text,
  -- A handful of rows: the scan is over before anybody waits.
  -- squawk-ignore constraint-missing-not-valid
  add constraint connectors_certificate_comes_with_its_key
    check ((client_certificate_file is null) = (client_key_file is null));
