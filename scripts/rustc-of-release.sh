#!/bin/sh
# The compiler of the release (`RUSTC_WRAPPER`). It names the functions of a crate alike for every target, so that counts taken on
# this machine are found in a build for another one: the hash in a name comes from `-C metadata`, for which Cargo takes the
# target into account. It drops LLVM's lines about functions of a list (`-forceattrs-csv-path`) that a crate does not have.
crate='' target='' features='' previous=''
for argument; do
  case $previous in
    --crate-name) crate=$argument ;;
    --target) target=$argument ;;
    --cfg) case $argument in feature=*) features="$features $argument" ;; esac ;;
  esac
  previous=$argument
done
# Without a target, it is a program that runs during the build.
if [ -n "$crate" ] && [ -n "$target" ]; then
  metadata="$crate-${CARGO_PKG_VERSION:-}-$(printf '%s' "$features" | cksum | cut -d ' ' -f 1)"
  for argument; do
    shift
    case $argument in metadata=*) argument=metadata=$metadata ;; esac
    set -- "$@" "$argument"
  done
fi
exec 3>&1
status=$({ { "$@" 2>&1 >&3 3>&- 4>&-; echo $? >&4; } | grep -v '^Function in CSV file at line [0-9]* does not exist\.$' >&2; } 4>&1)
exit "$status"
