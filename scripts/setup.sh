#!/bin/sh
# Looks for what the build and a private Postgres cluster need, and installs what is missing: a linker, and the programs
# of Postgres. `setup.sh tests` also looks for the extensions that the tests use, PostGIS and those that come with Postgres,
# and writes the folder of the programs that have them to standard output; for the programs of others that tests run by Node; and for
# Chromium, Redis, PgBouncer, HAProxy, openssl, ps and kill. `setup.sh release` also looks for an `llvm-profdata` that can read
# the profiles of this compiler's programs, and writes its name or path to standard output. Says what it does on standard error; says nothing there when all is there. Runs as root and as an ordinary user.
set -eu

purpose=${1:-}

# Every folder with the programs of Postgres, in the order of `demo/cluster/src/binaries.rs`, the newest version first.
postgres_folders() (
  IFS=:
  {
    printf '%s\n' $PATH "$(pg_config --bindir 2>/dev/null)"
    unset IFS
    ls -d /usr/lib/postgresql/*/bin /opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin \
      /usr/pgsql-*/bin /Applications/Postgres.app/Contents/Versions/*/bin 2>/dev/null | sort -rV
  } | while read -r folder; do
    if [ -x "$folder/postgres" ] && [ -x "$folder/initdb" ]; then
      printf '%s\n' "$folder"
    fi
  done
)

has_postgres() {
  [ -n "$(postgres_folders)" ]
}

# Whether an extension belongs to the programs in a folder.
has_extension() {
  share=$("$1/pg_config" --sharedir 2>/dev/null) || share=
  for share in "$share" "$(printf '%s\n' "$1" | sed -n 's|^/usr/lib/\(postgresql/[^/]*\)/bin$|/usr/share/\1|p')" \
    "$1/../share/postgresql" "$1/../share"; do
    [ -f "$share/extension/$2.control" ] && return 0
  done
  return 1
}

# The first folder whose programs have all that the tests use.
folder_with_extensions() {
  postgres_folders | while read -r folder; do
    if has_extension "$folder" postgis && has_extension "$folder" postgis_raster && has_extension "$folder" ltree; then
      printf '%s\n' "$folder"
      break
    fi
  done
}

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

# The version of LLVM in the compiler.
llvm_version() {
  rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p'
}

# The first `llvm-profdata` of the compiler's version of LLVM or a newer one.
profdata() {
  host=$(rustc -vV | sed -n 's/^host: //p')
  wanted=$(llvm_version)
  for program in "$(rustc --print sysroot)/lib/rustlib/$host/bin/llvm-profdata" "llvm-profdata-$wanted" \
    "/usr/lib/llvm-$wanted/bin/llvm-profdata" llvm-profdata; do
    version=$("$program" merge --version 2>/dev/null | sed -n 's/.*LLVM version \([0-9]*\).*/\1/p')
    if [ "${version:-0}" -ge "$wanted" ]; then
      printf '%s\n' "$program"
      return
    fi
  done
  return 1
}

# Tests and benchmarks send signals, tests list processes. A shell has a `kill` of its own, which other programs cannot run.
install_process_programs() {
  if ! command -v ps >/dev/null || ! env kill -l >/dev/null 2>&1; then
    install_packages procps
  fi
}

# PostGIS for the version of the programs that are found first; Homebrew's is for the versions that it chooses itself.
install_extensions() {
  version=$("$(postgres_folders | head -n 1)/postgres" --version | sed 's/.* \([0-9][0-9]*\).*/\1/')
  if command -v apt-get >/dev/null; then
    install_packages "postgresql-$version" "postgresql-$version-postgis-3" "postgresql-$version-postgis-3-scripts"
  else
    install_packages postgis
  fi
}

# The packages of npm that tests run: those of each folder of `tests` that has a list of them. They are installed again when
# another version is wanted.
install_npm_packages() {
  for list in "$(dirname "$0")"/../tests/*/package-lock.json; do
    folder=$(dirname "$list")
    [ "$folder/node_modules/.package-lock.json" -nt "$list" ] && continue
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
      if command -v apt-get >/dev/null; then install_packages nodejs npm; else install_packages node; fi
    fi
    echo "setup: installing npm's packages of tests/$(basename "$folder")" >&2
    (cd "$folder" && npm ci --no-audit --no-fund --loglevel error >&2 && touch node_modules/.package-lock.json)
  done
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

if [ "$purpose" = release ]; then
  program=$(profdata) || {
    echo "setup: installing llvm-profdata" >&2
    rustup component add llvm-tools >&2 || install_packages "llvm-$(llvm_version)" || true
    program=$(profdata) || {
      echo "setup: there is no llvm-profdata of version $(llvm_version); try \`rustup component add llvm-tools\`" >&2
      exit 1
    }
  }
  install_process_programs
  printf '%s\n' "$program"
fi

if [ "$purpose" = tests ]; then
  install_npm_packages
  folder=$(folder_with_extensions)
  if [ -z "$folder" ]; then
    install_extensions
    folder=$(folder_with_extensions)
  fi
  if [ -z "$folder" ]; then
    echo "setup: PostGIS was not found for the programs of Postgres in:" $(postgres_folders) >&2
    exit 1
  fi
  # The widgets are tested in Chromium, wherever it is (`tests/browser/browser.mjs`).
  if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null && ! command -v google-chrome >/dev/null \
    && [ -z "${CHROMIUM:-}" ]; then
    if command -v apt-get >/dev/null; then install_packages chromium fonts-dejavu-core; else
      echo "setup: please install Chromium, and set CHROMIUM to its program" >&2
    fi
  fi
  # The tests start Redis on ports of their own.
  if ! command -v redis-server >/dev/null; then
    if command -v apt-get >/dev/null; then install_packages redis-server; else install_packages redis; fi
  fi
  # Programs between the gateway and others: the tests start them on ports of their own. Debian keeps them in `sbin`.
  for program in pgbouncer haproxy; do
    if ! PATH="$PATH:/usr/sbin:/usr/local/sbin" command -v "$program" >/dev/null; then
      install_packages "$program" || echo "setup: there is no $program; its tests are skipped" >&2
    fi
  done
  "$(dirname "$0")/pgbouncer.sh"
  # Tests make certificates with openssl; the walk-throughs of the documentation call curl.
  for program in openssl curl; do
    command -v "$program" >/dev/null || install_packages "$program"
  done
  install_process_programs
  printf '%s\n' "$folder"
fi
