#!/usr/bin/env bash
# The demo's page, the chat widget and the consent to a calendar in a real browser. Needs Node 20 or later, npm, and Chromium, which is installed by apt if
# it is not there. Pictures of what was shown lie in target/browser/ afterwards.
set -euo pipefail
cd "$(dirname "$0")"

loudly() {
  echo "################################################################" >&2
  echo "## BROWSER TESTS DID NOT RUN: $1" >&2
  echo "################################################################" >&2
}

if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
  loudly "node and npm (20 or later) are not installed"
  exit 0
fi
CHROMIUM="${CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}"
if [ -z "$CHROMIUM" ]; then
  (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core) >/dev/null 2>&1 || true
  CHROMIUM="$(command -v chromium || true)"
fi
if [ -z "$CHROMIUM" ]; then
  loudly "Chromium is not installed, and apt-get could not install it"
  exit 0
fi
export CHROMIUM
if ! npm ci --no-audit --no-fund --silent; then
  loudly "npm could not install playwright-core"
  exit 0
fi
# The demo is built without Google Calendar; here the program has it, and its fake runs beside it.
# shellcheck disable=SC2046
(cd ../.. && cargo build --quiet $(cat .ci/light) --features balcao-cli/google-calendar -p balcao-cli -p balcao-google --bins --example fake-google)
npm test --silent
