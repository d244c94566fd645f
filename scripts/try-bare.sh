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
# shellcheck source=scripts/bare-debian.sh
. scripts/bare-debian.sh

folder=${1:-$(mktemp -d)}
rustup=${RUSTUP_HOME:-$HOME/.rustup}
cargo=${CARGO_HOME:-$HOME/.cargo}

# Runs a command in the clone inside the folder.
inside() (
  in_bare "$folder" "$user" "$home" "cd /srv/postern || exit 1
      $1"
)

# Runs one of the two commands, and says how long it took.
try() {
  echo "try-bare: $1" >&2
  start=$(date +%s)
  inside "$2"
  echo "try-bare: $1: $(($(date +%s) - start)) s" >&2
}

make_bare "$suite" "$folder"
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
[ "$home" = /root ] || [ ! -f "$HOME/.npmrc" ] || cp -L "$HOME/.npmrc" "$folder$home/.npmrc"
# Not in `/root`: there the servers of Postgres run as another user, who cannot enter it.
rm -rf "$folder/srv/postern"
git clone --quiet . "$folder/srv/postern"
chroot "$folder" chown -R "$user" "$home" /srv/postern
trap 'unmount_bare "$folder"' EXIT
mount_bare "$folder"

try 'make demo' 'make demo ARGS="--listen 127.0.0.1:8091" > /tmp/demo.out & demo=$!
  while ! grep -q "{" /tmp/demo.out 2>/dev/null; do kill -0 $demo || exit 1; sleep 1; done
  head -n 1 /tmp/demo.out; kill $demo; wait $demo || true'
try 'make test' 'make test'
echo "try-bare: both commands work" >&2
