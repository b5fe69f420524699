//! What customers of a front desk write, in the words that they use, and what no text may do to a weekday.

use balcao_language::{DateProblem, DateSpan, Meaning, Period, TimeReading, find_dates, find_times, resolve_date};
use jiff::{
    ToSpan,
    civil::{Date, Time, Weekday, date, time},
};
use proptest::prelude::*;

/// A Monday.
const TODAY: Date = date(2026, 11, 23);

fn day(text: &str) -> Date {
    match find_dates(text, TODAY).as_slice() {
        [only] => match only.reading {
            Ok(DateSpan::Day(date)) => date,
            _ => panic!("{text}: {only:?}"),
        },
        other => panic!("{text}: {other:?}"),
    }
}

fn reading(text: &str) -> TimeReading {
    match find_times(text).as_slice() {
        [only] => only.reading,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn the_issues_own_phrases_are_read() {
    assert_eq!(day("amanhã de tarde"), date(2026, 11, 24));
    let TimeReading::Window(afternoon) = reading("amanhã de tarde") else { panic!("a window") };
    assert_eq!(afternoon.period, Some(Period::Afternoon));
    assert_eq!(day("sexta que vem"), date(2026, 11, 27));
    assert_eq!(day("dia 5"), date(2026, 12, 5));
    let exact = |time: Time| TimeReading::At { time, assumed_pm: false, approximate: false };
    assert_eq!(reading("meio-dia e meia"), exact(time(12, 30, 0, 0)));
    assert_eq!(day("daqui a duas semanas"), date(2026, 12, 7));
    let TimeReading::Window(late) = reading("depois das 17") else { panic!("a window") };
    assert_eq!((late.from, late.until), (time(17, 0, 0, 0), time(23, 59, 0, 0)));
    // Four in the afternoon is a guess, and says so; so does "about".
    assert_eq!(reading("lá pelas 4"), TimeReading::At { time: time(16, 0, 0, 0), assumed_pm: true, approximate: true });
}

#[test]
fn feasts_and_distances_from_them_are_days() {
    for (text, want) in [
        ("na sexta-feira santa", date(2027, 3, 26)),
        ("no carnaval", date(2027, 2, 9)),
        ("segunda de carnaval", date(2027, 2, 8)),
        ("corpus christi", date(2027, 5, 27)),
        ("na páscoa de 2028", date(2028, 4, 16)),
        ("dia das mães", date(2027, 5, 9)),
        ("uma semana antes do natal", date(2026, 12, 18)),
        ("dois dias depois do natal", date(2026, 12, 27)),
    ] {
        assert_eq!(day(text), want, "{text}");
    }
}

#[test]
fn spans_are_spans_and_their_numbers_are_no_hours() {
    for (text, first, last) in [
        ("entre 19 e 20 de dezembro", date(2026, 12, 19), date(2026, 12, 20)),
        ("do dia 3 ao dia 12", date(2026, 12, 3), date(2026, 12, 12)),
        ("do dia 28 até o dia 2", date(2026, 11, 28), date(2026, 12, 2)),
        ("de 4 a 22 do mês que vem", date(2026, 12, 4), date(2026, 12, 22)),
        ("em janeiro", date(2027, 1, 1), date(2027, 1, 31)),
        ("nos próximos 3 dias", date(2026, 11, 24), date(2026, 11, 26)),
    ] {
        let found = find_dates(text, TODAY);
        let readings: Vec<_> = found.into_iter().map(|found| found.reading).collect();
        assert_eq!(readings, [Ok(DateSpan::Range { first, last })], "{text}");
        assert_eq!(find_times(text), [], "{text}");
    }
    for text in ["custa de 4 a 22 reais", "dia 3 e dia 5", "das 14 às 16", "2 a 3 pessoas"] {
        let spans =
            find_dates(text, TODAY).into_iter().filter(|found| matches!(found.reading, Ok(DateSpan::Range { .. })));
        assert_eq!(spans.count(), 0, "{text}");
    }
}

#[test]
fn a_number_behind_a_weekday_is_its_date_or_a_problem() {
    assert_eq!(day("sexta 27"), date(2026, 11, 27));
    assert_eq!(day("quinta-feira 10"), date(2026, 12, 10));
    // Written with a word for it, the number is an hour.
    for text in
        ["sexta 10h", "sexta 10 horas", "sexta 10 da manhã", "sexta 10 de manhã", "sexta 10 e meia", "sexta às 10"]
    {
        assert_eq!(day(text), date(2026, 11, 27), "{text}");
        assert_eq!(find_times(text).len(), 1, "{text}");
    }
    for text in ["terça 25", "sexta-feira 13", "sexta, 25/11", "sexta 10", "sexta 10 com a Ana", "friday 10 please"] {
        let found = find_dates(text, TODAY);
        assert!(
            matches!(found[..], [ref only] if matches!(only.reading, Err(DateProblem::WeekdayMismatch { .. }))),
            "{text}: {found:?}"
        );
    }
}

const NAMES: [(&str, Weekday); 7] = [
    ("segunda-feira", Weekday::Monday),
    ("terça", Weekday::Tuesday),
    ("qua", Weekday::Wednesday),
    ("5ª", Weekday::Thursday),
    ("sexta", Weekday::Friday),
    ("sábado", Weekday::Saturday),
    ("domingo", Weekday::Sunday),
];

proptest! {
    /// Never a wrong weekday: whoever names one gets a day of that name, or is told that it does not fit.
    #[test]
    fn a_named_weekday_is_the_weekday_of_the_day(
        ahead in 0_i64..4000,
        name in 0_usize..7,
        form in prop::sample::select(vec![
            "{}", "na {}", "{} que vem", "próxima {}", "nessa {}", "{} da semana que vem", "{} passada", "{}, dia 17", "{} 28",
            "{}, 05/03", "dia 9 ({})", "{} às 10", "última {}", "{} 10", "{} 27 por favor", "quero a {}", "please book {} 05/03",
        ]),
    ) {
        let today = date(2024, 1, 1).saturating_add(ahead.days());
        let (written, weekday) = NAMES[name];
        let text = form.replace("{}", written);
        for found in find_dates(&text, today) {
            match found.reading {
                Ok(DateSpan::Day(day)) => prop_assert_eq!(day.weekday(), weekday, "{} on {}", text, today),
                Ok(DateSpan::Range { .. }) => prop_assert!(false, "unexpected span in {}", text),
                Err(DateProblem::WeekdayMismatch { said, date, actual }) => {
                    prop_assert_eq!((said, date.weekday()), (weekday, actual));
                    prop_assert_ne!(said, actual);
                }
                Err(DateProblem::Ambiguous { readings }) => {
                    for meaning in readings {
                        if let Meaning::Day(day) = meaning {
                            prop_assert_eq!(day.weekday(), weekday, "{} on {}", text, today);
                        }
                    }
                }
                Err(_) => {}
            }
        }
    }

    /// In English a date in figures is either order, none of them dropped; in Portuguese it is one.
    #[test]
    fn a_date_in_figures_keeps_all_its_readings(ahead in 0_i64..4000, day in 1_i8..=28, month in 1_i8..=12) {
        let today = date(2024, 1, 1).saturating_add(ahead.days());
        let english = resolve_date(&format!("on {day:02}/{month:02}"), today);
        let portuguese = resolve_date(&format!("no dia {day:02}/{month:02}"), today).unwrap().date;
        prop_assert_eq!((portuguese.day(), portuguese.month()), (day, month));
        if day <= 12 && day != month {
            let readings = english.unwrap_err().readings();
            let written: Vec<_> = readings.iter().map(|one| (one.day(), one.month())).collect();
            prop_assert_eq!(written, [(day, month), (month, day)]);
            prop_assert!(readings.iter().all(|one| *one >= today));
        } else {
            prop_assert_eq!(english.unwrap().date, portuguese);
        }
    }

    /// Whoever names two days with an "ou" gets both back, and neither is chosen.
    #[test]
    fn of_two_days_none_is_chosen(ahead in 0_i64..4000, one in 0_usize..7, other in 0_usize..7) {
        prop_assume!(one != other);
        let today = date(2024, 1, 1).saturating_add(ahead.days());
        let ((first, one), (second, other)) = (NAMES[one], NAMES[other]);
        let problem = resolve_date(&format!("{first} ou {second}"), today).unwrap_err();
        let days: Vec<Weekday> = problem.readings().into_iter().map(Date::weekday).collect();
        prop_assert_eq!(days, [one, other]);
    }

    /// Two days of the month: both readings, in order, each that day.
    #[test]
    fn of_two_days_of_the_month_none_is_dropped(ahead in 0_i64..4000, first in 1_i8..=27) {
        let today = date(2024, 1, 1).saturating_add(ahead.days());
        for text in [format!("dia {first} ou {}", first + 1), format!("dia {first} ou dia {}", first + 1)] {
            let days = resolve_date(&text, today).unwrap_err().readings();
            prop_assert_eq!(days.iter().map(|one| one.day()).collect::<Vec<_>>(), [first, first + 1], "{}", text);
            prop_assert!(days.iter().all(|one| *one >= today));
            prop_assert_eq!(find_times(&text), []);
        }
    }

    /// Whatever is written: no panic, and every place is a place of the text.
    #[test]
    fn any_text_is_read_without_harm(text in "\\PC{0,60}", ahead in 0_i64..4000) {
        let today = date(2024, 1, 1).saturating_add(ahead.days());
        let days = find_dates(&text, today).into_iter().map(|found| (found.start, found.end));
        let times = find_times(&text).into_iter().map(|found| (found.start, found.end));
        let numbers = balcao_language::quantities::find_numbers(&text).into_iter().map(|found| (found.start, found.end));
        for (start, end) in days.chain(times).chain(numbers) {
            prop_assert!(start < end && text.get(start..end).is_some());
        }
    }
}
