use jiff::Timestamp;

use super::{MAX_LEAD_MIN, ReminderLeads, ReminderLeadsError};

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn planned(leads: &ReminderLeads, start: &str, now: &str) -> Vec<u32> {
    leads.plan(at(start), at(now)).iter().map(|one| one.minutes_before).collect()
}

#[test]
fn reminders_due_in_the_past_are_left_out() {
    let usual = ReminderLeads::default();
    let start = "2026-11-25T15:00:00Z";
    assert_eq!(planned(&usual, start, "2026-11-20T10:00:00Z"), [1440, 60]);
    assert_eq!(planned(&usual, start, "2026-11-25T10:00:00Z"), [60], "five hours before");
    assert_eq!(planned(&usual, start, "2026-11-25T14:30:00Z"), [0; 0], "half an hour before");
    assert_eq!(planned(&usual, start, "2026-11-25T14:00:00Z"), [0; 0], "due at this instant");
    assert_eq!(planned(&usual, start, "2026-11-25T16:00:00Z"), [0; 0], "the visit is over");
}

#[test]
fn reminders_are_planned_in_order_of_time() {
    let leads = ReminderLeads::new(vec![30, 2880, 60]).unwrap();
    let times: Vec<String> = leads
        .plan(at("2026-11-25T15:00:00Z"), at("2026-11-01T00:00:00Z"))
        .iter()
        .map(|one| one.remind_at.to_string())
        .collect();
    assert_eq!(times, ["2026-11-23T15:00:00Z", "2026-11-25T14:00:00Z", "2026-11-25T14:30:00Z"]);
    assert_eq!(
        planned(&ReminderLeads::new(Vec::new()).unwrap(), "2026-11-25T15:00:00Z", "2026-11-01T00:00:00Z"),
        [0; 0]
    );
}

#[test]
fn invalid_lists_are_refused() {
    let refused = |minutes: Vec<u32>| ReminderLeads::new(minutes).unwrap_err();
    assert_eq!(refused(vec![60, 0]), ReminderLeadsError::OutOfRange { minutes: 0 });
    assert_eq!(refused(vec![MAX_LEAD_MIN + 1]), ReminderLeadsError::OutOfRange { minutes: MAX_LEAD_MIN + 1 });
    assert!(ReminderLeads::new(vec![MAX_LEAD_MIN, 1]).is_ok());
    assert_eq!(refused(vec![60, 30, 60]), ReminderLeadsError::Repeated { minutes: 60 });
    assert_eq!(refused((1..=11).collect()), ReminderLeadsError::TooMany { count: 11 });
    assert!(ReminderLeads::new((1..=10).collect()).is_ok());
    assert!(serde_json::from_str::<ReminderLeads>("[60, 60]").is_err(), "what is stored is checked, too");
}
