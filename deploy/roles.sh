#!/bin/sh
# Make the two plain roles of a team's server, once: PostgreSQL's container runs it when it makes its data. Elsewhere a superuser does,
# with PGHOST and the like as psql takes them, POSTGRES_DB the name of the database, and SECRETS the folder of the two passwords.
set -eu
secrets=${SECRETS:-/run/secrets}
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname "$POSTGRES_DB" \
  --set owner_password="$(cat "$secrets/owner_password")" --set serve_password="$(cat "$secrets/serve_password")" \
  --set name="$POSTGRES_DB" <<'SQL'
CREATE ROLE vade_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE vade_serve LOGIN PASSWORD :'serve_password';
ALTER DATABASE :"name" OWNER TO vade_owner;
CREATE EXTENSION IF NOT EXISTS vector;
SQL
