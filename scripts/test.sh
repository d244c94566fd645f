#!/bin/sh
# Every test: documentation examples first, then all others in one private Postgres cluster, so that the last lines are the
# summary of the test runner. Uses cargo-nextest where it is installed.
set -eu
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}

# First on the path, so that the clusters of the tests are made by the programs that PostGIS belongs to.
programs=$(scripts/setup.sh tests)
PATH="$programs:$PATH"
export PATH

# All of the workspace in each step: a part of it would build shared dependencies a second time, with fewer features.
cargo build --workspace --bins
cargo test --workspace --doc --quiet
if cargo nextest --version >/dev/null 2>&1; then
  "$target/debug/with-cluster" cargo nextest run --workspace
else
  "$target/debug/with-cluster" cargo test --workspace --lib --bins --tests --no-fail-fast
fi

# The golden cases with the other supported versions, as far as npm has their programs for this machine.
for version in 13 14 16 17 18; do
  scripts/test-postgres.sh "$version" golden
done
