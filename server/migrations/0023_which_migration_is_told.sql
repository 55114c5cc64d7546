-- Health checks and metrics of serve and work tell the newest migration, so that an operator sees which schema a process
-- runs on. The table holds names and hashes of our own files.

grant select on migrations to tollgate_app;
