-- Merchants are told of their payouts and bank accounts, in the transaction of the command that changes them: people of finance write
-- the notification and the job that delivers it. Each is written under the merchant, as policies demand.
grant insert on notifications, jobs to tollgate_finance;
