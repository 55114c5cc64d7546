-- The brand on a merchant's checkout pages: colour, logo, and help address for buyers.
create table brands (
  bucket      smallint not null constraint brands_bucket_in_range check (bucket between 0 and 1023),
  client_id   text not null,
  colour      text constraint brands_colour_in_hex check (colour ~ '^#[0-9a-f]{6}$'),
  support_url text,
  logo        bytea constraint brands_logo_is_small check (length(logo) <= 24576),
  logo_type   text constraint brands_logo_type_known check (logo_type in ('image/png', 'image/jpeg', 'image/webp')),
  primary key (bucket, client_id)
);

alter table brands enable row level security;
alter table brands force row level security;
create policy brands_own_rows on brands
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
grant select, insert, update, delete on brands to tollgate_app;
grant select on brands to tollgate_support;
