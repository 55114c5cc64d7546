-- Health checks and metrics of serve and work report the newest migration, so that an operator sees the schema version
-- of a process. The table has names and hashes of our own files.

grant select on migrations to tollgate_app;
