#!/bin/sh
# Makes the roles that docker-compose.yml logs in with, in a new PostgreSQL: the owner, who migrates and is no superuser, and
# those of docs/adr/0016. Their passwords are those of the addresses in /run/secrets (SECRETS names another folder).
set -eu
folder=${SECRETS:-/run/secrets}

# The password of an address: postgres://user:password@host/…
password_of() {
  sed -n 's|^[a-z]*://[^:]*:\([^@]*\)@.*|\1|p' "$folder/$1"
}

psql -v ON_ERROR_STOP=1 -v owner="$(password_of owner_url)" -v serving="$(password_of serving_url)" \
  -v working="$(password_of working_url)" --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
CREATE ROLE quarry_owner LOGIN PASSWORD :'owner';
CREATE ROLE quarry_serving LOGIN PASSWORD :'serving';
CREATE ROLE quarry_working LOGIN PASSWORD :'working';
CREATE ROLE quarry_metrics;
ALTER ROLE quarry_metrics SET app.org_id = '*';
GRANT quarry_working TO quarry_owner WITH INHERIT TRUE, SET TRUE;
SELECT format('ALTER DATABASE %I OWNER TO quarry_owner', current_database()) \gexec
SQL
