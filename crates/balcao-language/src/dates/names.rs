//! The names of days and months.

use jiff::civil::Weekday;

/// The weekday of a folded name or abbreviation, Portuguese or English: "quinta", "qui", "thursday".
#[must_use]
pub fn weekday_named(name: &str) -> Option<Weekday> {
    Some(match name {
        "segunda" | "segundas" | "seg" | "segundafeira" | "monday" | "mondays" | "mon" => Weekday::Monday,
        "terca" | "tercas" | "ter" | "tercafeira" | "tuesday" | "tuesdays" | "tue" | "tues" => Weekday::Tuesday,
        "quarta" | "quartas" | "qua" | "quartafeira" | "wednesday" | "wednesdays" | "wed" => Weekday::Wednesday,
        "quinta" | "quintas" | "qui" | "quintafeira" | "thursday" | "thursdays" | "thu" | "thurs" => Weekday::Thursday,
        "sexta" | "sextas" | "sex" | "sextou" | "sextafeira" | "friday" | "fridays" | "fri" => Weekday::Friday,
        "sabado" | "sabados" | "sab" | "sabadao" | "saturday" | "saturdays" | "sat" => Weekday::Saturday,
        "domingo" | "domingos" | "dom" | "sunday" | "sundays" | "sun" => Weekday::Sunday,
        _ => return None,
    })
}

/// The month of a folded name or abbreviation, from 1.
#[must_use]
pub fn month_named(name: &str) -> Option<i8> {
    Some(match name {
        "janeiro" | "jan" | "january" => 1,
        "fevereiro" | "fev" | "february" | "feb" => 2,
        "marco" | "mar" | "march" => 3,
        "abril" | "abr" | "april" | "apr" => 4,
        "maio" | "mai" | "may" => 5,
        "junho" | "jun" | "june" => 6,
        "julho" | "jul" | "july" => 7,
        "agosto" | "ago" | "august" | "aug" => 8,
        "setembro" | "set" | "september" | "sep" | "sept" => 9,
        "outubro" | "out" | "october" | "oct" => 10,
        "novembro" | "nov" | "november" => 11,
        "dezembro" | "dez" | "december" | "dec" => 12,
        _ => return None,
    })
}

/// A year in four digits, or in two: 20xx below 70, else 19xx.
pub(super) fn year_of(digits: &str) -> Option<i16> {
    let year: i16 = digits.parse().ok()?;
    match digits.len() {
        4 => Some(year),
        2 if year < 70 => Some(year.saturating_add(2000)),
        2 => Some(year.saturating_add(1900)),
        _ => None,
    }
}
