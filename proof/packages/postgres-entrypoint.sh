#!/bin/sh
# Does the part of the official PostgreSQL image's entrypoint that deploy/compose.yaml and deploy/kube need: the first start
# creates the data folder, and runs the files of /docker-entrypoint-initdb.d before a client can connect.
set -eu
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
export PATH
PGDATA=/var/lib/postgresql/data/own
export PGDATA
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl --wait --options="-c listen_addresses=" start
  for file in /docker-entrypoint-initdb.d/*.sql; do
    psql --no-psqlrc --set=ON_ERROR_STOP=1 --username=postgres --file="$file" postgres
  done
  pg_ctl --wait --mode=fast stop
fi
exec postgres -c listen_addresses='*'
