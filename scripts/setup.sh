#!/bin/sh
# Looks for what the build and a private Postgres cluster need, and installs what is missing: a linker, and the programs
# of Postgres. `setup.sh tests` also looks for the programs of others that the tests run (the table below) and for the extensions
# of Postgres that they use, and writes the folders of those programs that have to be found first to standard output, as the
# beginning of a search path. `setup.sh release` also looks for an `llvm-profdata` that can read the profiles of this compiler's
# programs, and writes its name or path to standard output; on Linux a second line has the folder with `cargo zigbuild` and zig,
# which link for old C libraries and other architectures. Says what it does on standard error; says nothing there when nothing is
# missing. Runs as root and as an ordinary user.
set -eu

purpose=${1:-}

# The oldest version of Postgres that Postern supports.
oldest_postgres=13

# The other programs that the tests run: the oldest version that does, Homebrew's package, and Debian's packages. Node comes
# from npm (tests/node) where the machine's is older, as that of Debian 12 is.
programs_of_tests="
chromium      115    -          chromium fonts-dejavu-core
openssl       3.0    openssl    openssl
redis-server  6.2    redis      redis-server
pgbouncer     1.18   pgbouncer  pgbouncer
haproxy       2.6    haproxy    haproxy
"
oldest_node=20.19

# The version that a program reports, such as `7.0.15`; nothing if it cannot be run.
version_of() {
  case $1 in
    openssl) option=version ;;
    haproxy) option=-v ;;
    *) option=--version ;;
  esac
  PATH="$PATH:/usr/sbin:/usr/local/sbin" "$1" "$option" 2>/dev/null | sed -n 's/^[^0-9]*\([0-9][0-9.]*\).*/\1/p' | head -n 1
}

# Whether the second version is the first one or newer.
is_at_least() {
  [ -n "$2" ] && [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

# Every folder with the programs of a supported Postgres, in the order of `demo/cluster/src/binaries.rs`, the newest version first.
postgres_folders() (
  IFS=:
  {
    printf '%s\n' $PATH "$(pg_config --bindir 2>/dev/null)"
    unset IFS
    ls -d /usr/lib/postgresql/*/bin /opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin \
      /usr/pgsql-*/bin /Applications/Postgres.app/Contents/Versions/*/bin 2>/dev/null | sort -rV
  } | while read -r folder; do
    if [ -x "$folder/postgres" ] && [ -x "$folder/initdb" ] && is_at_least "$oldest_postgres" "$(version_of "$folder/postgres")"; then
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

# zig and `cargo zigbuild`, from PyPI, in an environment of their own.
install_zig() {
  folder=${CARGO_TARGET_DIR:-target}/zig
  versions="ziglang==0.17.1 cargo-zigbuild==0.24.1"
  if [ "$(cat "$folder/versions" 2>/dev/null)" != "$versions" ]; then
    python3 -c 'import ensurepip' 2>/dev/null || install_packages python3-venv
    echo "setup: installing zig and cargo-zigbuild" >&2
    python3 -m venv "$folder" >&2
    # shellcheck disable=SC2086 # A list of packages.
    "$folder/bin/pip" install --quiet --disable-pip-version-check $versions >&2
    printf '%s\n' "$versions" > "$folder/versions"
  fi
  (cd "$folder/bin" && pwd)
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

# Chromium's program, wherever it is (`tests/browser/browser.mjs`).
chromium_program() {
  for program in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
    if [ -n "$program" ] && command -v "$program" >/dev/null; then
      printf '%s\n' "$program"
      return
    fi
  done
  echo chromium
}

# The version of one of `programs_of_tests`.
version_of_program() {
  if [ "$1" = chromium ]; then version_of "$(chromium_program)"; else version_of "$1"; fi
}

# Installs the packages that have a program in this version or a newer one, unless the machine has it: `program version
# Homebrew's Debian's …`. Names what is still missing.
install_program() {
  program=$1 oldest=$2 homebrew=$3
  shift 3
  is_at_least "$oldest" "$(version_of_program "$program")" && return
  if ! command -v apt-get >/dev/null; then set -- "$homebrew"; fi
  if [ "$1" != - ]; then install_packages "$@" || true; fi
  found=$(version_of_program "$program")
  is_at_least "$oldest" "$found" && return
  echo "setup: the tests need $program $oldest or newer; this machine has ${found:-none}, and its packages no newer one" >&2
  return 1
}

# Installs the npm packages of a folder of `tests`, again when another version is wanted.
install_npm_packages() {
  [ "$1/node_modules/.package-lock.json" -nt "$1/package-lock.json" ] && return
  echo "setup: installing npm's packages of tests/$(basename "$1")" >&2
  (cd "$1" && npm ci --no-audit --no-fund --loglevel error >&2 && touch node_modules/.package-lock.json)
}

# The folder of the Node that comes from npm.
node_folder() {
  for folder in "$(cd "$(dirname "$0")/../tests/node" && pwd)"/node_modules/node-*/bin; do printf '%s\n' "$folder"; done
}

# Node, npm, and the npm packages that tests run. A Node of npm is used for the tests alone: the system's npm goes on with its own.
install_node() {
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    if command -v apt-get >/dev/null; then install_packages nodejs npm; else install_packages node; fi
  fi
  if ! is_at_least "$oldest_node" "$(version_of node)"; then
    install_npm_packages "$(dirname "$0")/../tests/node"
    if ! is_at_least "$oldest_node" "$(version_of "$(node_folder)/node")"; then
      echo "setup: the tests need node $oldest_node or newer; this machine has $(version_of node), and npm has none for it" >&2
      return 1
    fi
  fi
  for list in "$(dirname "$0")"/../tests/*/package-lock.json; do
    folder=$(dirname "$list")
    if [ "$(basename "$folder")" != node ]; then install_npm_packages "$folder"; fi
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
  if [ "$(uname)" = Linux ]; then install_zig; fi
fi

if [ "$purpose" = tests ]; then
  install_node
  folder=$(folder_with_extensions)
  if [ -z "$folder" ]; then
    install_extensions
    folder=$(folder_with_extensions)
  fi
  if [ -z "$folder" ]; then
    echo "setup: PostGIS was not found for the programs of Postgres in:" $(postgres_folders) >&2
    exit 1
  fi
  missing=
  while read -r program packages; do
    # shellcheck disable=SC2086 # A version and names of packages.
    [ -z "$program" ] || install_program "$program" $packages </dev/null || missing="$missing $program"
  done <<PROGRAMS
$programs_of_tests
PROGRAMS
  # Tests with PgBouncer or HAProxy are skipped without them; others would fail.
  for program in $missing; do
    case $program in
      pgbouncer | haproxy) echo "setup: the tests with $program are skipped" >&2 ;;
      *) exit 1 ;;
    esac
  done
  "$(dirname "$0")/pgbouncer.sh"
  # A test makes a wheel and installs it.
  if ! python3 -m pip --version >/dev/null 2>&1; then
    if command -v apt-get >/dev/null; then install_packages python3-pip; else install_packages python3; fi
  fi
  # The walk-throughs of the documentation call curl.
  command -v curl >/dev/null || install_packages curl
  install_process_programs
  if is_at_least "$oldest_node" "$(version_of node)"; then
    printf '%s\n' "$folder"
  else
    printf '%s:%s\n' "$folder" "$(node_folder)"
  fi
fi
