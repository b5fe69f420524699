# `make demo` runs the main job, `make test` the tests; `make help` lists the rest.
.DEFAULT_GOAL := help
.PHONY: help demo program build test quick check fmt clippy doc rules deny attack browser conformance outside full-features simulate \
	explore gates nightly seeded-bugs mutants bench fuzz-api

# What the demo, the tests, the simulator, the browser and the outside judges are built with: one set of artefacts for all of them.
# A shipped program has the default features instead (crates/balcao-cli/Cargo.toml).
LIGHT := $(shell cat .ci/light)
# Models in a folder bring other features of shared libraries: their crate is tested with the full program.
WORKSPACE := --workspace --exclude balcao-embedding
NEXTEST := $(shell cargo nextest --version >/dev/null 2>&1 && echo yes)

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## the sample barbershop on a page of this machine; in the terminal where there is none
	@test -x target/debug/balcao || echo "The first build takes some minutes and over a gigabyte (README.md); cargo tells how far it is."
	cargo run $(LIGHT) -p balcao-cli -- demo

program: ## target/debug/balcao as the demo and the tests use it
	@cargo build --quiet $(LIGHT) -p balcao-cli

build: ## everything that the tests need
	cargo build $(LIGHT) $(WORKSPACE) --bins --tests --examples

# One test more than there are processors: those that start the program wait for it most of their time. With three for each processor
# a helper of a pack broke its limit of 50 ms.
test: export NEXTEST_TEST_THREADS := $(shell echo $$(($$(nproc 2>/dev/null || echo 2) + 1)))
test: export RUST_TEST_THREADS := $(shell echo $$(($$(nproc 2>/dev/null || echo 2) + 1)))

# Each of the contract's 529 tests takes a fraction of the time that a process of its own takes to start: they share one.
test: ## all tests of what the demo is built with; by nextest where it is installed
ifeq ($(NEXTEST),yes)
	cargo nextest run $(WORKSPACE) $(LIGHT) -E 'not binary(loop_contract)'
	cargo test --quiet $(WORKSPACE) $(LIGHT) --test loop_contract
else
	cargo test $(WORKSPACE) --lib --bins --tests $(LIGHT)
endif
	cargo test $(WORKSPACE) --doc --quiet $(LIGHT)

BASE ?= origin/HEAD
quick: fmt ## formatting, clippy and tests of the crates that changed since BASE (origin/HEAD; HEAD where there is none)
	.ci/quick $(BASE)

check: fmt rules deny clippy doc ## formatting, rules of the project, licences, lints, documentation

fmt:
	cargo fmt --all --check

clippy:
	cargo clippy --workspace --all-targets --features balcao-cli/test-clock --quiet -- -D warnings

doc:
	RUSTDOCFLAGS="-D warnings -A rustdoc::private-intra-doc-links" cargo doc --workspace --no-deps --document-private-items --features balcao-cli/test-clock --quiet

rules: ## dependencies between crates, words, links, clocks in tests, features of the tests' build, attacks and mistakes that stay tried, permitted skips
	@cargo build --quiet -p xtask
	target/debug/xtask deps
	target/debug/xtask words
	target/debug/xtask names
	target/debug/xtask links
	target/debug/xtask clocks
	target/debug/xtask features
	target/debug/xtask attacks
	target/debug/xtask skips

deny: ## licences, bans and sources of what is built in (deny.toml)
	.ci/deny

attack: ## the tests of every attack that was found (tests/attack/LIST)
	@cargo build --quiet -p xtask
	cargo test --quiet $(WORKSPACE) $(LIGHT) --lib --bins --tests -- $$(target/debug/xtask attack-filters)

browser: ## the demo's page, the chat widget and the consent to a calendar in Chromium
	tests/browser/run.sh

conformance: outside full-features ## what others wrote judges us; and the parts that the demo is built without

outside: ## our API, agendas, letters, MCP and calendar clients and messages before foreign judges; needs Python, Node, and the network once
	.ci/outside

full-features: ## tests of the parts that only a shipped program has: models in a folder, metrics, traces, Google Calendar
	cargo test --quiet -p balcao-cli -p balcao-embedding --features balcao-cli/test-clock --bin balcao --test it -- google telemetry:: tenancy:: local_embedding:: folder prefixes service mapping named what_failed

SEEDS ?= 150
simulate: ## the whole server under seeded faults: SEEDS=150 from seed 1 on, or MINUTES=60
	@cargo build --quiet $(LIGHT) -p balcao-cli -p balcao-simulator
	target/debug/balcao-simulator $(if $(MINUTES),--minutes $(MINUTES),--seeds $(SEEDS))

explore: ## two minutes of seeds that nobody looked at; where they begin differs with the commit
	@cargo build --quiet $(LIGHT) -p balcao-cli -p balcao-simulator
	target/debug/balcao-simulator --minutes $(or $(MINUTES),2) --from $$((0x$$(git rev-parse --short=7 HEAD) + 100000))

gates: ## the gate, as a landing has it
	.ci/run

nightly: ## what takes too long for a landing: 3,900 seeds, 10,000 messages, attacks, 1,000 plans on PostgreSQL, 2,000 sequences in calendars, seeded bugs, mutants
	cargo build --release --quiet -p balcao-cli -p balcao-simulator
	target/release/balcao-simulator --seeds 3900
	BALCAO_TEST_BINARY=$(CURDIR)/target/release/balcao BALCAO_GATE_SCALE=10 cargo test --quiet -p balcao-cli --test it -- --nocapture --test-threads 1 g_05 p_16 attack::weight
	BALCAO_GATE_SCALE=20 cargo test --quiet --no-default-features -p balcao-app --test it interleavings_on_postgres
	BALCAO_GATE_SCALE=20 cargo test --quiet --no-default-features -p balcao-app --test it each_visit_has_its_event
	$(MAKE) seeded-bugs
	$(MAKE) mutants

seeded-bugs: ## G-03: whether the simulator finds each seeded bug, by its oracle and within its seeds
	cargo run --release --quiet -p balcao-simulator --features seeded-bugs -- --seeded-bugs

mutants: ## whether tests notice changed code: lines that changed since BASE, and samples of domain, tool and agent
	.ci/mutants $(BASE)

bench: ## the figures of docs/PERFORMANCE.md; run on a quiet machine
	cargo bench -p balcao-domain --bench availability
	cargo bench -p balcao-language --bench phrases
	cargo bench -p balcao-tool --bench validation
	cargo bench -p balcao-connector --bench calls
	cargo bench -p balcao-sandbox --bench helpers
	cargo bench -p balcao-pack --bench validators
	cargo bench -p balcao-pack --bench packs
	cargo bench -p balcao-search --bench search
	cargo bench -p balcao-agent --bench sanitiser
	cargo bench -p balcao-app --bench booking
	cargo bench -p balcao-app --bench figures
	cargo bench -p balcao-app --bench visits
	cargo bench -p balcao-app --bench apply
	cargo bench -p balcao-app --bench calendars
	cargo bench -p balcao-google --bench reading
	cargo bench -p balcao-query --bench query
	cargo bench -p balcao-builtin-tools --bench turn
	.ci/bench

fuzz-api: ## schemathesis against the API of the real binary; needs Python, and the network once
	.ci/schemathesis
