#!/bin/sh
# Starts two API processes and a worker on one PostgreSQL and one Redis, behind nginx on http://127.0.0.1:8080. Ctrl+C stops
# all of them. DATABASE_URL, REDIS_URL and SECRET_KEY say where they work and are the same for all.
set -eu
: "${DATABASE_URL:?names an empty PostgreSQL database}" "${REDIS_URL:?names a Redis}" "${SECRET_KEY:?any long text}"
cd "$(dirname "$0")/../.."
PATH=$PWD/node_modules/.bin:$PATH:/usr/sbin
folder=$(mktemp -d)
chmod 755 "$folder"
processes=
stop() {
  trap - EXIT INT TERM
  # nginx first, so that it passes nothing on to processes that stop
  [ -z "$processes" ] || kill $processes
  wait
  rm -rf "$folder"
}
trap stop EXIT INT TERM

# the proxy of docker-compose.yml, with addresses of this machine instead of containers
sed -e 's/listen 8080/listen 127.0.0.1:8080/' \
  -e 's/server api:3000 resolve\([^;]*\);/server 127.0.0.1:3001\1; server 127.0.0.1:3002\1;/' \
  -e "s|/tmp/|$folder/|" deploy/nginx.conf >"$folder/nginx.conf"

farmboard migrate
# clients are known by the address that nginx passes on
export TRUSTED_PROXIES=127.0.0.1 PUBLIC_URL=http://127.0.0.1:8080
ROLE=api PORT=3001 farmboard serve &
processes=$!
ROLE=api PORT=3002 farmboard serve &
processes="$processes $!"
ROLE=worker PORT=3003 farmboard serve &
processes="$processes $!"
for port in 3001 3002 3003; do
  until PORT=$port farmboard health >/dev/null 2>&1; do kill -0 $processes; done
done
nginx -c "$folder/nginx.conf" -g 'daemon off;' &
processes="$! $processes"
echo 'Farmboard is at http://127.0.0.1:8080/console/'
wait
