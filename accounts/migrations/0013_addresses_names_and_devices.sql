-- One address is one mailbox, names are not web addresses, and browsers that signed in before are known.
--
-- An address was checked before it was normalised (NFKC), so that full-width signs became commas and one address several
-- recipients. The program checks the normalised address now; the constraints refuse it whichever program writes.
-- They are not valid for rows of before: such a row keeps, and no new one is stored.

alter table people
  add constraint people_address_is_one_address
    check (email ~ '^[^[:space:][:cntrl:]@<>()",;:\\]+@[^[:space:][:cntrl:]@<>()",;:\\]+$') not valid,
  add constraint people_name_is_no_web_address check (name !~* '://|www[.]') not valid;

alter table registrations
  add constraint registrations_address_is_one_address
    check (email ~ '^[^[:space:][:cntrl:]@<>()",;:\\]+@[^[:space:][:cntrl:]@<>()",;:\\]+$') not valid;

alter table invitations
  add constraint invitations_address_is_one_address
    check (email ~ '^[^[:space:][:cntrl:]@<>()",;:\\]+@[^[:space:][:cntrl:]@<>()",;:\\]+$') not valid;

alter table organisations
  add constraint organisations_name_is_no_web_address check (name !~* '://|www[.]') not valid;

-- A browser in which a person has signed in with a password. It has tries of its own, so that wrong tries of other clients
-- do not lock the person out (OWASP: device cookies). The browser has the token in a cookie, which signs in nobody.
create table known_devices (
  token_hash   bytea primary key,
  person_id    text not null references people (person_id),
  signed_in_at timestamptz not null
);

create index known_devices_of_a_person on known_devices (person_id);

grant select, insert, delete on known_devices to tollgate_accounts;
