-- Webhooks about payouts and bank accounts are written in the transaction of the command that changes them. So finance
-- logins insert the notification and its delivery job. Each is inserted for its merchant, as policies require.
grant insert on notifications, jobs to tollgate_finance;

-- Finance logins may insert only these two kinds of webhook, because merchants trust messages that the gateway signs.
-- A finance login must not be able to report a payment as paid, or to have a webhook sent to an address that the
-- merchant has not configured.
create policy notifications_of_finance on notifications as restrictive for insert to tollgate_finance
  with check (kind in ('notifyPayout', 'notifyBankAccount') and url is null and not sealed);
create policy jobs_of_finance on jobs as restrictive for insert to tollgate_finance
  with check (job = 'deliver-notification' or pg_has_role('tollgate_operator', 'usage'));
