use jiff::civil::time;

use super::*;

fn only(text: &str) -> TimeReading {
    let found = find_times(text);
    assert_eq!(found.len(), 1, "{text:?} gives {found:?}");
    found.into_iter().next().unwrap().reading
}

#[test]
fn one_time() {
    for (text, hour, minute, assumed) in [
        ("15h", 15, 0, false),
        ("15h30", 15, 30, false),
        ("às 15h30min", 15, 30, false),
        ("15:30", 15, 30, false),
        ("17.30", 17, 30, false),
        ("10hs", 10, 0, false),
        ("10 hrs", 10, 0, false),
        ("15 horas", 15, 0, false),
        ("às 3 da tarde", 15, 0, false),
        ("as 3", 15, 0, true),
        ("às 15", 15, 0, false),
        ("sábado às 9 corte máquina", 9, 0, false),
        ("marca quinta as 11", 11, 0, false),
        ("3 e meia", 15, 30, true),
        ("8 e meia", 8, 30, false),
        ("meio dia", 12, 0, false),
        ("meio-dia e meia", 12, 30, false),
        ("9 da manhã", 9, 0, false),
        ("7 da noite", 19, 0, false),
        ("7 da manha", 7, 0, false),
        ("7h", 7, 0, false),
        ("3h", 15, 0, true),
        ("03:00", 3, 0, false),
        ("3:30", 15, 30, true),
        ("quinze para as 9", 8, 45, false),
        ("15 pras 4", 15, 45, true),
        ("três e meia da tarde", 15, 30, false),
        ("3pm", 15, 0, false),
        ("3 p.m.", 15, 0, false),
        ("340pm", 15, 40, false),
        ("at 3", 15, 0, true),
        ("3:30 pm", 15, 30, false),
        ("noon", 12, 0, false),
        ("às dez", 10, 0, false),
        ("oito e quinze da manhã", 8, 15, false),
        ("pela tarde às 7", 19, 0, false),
        ("de manhã, às 9", 9, 0, false),
        ("amanhã 14h com o joão", 14, 0, false),
        ("uma da tarde", 13, 0, false),
        ("18h em ponto", 18, 0, false),
        ("quarta, 02/12: 14h", 14, 0, false),
        ("15: 30", 15, 30, false),
    ] {
        let want = TimeReading::At { time: time(hour, minute, 0, 0), assumed_pm: assumed, approximate: false };
        assert_eq!(only(text), want, "{text:?}");
    }
    for text in ["umas 5", "la pelas 5", "por volta das 5", "lá pelas 17h"] {
        let TimeReading::At { time: found, approximate, .. } = only(text) else { panic!("{text:?}") };
        assert_eq!((found, approximate), (time(17, 0, 0, 0), true), "{text:?}");
    }
}

#[test]
fn windows() {
    let end = time(23, 59, 0, 0);
    for (text, from, until) in [
        ("entre 14 e 16h", time(14, 0, 0, 0), time(16, 0, 0, 0)),
        ("entre as 2 e as 5", time(14, 0, 0, 0), time(17, 0, 0, 0)),
        ("das 9 às 12", time(9, 0, 0, 0), time(12, 0, 0, 0)),
        ("das 9 as 3", time(9, 0, 0, 0), time(15, 0, 0, 0)),
        ("das 8 as 10 da manha", time(8, 0, 0, 0), time(10, 0, 0, 0)),
        ("de 5 a 6pm", time(17, 0, 0, 0), time(18, 0, 0, 0)),
        ("14-16h", time(14, 0, 0, 0), time(16, 0, 0, 0)),
        ("14h às 16h", time(14, 0, 0, 0), time(16, 0, 0, 0)),
        ("depois das 18h", time(18, 0, 0, 0), end),
        ("depois das 6", time(18, 0, 0, 0), end),
        ("a partir das 14", time(14, 0, 0, 0), end),
        ("até 11h", time(0, 0, 0, 0), time(11, 0, 0, 0)),
        ("antes das 11h", time(0, 0, 0, 0), time(10, 59, 0, 0)),
        ("antes do meio dia", time(0, 0, 0, 0), time(11, 59, 0, 0)),
        ("de manhã", time(0, 0, 0, 0), time(11, 59, 0, 0)),
        ("sexta de manha pra barba", time(0, 0, 0, 0), time(11, 59, 0, 0)),
        ("à tarde", time(12, 0, 0, 0), time(17, 59, 0, 0)),
        ("de noite", time(18, 0, 0, 0), end),
        ("fim da tarde", time(16, 0, 0, 0), time(18, 59, 0, 0)),
        ("depois do almoço", time(13, 0, 0, 0), time(17, 59, 0, 0)),
        ("depois do trabalho", time(18, 0, 0, 0), end),
        ("bem cedo", time(0, 0, 0, 0), time(9, 59, 0, 0)),
        ("after 5pm", time(17, 0, 0, 0), end),
        ("in the afternoon", time(12, 0, 0, 0), time(17, 59, 0, 0)),
    ] {
        let TimeReading::Window(window) = only(text) else { panic!("{text:?}: {:?}", only(text)) };
        assert_eq!((window.from, window.until), (from, until), "{text:?}");
        assert!(window.contains(from) && window.contains(until));
    }
}

#[test]
fn a_part_of_the_day_makes_no_hour_of_a_date() {
    for text in ["17/02 à noite", "dia 15 à noite", "dia 8 de noite", "no dia 3 à noite, 17/12 não"] {
        let TimeReading::Window(window) = only(text) else { panic!("{text}") };
        assert_eq!(window.period, Some(Period::Evening), "{text}");
    }
    for (text, hour) in
        [("17/02 7 da noite", 19), ("outro dia 15h", 15), ("dia 15, 8 da noite", 20), ("dia 5 às 8 da noite", 20)]
    {
        let TimeReading::At { time: at, .. } = only(text) else { panic!("{text}") };
        assert_eq!(at, time(hour, 0, 0, 0), "{text}");
    }
}

#[test]
fn no_times() {
    for text in [
        "boa tarde",
        "boa noite, tudo bem?",
        "mais tarde eu vejo",
        "daqui a 2 horas",
        "me lembra 1 hora antes",
        "em até 3 vezes",
        "quero 2 cortes",
        "dia 15",
        "R$ 45,00",
        "R$ 10.00",
        "15/12",
        "11912345678",
        "as 2 opções",
        "tenho 30 anos",
        "",
    ] {
        assert_eq!(find_times(text), [], "{text:?}");
    }
}

#[test]
fn naked_numbers_only_where_a_time_was_asked() {
    for (text, hour, minute) in [
        ("10", 10, 0),
        ("pode ser 10", 10, 0),
        ("o das 16", 16, 0),
        ("3", 15, 0),
        ("10 e meia", 10, 30),
        ("9, pode ser", 9, 0),
    ] {
        let found = bare_hours(text);
        let [TimeMatch { reading: TimeReading::At { time: at, .. }, .. }] = found.as_slice() else {
            panic!("{text:?}: {found:?}")
        };
        assert_eq!(*at, time(hour, minute, 0, 0), "{text:?}");
    }
    assert_eq!(find_times("pode ser 10"), []);
    assert_eq!(bare_hours("dia 10"), []);
    assert_eq!(bare_hours("10 reais"), []);
    assert_eq!(resolve_time("15h30"), Some(time(15, 30, 0, 0)));
    assert_eq!(resolve_time("às 15:00"), Some(time(15, 0, 0, 0)));
    assert_eq!(resolve_time("15h ou 16h"), None);
    assert_eq!(resolve_time("manhã"), None);
}

#[test]
fn two_times_are_both_found() {
    let found = find_times("15h ou 16h30");
    assert_eq!(found.len(), 2, "{found:?}");
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "\\PC*") {
        let mut last = 0;
        for found in find_times(&text).into_iter() {
            proptest::prop_assert!(found.start >= last && found.end > found.start);
            last = found.end;
        }
        let _ = bare_hours(&text);
    }

    #[test]
    fn a_written_time_is_that_time(hour in 0_i8..24, minute in 0_i8..60) {
        let want = time(hour, minute, 0, 0);
        proptest::prop_assert_eq!(resolve_time(&format!("{hour:02}:{minute:02}")), Some(want));
        if hour > 6 {
            proptest::prop_assert_eq!(resolve_time(&crate::format::time(want, balcao_domain::Locale::PtBr)), Some(want));
        }
    }
}

#[test]
fn a_bare_hour_is_the_mornings_where_the_business_is_open_by_then() {
    let five = time(5, 0, 0, 0);
    for (text, from_five, else_) in [
        ("às 6h30", "06:30", "18:30"),
        ("amanhã às 6", "06:00", "18:00"),
        ("5h", "05:00", "17:00"),
        ("às 4", "16:00", "16:00"),
        ("4:45", "16:45", "16:45"),
        ("6 da tarde", "18:00", "18:00"),
        ("amanhã de tarde, às 6", "18:00", "18:00"),
        ("6pm", "18:00", "18:00"),
        ("3h da manhã", "03:00", "03:00"),
        ("3h da madrugada", "03:00", "03:00"),
        ("03:00", "03:00", "03:00"),
        ("às 05h", "05:00", "05:00"),
    ] {
        let at = |found: Vec<TimeMatch>| match found.as_slice() {
            [TimeMatch { reading: TimeReading::At { time, .. }, .. }] => time.strftime("%H:%M").to_string(),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(at(find_times_from(text, five)), from_five, "{text}");
        assert_eq!(at(find_times(text)), else_, "{text}");
        assert_eq!(at(bare_hours_from(text, five)), from_five, "{text}");
    }
    let until = |opens| find_times_from("até as 6", opens).into_iter().next().unwrap().reading;
    let ends = |reading| matches!(reading, TimeReading::Window(window) if window.until == time(6, 0, 0, 0));
    assert!(ends(until(five)) && !ends(until(Time::MAX)));
}
