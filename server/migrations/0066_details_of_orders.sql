-- A provider may state details of a decided order, such as the card's brand and last four digits, the issuer's code and
-- the result of 3-D Secure. The column contains the JSON that `readDetails` accepts, and never a card number. Only the
-- report that settles the payment writes it, in the statement that writes the status. Most payments have none: a null
-- column needs no space.
alter table payments add column provider_details text;

-- The function of migration 0029, which now also removes the details from a webhook.
create or replace function without_free_text(body bytea) returns bytea
  language sql immutable set search_path = pg_catalog
  return convert_to((convert_from(body, 'UTF8')::jsonb
    - array['metadata', 'disputeReasonMsg', 'autoDefendReason', 'reason', 'userLoginId', 'paymentResultInfo'])::text, 'UTF8');

-- `erase_buyer` empties one more column of `payments`. The rest of the function stays as earlier migrations wrote it.
do $$
declare
  before  text := pg_get_functiondef('erase_buyer(smallint, text, text[], text[])'::regprocedure);
  changed text := replace(before, 'update payments set ', 'update payments set provider_details = null, ');
begin
  if changed = before then
    raise exception 'erase_buyer has no statement that updates payments.';
  end if;
  execute changed;
end
$$;
