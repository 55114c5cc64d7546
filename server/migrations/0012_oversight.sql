-- Who runs the gateway sees what is not finished, of every merchant, and nothing can be changed that way.
--
-- Only the owner's role can switch it on, for a transaction; it could read everything anyway. The roles that
-- serve and work have no such policy, whatever they set.

create policy payments_seen_by_the_operator on payments for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create policy captures_seen_by_the_operator on captures for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create policy refunds_seen_by_the_operator on refunds for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create policy reversals_seen_by_the_operator on reversals for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create policy notifications_seen_by_the_operator on notifications for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create policy jobs_seen_by_the_operator on jobs for select to current_user
  using (current_setting('app.oversight', true) = 'on');
create policy ledger_transfers_seen_by_the_operator on ledger_transfers for select to current_user
  using (current_setting('app.oversight', true) = 'on');
