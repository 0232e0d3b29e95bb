#!/bin/sh
# Creates Temporal's two databases and updates their schema to the version of this image; running it again changes nothing.
# Reads SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD, which temporal-sql-tool takes from the environment.
set -eu

SCHEMA=${SCHEMA:-/etc/temporal/schema/postgresql/v12}

for database in temporal temporal_visibility; do
  case $database in
    temporal) versions=$SCHEMA/temporal/versioned ;;
    temporal_visibility) versions=$SCHEMA/visibility/versioned ;;
  esac
  temporal-sql-tool --db "$database" create
  # Version 0.0 creates the version table; where there is one already it is kept.
  temporal-sql-tool --db "$database" setup-schema --version 0.0
  temporal-sql-tool --db "$database" update-schema --schema-dir "$versions"
done
