#!/bin/sh
# Tries `make demo` and `make test` in a bare Debian: a folder made by debootstrap, with a Rust toolchain, `make` and `cc`, and nothing
# else installed. It runs as root, needs debootstrap, and takes three quarters of an hour on two cores. Toolchain, downloaded crates,
# certificates and proxy settings come from this machine; Postgres and the rest are installed inside by the two commands.
# usage: scripts/try-bare.sh [--suite SUITE] [--user] [folder]
#   --suite SUITE   the release of Debian: bookworm (12), trixie (13), by default the stable one
#   --user          an ordinary user with sudo runs the commands; otherwise root does
set -eu
cd "$(dirname "$0")/.."

suite=stable user=root
while [ $# -gt 0 ]; do
  case $1 in
    --suite) suite=$2; shift 2 ;;
    --user) user=developer; shift ;;
    -*) echo "usage: scripts/try-bare.sh [--suite SUITE] [--user] [folder]" >&2; exit 2 ;;
    *) break ;;
  esac
done
if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
  echo "try-bare: run this as root, with debootstrap installed" >&2
  exit 1
fi

folder=${1:-$(mktemp -d)}
rustup=${RUSTUP_HOME:-$HOME/.rustup}
cargo=${CARGO_HOME:-$HOME/.cargo}

# Runs a command in the clone inside the folder. It is a list of its own, so that `$!` in it is the process that it starts.
inside() {
  chroot --userspec="$user" "$folder" env -i HOME="$home" USER="$user" LANG=C.UTF-8 SHELL=/bin/sh \
    PATH="$home/.cargo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
    sh -c "set -a; . /etc/bare-network; set +a; cd /srv/postern || exit 1
      $1"
}

# Runs one of the two commands, and says how long it took.
try() {
  echo "try-bare: $1" >&2
  start=$(date +%s)
  inside "$2"
  echo "try-bare: $1: $(($(date +%s) - start)) s" >&2
}

finish() {
  umount "$folder/proc" "$folder/dev/shm" "$folder/dev/pts" "$folder/dev" 2>/dev/null || true
}

[ -x "$folder/usr/bin/apt-get" ] || debootstrap --variant=minbase "$suite" "$folder"
cp /etc/resolv.conf "$folder/etc/resolv.conf"
for settings in /etc/apt/apt.conf.d/*proxy* /etc/ssl/certs/ca-certificates.crt; do
  if [ -f "$settings" ]; then
    mkdir -p "$folder$(dirname "$settings")"
    cp -L "$settings" "$folder$settings"
  fi
done
env | grep -Ei '^(https?_proxy|no_proxy)=' | sed "s/'/'\\\\''/g; s/=\(.*\)/='\1'/" > "$folder/etc/bare-network" || true
# Debian's package of certificates, which the set-up installs, replaces the copy above by a list without this machine's own.
cp -L "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" "$folder/etc/bare-certificates.crt"
for variable in SSL_CERT_FILE NODE_EXTRA_CA_CERTS CARGO_HTTP_CAINFO npm_config_cafile; do
  echo "$variable=/etc/bare-certificates.crt" >> "$folder/etc/bare-network"
done
# Packages start no services: those would go on in the folder, and keep it mounted.
printf '#!/bin/sh\nexit 101\n' > "$folder/usr/sbin/policy-rc.d"
chmod +x "$folder/usr/sbin/policy-rc.d"
chroot "$folder" apt-get update -qq
chroot "$folder" apt-get install --yes --no-install-recommends make gcc libc6-dev
home=/root
if [ "$user" != root ]; then
  home=/home/$user
  chroot "$folder" apt-get install --yes --no-install-recommends sudo
  chroot "$folder" id "$user" >/dev/null 2>&1 || chroot "$folder" useradd --create-home --shell /bin/sh "$user"
  echo "$user ALL=(ALL) NOPASSWD: ALL" > "$folder/etc/sudoers.d/$user"
  # As on a machine where an administrator has set them for everybody: `sudo` passes no variables on.
  echo 'Defaults env_keep += "http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY SSL_CERT_FILE"' \
    >> "$folder/etc/sudoers.d/$user"
fi
mkdir -p "$folder$home/.cargo" "$folder$home/.rustup"
cp -a "$rustup/." "$folder$home/.rustup/"
for part in bin config.toml registry env; do
  if [ -e "$cargo/$part" ]; then
    cp -a "$cargo/$part" "$folder$home/.cargo/"
  fi
done
[ ! -f "$HOME/.npmrc" ] || cp -L "$HOME/.npmrc" "$folder$home/.npmrc"
# Not in `/root`: there the servers of Postgres run as another user, who cannot enter it.
rm -rf "$folder/srv/postern"
git clone --quiet . "$folder/srv/postern"
chroot "$folder" chown -R "$user" "$home" /srv/postern
trap finish EXIT
mount -t proc proc "$folder/proc"
mount --bind /dev "$folder/dev"
# Otherwise the next mount would also be one of this machine, where mounts are shared.
mount --make-private "$folder/dev"
mkdir -p "$folder/dev/shm"
mount -t tmpfs tmpfs "$folder/dev/shm"
# Tests open terminals.
mount --bind /dev/pts "$folder/dev/pts"

try 'make demo' 'make demo ARGS="--listen 127.0.0.1:8091" > /tmp/demo.out & demo=$!
  while ! grep -q "{" /tmp/demo.out 2>/dev/null; do kill -0 $demo || exit 1; sleep 1; done
  head -n 1 /tmp/demo.out; kill $demo; wait $demo || true'
try 'make test' 'make test'
echo "try-bare: both commands work" >&2
