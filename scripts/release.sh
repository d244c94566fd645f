#!/bin/sh
# Builds target/release/postern with profile-guided optimization: an instrumented build counts how often each branch is taken
# while `training` (bench/src/bin) sends requests, and a second build is optimized with these counts. Functions that seldom
# ran are built for size. On Linux the second build is linked by zig, so that it runs with glibc 2.17 and newer ones. A profile
# is kept until the instrumented gateway is built again.
# usage: scripts/release.sh [--cross] [program …]
#   --cross   also builds the gateway for Linux on the other architecture, by the same counts; prints the paths of both binaries
#   program   a further program to copy to target/release
set -eu
cd "$(dirname "$0")/.."
cross=
if [ "${1:-}" = --cross ]; then
  cross=yes
  shift
fi
tools=$(scripts/setup.sh release)
llvm_profdata=$(printf '%s\n' "$tools" | sed -n 1p)
zig_folder=$(printf '%s\n' "$tools" | sed -n 2p)
PATH=$zig_folder${zig_folder:+:}$PATH
export PATH

target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/instrumented"
target=$(cd "$target" && pwd)
host=$(rustc -vV | sed -n 's/^host: //p')
instrumented=$target/instrumented/$host/release
counts=$target/instrumented/counts
separator=$(printf '\037')

# The oldest C library that the release runs with: that of RHEL 7. Debian 11 has 2.31.
glibc=2.17

RUSTC_WRAPPER=$PWD/scripts/rustc-of-release.sh
export RUSTC_WRAPPER

# `build <flags of the compiler> <command of Cargo> <target> <target folder> <program> …`; $separator stands between flags. With a
# target, because the flags are not for the programs that run during the build. All builds have the same packages, whichever
# programs they make: the features of a crate are what all of them need, the names of functions depend on the features, and the
# compiler finds counts by these names.
build() {
  flags=$1 command=$2 built_for=$3 folder=$4
  shift 4
  for program; do
    shift
    set -- "$@" --bin "$program"
  done
  CARGO_ENCODED_RUSTFLAGS=$flags cargo "$command" --release --locked --package postern --package handwritten \
    --target "$built_for" --target-dir "$folder" "$@"
}

# zig cannot link the counters; this build runs on this machine alone.
build "-Cprofile-generate=$counts" build "$host" "$target/instrumented" postern "$@"

has_profile() {
  for program; do
    [ "$target/instrumented/profile" -nt "$instrumented/$program" ] || return
  done
}

# The name of a profile changes with its content, because Cargo builds again if a flag changes, not if a file does.
if ! has_profile postern "$@"; then
  cargo build --locked --package bench --bin training
  rm -rf "$counts"
  POSTERN_BIN=$instrumented/postern HANDWRITTEN_BIN=$instrumented/handwritten "$target/debug/training"
  rm -f "$target"/instrumented/*.profdata "$target"/instrumented/*.csv
  "$llvm_profdata" merge --output "$target/instrumented/new.profdata" "$counts"
  name=$(cksum "$target/instrumented/new.profdata" | cut -d ' ' -f 1).profdata
  mv "$target/instrumented/new.profdata" "$target/instrumented/$name"
  printf '%s\n' "$name" > "$target/instrumented/profile"
fi
profile=$target/instrumented/$(cat "$target/instrumented/profile")

# A line `<function>,minsize` for each function no part of which ran a thousand times.
seldom=${profile%.profdata}.csv
if [ ! -e "$seldom" ]; then
  "$llvm_profdata" show --all-functions --counts --output "$target/instrumented/counts.txt" "$profile"
  awk '
    /^  [^ ].*:$/ {
      name = $0
      gsub(/^  (.*;)?|:$/, "", name)
    }
    /^    Block counts:/ {
      gsub(/^[^[]*\[|\]/, "")
      split($0, counts, ", ")
      most[name] += 0
      for (block in counts) if (counts[block] + 0 > most[name]) most[name] = counts[block] + 0
    }
    END { for (name in most) if (most[name] < 1000) print name ",minsize" }
  ' "$target/instrumented/counts.txt" > "$seldom.new"
  mv "$seldom.new" "$seldom"
fi

# `optimize <target> <program> …`: the second build.
optimize() {
  optimized_for=$1 tool=build
  shift
  case $optimized_for in *-linux-gnu) optimized_for=$optimized_for.$glibc tool=zigbuild ;; esac
  build "-Cprofile-use=$profile$separator-Cllvm-args=-forceattrs-csv-path=$seldom" "$tool" "$optimized_for" "$target" "$@"
}

optimize "$host" postern "$@"
mkdir -p "$target/release"
for program in postern "$@"; do
  # The file may be a hard link to one of Cargo's own, so it is not overwritten.
  rm -f "$target/release/$program"
  cp "$target/$host/release/$program" "$target/release/$program"
done
echo "release: $target/release/postern" >&2

if [ -n "$cross" ]; then
  case $host in
    x86_64-*) other=aarch64-unknown-linux-gnu ;;
    *) other=x86_64-unknown-linux-gnu ;;
  esac
  rustup target add "$other" >&2
  optimize "$other" postern
  printf '%s\n' "$target/release/postern" "$target/$other/release/postern"
fi
