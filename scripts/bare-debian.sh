#!/bin/sh
# Bare machines: folders made by debootstrap, with this machine's way to the network. For scripts that run as root and source
# this file.

# `make_bare <suite> <folder>`: a release of Debian in a folder, unless it is there.
make_bare() {
  if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
    echo "$(basename "$0"): run this as root, with debootstrap installed" >&2
    exit 1
  fi
  [ -x "$2/usr/bin/apt-get" ] || debootstrap --variant=minbase "$1" "$2" >&2
  cp /etc/resolv.conf "$2/etc/resolv.conf"
  for settings in /etc/apt/apt.conf.d/*proxy* /etc/ssl/certs/ca-certificates.crt; do
    if [ -f "$settings" ]; then
      mkdir -p "$2$(dirname "$settings")"
      cp -L "$settings" "$2$settings"
    fi
  done
  [ ! -f "$HOME/.npmrc" ] || cp -L "$HOME/.npmrc" "$2/root/.npmrc"
  env | grep -Ei '^(https?_proxy|no_proxy)=' | sed "s/'/'\\\\''/g; s/=\(.*\)/='\1'/" > "$2/etc/bare-network" || true
  # Debian's package of certificates replaces the copy above by a list without this machine's own.
  cp -L "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" "$2/etc/bare-certificates.crt"
  for variable in SSL_CERT_FILE NODE_EXTRA_CA_CERTS CARGO_HTTP_CAINFO npm_config_cafile; do
    echo "$variable=/etc/bare-certificates.crt" >> "$2/etc/bare-network"
  done
  # Packages start no services: those would go on in the folder, and keep it mounted.
  printf '#!/bin/sh\nexit 101\n' > "$2/usr/sbin/policy-rc.d"
  chmod +x "$2/usr/sbin/policy-rc.d"
  chroot "$2" apt-get update -qq
}

# `mount_bare <folder>`: what programs expect of the kernel.
mount_bare() {
  mount -t proc proc "$1/proc"
  mount --bind /dev "$1/dev"
  # Otherwise the next mount would also be one of this machine, where mounts are shared.
  mount --make-private "$1/dev"
  mkdir -p "$1/dev/shm"
  mount -t tmpfs tmpfs "$1/dev/shm"
  # Tests open terminals.
  mount --bind /dev/pts "$1/dev/pts"
}

unmount_bare() {
  umount --lazy "$1/proc" "$1/dev/shm" "$1/dev/pts" "$1/dev" 2>/dev/null || true
}

# `in_bare <folder> <user> <home> <script>`: runs a script there, with the network. It replaces a subshell, so that `$!` of one in
# the background is the process that it starts.
in_bare() {
  exec chroot --userspec="$2" "$1" env -i HOME="$3" USER="$2" LANG=C.UTF-8 SHELL=/bin/sh \
    PATH="$3/.cargo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
    sh -c "set -a; . /etc/bare-network; set +a; $4"
}
