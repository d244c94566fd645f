#!/bin/sh
# Tries `make demo` and `make test` in a bare Debian: a folder made by debootstrap with a Rust toolchain and `make`, nothing else. It
# runs as root, needs debootstrap, and takes half an hour on two cores. The toolchain, and crates that were downloaded before, come
# from this machine. usage: scripts/try-bare.sh [folder]
set -eu
cd "$(dirname "$0")/.."

folder=${1:-$(mktemp -d)}
mirror=${MIRROR:-}
rustup=${RUSTUP_HOME:-$HOME/.rustup}
cargo=${CARGO_HOME:-$HOME/.cargo}

if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
  echo "try-bare: run this as root, with debootstrap installed" >&2
  exit 1
fi

inside() {
  chroot "$folder" env -i HOME=/root PATH=/root/.cargo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    sh -c "cd /root/postern && $1"
}

finish() {
  umount "$folder/proc" "$folder/dev/shm" "$folder/dev" 2>/dev/null || true
}

[ -x "$folder/usr/bin/apt-get" ] || debootstrap --variant=minbase stable "$folder" $mirror
cp /etc/resolv.conf "$folder/etc/resolv.conf"
# How this machine reaches the archive, where it is set.
for set in /etc/apt/apt.conf.d/*proxy* /etc/pip.conf /root/.npmrc; do
  [ -f "$set" ] && mkdir -p "$folder$(dirname "$set")" && cp "$set" "$folder$set"
done
chroot "$folder" apt-get update -qq
chroot "$folder" apt-get install --yes --no-install-recommends make ca-certificates
mkdir -p "$folder/root/.cargo" "$folder/root/.rustup"
cp -a "$rustup/." "$folder/root/.rustup/"
for part in bin config.toml registry env; do
  [ -e "$cargo/$part" ] && cp -a "$cargo/$part" "$folder/root/.cargo/"
done
rm -rf "$folder/root/postern"
git clone --quiet . "$folder/root/postern"
trap finish EXIT
mount -t proc proc "$folder/proc"
mount --bind /dev "$folder/dev"
mount -t tmpfs tmpfs "$folder/dev/shm"

echo "try-bare: make demo" >&2
inside 'make demo ARGS="--listen 127.0.0.1:8091" > /root/demo.out & demo=$!
  while ! grep -q "{" /root/demo.out; do kill -0 $demo || exit 1; sleep 1; done
  head -n 1 /root/demo.out; kill $demo; wait $demo || true'
echo "try-bare: make test" >&2
inside 'make test'
echo "try-bare: both commands work" >&2
