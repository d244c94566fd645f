#!/bin/sh
# Runs the tests with the programs of another version of Postgres, which scripts/setup.sh installs from npm into
# tests/postgres: all of them, with `core` the golden cases, the catalog, judges, mutations and faults, or with `golden` the
# golden cases.
set -eu
cd "$(dirname "$0")/.."

version=$1
part=${2:-all}
target=${CARGO_TARGET_DIR:-target}
found=$(scripts/setup.sh tests)
programs=$PWD/tests/postgres/node_modules/postgres-$version/native/bin
if [ ! -x "$programs/postgres" ]; then
  echo "skipped: npm has no programs of Postgres $version for this machine" >&2
  [ "$part" != all ]
  exit
fi
PATH="$programs:$found:$PATH"
export PATH
echo "with $(postgres --version)" >&2

cargo build --workspace --bins
tests=""
case $part in
  all | golden) ;;
  core) tests="catalog judge mutation_judge mutation_rules hidden_rows transactions violations upserts" ;;
  *) echo "usage: test-postgres.sh VERSION [all|core|golden]" >&2; exit 2 ;;
esac
if cargo nextest --version >/dev/null 2>&1; then
  filter="binary(=golden)$(for test in $tests; do printf ' | test(/^%s::/)' "$test"; done)"
  [ "$part" != all ] || filter="all()"
  exec "$target/debug/with-cluster" cargo nextest run --workspace -E "$filter"
fi
[ "$part" != all ] || exec "$target/debug/with-cluster" cargo test --workspace --no-fail-fast --lib --bins --tests
"$target/debug/with-cluster" cargo test --workspace --no-fail-fast --test golden
[ -z "$tests" ] || "$target/debug/with-cluster" cargo test --workspace --no-fail-fast --test all -- $(printf '%s:: ' $tests)
