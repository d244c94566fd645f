#!/bin/sh
# Looks for what the build and a private Postgres cluster need, and installs what is missing: a linker, and the programs
# of Postgres. Says what it does on standard error; says nothing when all is there. Runs as root and as an ordinary user.
set -eu

# Looks where `gateway/src/cluster/binaries.rs` looks.
has_postgres() (
  IFS=:
  for folder in $PATH "$(pg_config --bindir 2>/dev/null)" \
    /usr/lib/postgresql/*/bin /opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin \
    /usr/pgsql-*/bin /Applications/Postgres.app/Contents/Versions/*/bin; do
    [ -x "$folder/postgres" ] && [ -x "$folder/initdb" ] && exit 0
  done
  exit 1
)

has_linker() {
  command -v cc >/dev/null
}

# A command as root.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "setup: \`$*\` has to be run as root, and there is no sudo" >&2
    return 1
  fi
}

# A package's services may start; they are left alone. Nothing here uses the default ports.
install_packages() {
  echo "setup: installing $*" >&2
  if command -v apt-get >/dev/null; then
    as_root apt-get update -qq >&2 || echo "setup: the package lists could not be renewed; going on" >&2
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$@" >&2
  elif command -v brew >/dev/null; then
    brew install "$@" >&2
  else
    echo "setup: there is neither apt-get nor brew; please install by hand: $*" >&2
    return 1
  fi
}

case $(uname) in
  Darwin) postgres=postgresql@17 ;;
  *) postgres=postgresql ;;
esac

if ! command -v cargo >/dev/null; then
  echo "setup: there is no \`cargo\`; install Rust first: https://rustup.rs" >&2
  exit 1
fi

if ! has_linker; then
  case $(uname) in
    Darwin) echo "setup: there is no \`cc\`; run \`xcode-select --install\`" >&2; exit 1 ;;
    *) install_packages gcc libc6-dev ;;
  esac
fi

if ! has_postgres; then
  install_packages "$postgres"
  has_postgres || { echo "setup: the programs of Postgres are still not found" >&2; exit 1; }
fi
