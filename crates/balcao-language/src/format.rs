//! Wording of dates, times and money in replies: "sexta, 27/11", "15h30", "R$ 45,00".

use balcao_domain::Locale;
use jiff::civil::{Date, Time, Weekday};

/// The weekday as it is said: "sexta", "Friday".
#[must_use]
pub const fn weekday(day: Weekday, locale: Locale) -> &'static str {
    match (locale, day) {
        (Locale::PtBr, Weekday::Monday) => "segunda",
        (Locale::PtBr, Weekday::Tuesday) => "terça",
        (Locale::PtBr, Weekday::Wednesday) => "quarta",
        (Locale::PtBr, Weekday::Thursday) => "quinta",
        (Locale::PtBr, Weekday::Friday) => "sexta",
        (Locale::PtBr, Weekday::Saturday) => "sábado",
        (Locale::PtBr, Weekday::Sunday) => "domingo",
        (Locale::En, Weekday::Monday) => "Monday",
        (Locale::En, Weekday::Tuesday) => "Tuesday",
        (Locale::En, Weekday::Wednesday) => "Wednesday",
        (Locale::En, Weekday::Thursday) => "Thursday",
        (Locale::En, Weekday::Friday) => "Friday",
        (Locale::En, Weekday::Saturday) => "Saturday",
        (Locale::En, Weekday::Sunday) => "Sunday",
    }
}

/// The month as it is written: "novembro", "November"; empty outside 1 to 12.
#[must_use]
pub fn month(month: i8, locale: Locale) -> &'static str {
    const PT: [&str; 12] = [
        "janeiro",
        "fevereiro",
        "março",
        "abril",
        "maio",
        "junho",
        "julho",
        "agosto",
        "setembro",
        "outubro",
        "novembro",
        "dezembro",
    ];
    const EN: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let names = match locale {
        Locale::PtBr => PT,
        Locale::En => EN,
    };
    let index = usize::try_from(month.saturating_sub(1)).ok();
    index.and_then(|index| names.get(index).copied()).unwrap_or_default()
}

/// Weekday and date without the year: "sexta, 27/11", "Friday, Nov 27".
#[must_use]
pub fn day(date: Date, locale: Locale) -> String {
    format!("{}, {}", weekday(date.weekday(), locale), short_date(date, locale))
}

/// The date without the year: "27/11", "Nov 27".
#[must_use]
pub fn short_date(date: Date, locale: Locale) -> String {
    match locale {
        Locale::PtBr => format!("{:02}/{:02}", date.day(), date.month()),
        Locale::En => format!("{} {}", month(date.month(), locale).get(..3).unwrap_or_default(), date.day()),
    }
}

/// The date as seen from today: with its year if that is another and the date is not one of the coming months.
#[must_use]
pub fn short_date_from(date: Date, today: Date, locale: Locale) -> String {
    const EVIDENT_DAYS: i32 = 180;
    let ahead = today.until(date).map_or(i32::MAX, |span| span.get_days());
    let short = short_date(date, locale);
    match locale {
        _ if date.year() == today.year() || (0..=EVIDENT_DAYS).contains(&ahead) => short,
        Locale::PtBr => format!("{short}/{}", date.year()),
        Locale::En => format!("{short}, {}", date.year()),
    }
}

/// Weekday and [`short_date_from`]: "sexta, 27/11", "Saturday, Apr 3, 2027".
#[must_use]
pub fn dated(date: Date, today: Date, locale: Locale) -> String {
    format!("{}, {}", weekday(date.weekday(), locale), short_date_from(date, today, locale))
}

/// The day as seen from today: "hoje", "amanhã", else [`dated`].
#[must_use]
pub fn day_from(date: Date, today: Date, locale: Locale) -> String {
    let near = match (date == today, today.tomorrow().ok() == Some(date), locale) {
        (true, _, Locale::PtBr) => "hoje",
        (true, _, Locale::En) => "today",
        (_, true, Locale::PtBr) => "amanhã",
        (_, true, Locale::En) => "tomorrow",
        _ => return dated(date, today, locale),
    };
    format!("{near} ({})", day(date, locale))
}

/// The midnight that ends a day, which no civil time can be: periods that close at 24:00 end here.
pub const END_OF_DAY: Time = Time::constant(23, 59, 59, 0);

/// The time of day: "15h", "15h30"; in English "15:00", "15:30". Seconds are not said.
#[must_use]
pub fn time(time: Time, locale: Locale) -> String {
    if time == END_OF_DAY {
        return match locale {
            Locale::PtBr => "24h".to_owned(),
            Locale::En => "midnight".to_owned(),
        };
    }
    match (locale, time.minute()) {
        (Locale::PtBr, 0) => format!("{}h", time.hour()),
        (Locale::PtBr, minute) => format!("{}h{minute:02}", time.hour()),
        (Locale::En, minute) => format!("{}:{minute:02}", time.hour()),
    }
}

/// An amount of reais given in cents: "R$ 1.234,50"; in English "R$ 1,234.50".
#[must_use]
pub fn reais(cents: i64, locale: Locale) -> String {
    let (thousands, decimal) = match locale {
        Locale::PtBr => ('.', ','),
        Locale::En => (',', '.'),
    };
    let sign = if cents < 0 { "-" } else { "" };
    let amount = cents.unsigned_abs();
    let whole = (amount / 100).to_string();
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && whole.len().saturating_sub(index).is_multiple_of(3) {
            grouped.push(thousands);
        }
        grouped.push(digit);
    }
    format!("{sign}R$ {grouped}{decimal}{:02}", amount % 100)
}

/// Joins a list: "a, b e c"; `last` is the word before the last item ("e", "ou", "and").
#[must_use]
pub fn list<S: AsRef<str>>(items: &[S], last: &str) -> String {
    match items {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [head @ .., tail] => {
            let head: Vec<&str> = head.iter().map(AsRef::as_ref).collect();
            format!("{} {last} {}", head.join(", "), tail.as_ref())
        }
    }
}

#[cfg(test)]
#[path = "format_tests.rs"]
mod tests;
