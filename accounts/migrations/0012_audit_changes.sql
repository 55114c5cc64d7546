-- The audit log of accounts is read with the same statements as the gateway's, which records row changes. Accounts
-- record none, so the column is always null.
alter table audit add column changes json;
