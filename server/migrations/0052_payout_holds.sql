-- Payout holds, the cooling-off period of bank accounts, and batches that join a later one before they are paid. See
-- docs/operating/payouts.md and docs/decisions/0102.

-- While a hold is open, the merchant is not paid, and its batches close as usual. A hold can be released once.
create table payout_holds (
  bucket         smallint not null constraint payout_holds_bucket_in_range check (bucket between 0 and 1023),
  client_id      text not null,
  held_at        timestamptz not null,
  held_by        text not null,
  held_login     text not null,
  reason         text not null constraint payout_holds_reason_is_short check (length(reason) between 1 and 1000),
  released_at    timestamptz,
  released_by    text,
  released_login text,
  primary key (bucket, client_id, held_at),
  constraint payout_holds_released_in_full check (num_nulls(released_at, released_by, released_login) in (0, 3)),
  constraint payout_holds_released_after_the_hold check (released_at >= held_at)
);

create unique index payout_holds_one_open on payout_holds (bucket, client_id) where released_at is null;

alter table payout_holds enable row level security;
alter table payout_holds force row level security;
create policy payout_holds_own_rows on payout_holds
  using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
create policy payout_holds_seen_by_the_operator on payout_holds for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create policy payout_holds_seen_by_staff on payout_holds for select to tollgate_support
  using (current_setting('app.oversight', true) = 'on');

grant select on payout_holds to tollgate_support;
grant insert (bucket, client_id, held_at, held_by, held_login, reason),
  update (released_at, released_by, released_login) on payout_holds to tollgate_finance;

-- The database sets times and logins itself. Only the table owner's login can set them: it copies the rows of merchants
-- that move between cells.
create function payout_hold_is_released_once() returns trigger
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  is_owner boolean := pg_has_role(session_user, (select relowner from pg_class where oid = tg_relid), 'member');
begin
  if tg_op = 'INSERT' then
    if not is_owner then
      new.held_at := clock_timestamp();
      new.held_login := session_user;
    end if;
    return new;
  end if;
  if old.released_at is not null or new.released_at is null
    or (new.bucket, new.client_id, new.held_at, new.held_by, new.held_login, new.reason)
      is distinct from (old.bucket, old.client_id, old.held_at, old.held_by, old.held_login, old.reason)
  then
    raise exception 'A payout hold can only be released, and only once.' using errcode = 'restrict_violation';
  end if;
  if not is_owner then
    new.released_at := clock_timestamp();
    new.released_login := session_user;
  end if;
  return new;
end
$$;

revoke all on function payout_hold_is_released_once() from public;

create trigger payout_hold_is_released_once before insert or update on payout_holds
  for each row execute function payout_hold_is_released_once();

-- Returns whether a merchant's payouts are on hold: a hold is open, or the merchant is not active (suspended, closed,
-- or unknown here). The function reads as the table owner with oversight, so the caller's row-level security cannot
-- hide a hold. It restores the caller's setting at the end.
create function payouts_are_held(bucket smallint, client_id text) returns boolean
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  oversight text := current_setting('app.oversight', true);
  is_held   boolean;
begin
  perform set_config('app.oversight', 'on', true);
  is_held := exists (select from public.payout_holds as h
      where h.bucket = $1 and h.client_id = $2 and h.released_at is null)
    or not exists (select from public.clients as c
      where c.bucket = $1 and c.client_id = $2 and c.status = 'ACTIVE');
  perform set_config('app.oversight', coalesce(oversight, ''), true);
  return is_held;
end
$$;

revoke all on function payouts_are_held(smallint, text) from public;
grant execute on function payouts_are_held(smallint, text) to tollgate_finance;

-- The cooling-off period: an account is paid 72 hours after its approval at the earliest, unless the merchant never had
-- an approved account in any currency. So an attacker who first ends the old account gains nothing. A shorter period
-- needs a request by the table owner's login. The database calculates `usable_from`, and an approving login can only
-- make it later. An ended account stays ended and is never approved. No login can assign an account to another
-- merchant.
create or replace function bank_account_is_of_two() returns trigger
  language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  owner        oid := (select relowner from pg_class where oid = tg_relid);
  is_owner     boolean := pg_has_role(session_user, owner, 'member');
  had_account  boolean;
  by_the_owner boolean;
begin
  if tg_op = 'INSERT' then
    if is_owner then
      return new;
    end if;
    new.asked_login := session_user;
    new.approved_by := null;
    new.approved_login := null;
    new.approved_at := null;
    new.usable_from := null;
  elsif old.ended_at is not null then
    raise exception 'Bank account % has ended and cannot be changed.', old.account_id using errcode = 'restrict_violation';
  elsif (new.bucket, new.client_id, new.account_id, new.currency, new.holder, new.iban, new.bic, new.wait_hours, new.asked_by,
      new.asked_login, new.asked_at)
    is distinct from
    (old.bucket, old.client_id, old.account_id, old.currency, old.holder, old.iban, old.bic, old.wait_hours, old.asked_by,
      old.asked_login, old.asked_at)
    or (old.approved_at is not null and (new.approved_by, new.approved_login, new.approved_at, new.usable_from)
      is distinct from (old.approved_by, old.approved_login, old.approved_at, old.usable_from))
  then
    raise exception 'A bank account cannot be changed. Request another one.' using errcode = 'restrict_violation';
  elsif new.ended_at is not null and not is_owner then
    new.ended_at := clock_timestamp();
  end if;

  -- Race: the lock makes the second of two concurrent approvals wait until it sees the first.
  perform pg_advisory_xact_lock(hashtextextended('bank accounts of ' || new.client_id, 0));
  had_account := exists (select from bank_accounts as a
    where a.bucket = new.bucket and a.client_id = new.client_id and a.account_id <> new.account_id and a.approved_at is not null);
  if tg_op = 'INSERT' then
    if had_account and new.wait_hours < 72 then
      raise exception 'The merchant had an approved bank account before, so this one needs a wait of at least 72 hours.'
        using errcode = 'check_violation', constraint = 'bank_accounts_wait_is_long_enough';
    end if;
    return new;
  end if;
  if old.approved_at is not null or new.approved_at is null then
    return new;
  end if;

  if not is_owner then
    new.approved_login := session_user;
    new.approved_at := clock_timestamp();
    if session_user = old.asked_login and (select name from environment) = 'live' then
      raise exception 'The login that requested the bank account cannot approve it.'
        using errcode = 'check_violation', constraint = 'bank_accounts_approved_by_another_login';
    end if;
  end if;
  -- The waiting time is calculated at the approval, because another account may have been approved since this account
  -- was requested.
  by_the_owner := coalesce((select pg_has_role(r.oid, owner, 'member') from pg_roles as r where r.rolname = old.asked_login), false);
  new.usable_from := greatest(new.usable_from, new.approved_at
    + make_interval(hours => case when had_account and not by_the_owner then greatest(old.wait_hours, 72) else old.wait_hours end));
  return new;
end
$$;

-- Due batches without a payout, also converted ones, can join a negative batch. Joined batches are paid in the currency
-- of the batch that they join.
alter table settlement_batches
  drop constraint settlement_batches_carried_ones_are_not_changed,
  -- Every row that satisfied the old constraint satisfies this one.
  -- squawk-ignore constraint-missing-not-valid
  add constraint settlement_batches_changed_ones_are_carried_to_another
    check (status <> 'CARRIED' or settle_currency is null or carried_to is not null);
