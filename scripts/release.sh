#!/bin/sh
# Builds target/release/postern with profile-guided optimization: an instrumented build counts how often each branch is taken
# while `training` (bench/src/bin) sends requests, and a second build is optimized with these counts. Functions that seldom
# ran are built for size. Arguments are further programs to copy to target/release. A profile is kept until the instrumented
# gateway is built again.
set -eu
cd "$(dirname "$0")/.."
llvm_profdata=$(scripts/setup.sh release)

target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/instrumented"
target=$(cd "$target" && pwd)
host=$(rustc -vV | sed -n 's/^host: //p')
instrumented=$target/instrumented/$host/release
counts=$target/instrumented/counts
separator=$(printf '\037')

# `build <flags of the compiler> <target folder>`; $separator stands between flags. With a target, because the flags are not
# for the programs that run during the build. Both builds have the same packages: the features of a crate are what all of
# them need, the names of functions depend on the features, and the compiler finds counts by these names.
build() {
  CARGO_ENCODED_RUSTFLAGS=$1 cargo build --release --locked --target "$host" --target-dir "$2" \
    --package postern --package handwritten
}

build "-Cprofile-generate=$counts" "$target/instrumented"

# The name of a profile changes with its content, because Cargo builds again if a flag changes, not if a file does.
if [ ! "$target/instrumented/profile" -nt "$instrumented/postern" ]; then
  cargo build --release --locked --package bench --bin training
  rm -rf "$counts"
  POSTERN_BIN=$instrumented/postern HANDWRITTEN_BIN=$instrumented/handwritten "$target/release/training"
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

RUSTC_WRAPPER=$PWD/scripts/rustc-without-missing-functions.sh
export RUSTC_WRAPPER
build "-Cprofile-use=$profile$separator-Cllvm-args=-forceattrs-csv-path=$seldom" "$target"
mkdir -p "$target/release"
for program in postern "$@"; do
  # The file may be a hard link to one of Cargo's own, so it is not overwritten.
  rm -f "$target/release/$program"
  cp "$target/$host/release/$program" "$target/release/$program"
done
echo "release: $target/release/postern" >&2
