use balcao_domain::Span;
use jiff::Timestamp;

use super::*;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn entry(status: AppointmentStatus) -> Entry {
    Entry {
        id: 7.try_into().unwrap(),
        professional: 1.try_into().unwrap(),
        service: "Corte".to_owned(),
        span: Span::of_minutes(at("2026-11-24T12:00:00Z"), 45),
        status,
        uid: "1790000000000-7".to_owned(),
        revision: 2,
        changed_at: at("2026-11-22T10:00:00Z"),
        attendee: None,
        attendee_phone: None,
        contact: Some("Ana".to_owned()),
        contact_phone: None,
    }
}

fn shown(summary: &str) -> EventText {
    EventText { summary: summary.to_owned(), description: None, location: Some("Rua A, 1; fundos".to_owned()) }
}

const HOSTILE: &str =
    "Ana; Bia, \\ \"c\"\r\nEND:VEVENT\rBEGIN:VALARM\u{0} ação — ação — ação — ação — ação — ação — ação 🙂🙂🙂🙂";

#[test]
fn one_appointment_is_read_back_as_it_is() {
    let text = one(&entry(AppointmentStatus::Confirmed), &shown("Corte"), "figueira", None, at("2026-11-22T10:00:01Z"));
    let lines: Vec<&str> = text.split("\r\n").collect();
    for line in [
        "UID:1790000000000-7@figueira.balcao",
        "DTSTART:20261124T120000Z",
        "DTEND:20261124T124500Z",
        "DTSTAMP:20261122T100001Z",
        "SEQUENCE:2",
        "STATUS:CONFIRMED",
        "SUMMARY:Corte",
        "LOCATION:Rua A\\, 1\\; fundos",
    ] {
        assert!(lines.contains(&line), "{line} is not in\n{text}");
    }
    assert!(!text.contains("METHOD"));
}

#[test]
fn each_change_counts_and_a_cancelled_one_frees_the_time() {
    let organizer = Organizer { name: "Barbearia: \"Figueira\"", email: "agenda@figueira.example" };
    let now = at("2026-11-22T10:00:01Z");
    let text = one(&entry(AppointmentStatus::Cancelled), &shown("Corte"), "figueira", Some(organizer), now);
    assert!(text.contains("\r\nSEQUENCE:3\r\n") && text.contains("\r\nSTATUS:CANCELLED\r\n"), "{text}");
    assert!(text.contains("\r\nTRANSP:TRANSPARENT\r\n") && text.contains("\r\nMETHOD:PUBLISH\r\n"), "{text}");
    let unfolded = text.replace("\r\n ", "");
    assert!(unfolded.contains("ORGANIZER;CN=\"Barbearia:  Figueira \":mailto:agenda@figueira.example\r\n"), "{text}");
    let held = one(&entry(AppointmentStatus::Pending), &shown("Corte"), "figueira", None, now);
    assert!(held.contains("\r\nSTATUS:TENTATIVE\r\n"), "{held}");
}

#[test]
fn what_a_customer_wrote_ends_no_line_and_no_line_is_too_long() {
    let shown = EventText { summary: HOSTILE.to_owned(), description: Some(HOSTILE.repeat(4)), location: None };
    let all = [(entry(AppointmentStatus::Confirmed), shown)];
    let text = agenda(HOSTILE, &all, "figueira", at("2026-11-22T10:00:01Z"));
    assert!(text.split("\r\n").all(|line| line.len() <= 75), "{text}");
    assert!(!text.replace("\r\n", "").contains(['\r', '\n', '\0']));
    assert_eq!(text.matches("\r\nEND:VEVENT\r\n").count(), 1);
    let read: Calendar = text.parse().unwrap();
    let events: Vec<&Event> = read.events().collect();
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].get_summary(), Some(plain(HOSTILE).as_str()));
    assert_eq!(events[0].get_description(), Some(plain(&HOSTILE.repeat(4)).as_str()));
}

#[test]
fn an_empty_agenda_is_a_calendar_too() {
    let read: Calendar = agenda("Ana", &[], "figueira", at("2026-11-22T10:00:01Z")).parse().unwrap();
    assert_eq!(read.events().count(), 0);
    assert_eq!(read.property_value("PRODID"), Some(PRODUCT));
}
