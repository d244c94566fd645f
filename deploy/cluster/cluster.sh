#!/bin/sh
# Three servers of Postgres (a primary and two replicas), three gateways, and HAProxy with the settings of ../compose, on the
# loopback address of one machine, to try failures on. docs/cluster.md describes it.
#
#   cluster.sh up              starts everything, and stops it on Ctrl-C or at the end of its input
#   cluster.sh kill NAME       ends one without a shutdown: db-1, db-2, db-3, gateway-1, gateway-2, gateway-3, balancer
#   cluster.sh start NAME      starts it again; a former primary becomes a replica of the new one
#   cluster.sh promote NAME    makes a replica the primary
#   cluster.sh status
#
# DATA is the folder of data and logs, removed at the end; PORT the balancer's port, which the ports of the others follow; POSTERN
# the program.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
data=${DATA:-/tmp/postern-cluster}
port=${PORT:-7400}
postern=${POSTERN:-postern}
PATH="$PATH:/usr/sbin:/usr/local/sbin"
databases="db-1 db-2 db-3"
gateways="gateway-1 gateway-2 gateway-3"

programs=
for folder in $(echo "$PATH" | tr : ' ') $(ls -d /usr/lib/postgresql/*/bin /opt/homebrew/opt/postgresql*/bin 2>/dev/null | sort -rV); do
  if [ -x "$folder/initdb" ] && [ -x "$folder/psql" ] && [ -x "$folder/pg_rewind" ]; then programs=$folder && break; fi
done
[ -n "$programs" ] || { echo "cluster.sh: there is no initdb, psql and pg_rewind: please install Postgres" >&2; exit 1; }

# Postgres refuses to run as root.
owner=$(id -un)
if [ "$owner" = root ]; then
  owner=$(id -un postgres 2>/dev/null || echo nobody)
fi
as_owner() {
  if [ "$owner" = "$(id -un)" ]; then "$@"; else setpriv --reuid="$owner" --regid="$(id -g "$owner")" --clear-groups "$@"; fi
}

port_of() {
  case $1 in
    balancer) echo "$port" ;;
    gateway-[123]) echo $((port + ${1#gateway-})) ;;
    db-[123]) echo $((port + 3 + ${1#db-})) ;;
    *) echo "cluster.sh: there is no $1" >&2; exit 2 ;;
  esac
}

pid_of() {
  case $1 in
    db-*) head -n 1 "$data/$1/postmaster.pid" 2>/dev/null ;;
    *) cat "$data/$1.pid" 2>/dev/null ;;
  esac
}

is_running() {
  pid=$(pid_of "$1") && kill -0 "$pid" 2>/dev/null
}

export PGPASSFILE="$data/pgpass"
hosts="host=127.0.0.1,127.0.0.1,127.0.0.1 port=$(port_of db-1),$(port_of db-2),$(port_of db-3) user=postern dbname=postgres"

query() {
  server=$1
  shift
  "$programs/psql" --no-psqlrc --quiet --tuples-only --no-align \
    "host=127.0.0.1 port=$(port_of "$server") user=postern dbname=postgres connect_timeout=2" "$@"
}

# The server that takes writes, if there is one.
primary() {
  for name in $databases; do
    if is_running "$name" && [ "$(query "$name" --command 'SELECT pg_is_in_recovery()' 2>/dev/null)" = f ]; then echo "$name"; fi
  done
}

start_database() {
  name=$1
  other=$(primary)
  if [ -n "$other" ] && [ ! -e "$data/$name/standby.signal" ]; then
    # It was the primary. What it has written and no replica has got is undone; then it follows the new one.
    # pg_rewind reads the new timeline from the control file, where a checkpoint writes it.
    query "$other" --command CHECKPOINT
    as_owner "$programs/pg_rewind" --no-sync --target-pgdata "$data/$name" \
      --source-server "host=127.0.0.1 port=$(port_of "$other") user=postern dbname=postgres"
    as_owner touch "$data/$name/standby.signal"
  fi
  # A commit is acknowledged once one of the other servers has it, and a replica follows whichever server takes writes. The
  # names keep gateways, which receive changes for subscriptions, from counting as standbys.
  as_owner "$programs/pg_ctl" start --pgdata "$data/$name" --wait --silent --log "$data/log/$name" --options "-p $(port_of "$name") \
    -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c wal_level=logical -c hot_standby_feedback=on \
    -c synchronous_standby_names='ANY 1 (db_1, db_2, db_3)' -c wal_receiver_status_interval=100ms -c wal_retrieve_retry_interval=500ms \
    -c cluster_name=$(echo "$name" | tr - _) -c primary_conninfo='$hosts target_session_attrs=read-write connect_timeout=2'"
}

start_gateway() {
  listen=127.0.0.1:$(port_of "$1")
  POSTERN_DATABASE_URL_FILE="$data/database_url" POSTERN_REPLICA_URL_FILE="$data/replica_url" \
    POSTERN_ADMIN_SECRET_FILE="$data/admin_secret" \
    nohup "$postern" serve --config "$here/gateway.toml" --listen "$listen" >> "$data/log/$1" 2>&1 3<&- < /dev/null &
  echo $! > "$data/$1.pid"
  until "$postern" health --ready --listen "$listen" > /dev/null 2>&1; do
    is_running "$1" || { cat "$data/log/$1" >&2; exit 1; }
    sleep 0.1
  done
}

# The file of ../compose with the addresses of this machine.
start_balancer() {
  servers=$(for name in $gateways; do printf '    server %s 127.0.0.1:%s\\n' "$name" "$(port_of "$name")"; done)
  awk -v servers="$servers" -v bind="bind 127.0.0.1:$port" '
    /^resolvers / { skipped = 1 }
    /^$/ { skipped = 0 }
    skipped || /maxconn/ || /^    server gateway-2 / { next }
    /^    server gateway-1 / { printf "%s", servers; next }
    { sub(/bind :8080/, bind); sub(/ resolvers docker init-addr none/, ""); print }
  ' "$here/../compose/haproxy.cfg" > "$data/haproxy.cfg"
  nohup haproxy -db -f "$data/haproxy.cfg" >> "$data/log/balancer" 2>&1 3<&- < /dev/null &
  echo $! > "$data/balancer.pid"
}

start() {
  case $1 in
    db-*) start_database "$1" ;;
    gateway-*) start_gateway "$1" ;;
    balancer) start_balancer ;;
  esac
}

stop_all() {
  trap - EXIT
  for name in balancer $gateways $databases; do
    signal=TERM
    case $name in db-*) signal=QUIT ;; esac
    if is_running "$name"; then kill -s "$signal" "$(pid_of "$name")"; fi
  done
  for name in balancer $gateways $databases; do
    while is_running "$name"; do sleep 0.05; done
  done
  rm -rf "$data"
}

up() {
  mkdir "$data" || { echo "cluster.sh: another cluster runs, or has left its files in $data" >&2; exit 1; }
  trap stop_all EXIT
  trap 'exit 0' INT TERM HUP
  mkdir "$data/log"
  od -An -N24 -tx1 /dev/urandom | tr -d ' \n' > "$data/password"
  od -An -N24 -tx1 /dev/urandom | tr -d ' \n' > "$data/admin_secret"
  echo "*:*:*:postern:$(cat "$data/password")" > "$PGPASSFILE"
  url=postgres://postern:$(cat "$data/password")
  printf '%s@127.0.0.1:%s,127.0.0.1:%s,127.0.0.1:%s/postgres?target_session_attrs=read-write&connect_timeout=2' \
    "$url" "$(port_of db-1)" "$(port_of db-2)" "$(port_of db-3)" > "$data/database_url"
  # All servers: the one that takes writes is left out.
  for name in $databases; do echo "$url@127.0.0.1:$(port_of "$name")/postgres?connect_timeout=2"; done > "$data/replica_url"
  chmod 600 "$data/pgpass" "$data"/*_url "$data/password" "$data/admin_secret"
  chown -R "$owner" "$data"

  as_owner "$programs/initdb" --pgdata "$data/db-1" --username postern --pwfile "$data/password" --auth scram-sha-256 --no-sync \
    > "$data/log/initdb"
  # The first two are for pg_rewind; the machine itself does not crash. All servers have the file.
  printf 'wal_log_hints = on\nwal_keep_size = 512MB\nfsync = off\n' >> "$data/db-1/postgresql.conf"
  start db-1
  # No replica runs yet that could acknowledge.
  PGOPTIONS='-c synchronous_commit=local' query db-1 --file "$here/schema.sql"
  for name in db-2 db-3; do
    as_owner "$programs/pg_basebackup" --pgdata "$data/$name" --checkpoint fast --wal-method stream --no-sync \
      --dbname "host=127.0.0.1 port=$(port_of db-1) user=postern" &
  done
  wait
  for name in db-2 db-3; do
    as_owner touch "$data/$name/standby.signal"
    start "$name"
  done
  for name in $gateways; do start "$name"; done
  start balancer
  until "$postern" health --ready --listen "127.0.0.1:$port" > /dev/null 2>&1; do
    is_running balancer || { cat "$data/log/balancer" >&2; exit 1; }
    sleep 0.1
  done
  echo "ready at http://127.0.0.1:$port, admin secret $(cat "$data/admin_secret"), logs in $data/log"
  exec 3<&0
  cat <&3 > /dev/null &
  wait $!
}

status() {
  for name in $databases $gateways balancer; do
    state=stopped
    if is_running "$name"; then
      state=running
      case $name in db-*) if [ "$(primary)" = "$name" ]; then state=primary; else state=replica; fi ;; esac
    fi
    printf '%-10s %-6s %s\n' "$name" "$(port_of "$name")" "$state"
  done
}

command=${1:-}
name=${2:-}
[ -z "$name" ] || port_of "$name" > /dev/null
case $command,$name in
  up,) up ;;
  status,) status ;;
  # A server of Postgres crashes: its processes end at once, and it recovers when it starts.
  kill,db-*) kill -s QUIT "$(pid_of "$name")" ;;
  kill,?*) kill -s KILL "$(pid_of "$name")" ;;
  start,?*) start "$name" ;;
  promote,db-*) as_owner "$programs/pg_ctl" promote --pgdata "$data/$name" --wait --silent ;;
  *) sed -n '/^#   /s/^#   //p' "$0" >&2; exit 2 ;;
esac
