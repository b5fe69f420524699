use jiff::civil::date;

use super::*;

fn period(text: &str) -> Period {
    text.parse().unwrap()
}

#[test]
fn a_period_is_written_and_read_alike() {
    for text in ["09:00-12:00", "00:00-24:00", "23:59-24:00"] {
        assert_eq!(period(text).to_string(), text);
    }
    assert_eq!(period(" 09:00 - 12:00 ").to_string(), "09:00-12:00");
    for text in
        ["9:00-12:00", "09:00", "12:00-09:00", "09:00-09:00", "09:60-10:00", "09:00-24:01", "+9:00-10:00", "", "-"]
    {
        assert!(text.parse::<Period>().is_err(), "{text}");
    }
}

#[test]
fn periods_of_a_day_are_put_in_order_and_must_not_overlap() {
    let mut hours = WeeklyHours::default();
    hours.set(Weekday::Tuesday, vec![period("13:00-19:00"), period("09:00-13:00")]).unwrap();
    assert_eq!(hours.on(Weekday::Tuesday), [period("09:00-13:00"), period("13:00-19:00")]);
    assert!(hours.on(Weekday::Monday).is_empty());
    let error = hours.set(Weekday::Monday, vec![period("09:00-12:00"), period("11:00-13:00")]).unwrap_err();
    assert_eq!(error.to_string(), "the periods 09:00-12:00 and 11:00-13:00 overlap");
}

#[test]
fn an_exception_replaces_the_week_and_the_holiday() {
    let mut hours = Hours::default();
    hours.weekly.set(Weekday::Friday, vec![period("09:00-18:00")]).unwrap();
    let christmas = date(2026, 12, 25);
    assert_eq!(hours.on(christmas), [period("09:00-18:00")]);
    hours.holidays.insert(christmas, "Natal".to_owned());
    assert!(hours.on(christmas).is_empty());
    assert_eq!(hours.note_on(christmas), Some("Natal"));
    hours.exceptions.insert(christmas, DayException { periods: vec![period("10:00-12:00")], note: None });
    assert_eq!(hours.on(christmas), [period("10:00-12:00")]);
    assert_eq!(hours.on(date(2026, 12, 18)), [period("09:00-18:00")]);
}

#[test]
fn periods_that_touch_do_not_overlap_and_what_they_share_is_a_period() {
    assert_eq!(period("09:00-12:00").intersection(&period("11:00-13:00")), Some(period("11:00-12:00")));
    assert_eq!(period("09:00-12:00").intersection(&period("12:00-13:00")), None);
    assert_eq!((period("09:05-12:30").opens_min(), period("09:05-12:30").closes_min()), (545, 750));
    assert_eq!(Period::new(0, 1_440).map(|one| one.to_string()), Ok("00:00-24:00".to_owned()));
    assert!(Period::new(0, 1_441).is_err() && Period::new(5, 5).is_err());
    assert_eq!(
        covered([period("13:00-14:00"), period("09:00-10:00"), period("10:00-11:00")]),
        [period("09:00-11:00"), period("13:00-14:00")]
    );
    assert_eq!(of_minutes(&[(60, 120), (120, 60)]), [period("01:00-02:00")]);
    for (text, minute) in [
        ("00:00", Some(0)),
        ("23:59", Some(1_439)),
        ("24:00", Some(1_440)),
        ("24:01", None),
        ("12:60", None),
        ("1:00", None),
        ("01:0", None),
        ("0a:00", None),
        ("12", None),
    ] {
        assert_eq!(parse_minute(text).ok(), minute, "{text}");
    }
}

#[test]
fn hours_are_empty_if_neither_the_week_nor_a_date_opens() {
    let mut hours = Hours::default();
    assert!(hours.is_empty() && hours.weekly.is_empty());
    let day = date(2026, 12, 24);
    hours.exceptions.insert(day, DayException { periods: Vec::new(), note: Some("Véspera".to_owned()) });
    assert!(hours.is_empty());
    assert_eq!((hours.note_on(day), hours.note_on(date(2026, 12, 23))), (Some("Véspera"), None));
    hours.exceptions.insert(day, DayException { periods: vec![period("09:00-12:00")], note: None });
    assert!(!hours.is_empty());
    let mut week = Hours::default();
    week.weekly.set(Weekday::Sunday, vec![period("09:00-12:00")]).unwrap();
    assert!(!week.is_empty() && !week.weekly.is_empty());
}
