use jiff::civil::{date, time as clock};

use super::*;

#[test]
fn dates_times_and_money_are_said_as_people_write_them() {
    let friday = date(2026, 11, 27);
    assert_eq!(day(friday, Locale::PtBr), "sexta, 27/11");
    assert_eq!(day(friday, Locale::En), "Friday, Nov 27");
    assert_eq!(day_from(friday, date(2026, 11, 27), Locale::PtBr), "hoje (sexta, 27/11)");
    assert_eq!(day_from(friday, date(2026, 11, 26), Locale::PtBr), "amanhã (sexta, 27/11)");
    assert_eq!(day_from(friday, date(2026, 11, 20), Locale::En), "Friday, Nov 27");
    assert_eq!(time(clock(15, 30, 0, 0), Locale::PtBr), "15h30");
    assert_eq!(time(clock(9, 0, 0, 0), Locale::PtBr), "9h");
    assert_eq!(time(clock(9, 5, 0, 0), Locale::En), "9:05");
    assert_eq!(reais(4500, Locale::PtBr), "R$ 45,00");
    assert_eq!(reais(123_456_789, Locale::PtBr), "R$ 1.234.567,89");
    assert_eq!(reais(-5, Locale::En), "-R$ 0.05");
    assert_eq!(list(&["a", "b", "c"], "e"), "a, b e c");
    assert_eq!(list::<&str>(&[], "e"), "");
    assert_eq!(list(&["a"], "e"), "a");
    assert_eq!(month(3, Locale::PtBr), "março");
    assert_eq!(month(0, Locale::En), "");
    assert_eq!(Locale::closest_to_tag("en-US"), Locale::En);
    assert_eq!(Locale::closest_to_tag("pt-BR"), Locale::PtBr);
}

#[test]
fn a_date_of_another_year_says_so_unless_it_is_one_of_the_coming_months() {
    let today = jiff::civil::date(2026, 11, 24);
    for (year, month, day, said) in [
        (2026, 10, 5, "segunda, 05/10"),
        (2025, 10, 5, "domingo, 05/10/2025"),
        (2027, 1, 4, "segunda, 04/01"),
        (2027, 11, 20, "sábado, 20/11/2027"),
    ] {
        assert_eq!(day_from(jiff::civil::date(year, month, day), today, Locale::PtBr), said);
    }
    assert_eq!(day_from(jiff::civil::date(2025, 10, 5), today, Locale::En), "Sunday, Oct 5, 2025");
}
