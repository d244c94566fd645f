#!/bin/sh
# Builds the Debian package: the binary, its manual pages and completions, the service. Needs cargo-deb
# (`cargo install cargo-deb`); the package's contents are listed in postern/Cargo.toml.
set -eu
cd "$(dirname "$0")/../.."
scripts/release.sh
generated=target/debian-files
rm -rf "$generated" && mkdir -p "$generated/man" "$generated/completions"
target/release/postern man --out "$generated/man"
gzip --best --no-name "$generated"/man/*.1
for shell in bash zsh fish; do
  target/release/postern completions "$shell" > "$generated/completions/postern.$shell"
done
scripts/sbom.py > "$generated/postern.cdx.json"
cargo deb --no-build --package postern "$@"
