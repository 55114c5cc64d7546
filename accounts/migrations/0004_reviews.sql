-- Reviews before going live: the merchant's statements about its business, the documents that support them, and the
-- operator's decision.
--
-- The documents are uploaded files, and some contain personal data. They are encrypted by a key that the database does
-- not have. Accounts returns them only as text in JSON, so no browser ever opens one as a page of our domain.

create table reviews (
  organisation_id     text primary key references organisations (organisation_id),
  status              text not null
    constraint reviews_status_known check (status in ('draft', 'submitted', 'approved', 'refused')),
  legal_name          text not null default '',
  registration_number text not null default '',
  country             text not null default '',
  address             text not null default '',
  owner               text not null default '',
  website             text not null default '',
  sells               text not null default '',
  -- The number of submissions. A decision names the submission that was reviewed.
  submission          integer not null default 0,
  submitted_at        timestamptz,
  decided_at          timestamptz,
  -- The reason that the merchant sees.
  reason              text,
  constraint reviews_that_were_submitted_have_a_time check (status = 'draft' or submitted_at is not null),
  constraint reviews_that_were_decided_have_a_time
    check ((status in ('approved', 'refused')) = (decided_at is not null))
);

create index reviews_that_wait on reviews (submitted_at) where status = 'submitted';

create table documents (
  document_id     text primary key constraint documents_id_well_formed check (document_id ~ '^doc_[A-Za-z0-9_-]{20}$'),
  organisation_id text not null references organisations (organisation_id),
  -- The fact that the document proves.
  shows           text not null
    constraint documents_show_something_known check (shows in ('registration', 'identity', 'address', 'other')),
  name            text not null,
  media_type      text not null
    constraint documents_type_known check (media_type in ('application/pdf', 'image/png', 'image/jpeg')),
  bytes           integer not null,
  sha256          bytea not null,
  wrapped         bytea not null,
  uploaded_at     timestamptz not null
);

create index documents_of_an_organisation on documents (organisation_id);

grant select, insert, update on reviews to tollgate_accounts;
grant select, insert, delete on documents to tollgate_accounts;
