use serde_json::json;

use super::*;

fn booking() -> Schema {
    Schema::compile(&json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["barber_name", "date"],
        "properties": {
            "barber_name": {"type": "string", "minLength": 1, "maxLength": 80, "examples": ["João"]},
            "date": {"type": "string", "maxLength": 40, "examples": ["2026-11-25"]},
            "service_id": {"type": "integer", "minimum": 1, "maximum": 2147483647},
            "period": {"enum": ["manhã", "tarde", "noite"]}
        }
    }))
    .unwrap()
}

#[test]
fn every_bad_field_has_one_entry_that_says_what_would_be_right() {
    let problems = booking().problems(&json!({"barber": "João", "date": 7, "service_id": 0, "period": "manha"}));
    let rows: Vec<(&str, &str)> = problems.iter().map(|p| (p.pointer.as_str(), p.problem.as_str())).collect();
    let mut sorted = rows.clone();
    sorted.sort_unstable();
    assert_eq!(
        sorted,
        [
            ("/barber", "unknown_field"),
            ("/barber_name", "missing"),
            ("/date", "wrong_type"),
            ("/period", "not_allowed"),
            ("/service_id", "out_of_range")
        ]
    );
    let find = |pointer: &str| problems.iter().find(|p| p.pointer == pointer).unwrap();
    assert_eq!(find("/barber").nearest, Some(json!("barber_name")));
    assert_eq!(find("/period").nearest, Some(json!("manhã")));
    assert_eq!(find("/service_id").expected, "integer from 1 to 2147483647");
    assert_eq!(find("/date").got, Some(json!(7)));
    assert_eq!(find("/date").expected, "string, for example \"2026-11-25\", not integer");
}

#[test]
fn ids_outside_of_the_range_are_refused_before_anything_runs() {
    for id in [json!(0), json!(-1), json!(2_147_483_648_i64), json!(1.5), json!("7"), json!(9e18)] {
        let value = json!({"barber_name": "João", "date": "amanhã", "service_id": id});
        assert_eq!(booking().problems(&value).len(), 1, "{value}");
    }
    for id in [1_i64, 2_147_483_647] {
        assert!(booking().problems(&json!({"barber_name": "João", "date": "x", "service_id": id})).is_empty());
    }
}

#[test]
fn a_schema_that_is_none_is_refused_with_its_place() {
    assert!(Schema::compile(&json!({"type": "objekt"})).unwrap_err().contains("type"));
}
