-- `merchant list` shows the operator all clients. As with payments, the owner's login sees the rows of all merchants only in a
-- transaction that asks for it (app.oversight); processes that serve do not have this policy. Keys and addresses of a merchant
-- are shown one merchant at a time, by its own id.

create policy clients_seen_by_the_operator on clients for select to current_user
  using (current_setting('app.oversight', true) = 'on');
