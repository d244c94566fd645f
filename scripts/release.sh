#!/bin/sh
# Builds target/release/postern with profile-guided optimization: an instrumented build counts how often each branch is taken
# while `training` (bench/src/bin) sends requests, and a second build is optimized with these counts. Arguments are further
# packages to build in the same way. A profile is kept until the instrumented gateway is built again.
set -eu
cd "$(dirname "$0")/.."
llvm_profdata=$(scripts/setup.sh release)

target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/instrumented"
target=$(cd "$target" && pwd)
host=$(rustc -vV | sed -n 's/^host: //p')
instrumented=$target/instrumented/$host/release
counts=$target/instrumented/counts

# `build <flags of the compiler> <arguments of cargo build>`. With a target, because the flags are not for the programs
# that run during the build.
build() {
  flags=$1
  shift
  CARGO_ENCODED_RUSTFLAGS=$flags cargo build --release --locked --target "$host" "$@"
}

build "-Cprofile-generate=$counts" --target-dir "$target/instrumented" --package postern --package handwritten

# The name of a profile changes with its content, because Cargo builds again if a flag changes, not if a file does.
if [ ! "$target/instrumented/profile" -nt "$instrumented/postern" ]; then
  cargo build --release --locked --package bench --bin training
  rm -rf "$counts"
  POSTERN_BIN=$instrumented/postern HANDWRITTEN_BIN=$instrumented/handwritten "$target/release/training"
  rm -f "$target"/instrumented/*.profdata
  "$llvm_profdata" merge --output "$target/instrumented/new.profdata" "$counts"
  name=$(cksum "$target/instrumented/new.profdata" | cut -d ' ' -f 1).profdata
  mv "$target/instrumented/new.profdata" "$target/instrumented/$name"
  printf '%s\n' "$name" > "$target/instrumented/profile"
fi
profile=$target/instrumented/$(cat "$target/instrumented/profile")

packages='--package postern'
for package in "$@"; do
  packages="$packages --package $package"
done
# shellcheck disable=SC2086 # several arguments
build "-Cprofile-use=$profile" --target-dir "$target" $packages
mkdir -p "$target/release"
for program in postern "$@"; do
  # The file may be a hard link to one of Cargo's own, so it is not overwritten.
  rm -f "$target/release/$program"
  cp "$target/$host/release/$program" "$target/release/$program"
done
echo "release: $target/release/postern" >&2
