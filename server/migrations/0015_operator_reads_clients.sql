-- `merchant list` shows all clients to the operator. As with payments, the owner's login reads the rows of all
-- merchants only in a transaction that sets app.oversight. Serving processes do not have this policy. Keys and
-- addresses are shown for one merchant at a time, by its own id.

create policy clients_seen_by_the_operator on clients for select to current_user
  using (current_setting('app.oversight', true) = 'on');
