use balcao_language::Locale;
use jiff::civil::{date, time};
use serde_json::json;

use super::*;

#[test]
fn appointments_are_read_under_several_names() {
    let day = Some(date(2026, 11, 27));
    let clock = Some(time(15, 0, 0, 0));
    for value in [
        json!({"date": "2026-11-27", "start_hour": "15:00"}),
        json!({"starts_at": "2026-11-27T15:00"}),
        json!({"date": "27/11/2026", "time": "15:00:00"}),
        json!({"new_date": "2026-11-27", "new_start_hour": "15:00"}),
        json!("2026-11-27T15:00"),
        json!("2026-11-27 15:00"),
    ] {
        let read = appointment(&value);
        assert_eq!((read.date, read.time), (day, clock), "{value}");
    }
    assert_eq!(appointment(&json!("15:00")).time, clock);
    assert_eq!(appointment(&json!({"barber": {"name": "Ana"}})).professional, Some("Ana".to_owned()));
}

#[test]
fn availability_leaves_out_who_has_nothing() {
    let read = availability(&json!({"results": [
        {"barber": "Ana", "available_slots": []}, {"barber": "Caio", "available_slots": ["09:00", "09:15"]}], "next_available": null}));
    assert_eq!(read.free, [("Caio".to_owned(), vec![time(9, 0, 0, 0), time(9, 15, 0, 0)])]);
    assert_eq!(read.next, None);
    let read = availability(
        &json!({"results": [], "next_available": {"date": "2026-12-01", "start_hour": "09:00", "barber": "Ana"}}),
    );
    assert_eq!(read.next.unwrap().date, Some(date(2026, 12, 1)));
}

#[test]
fn prices_are_worded() {
    for (value, want) in [
        (json!({"price": "R$ 45,00"}), "R$ 45,00"),
        (json!({"price": 45.0}), "R$ 45,00"),
        (json!({"price": "129.9"}), "R$ 129,90"),
        (json!({"price": 70}), "R$ 70,00"),
        (json!({"price_cents": 7050}), "R$ 70,50"),
    ] {
        assert_eq!(price(&value, Locale::PtBr).unwrap(), want, "{value}");
    }
    assert_eq!(price(&json!({}), Locale::PtBr), None);
}

#[test]
fn outcomes_are_told_apart() {
    let outcome = |result| Outcome { name: "x".to_owned(), arguments: Value::Null, result };
    assert!(outcome(json!({"success": true})).succeeded());
    assert!(outcome(json!({"results": []})).succeeded());
    assert!(!outcome(json!({"success": false, "reason": "SLOT_TAKEN"})).succeeded());
    assert_eq!(outcome(json!({"error": "no", "code": "not_found"})).code(), Some("not_found"));
    let held = outcome(json!({"error": "ask", "code": "confirmation_required", "details": {"summary": "Cancelar?"}}));
    assert!(held.is_held());
    assert_eq!(held.summary(), Some("Cancelar?"));
}
