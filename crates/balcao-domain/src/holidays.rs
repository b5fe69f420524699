//! National holidays of Brazil, computed for any year.
//!
//! Sources: laws 662/1949 and 10.607/2002 (fixed dates), 6.802/1980 (12 October), 14.759/2023 (20 November, from 2024
//! on); Good Friday is a holiday by law 9.093/1995 and follows Easter. Carnival and Corpus Christi are not national holidays.

use jiff::Span;
use jiff::civil::{Date, date};

const FIXED: [(i8, i8, &str, i16); 9] = [
    (1, 1, "Confraternização Universal", 1936),
    (4, 21, "Tiradentes", 1950),
    (5, 1, "Dia do Trabalhador", 1925),
    (9, 7, "Independência do Brasil", 1823),
    (10, 12, "Nossa Senhora Aparecida", 1980),
    (11, 2, "Finados", 1936),
    (11, 15, "Proclamação da República", 1890),
    (11, 20, "Dia Nacional de Zumbi e da Consciência Negra", 2024),
    (12, 25, "Natal", 1922),
];

/// The national holidays of a year with their names, in order of date.
///
/// Years outside of 1583 to 9999 have none: the Gregorian Easter is not defined before.
#[must_use]
pub fn brazilian(year: i16) -> Vec<(Date, &'static str)> {
    if !(1583..=9999).contains(&year) {
        return Vec::new();
    }
    let fixed = FIXED.iter().filter(|(.., since)| *since <= year);
    let mut days: Vec<_> = fixed.map(|(month, day, name, _)| (date(year, *month, *day), *name)).collect();
    if let Some(good_friday) = easter(year).and_then(|sunday| sunday.checked_sub(Span::new().days(2)).ok()) {
        days.push((good_friday, "Sexta-feira Santa"));
    }
    days.sort_unstable();
    days
}

/// Easter Sunday, by the anonymous Gregorian algorithm (Meeus, Jones, Butcher).
#[must_use]
pub fn easter(year: i16) -> Option<Date> {
    let year_number = i32::from(year);
    let golden = year_number % 19;
    let (century, of_century) = (year_number / 100, year_number % 100);
    let moon = (19 * golden + century - century / 4 - (century - (century + 8) / 25 + 1) / 3 + 15) % 30;
    let weekday = (32 + 2 * (century % 4) + 2 * (of_century / 4) - moon - of_century % 4) % 7;
    let correction = (golden + 11 * moon + 22 * weekday) / 451;
    let days = moon + weekday - 7 * correction + 114;
    Date::new(year, i8::try_from(days / 31).ok()?, i8::try_from(days % 31 + 1).ok()?).ok()
}

#[cfg(test)]
#[path = "holidays_tests.rs"]
mod tests;
