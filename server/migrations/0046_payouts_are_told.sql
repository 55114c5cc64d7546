-- Merchants are told of their payouts and bank accounts, in the transaction of the command that changes them: people of finance write
-- the notification and the job that delivers it. Each is written under the merchant, as policies demand.
grant insert on notifications, jobs to tollgate_finance;

-- And no more than that: a merchant believes what we sign, so a login of finance must not be able to tell it that somebody has paid, nor to
-- have anything sent to an address that the merchant has not set.
create policy notifications_of_finance on notifications as restrictive for insert to tollgate_finance
  with check (kind in ('notifyPayout', 'notifyBankAccount') and url is null and not sealed);
create policy jobs_of_finance on jobs as restrictive for insert to tollgate_finance
  with check (job = 'deliver-notification' or pg_has_role('tollgate_operator', 'usage'));
