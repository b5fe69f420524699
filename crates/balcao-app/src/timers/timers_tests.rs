use super::*;

fn end_of_quiet(at: &str) -> Option<String> {
    let zone = TimeZone::get("America/Sao_Paulo").unwrap();
    let now = zone.to_timestamp(at.parse().unwrap()).unwrap();
    quiet_until(&TimerSettings::default(), &zone, now).map(|end| zone.to_datetime(end).to_string())
}

#[test]
fn quiet_hours_go_over_midnight() {
    assert_eq!(end_of_quiet("2026-11-24T20:59"), None);
    assert_eq!(end_of_quiet("2026-11-24T21:00").as_deref(), Some("2026-11-25T08:00:00"));
    assert_eq!(end_of_quiet("2026-11-24T23:59").as_deref(), Some("2026-11-25T08:00:00"));
    assert_eq!(end_of_quiet("2026-11-25T07:59").as_deref(), Some("2026-11-25T08:00:00"));
    assert_eq!(end_of_quiet("2026-11-25T08:00"), None);
}
