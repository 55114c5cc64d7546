-- The audit of accounts is read by the same statements as the gateway's, which records row changes. Accounts record none: it stays empty.
alter table audit add column changes json;
