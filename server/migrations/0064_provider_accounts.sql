-- Accounts of merchants at payment providers, and several connectors for one payment method.

-- accounts: whether orders carry the merchant's account at the provider; `required`: only merchants with an account.
-- priority: the order of connectors that serve the same method, the lowest number first.
alter table connectors
  add column accounts text not null default 'none'
    constraint connectors_accounts_known check (accounts in ('none', 'optional', 'required')),
  add column priority integer not null default 100
    constraint connectors_priority_in_range check (priority between 0 and 1000000);

-- The provider's own reference of a merchant's account, never a secret. The row is the account for new orders: an order
-- keeps the account of its submit (payments.provider_account).
create table provider_accounts (
  bucket    smallint not null constraint provider_accounts_bucket_in_range check (bucket between 0 and 1023),
  client_id text not null,
  connector text not null,
  account   text not null constraint provider_accounts_account_printable check (account ~ '^[!-~]{1,128}$'),
  set_at    timestamptz not null default clock_timestamp(),
  primary key (bucket, client_id, connector)
);

create index provider_accounts_by_connector on provider_accounts (connector, client_id);

alter table provider_accounts enable row level security;
alter table provider_accounts force row level security;
create policy provider_accounts_own_rows on provider_accounts
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy provider_accounts_seen_by_the_operator on provider_accounts for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create policy provider_accounts_seen_by_staff on provider_accounts for select to tollgate_support
  using (current_setting('app.oversight', true) = 'on');
grant select on provider_accounts to tollgate_app, tollgate_support;
grant insert, update (account, set_at), delete on provider_accounts to tollgate_operator, tollgate_console;

create trigger record_insert after insert on provider_accounts for each row when (new.client_id not like 'SANDBOX\_U%')
  execute function record_row_change('all', '=client_id', '=connector', '-bucket', '@set_at', '!insert');
create trigger record_update after update on provider_accounts for each row when (new.client_id not like 'SANDBOX\_U%')
  execute function record_row_change('all', '=client_id', '=connector', '-bucket', '@set_at', '!update');
create trigger record_delete after delete on provider_accounts for each row when (old.client_id not like 'SANDBOX\_U%')
  execute function record_row_change('all', '=client_id', '=connector', '-bucket', '@set_at', '!delete');

-- The account and the registration with which an order was submitted. Adding the columns rewrites no rows.
alter table payments add column provider_account text, add column provider_registration_id text;
-- The same for a consent, and for the exchange of its code.
alter table authorizations add column provider_account text;
alter table tokens add column provider_account text;

-- The provider's own id of a registration.
alter table provider_registrations add column provider_registration_id text;
-- Processes read a merchant's registrations with its settings. Registrations of stores are not among them.
-- squawk-ignore require-concurrent-index-creation
create index registrations_without_store on registrations (bucket, client_id, registration_id) where reference_store_id is null;

-- Processes cache merchants with their accounts and registrations, and revalidate them by their revision. The function
-- runs with the owner's privileges, because neither staff nor workers may update the revision.
create function count_provider_change() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  changed record := case tg_op when 'DELETE' then old else new end;
begin
  update clients set revision = revision + 1 where bucket = changed.bucket and client_id = changed.client_id;
  return null;
end
$$;

revoke all on function count_provider_change() from public;

create trigger count_provider_change after insert or update or delete on provider_accounts
  for each row execute function count_provider_change();
create trigger count_provider_change after update of provider_registration_id on provider_registrations
  for each row when (old.provider_registration_id is distinct from new.provider_registration_id)
  execute function count_provider_change();
