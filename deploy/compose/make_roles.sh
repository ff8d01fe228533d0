#!/bin/sh
# Run once by the database's image in a new, empty database: logins for workers. What they may touch is granted by
# `gradefarm db grant`, which knows the tables. Passwords reach psql as variables and never a command line.
set -eu
secrets=${SECRETS:-/run/secrets}
{
  printf '\\set agent %s\n' "$(cat "$secrets/agent_database_password")"
  printf '\\set grade %s\n' "$(cat "$secrets/grade_database_password")"
  cat <<'SQL'
CREATE ROLE farm_agent LOGIN PASSWORD :'agent';
CREATE ROLE farm_grade LOGIN PASSWORD :'grade';
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO farm_agent, farm_grade;
SQL
} | psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-farm}" --dbname "${POSTGRES_DB:-farm}" --file -
