-- Schemes of a merchant's own apps, in which its buyers return from a payment page: `shopapp` for shopapp://thanks.
--
-- Beside https, and http in the sandbox, nothing else is linked: a list of what is bad is never complete.

alter table clients add column link_schemes text[] not null default '{}';
