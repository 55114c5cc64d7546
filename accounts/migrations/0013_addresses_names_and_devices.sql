-- One address is one mailbox, names are not web addresses, browsers that signed in before are known, and tries have several limits.
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

-- Counts a try under each key in turn, until one has no try left: sliding windows, and false when the try is one too many. In one
-- statement, because the rows stay locked until the commit, and tries of one network wait for each other.
create function take_tries(keys bytea[], most integer[], since timestamptz[], tried timestamptz) returns boolean
  language plpgsql set search_path = pg_catalog, public as $$
begin
  for nth in 1 .. cardinality(keys) loop
    insert into tries as t (key, tried_at) values (keys[nth], array[tried])
    on conflict (key) do update
      set tried_at = array(select at from unnest(t.tried_at) as at where at > since[nth]) || excluded.tried_at
      where (select count(*) from unnest(t.tried_at) as at where at > since[nth]) < most[nth];
    if not found then return false; end if;
  end loop;
  return true;
end
$$;
