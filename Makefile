# Postern. Assumed: make, Rust (rustup's `cargo` with a linker, `cc`). Whatever else is missing is installed.

PATH := $(PATH):$(HOME)/.cargo/bin
export PATH
MAKEFLAGS += --no-print-directory

TARGET := $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),target)

## make demo                run the demo: a private Postgres and the gateway on one port (ARGS="--listen …" passes options on)
## make test                run every test; starts its own Postgres
## make test-postgres       run every test with another version of Postgres (VERSION=13 to 18, TESTS=core or golden for a part)
## make check               formatting and lints, and the files in deploy/ with the linters that are installed
## make check-deploy        install the linters of deploy/ (some 100 MB), and check the files, Helm chart included
## make bless CASE=<case>   write the expected files of golden cases again; CASE=docs, import, snapshots for other files
## make console            build the console (console/dist) from its sources, with Node
## make dashboard           build the demo's dashboard (dashboard/dist) from its sources, with Node
## make sbom                write the bill of materials of the binary, target/postern.cdx.json (CycloneDX)
## make release             build target/release/postern with profile-guided optimization, in half an hour (PACKAGES=handwritten for both servers of bench)
## make packages            build the release for x86-64 and arm64, and pack it: target/packages (BINARY=<file> packs a built one, in seconds)
## make test-packages       install the packages on bare machines of Debian, and serve a database from each (as root, in minutes)
## make bench               measure translation, and Postern beside other servers (ARGS=--quick in three minutes)

.PHONY: help demo test test-postgres check check-deploy bless console dashboard sbom release packages test-packages bench setup
.DEFAULT_GOAL := help

help:
	@sed -n 's/^## //p' Makefile

setup:
	@scripts/setup.sh

# Standard output belongs to the demo: its first line is the JSON object that scripts read.
demo: setup
	@cargo build --profile demo --package postern
	@exec $(TARGET)/demo/postern demo $(ARGS)

# Sets up by itself: the tests need PostGIS too.
test:
	@scripts/test.sh

# The programs of npm have no PostGIS: tests that need it are skipped.
test-postgres:
	@test -n "$(VERSION)" || { echo "usage: make test-postgres VERSION=18 [TESTS=core|golden]" >&2; exit 2; }
	@scripts/test-postgres.sh "$(VERSION)" $(TESTS)

check:
	@cargo fmt --all --check
	@cargo clippy --workspace --all-targets --quiet -- --deny warnings
	@scripts/check-deploy.sh
	@if command -v cargo-deny >/dev/null; then cargo deny --log-level error check; \
		else echo "check: cargo-deny is not installed; the test dependencies reads licences and sources" >&2; fi
	@if command -v mdbook >/dev/null; then mdbook build; \
		else echo "check: mdbook is not installed; the test docs follows every link" >&2; fi

check-deploy:
	@scripts/check-deploy.sh --install

sbom:
	@mkdir -p $(TARGET)
	@scripts/sbom.py > $(TARGET)/postern.cdx.json

bless:
	@test -n "$(CASE)" || { echo "usage: make bless CASE=<case>, a path below tests/cases" >&2; exit 2; }
	@programs=$$(scripts/setup.sh tests) && export PATH="$$programs:$$PATH" POSTERN_BLESS="$(CASE)" && \
		$(if $(BLESSED),cargo test --workspace --quiet --no-fail-fast --test all -- $(BLESSED) &&) \
		cargo test --workspace --quiet --no-fail-fast --test golden $(if $(filter snapshots all,$(CASE)),--lib)

# The tests beside the golden cases that write the files of this name. All of the workspace, as in every other command: a
# part of it would build shared dependencies a second time, with fewer features.
BLESSED := $(if $(filter docs all,$(CASE)),docs::) $(if $(filter import all,$(CASE)),import::) \
	$(if $(filter interface all,$(CASE)),demo::)

# The builds are committed, so that nothing else needs Node's packages.
console dashboard:
	@cd $@ && npm ci --no-audit --no-fund --loglevel error && npm run build

release:
	@scripts/release.sh $(PACKAGES)

# A binary that needs a newer C library than the release would be refused by machines that the packages are for.
packages:
	@binaries="$(BINARY)" && { [ -n "$$binaries" ] || binaries=$$(scripts/release.sh --cross); } && \
		scripts/packages.py $(if $(BINARY),,--glibc 2.17) $$(printf -- '--binary %s ' $$binaries)

test-packages:
	@scripts/test-packages.sh

# Steps of the way first, then the whole way beside other servers, which are built like the release.
bench: setup bench/postgraphile/node_modules
	@scripts/release.sh handwritten
	@cargo bench --package bench --benches -- $(or $(filter --quick,$(ARGS)),--warm-up-time 1 --measurement-time 3)
	@cargo build --release --package bench --bins
	@$(TARGET)/release/end-to-end $(ARGS)
	@$(if $(filter --quick,$(ARGS)),$(TARGET)/release/subscriptions --quick)

# One of the peers. Without npm the others are compared among themselves.
bench/postgraphile/node_modules: bench/postgraphile/package-lock.json
	@{ command -v npm >/dev/null && cd $(@D) && npm ci --no-audit --no-fund && touch node_modules; } \
		|| echo "npm is not installed, or reaches nothing: PostGraphile is left out" >&2
