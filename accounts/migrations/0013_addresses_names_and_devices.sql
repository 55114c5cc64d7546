-- One address is one mailbox, names cannot look like web addresses, known browsers are remembered, and sign-in attempts
-- have several limits.
--
-- An address used to be checked before its normalisation (NFKC), which turns full-width characters into commas. So one
-- address could become several recipients. The program now checks the normalised address, and the constraints reject an
-- invalid one from any program. They are `not valid`: older rows stay, and new rows are checked.

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

-- A browser in which a person has signed in with a password. Its attempts are counted separately, so that wrong
-- passwords from other clients do not lock the person out (OWASP: device cookies). The token is in a cookie of the
-- browser, and does not sign in anyone by itself.
create table known_devices (
  token_hash   bytea primary key,
  person_id    text not null references people (person_id),
  signed_in_at timestamptz not null
);

create index known_devices_of_a_person on known_devices (person_id);

grant select, insert, delete on known_devices to tollgate_accounts;

-- Counts an attempt under each key in turn, with sliding windows, and stops at the first key without attempts left.
-- Returns false if the attempt is over a limit. It is one statement, because the rows stay locked until the commit, and
-- attempts from one network wait for each other.
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
