-- Saved views: addresses of the portal with their filters, which are part of the address.
--
-- They belong to a person in an organisation, because an address may contain a client id of it. They are deleted with
-- the membership.

create table saved_views (
  organisation_id text not null,
  person_id       text not null,
  name            text not null,
  -- A path within the portal, never another site (open redirect).
  address         text not null
    constraint saved_views_address_of_ours check (address ~ '^/(sandbox|live)(/|\?|$)' and length(address) <= 2000),
  saved_at        timestamptz not null,
  primary key (organisation_id, person_id, name),
  foreign key (organisation_id, person_id) references memberships (organisation_id, person_id) on delete cascade
);

grant select, insert, update, delete on saved_views to tollgate_accounts;
