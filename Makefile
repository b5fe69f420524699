# Two commands: `make demo` runs the main job, `make test` the tests.
# `make check` runs what else the gate runs; `make bench` the figures.
# `make browser` runs the tests in Chromium, if it is there or apt can install it.
.PHONY: demo test browser check fmt clippy doc deps gates bench simulate planted outside fuzz-api

demo: ## the sample barbershop on a page of this machine; in the terminal where there is none
	cargo run --quiet -p balcao-cli -- demo

test: ## all tests; with nextest where it is installed
	@if cargo nextest --version >/dev/null 2>&1; then cargo nextest run --workspace; else cargo test --workspace --lib --bins --tests; fi
	cargo test --workspace --doc --quiet

browser: ## the demo's page and the chat widget in Chromium
	tests/browser/run.sh

check: fmt clippy doc deps ## formatting, lints, documentation, dependency and licence rules

fmt:
	cargo fmt --all --check

clippy:
	cargo clippy --workspace --all-targets --quiet -- -D warnings

doc:
	RUSTDOCFLAGS="-D warnings -A rustdoc::private-intra-doc-links" cargo doc --workspace --no-deps --document-private-items --quiet

deps:
	cargo run --quiet -p xtask -- deps
	cargo run --quiet -p xtask -- licences
	cargo run --quiet -p xtask -- words
	cargo run --quiet -p xtask -- clocks

bench: ## the figures of docs/PERFORMANCE.md; run on a quiet machine
	cargo bench -p balcao-domain --bench availability
	cargo bench -p balcao-language --bench phrases
	cargo bench -p balcao-tool --bench validation
	cargo bench -p balcao-sandbox --bench helpers
	cargo bench -p balcao-pack --bench validators
	cargo bench -p balcao-pack --bench packs
	cargo bench -p balcao-search --bench search
	cargo bench -p balcao-agent --bench sanitiser
	cargo bench -p balcao-app --bench booking
	cargo bench -p balcao-app --bench figures
	cargo bench -p balcao-query --bench query
	cargo bench -p balcao-builtin-tools --bench turn
	.ci/bench

SEEDS ?= 3900
gates: ## in release builds: 3,900 seeds under faults (SEEDS=); ten thousand messages, none lost, none answered twice; planted mistakes, each found
	cargo build --release --quiet -p balcao-cli -p balcao-simulator
	target/release/balcao-simulator --seeds $(SEEDS)
	BALCAO_TEST_BINARY=$(CURDIR)/target/release/balcao BALCAO_GATE_SCALE=10 cargo test --quiet -p balcao-cli --test it -- --nocapture --test-threads 1 g_05
	$(MAKE) planted

simulate: ## the whole server under seeded faults: SEEDS=5000, or MINUTES=60
	cargo run --release --quiet -p balcao-simulator -- $(if $(MINUTES),--minutes $(MINUTES),--seeds $(SEEDS))

planted: ## G-03: whether the simulator finds the mistakes that are built in for it, each by its oracle and within its seeds
	cargo run --release --quiet -p balcao-simulator --features planted -- --planted

outside: ## what others wrote judges our API, agendas, letters and WhatsApp messages; needs Python, Node, and the network once
	.ci/outside

fuzz-api: ## schemathesis against the API of the real binary; needs Python, and the network once
	.ci/schemathesis
