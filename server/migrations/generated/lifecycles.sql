-- Generated from the lifecycles by `npm run generate`; applied before every migration.

-- A payment moves only as its lifecycle says; what is final stays as it is.
create or replace function payment_follows_its_lifecycle() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  if old.status <> new.status and (old.status, new.status) not in (
    ('PROCESSING', 'PENDING'),
    ('PROCESSING', 'SUCCESS'),
    ('PROCESSING', 'FAIL'),
    ('PROCESSING', 'CANCELLED'),
    ('PENDING', 'SUCCESS'),
    ('PENDING', 'FAIL'),
    ('SUCCESS', 'CANCELLED')
  ) then
    raise exception 'A payment does not go from % to %.', old.status, new.status
      using errcode = 'check_violation', constraint = 'payment_follows_its_lifecycle';
  end if;
  return new;
end
$$;

-- A notification moves only as its lifecycle says; what is final stays as it is.
create or replace function notification_follows_its_lifecycle() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  if old.status <> new.status and (old.status, new.status) not in (
    ('WAITING', 'DELIVERED'),
    ('WAITING', 'EXHAUSTED'),
    ('WAITING', 'UNSENT'),
    ('DELIVERED', 'WAITING'),
    ('EXHAUSTED', 'WAITING'),
    ('UNSENT', 'WAITING')
  ) then
    raise exception 'A notification does not go from % to %.', old.status, new.status
      using errcode = 'check_violation', constraint = 'notification_follows_its_lifecycle';
  end if;
  return new;
end
$$;

-- A reversal moves only as its lifecycle says; what is final stays as it is.
create or replace function reversal_follows_its_lifecycle() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  if old.status <> new.status and (old.status, new.status) not in (
    ('PROCESSING', 'SUCCESS'),
    ('PROCESSING', 'FAIL'),
    ('SUCCESS', 'FAIL')
  ) then
    raise exception 'A reversal does not go from % to %.', old.status, new.status
      using errcode = 'check_violation', constraint = 'reversal_follows_its_lifecycle';
  end if;
  return new;
end
$$;

-- A capture moves only as its lifecycle says; what is final stays as it is.
create or replace function capture_follows_its_lifecycle() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  if old.status <> new.status and (old.status, new.status) not in (
    ('PROCESSING', 'SUCCESS'),
    ('PROCESSING', 'FAIL')
  ) then
    raise exception 'A capture does not go from % to %.', old.status, new.status
      using errcode = 'check_violation', constraint = 'capture_follows_its_lifecycle';
  end if;
  return new;
end
$$;

-- A refund moves only as its lifecycle says; what is final stays as it is.
create or replace function refund_follows_its_lifecycle() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  if old.status <> new.status and (old.status, new.status) not in (
    ('PROCESSING', 'SUCCESS'),
    ('PROCESSING', 'FAIL'),
    ('SUCCESS', 'FAIL')
  ) then
    raise exception 'A refund does not go from % to %.', old.status, new.status
      using errcode = 'check_violation', constraint = 'refund_follows_its_lifecycle';
  end if;
  return new;
end
$$;

-- A registration moves only as its lifecycle says; what is final stays as it is.
create or replace function registration_follows_its_lifecycle() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  if old.status <> new.status and (old.status, new.status) not in (
    ('PROCESSING', 'APPROVED'),
    ('PROCESSING', 'REJECTED'),
    ('PROCESSING', 'NOT_NEEDED')
  ) then
    raise exception 'A registration does not go from % to %.', old.status, new.status
      using errcode = 'check_violation', constraint = 'registration_follows_its_lifecycle';
  end if;
  return new;
end
$$;

-- A authorization moves only as its lifecycle says; what is final stays as it is.
create or replace function authorization_follows_its_lifecycle() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  if old.status <> new.status and (old.status, new.status) not in (
    ('ASKED', 'AGREED'),
    ('ASKED', 'ACTIVE'),
    ('ASKED', 'DECLINED'),
    ('ASKED', 'CANCELED'),
    ('ASKED', 'EXPIRED'),
    ('AGREED', 'ACTIVE'),
    ('AGREED', 'CANCELED'),
    ('AGREED', 'EXPIRED'),
    ('ACTIVE', 'REVOKED'),
    ('ACTIVE', 'CANCELED'),
    ('ACTIVE', 'EXPIRED')
  ) then
    raise exception 'A authorization does not go from % to %.', old.status, new.status
      using errcode = 'check_violation', constraint = 'authorization_follows_its_lifecycle';
  end if;
  return new;
end
$$;

-- A token moves only as its lifecycle says; what is final stays as it is.
create or replace function token_follows_its_lifecycle() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  if old.status <> new.status and (old.status, new.status) not in (
    ('APPLIED', 'ISSUED'),
    ('APPLIED', 'REFUSED'),
    ('ISSUED', 'RETIRED')
  ) then
    raise exception 'A token does not go from % to %.', old.status, new.status
      using errcode = 'check_violation', constraint = 'token_follows_its_lifecycle';
  end if;
  return new;
end
$$;

-- A dispute moves only as its lifecycle says; what is final stays as it is.
create or replace function dispute_follows_its_lifecycle() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  if old.status <> new.status and (old.status, new.status) not in (
    ('CREATED', 'DEFENDED'),
    ('CREATED', 'ACCEPTED'),
    ('CREATED', 'CANCELLED'),
    ('CREATED', 'JUDGED'),
    ('CREATED', 'EXPIRED'),
    ('DEFENDED', 'CREATED'),
    ('DEFENDED', 'ACCEPTED'),
    ('DEFENDED', 'CANCELLED'),
    ('DEFENDED', 'JUDGED')
  ) then
    raise exception 'A dispute does not go from % to %.', old.status, new.status
      using errcode = 'check_violation', constraint = 'dispute_follows_its_lifecycle';
  end if;
  return new;
end
$$;

-- A settlement_batch moves only as its lifecycle says; what is final stays as it is.
create or replace function settlement_batch_follows_its_lifecycle() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  if old.status <> new.status and (old.status, new.status) not in (
    ('DUE', 'PAYING'),
    ('DUE', 'CARRIED'),
    ('PAYING', 'PAID'),
    ('PAYING', 'DUE'),
    ('PAID', 'DUE')
  ) then
    raise exception 'A settlement_batch does not go from % to %.', old.status, new.status
      using errcode = 'check_violation', constraint = 'settlement_batch_follows_its_lifecycle';
  end if;
  return new;
end
$$;

-- A payout moves only as its lifecycle says; what is final stays as it is.
create or replace function payout_follows_its_lifecycle() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  if old.status <> new.status and (old.status, new.status) not in (
    ('CREATED', 'SENT'),
    ('SENT', 'PAID'),
    ('SENT', 'FAILED'),
    ('PAID', 'RETURNED')
  ) then
    raise exception 'A payout does not go from % to %.', old.status, new.status
      using errcode = 'check_violation', constraint = 'payout_follows_its_lifecycle';
  end if;
  return new;
end
$$;

-- A payout_file moves only as its lifecycle says; what is final stays as it is.
create or replace function payout_file_follows_its_lifecycle() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  if old.status <> new.status and (old.status, new.status) not in (
    ('PLANNED', 'APPROVED'),
    ('PLANNED', 'DROPPED'),
    ('APPROVED', 'RELEASED'),
    ('APPROVED', 'DROPPED'),
    ('RELEASED', 'HANDED_OVER'),
    ('RELEASED', 'VOIDED'),
    ('RELEASED', 'DROPPED'),
    ('HANDED_OVER', 'VOIDED')
  ) then
    raise exception 'A payout_file does not go from % to %.', old.status, new.status
      using errcode = 'check_violation', constraint = 'payout_file_follows_its_lifecycle';
  end if;
  return new;
end
$$;
