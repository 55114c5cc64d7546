#!/bin/sh
# Creates the secrets of one environment, each in a separate file:
#   sh deploy/make-secrets.sh FOLDER [ENVIRONMENT [DATABASE_HOST]]
# The users of the containers own the files, so it needs root, or `podman unshare` for rootless podman. Existing files are
# not changed. Keep a copy of `key`, separate from the database backups.
set -eu
folder=${1:?the folder for the secrets}
environment=${2:-sandbox}
host=${3:-postgres}
gateway=65532  # the user of our image
postgres=999   # the user of PostgreSQL's image
umask 077

mkdir -p "$folder/passwords" "$folder/try"
for login in superuser owner serve staff work; do
  [ -e "$folder/passwords/$login" ] || openssl rand -hex 24 > "$folder/passwords/$login"
done
[ -e "$folder/key" ] || openssl rand -base64 32 > "$folder/key"
for login in owner serve staff work; do
  password=$(cat "$folder/passwords/$login")
  database=tollgate_$environment
  [ -e "$folder/$login.url" ] ||
    echo "postgres://${database}_$login:$password@$host/$database" > "$folder/$login.url"
done
cp "$(dirname "$0")/postgres/roles.sql" "$folder/roles.sql"
cp "$(dirname "$0")/try/set-up.ts" "$folder/set-up.ts"

chmod 755 "$folder"
chmod 644 "$folder/roles.sql" "$folder/set-up.ts"
chmod 400 "$folder"/passwords/* "$folder"/*.url "$folder/key"
chown -R "$postgres:$postgres" "$folder/passwords"
chown -R "$gateway:$gateway" "$folder"/*.url "$folder/key" "$folder/try"
