#!/bin/sh
# Installs a PgBouncer that keeps prepared statements (1.21 or newer) beside the system's older one, for the tests alone:
# Debian 13's packages, unpacked into tests/pgbouncer/installed with the libraries that they need. Changes nothing else.
# Says why where that is not possible; the tests then run with the system's PgBouncer alone.
set -eu
cd "$(dirname "$0")/../tests/pgbouncer"

[ -x installed/pgbouncer ] && exit 0
pgbouncer=$(command -v pgbouncer || echo /usr/sbin/pgbouncer)
case $("$pgbouncer" --version 2>/dev/null | head -n 1) in
  "PgBouncer 1.1"*|"PgBouncer 1.20"*) ;;
  *) exit 0 ;;
esac
keys=/usr/share/keyrings/debian-archive-keyring.gpg
archive=
if command -v apt-get >/dev/null; then
  # Where this machine takes Debian's packages from.
  archive=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -n 1)
fi
if [ -z "$archive" ] || [ "$(dpkg --print-architecture)" != amd64 ] || [ ! -f "$keys" ]; then
  echo "setup: PgBouncer 1.24 comes from Debian's packages for amd64; its tests are skipped" >&2
  exit 0
fi

echo "setup: unpacking PgBouncer 1.24 of Debian 13 for the tests" >&2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/debs" "$folder/root"
echo "deb [signed-by=$keys] $archive trixie main" > "$folder/sources.list"
apt() {
  apt-get -qq -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$folder/lists" -o Dir::Cache="$folder/cache" -o Dir::State::status=/dev/null \
    -o APT::Sandbox::User=root "$@" >&2
}
packages="pgbouncer libc6 libcares2 libevent-2.1-7t64 libpam0g libssl3t64 libsystemd0 libcap2 libaudit1 libcap-ng0 libzstd1
  zlib1g libgcc-s1 liblzma5 liblz4-1 libgcrypt20 libgpg-error0"
if ! (apt update && cd "$folder/debs" && apt download $packages); then
  echo "setup: Debian 13's packages cannot be fetched; the tests with PgBouncer 1.24 are skipped" >&2
  exit 0
fi
for package in "$folder"/debs/*.deb; do
  dpkg -x "$package" "$folder/root"
done
rm -rf installed
mkdir installed
cp -a "$folder/root/usr/lib/x86_64-linux-gnu" installed/lib
cp "$folder/root/usr/sbin/pgbouncer" installed/program
# With Debian 13's own loader: the system's C library may be older than what the program was built with.
cat > installed/pgbouncer <<'START'
#!/bin/sh
here=$(dirname "$0")
exec "$here/lib/ld-linux-x86-64.so.2" --library-path "$here/lib" "$here/program" "$@"
START
chmod -R a+rX installed
chmod +x installed/pgbouncer
installed/pgbouncer --version | head -n 1 >&2
