//! What a call of a helper costs, by way of a worker process: target ≤ 50 µs median warm (issue 4).
//!
//! Not divan, because the tail matters as much as the median. Wall-clock time; the tenth percentile says what a call costs where others
//! want the machine too.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench")]

use std::time::{Duration, Instant};

use balcao_sandbox::{Bundle, Call, Helper, Launcher, Limits, Sandbox};
use serde_json::{Value, json};

/// What a helper of a pack looks like: some 40 lines, of which a call runs a few.
const EXTRACT: &str = r#"
const EMPTY = { labels: [], users: [], tasks: [], attachment: [] };

function option(field, value) {
  const options = (field.type_config && field.type_config.options) || [];
  return options.find((one) => one.id === value || one.orderindex === value) || null;
}

function number(value) {
  const parsed = Number(value);
  return Number.isFinite(parsed) ? parsed : null;
}

function extractField(field) {
  const value = field.value;
  if (value === undefined || value === null || value === "") return EMPTY[field.type] || null;
  switch (field.type) {
    case "drop_down": {
      const found = option(field, value);
      return found ? found.name : null;
    }
    case "labels":
      return value.map((id) => option(field, id)).filter(Boolean).map((one) => one.label);
    case "users":
      return value.map((user) => ({ id: user.id, name: user.username }));
    case "number":
    case "currency":
      return number(value);
    case "checkbox":
      return value === true || value === "true";
    case "date":
      return new Date(number(value)).toISOString();
    case "location":
      return { lat: value.location.lat, lng: value.location.lng, address: value.formatted_address };
    default:
      return String(value);
  }
}

module.exports = extractField;
"#;

const FOLD: &str = r#"const foldName = (name) => name.normalize("NFD").replace(/\p{Diacritic}/gu, "").toLowerCase().replace(/[^a-z0-9]+/g, "_");"#;

fn sandbox(helpers: Vec<Helper>, workers: u8) -> Sandbox {
    Sandbox::new(
        Bundle::new(helpers).unwrap(),
        Launcher::new(env!("CARGO_BIN_EXE_balcao-sandbox-worker"), &[]),
        workers,
    )
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
    println!(
        "{what:<52} p10 {:>9.1?}  p50 {:>9.1?}  p99 {:>9.1?}  max {:>9.1?}  n {}",
        at(10),
        at(50),
        at(99),
        times.last().unwrap(),
        times.len()
    );
}

async fn calls(what: &str, sandbox: &Sandbox, helper: &str, arguments: &[Value], pause: Option<Duration>) {
    let limits = Limits { time: Duration::from_secs(1), ..Limits::default() };
    let call = Call { limits, ..Call::new(helper, arguments) };
    for _ in 0..200 {
        sandbox.call(&call).await.unwrap();
    }
    let mut times = Vec::new();
    for _ in 0..if pause.is_some() { 1_000 } else { 10_000 } {
        if let Some(pause) = pause {
            tokio::time::sleep(pause).await;
        }
        let began = Instant::now();
        sandbox.call(&call).await.unwrap();
        times.push(began.elapsed());
    }
    report(what, times);
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let field = json!({
        "id": "0a52c486-5f05-403b-b4fd-c512ff05131c", "name": "Localização", "type": "location",
        "value": { "location": { "lat": -23.55, "lng": -46.63 }, "formatted_address": "São Paulo, SP" }
    });
    let uses = Helper::javascript(
        "label",
        "label.js",
        "(field) => foldName(field.name) + ':' + JSON.stringify(extractField(field))",
    );
    let helpers = vec![
        Helper::javascript("identity", "identity.js", "(x) => x"),
        Helper::javascript("fold-name", "fold-name.js", FOLD),
        Helper::javascript("extract-field", "extract-field.js", EXTRACT),
        uses.with_dependencies(&["fold-name", "extract-field"]),
    ];
    // Two: while one makes the engine for its next call, the other answers.
    let warm = sandbox(helpers, 2);
    warm.warm().await.unwrap();
    calls("warm: identity", &warm, "identity", &[json!(1)], None).await;
    calls("warm: fold a name", &warm, "fold-name", &[json!("Endereço de Instalação")], None).await;
    calls("warm: extract a field", &warm, "extract-field", std::slice::from_ref(&field), None).await;
    calls("warm: with two dependencies", &warm, "label", std::slice::from_ref(&field), None).await;
    calls("warm: extract a field, 2 ms apart", &warm, "extract-field", &[field], Some(Duration::from_millis(2))).await;

    let mut times = Vec::new();
    for _ in 0..100 {
        let cold = sandbox(vec![Helper::javascript("identity", "identity.js", "(x) => x")], 1);
        let began = Instant::now();
        cold.call(&Call::new("identity", &[json!(1)])).await.unwrap();
        times.push(began.elapsed());
    }
    report("cold: start a worker and call", times);

    let mut times = Vec::new();
    for _ in 0..50 {
        let helpers = (0..30).map(|n| Helper::javascript(&format!("h{n}"), "h.js", EXTRACT)).collect();
        let checked = sandbox(helpers, 1);
        checked.warm().await.unwrap();
        let began = Instant::now();
        assert!(checked.check().await.unwrap().is_empty());
        times.push(began.elapsed());
    }
    report("compile and load 30 helpers of 45 lines", times);
}
