//! Argument validation of a typical call: target ≤ 2 µs.
#![expect(clippy::unwrap_used, reason = "a bench")]

use balcao_tool::{repair::parse_arguments, validate::Schema};
use divan::{Bencher, black_box};
use serde_json::json;

fn main() {
    divan::main();
}

fn schema() -> Schema {
    Schema::compile(&json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["barber_name", "date", "start_hour"],
        "properties": {
            "barber_name": {"type": "string", "minLength": 1, "maxLength": 80},
            "date": {"type": "string", "minLength": 1, "maxLength": 40},
            "start_hour": {"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"},
            "service_name": {"type": "string", "minLength": 1, "maxLength": 80},
            "service_id": {"type": "integer", "minimum": 1, "maximum": 2147483647}
        }
    }))
    .unwrap()
}

const ARGS: &str = r#"{"barber_name":"João Batista","date":"2026-11-25","start_hour":"15:00","service_name":"Corte"}"#;

#[divan::bench]
fn parse_and_validate(bencher: Bencher<'_, '_>) {
    let schema = schema();
    bencher.bench_local(|| {
        let parsed = parse_arguments(black_box(ARGS)).unwrap();
        black_box(schema.problems(&parsed.value))
    });
}

#[divan::bench]
fn validate_only(bencher: Bencher<'_, '_>) {
    let schema = schema();
    let value = parse_arguments(ARGS).unwrap().value;
    bencher.bench_local(|| black_box(schema.problems(black_box(&value))));
}
