#!/bin/sh
# Tries `make demo` and `make test` in a bare Debian: a folder made by debootstrap, with a Rust toolchain and `make`, and nothing else
# installed. It runs as root, needs debootstrap, and takes half an hour on two cores. Toolchain, downloaded crates, certificates and
# proxy settings come from this machine; Postgres, gcc and the rest are installed inside by the two commands.
# usage: scripts/try-bare.sh [folder]
set -eu
cd "$(dirname "$0")/.."

if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
  echo "try-bare: run this as root, with debootstrap installed" >&2
  exit 1
fi

folder=${1:-$(mktemp -d)}
rustup=${RUSTUP_HOME:-$HOME/.rustup}
cargo=${CARGO_HOME:-$HOME/.cargo}

# Runs a command in the clone inside the folder. It is a list of its own, so that `$!` in it is the process that it starts.
inside() {
  chroot "$folder" env -i HOME=/root LANG=C.UTF-8 SHELL=/bin/sh \
    PATH=/root/.cargo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    sh -c "set -a; . /root/network; set +a; cd /srv/postern || exit 1
      $1"
}

finish() {
  umount "$folder/proc" "$folder/dev/shm" "$folder/dev/pts" "$folder/dev" 2>/dev/null || true
}

[ -x "$folder/usr/bin/apt-get" ] || debootstrap --variant=minbase stable "$folder"
cp /etc/resolv.conf "$folder/etc/resolv.conf"
for settings in /etc/apt/apt.conf.d/*proxy* /etc/ssl/certs/ca-certificates.crt "$HOME/.npmrc"; do
  if [ -f "$settings" ]; then
    mkdir -p "$folder$(dirname "$settings")"
    cp -L "$settings" "$folder$settings"
  fi
done
env | grep -Ei '^(https?_proxy|no_proxy)=' | sed "s/'/'\\\\''/g; s/=\(.*\)/='\1'/" > "$folder/root/network" || true
# Debian's package of certificates, which the set-up installs, replaces the copy above by a list without this machine's own.
cp -L "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" "$folder/root/certificates.crt"
for variable in SSL_CERT_FILE NODE_EXTRA_CA_CERTS CARGO_HTTP_CAINFO npm_config_cafile; do
  echo "$variable=/root/certificates.crt" >> "$folder/root/network"
done
# Packages start no services: those would go on in the folder, and keep it mounted.
printf '#!/bin/sh\nexit 101\n' > "$folder/usr/sbin/policy-rc.d"
chmod +x "$folder/usr/sbin/policy-rc.d"
chroot "$folder" apt-get update -qq
chroot "$folder" apt-get install --yes --no-install-recommends make
mkdir -p "$folder/root/.cargo" "$folder/root/.rustup"
cp -a "$rustup/." "$folder/root/.rustup/"
for part in bin config.toml registry env; do
  if [ -e "$cargo/$part" ]; then
    cp -a "$cargo/$part" "$folder/root/.cargo/"
  fi
done
# Not in `/root`: the servers of Postgres run as another user, who cannot enter it.
rm -rf "$folder/srv/postern"
git clone --quiet . "$folder/srv/postern"
trap finish EXIT
mount -t proc proc "$folder/proc"
mount --bind /dev "$folder/dev"
# Otherwise the next mount would also be one of this machine, where mounts are shared.
mount --make-private "$folder/dev"
mkdir -p "$folder/dev/shm"
mount -t tmpfs tmpfs "$folder/dev/shm"
# Tests open terminals.
mount --bind /dev/pts "$folder/dev/pts"

echo "try-bare: make demo" >&2
inside 'make demo ARGS="--listen 127.0.0.1:8091" > /root/demo.out & demo=$!
  while ! grep -q "{" /root/demo.out 2>/dev/null; do kill -0 $demo || exit 1; sleep 1; done
  head -n 1 /root/demo.out; kill $demo; wait $demo || true'
echo "try-bare: make test" >&2
inside 'make test'
echo "try-bare: both commands work" >&2
