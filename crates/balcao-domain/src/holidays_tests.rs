use std::collections::BTreeMap;

use super::*;
use crate::material;

#[test]
fn the_national_holidays_agree_with_the_published_ones() {
    let Some(text) = material("scheduling/br-holidays-2025-2028.json") else { return };
    let published: BTreeMap<String, BTreeMap<String, String>> = serde_json::from_str(&text).unwrap();
    let computed: BTreeMap<String, String> =
        (2025..=2028).flat_map(brazilian).map(|(day, name)| (day.to_string(), name.to_owned())).collect();
    assert_eq!(computed, published["BR"]);
}

#[test]
fn easter_falls_where_the_church_put_it() {
    for (year, month, day) in [(1818, 3, 22), (1943, 4, 25), (2000, 4, 23), (2024, 3, 31), (2038, 4, 25), (2285, 3, 22)]
    {
        assert_eq!(easter(year), Some(date(year, month, day)));
    }
}

#[test]
fn a_holiday_counts_from_the_year_of_its_law() {
    let names = |year| brazilian(year).into_iter().map(|(_, name)| name).collect::<Vec<_>>();
    assert!(!names(2023).contains(&"Dia Nacional de Zumbi e da Consciência Negra"));
    assert!(names(2024).contains(&"Dia Nacional de Zumbi e da Consciência Negra"));
    assert!(brazilian(0).is_empty());
}

/// Easter by the rule of Gauss with Kinkelin's correction, which shares no step with ours.
fn gauss(year: i32) -> (i8, i8) {
    let century = year / 100;
    let moon = (15 - (13 + 8 * century) / 25 + century - century / 4) % 30;
    let sun = (4 + century - century / 4) % 7;
    let after_equinox = (19 * (year % 19) + moon) % 30;
    let to_sunday = (2 * (year % 4) + 4 * (year % 7) + 6 * after_equinox + sun) % 7;
    match (after_equinox, to_sunday) {
        (29, 6) => (4, 19),
        (28, 6) if (11 * moon + 11) % 30 < 19 => (4, 18),
        _ => {
            let march = 22 + after_equinox + to_sunday;
            let (month, day) = if march > 31 { (4, march - 31) } else { (3, march) };
            (month, i8::try_from(day).unwrap())
        }
    }
}

#[test]
fn easter_agrees_with_the_rule_of_gauss_in_every_year_of_the_calendar() {
    for year in 1583..=9999 {
        let (month, day) = gauss(i32::from(year));
        assert_eq!(easter(year), Some(date(year, month, day)));
    }
}

#[test]
fn holidays_are_in_order_from_the_first_year_of_the_calendar_to_the_last() {
    for year in [1583, 1922, 2026, 9999] {
        let days: Vec<Date> = brazilian(year).into_iter().map(|(day, _)| day).collect();
        assert!(days.is_sorted() && !days.is_empty(), "{year}");
        let good_friday = easter(year).unwrap().saturating_sub(Span::new().days(2));
        assert!(days.contains(&good_friday), "{year}");
    }
    assert!(brazilian(1582).is_empty());
    assert!(
        brazilian(1922).iter().any(|(_, name)| *name == "Natal")
            && brazilian(1921).iter().all(|(_, name)| *name != "Natal")
    );
}
