use jiff::civil::date;

use super::*;

/// A Tuesday.
const TODAY: Date = date(2026, 11, 24);

fn ambiguous(days: &[Date]) -> DateProblem {
    DateProblem::Ambiguous { readings: days.iter().copied().map(Meaning::Day).collect() }
}

fn only(text: &str) -> Result<DateSpan, DateProblem> {
    let found = find_dates(text, TODAY);
    assert_eq!(found.len(), 1, "{text:?} gives {found:?}");
    found.into_iter().next().unwrap().reading
}

#[test]
fn days_are_read_as_customers_write_them() {
    for (text, month, day) in [
        ("hoje", 11, 24),
        ("hj tem vaga?", 11, 24),
        ("amanhã", 11, 25),
        ("amanha cedo", 11, 25),
        ("depois de amanhã", 11, 26),
        ("dps de amanha", 11, 26),
        ("sexta", 11, 27),
        ("na sexta-feira", 11, 27),
        ("sex", 11, 27),
        ("6a feira", 11, 27),
        ("6ª", 11, 27),
        ("sexta que vem", 11, 27),
        ("próxima sexta", 11, 27),
        ("nessa sexta", 11, 27),
        ("essa sexta agora", 11, 27),
        ("terça que vem", 12, 1),
        ("terça", 12, 1),
        ("nesta terça", 11, 24),
        ("sexta da outra semana", 12, 4),
        ("sexta da semana que vem", 12, 4),
        ("segunda da próxima semana", 11, 30),
        ("sexta passada", 11, 20),
        ("sábado", 11, 28),
        ("sab", 11, 28),
        ("aos domingos", 11, 29),
        ("dia 15", 12, 15),
        ("dia 30", 11, 30),
        ("dia 24", 11, 24),
        ("dia 31", 12, 31),
        ("dia 5 do mês que vem", 12, 5),
        ("15/12", 12, 15),
        ("15/12/2026", 12, 15),
        ("15-12-26", 12, 15),
        ("15.12.2026", 12, 15),
        ("2026-12-15", 12, 15),
        ("15 de dezembro", 12, 15),
        ("15 dez", 12, 15),
        ("1º de dezembro", 12, 1),
        ("primeiro de dezembro", 12, 1),
        ("quinze de dezembro", 12, 15),
        ("15 de dezembro de 2026", 12, 15),
        ("daqui a 3 dias", 11, 27),
        ("daqui 3 dias", 11, 27),
        ("daqui a uma semana", 12, 1),
        ("em 2 semanas", 12, 8),
        ("sexta, 27/11", 11, 27),
        ("sexta dia 27", 11, 27),
        ("dia 27, sexta", 11, 27),
        ("sexta-feira (27/11)", 11, 27),
        ("hoje, terça", 11, 24),
        ("today", 11, 24),
        ("tomorrow at 3pm", 11, 25),
        ("next friday", 11, 27),
        ("friday", 11, 27),
        ("on the 15th", 12, 15),
        ("December 15", 12, 15),
        ("December 15th", 12, 15),
        ("15 December", 12, 15),
        ("in 3 days", 11, 27),
        ("friday next week", 12, 4),
        ("day after tomorrow", 11, 26),
        ("marca pra quinta as 15", 11, 26),
        ("abre no natal?", 12, 25),
        ("na véspera de Natal", 12, 24),
    ] {
        assert_eq!(only(text), Ok(DateSpan::Day(date(2026, month, day))), "{text:?}");
    }
    assert_eq!(only("20/11"), Ok(DateSpan::Day(date(2027, 11, 20))));
}

#[test]
fn what_no_calendar_has_is_impossible() {
    for text in ["12/13", "32/12", "30/02", "29/02/2027", "daqui a 999999999 dias"] {
        assert_eq!(only(text), Err(DateProblem::Impossible { written: text.to_owned() }));
    }
    assert_eq!(only("29/02"), Ok(DateSpan::Day(date(2028, 2, 29))));
    // Where the month may come first, or a year stands behind, there is one reading.
    let english = find_dates_in("can I come on 12/13?", TODAY, Locale::En).pop().unwrap().reading;
    assert_eq!(english, Ok(DateSpan::Day(date(2026, 12, 13))));
    assert_eq!(only("12/13/2026"), Ok(DateSpan::Day(date(2026, 12, 13))));
}

#[test]
fn days_are_counted_from_a_day_that_is_named() {
    for (text, month, day) in [
        ("de hoje a oito", 12, 1),
        ("de hoje a 8", 12, 1),
        ("de hj a oito dias", 12, 1),
        ("de hoje a quinze", 12, 8),
        ("pode ser de amanhã a oito?", 12, 2),
        ("de sexta a oito", 12, 4),
        ("depois de depois de amanhã", 11, 27),
        ("dps de dps de amanha", 11, 27),
    ] {
        assert_eq!(only(text), Ok(DateSpan::Day(date(2026, month, day))), "{text:?}");
    }
    assert_eq!(only("de hoje a 8 de dezembro"), Ok(DateSpan::Range { first: TODAY, last: date(2026, 12, 8) }));
}

#[test]
fn spans_are_not_days() {
    for (text, first, last) in [
        ("semana que vem", date(2026, 11, 30), date(2026, 12, 6)),
        ("próxima semana", date(2026, 11, 30), date(2026, 12, 6)),
        ("essa semana", date(2026, 11, 24), date(2026, 11, 29)),
        ("fim de semana", date(2026, 11, 28), date(2026, 11, 29)),
        ("final de semana", date(2026, 11, 28), date(2026, 11, 29)),
        ("fds", date(2026, 11, 28), date(2026, 11, 29)),
        ("mês que vem", date(2026, 12, 1), date(2026, 12, 31)),
        ("semana passada", date(2026, 11, 16), date(2026, 11, 22)),
        ("mês passado", date(2026, 10, 1), date(2026, 10, 31)),
        ("no ano passado", date(2025, 1, 1), date(2025, 12, 31)),
        ("next week", date(2026, 11, 30), date(2026, 12, 6)),
    ] {
        assert_eq!(only(text), Ok(DateSpan::Range { first, last }), "{text:?}");
        assert_eq!(resolve_date(text, TODAY), Err(DateProblem::SeveralDays { first, last }), "{text:?}");
    }
}

#[test]
fn a_year_that_is_named_holds_for_the_whole_date_or_span() {
    // Read on Tuesday, 2026-11-24.
    for (text, first, last) in [
        ("nos últimos quatro meses de 2021", date(2021, 9, 1), date(2021, 12, 31)),
        ("os primeiros 10 dias de 2027", date(2027, 1, 1), date(2027, 1, 10)),
        ("as primeiras 2 semanas de 2021", date(2021, 1, 4), date(2021, 1, 17)),
        ("as últimas 2 semanas do ano", date(2026, 12, 21), date(2027, 1, 3)),
        ("terceiro mês de 2021", date(2021, 3, 1), date(2021, 3, 31)),
        ("no primeiro mês do ano que vem", date(2027, 1, 1), date(2027, 1, 31)),
        ("primeiro trimestre do ano passado", date(2025, 1, 1), date(2025, 3, 31)),
        ("primeiro trimestre do ano de 2024", date(2024, 1, 1), date(2024, 3, 31)),
        ("primeiro trimestre do ano", date(2026, 1, 1), date(2026, 3, 31)),
    ] {
        assert_eq!(only(text), Ok(DateSpan::Range { first, last }), "{text}");
    }
    for (text, day) in [
        ("nasci em 2 de outubro de 92", date(1992, 10, 2)),
        ("22/jan/2026", date(2026, 1, 22)),
        ("2026-jan-22", date(2026, 1, 22)),
        ("jan/2026/22", date(2026, 1, 22)),
        // A number that may be a day or an hour is no year.
        ("2 de dezembro de 10 às 11", date(2026, 12, 2)),
        ("2 de dezembro, 45 reais", date(2026, 12, 2)),
    ] {
        assert_eq!(only(text), Ok(DateSpan::Day(day)), "{text}");
    }
}

#[test]
fn several_days_are_all_found() {
    let found = find_dates("sexta ou sábado, ou dia 2?", TODAY);
    let days: Vec<_> = found.into_iter().map(|found| found.reading).collect();
    let want = [date(2026, 11, 27), date(2026, 11, 28), date(2026, 12, 2)];
    assert_eq!(days, want.map(|day| Ok(DateSpan::Day(day))));
}

#[test]
fn what_names_no_day_is_left_alone() {
    for text in [
        "vai ter horário?",
        "segunda vez que venho",
        "às 15h30",
        "R$ 45,00",
        "bom dia",
        "dia 15h",
        "11912345678",
        "quero 2 cortes",
        "10-12h",
        "o dia todo",
        "meio dia",
        "uma hora",
        "em 3 vezes",
        "no 1180",
    ] {
        assert_eq!(find_dates(text, TODAY), [], "{text:?}");
    }
}

#[test]
fn contradictions_and_impossible_dates_are_named() {
    assert_eq!(only("31/02"), Err(DateProblem::Impossible { written: "31/02".to_owned() }));
    assert_eq!(only("dia 45"), Err(DateProblem::Impossible { written: "dia 45".to_owned() }));
    assert_eq!(only("2026-13-01"), Err(DateProblem::Impossible { written: "2026-13-01".to_owned() }));
    let mismatch =
        DateProblem::WeekdayMismatch { said: Weekday::Thursday, date: date(2026, 11, 27), actual: Weekday::Friday };
    assert_eq!(only("quinta, 27/11"), Err(mismatch.clone()));
    assert_eq!(only("quinta dia 27"), Err(mismatch.clone()));
    assert_eq!(mismatch.to_string(), "2026-11-27 is a Friday, not a Thursday");
}

#[test]
fn an_argument_must_be_one_day_and_nothing_else() {
    let friday = ResolvedDate { date: date(2026, 11, 27), weekday: Weekday::Friday };
    for text in ["2026-11-27", "sexta", "na sexta", "sexta, 27/11", " para sexta-feira "] {
        assert_eq!(resolve_date(text, TODAY), Ok(friday), "{text:?}");
    }
    for text in ["", "sexta e sábado", "sexta às 15h", "quando der", "semana que vem ou sexta"] {
        assert!(matches!(resolve_date(text, TODAY), Err(DateProblem::NotADate { .. })), "{text:?}");
    }
}

#[test]
fn an_argument_that_may_be_either_of_two_days_carries_both() {
    let days =
        |days: &[(i8, i8)]| ambiguous(&days.iter().map(|(month, day)| date(2026, *month, *day)).collect::<Vec<_>>());
    for (text, want) in [
        ("sexta ou sábado", days(&[(11, 27), (11, 28)])),
        ("na quinta, sexta ou sábado", days(&[(11, 26), (11, 27), (11, 28)])),
        ("dia 5 ou 6", days(&[(12, 5), (12, 6)])),
        ("dia 30 ou 1 de dezembro", days(&[(11, 30), (12, 1)])),
        ("dia 25 ou 26 do mês que vem", days(&[(12, 25), (12, 26)])),
        ("sexta 27 ou 28", days(&[(11, 27), (11, 28)])),
        ("Friday or Saturday", days(&[(11, 27), (11, 28)])),
        ("sexta/sábado", days(&[(11, 27), (11, 28)])),
    ] {
        assert_eq!(resolve_date(text, TODAY), Err(want), "{text}");
    }
    assert_eq!(
        resolve_date("on 03/04", TODAY).unwrap_err().to_string(),
        "this may be 2027-04-03 (Saturday) or 2027-03-04 (Thursday): ask which is meant"
    );
    // As an argument it is meant as a day.
    assert_eq!(resolve_date("a segunda", TODAY).unwrap().date, date(2026, 11, 30));
}

#[test]
fn what_stands_instead_of_another_day_says_so() {
    let marks = |text: &str| find_dates(text, TODAY).into_iter().map(|found| found.either).collect::<Vec<_>>();
    for (text, want) in [
        ("sexta ou sábado, ou dia 2?", vec![false, true, true]),
        ("pode ser sexta às 15h ou no sábado?", vec![false, true]),
        ("dia 3 e dia 5", vec![false, false]),
        ("dias 5 e 6", vec![false, false]),
        ("corte ou barba sexta, sábado a unha", vec![false, false]),
        ("Pode sexta? Ou sábado?", vec![false, false]),
        ("de sexta pra sábado ou domingo", vec![false, false, true]),
    ] {
        assert_eq!(marks(text), want, "{text}");
    }
}

#[test]
fn figures_in_english_may_be_either_order() {
    let both = Err(ambiguous(&[date(2027, 4, 3), date(2027, 3, 4)]));
    for text in ["can I book for 03/04?", "I would like 03/04/2027 please", "is 3/4 available"] {
        assert_eq!(only(text), both, "{text}");
    }
    // Portuguese has one order; so have days past the twelfth, both alike, dots, and a year in front.
    for (text, month, day) in [
        ("quero marcar dia 03/04", 4, 3),
        ("03/04", 4, 3),
        ("can I come on 04/21?", 4, 21),
        ("can I come on 21/04?", 4, 21),
        ("can I come on 05/05?", 5, 5),
        ("can I come on 2027-04-03?", 4, 3),
        ("can I come on 03.04.2027?", 4, 3),
        // A weekday decides: 3 April is a Saturday.
        ("can I come on Saturday 03/04?", 4, 3),
        ("can I come on Thursday, 03/04?", 3, 4),
    ] {
        assert_eq!(only(text), Ok(DateSpan::Day(date(2027, month, day))), "{text}");
    }
    let said = only("can I come on Monday, 03/04?");
    assert!(matches!(said, Err(DateProblem::WeekdayMismatch { said: Weekday::Monday, .. })), "{said:?}");
    // The language of the conversation counts where the text tells none.
    let found = find_dates_in("03/04", TODAY, Locale::En);
    assert!(matches!(found.as_slice(), [one] if one.reading == both), "{found:?}");
    let found = find_dates_in("quero dia 03/04", TODAY, Locale::En);
    assert!(matches!(found.as_slice(), [one] if one.reading == Ok(DateSpan::Day(date(2027, 4, 3)))), "{found:?}");
}

#[test]
fn a_weekday_that_is_an_ordinal_too_may_be_the_place_in_a_list() {
    let monday = date(2026, 11, 30);
    let either = Err(DateProblem::Ambiguous { readings: vec![Meaning::Day(monday), Meaning::Place(2)] });
    for text in
        ["a segunda", "quero a segunda", "pode ser a segunda, por favor", "prefiro a segunda mesmo", "A segunda!"]
    {
        assert_eq!(only(text), either, "{text}");
    }
    for text in [
        "segunda",
        "na segunda",
        "quero a segunda-feira",
        "para a segunda",
        "a segunda, 30/11",
        "a segunda que vem",
        "a segunda às 15h",
    ] {
        assert_eq!(only(text), Ok(DateSpan::Day(monday)), "{text}");
    }
    let problem = only("a quarta").unwrap_err();
    assert_eq!(
        problem.to_string(),
        "this may be 2026-11-25 (Wednesday) or number 4 of what was offered: ask which is meant"
    );
    assert_eq!(problem.readings(), [date(2026, 11, 25)]);
}

#[test]
fn today_is_the_argument_also_at_the_ends_of_months() {
    let eve = date(2026, 12, 31);
    assert_eq!(resolve_date("amanhã", eve).unwrap().date, date(2027, 1, 1));
    assert_eq!(resolve_date("dia 30", eve).unwrap().date, date(2027, 1, 30));
    let sunday = date(2026, 11, 29);
    assert_eq!(resolve_date("fim de semana", sunday), Err(DateProblem::SeveralDays { first: sunday, last: sunday }));
    assert_eq!(resolve_date("segunda", sunday).unwrap().date, date(2026, 11, 30));
    assert_eq!(resolve_date("segunda da semana que vem", sunday).unwrap().date, date(2026, 11, 30));
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_without_panic_and_matches_lie_in_order(text in "\\PC*", days in 0_i64..40_000) {
        let today = date(2000, 1, 1).saturating_add(jiff::ToSpan::days(days));
        let mut last = 0;
        for found in find_dates(&text, today) {
            proptest::prop_assert!(found.start >= last && found.end > found.start);
            proptest::prop_assert!(text.get(found.start..found.end).is_some());
            last = found.end;
        }
    }

    #[test]
    fn a_written_day_is_that_day(days in 0_i64..700) {
        let day = TODAY.saturating_add(jiff::ToSpan::days(days));
        let text = format!("{}, {:02}/{:02}/{}", format::weekday(day.weekday(), Locale::PtBr), day.day(), day.month(), day.year());
        proptest::prop_assert_eq!(resolve_date(&text, TODAY), Ok(ResolvedDate { date: day, weekday: day.weekday() }));
        proptest::prop_assert_eq!(resolve_date(&day.to_string(), TODAY).unwrap().date, day);
    }
}

#[test]
fn a_day_of_the_last_month_is_not_one_of_the_next() {
    let today = date(2026, 11, 24);
    for (text, day) in [
        ("dia 5 do mês passado", date(2026, 10, 5)),
        ("no dia 30 do mês passado", date(2026, 10, 30)),
        ("dia 5 do mês que vem", date(2026, 12, 5)),
        ("dia 5", date(2026, 12, 5)),
    ] {
        let found = find_dates(text, today);
        assert!(matches!(found.as_slice(), [one] if one.reading == Ok(DateSpan::Day(day))), "{text}: {found:?}");
    }
}
