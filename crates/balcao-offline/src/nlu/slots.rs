//! Days, names and durations of a message.

use balcao_language::{
    DateMatch, DateProblem, DateSpan, Locale, Meaning, find_dates_in, normalize, tokens, weekday_named,
};
use jiff::civil::Date;

use super::Day;

/// The days of a message.
pub(super) struct Days {
    /// Those it names and does not rule out ("sexta não posso, sábado"); if it rules out all, those.
    pub(super) named: Vec<Day>,
    /// True if it rules out all that it names.
    pub(super) ruled_out: bool,
    /// The first date that cannot be, or that may be several days.
    pub(super) problem: Option<DateProblem>,
}

/// Reads the days of a message.
pub(super) fn days(text: &str, today: Date, locale: Locale) -> Days {
    let mut problem = None;
    let mut wanted = Vec::new();
    let mut excluded = Vec::new();
    let mut all = find_dates_in(text, today, locale);
    // "Semana passada eu fui num casamento" wants nothing of it.
    all.retain(|found| !matches!(found.reading, Ok(DateSpan::Range { last, .. }) if last < today));
    // "Sexta ou sábado" are one choice.
    for group in all.chunk_by(|_, next| next.either) {
        let read = group.iter().map(|found| day(text, found)).collect::<Result<Vec<_>, _>>();
        let read = read.and_then(|days| one_of(&days));
        match read {
            Ok(Some(day)) if group.iter().any(|found| is_ruled_out(text, found)) => excluded.push(day),
            Ok(Some(day)) => wanted.push(day),
            Ok(None) => {}
            Err(found) => {
                // "A segunda" is a day, unless there is a list in which it has a place.
                if found.readings().len() == 1 {
                    wanted.extend(found.readings().into_iter().map(|day| Day { weekday: true, ..Day::on(day) }));
                }
                problem = problem.or(Some(found));
            }
        }
    }
    let ruled_out = wanted.is_empty() && !excluded.is_empty();
    Days { named: if ruled_out { excluded } else { wanted }, ruled_out, problem }
}

fn day(text: &str, found: &DateMatch) -> Result<Day, DateProblem> {
    let (first, last) = match found.reading.clone()? {
        DateSpan::Day(day) => (day, day),
        DateSpan::Range { first, last } => (first, last),
    };
    let before = normalize(text.get(..found.start).unwrap_or_default());
    let lead = before.split(' ').rev().take(2).collect::<Vec<_>>();
    let target = lead.iter().any(|word| ["pra", "para", "pro", "to", "prá"].contains(word));
    let named = normalize(text.get(found.start..found.end).unwrap_or_default());
    let mut words = named.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let weekday = first == last && words.all(|word| BESIDE_WEEKDAY.contains(&word) || weekday_named(word).is_some());
    Ok(Day { first, last, target, weekday })
}

/// Days of which one is meant: two that follow each other are looked at both, of others the customer says which.
fn one_of(days: &[Day]) -> Result<Option<Day>, DateProblem> {
    let (Some(first), Some(last)) = (days.first(), days.last()) else { return Ok(None) };
    let mut sorted = days.to_vec();
    sorted.sort_by_key(|day| day.first);
    let follow = sorted.is_sorted_by(|one, next| one.last.tomorrow().is_ok_and(|tomorrow| tomorrow == next.first));
    if days.len() == 1 {
        Ok(Some(*first))
    } else if follow {
        let (from, until) = (first.first.min(last.first), first.last.max(last.last));
        Ok(Some(Day { first: from, last: until, target: first.target, weekday: false }))
    } else {
        let mut readings: Vec<Meaning> = days.iter().map(|day| Meaning::Day(day.first)).collect();
        readings.dedup();
        Err(DateProblem::Ambiguous { readings })
    }
}

fn is_ruled_out(text: &str, found: &DateMatch) -> bool {
    let before = normalize(text.get(..found.start).unwrap_or_default());
    let after = normalize(text.get(found.end..).unwrap_or_default());
    let clause = before.rsplit([',', '.', ';', '\n']).next().unwrap_or_default();
    ["nao posso", "nao consigo", "nao da", "nao vou", "em vez d", "ao inves d", "nao rola", "instead of"]
        .iter()
        .any(|lead| clause.contains(lead))
        || after.starts_with("nao ") && !after.starts_with("nao tem")
        || after == "nao"
        || after.starts_with(" nao posso")
        || after.starts_with(" nao da")
        || after.starts_with(" nao,")
        || after.starts_with("nao,")
}

/// Words that may stand beside a bare weekday: "na sexta-feira".
const BESIDE_WEEKDAY: &[&str] = &["feira", "na", "no", "a", "o", "de", "on"];

/// The e-mail address in a message, without the punctuation around it.
pub(super) fn email(text: &str) -> Option<String> {
    let word = text.split_whitespace().find(|word| word.contains('@'))?;
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let (user, host) = word.split_once('@')?;
    let sound = !user.is_empty() && host.contains('.') && !host.contains('@');
    sound.then(|| word.to_lowercase())
}

/// "Meu nome é Ana Lima", "me chamo Ana": the name, as written.
pub(crate) fn own_name(text: &str) -> Option<String> {
    const LEADS: &[&[&str]] = &[
        &["meu", "nome", "e"],
        &["meu", "nome", "eh"],
        &["me", "chamo"],
        &["meu", "nome", "pra"],
        &["meu", "nome", "para"],
        &["meu", "nome", "pro"],
        &["my", "name", "is"],
        &["my", "name", "to"],
        &["pode", "me", "chamar", "de"],
    ];
    let all = tokens(text);
    for index in 0..all.len() {
        let lead = LEADS.iter().find(|lead| {
            lead.iter()
                .enumerate()
                .all(|(offset, word)| all.get(index.saturating_add(offset)).is_some_and(|token| token.text == *word))
        });
        let Some(lead) = lead else { continue };
        let start = index.saturating_add(lead.len());
        let particles = ["da", "de", "do", "dos", "das"];
        let mut words = Vec::new();
        for token in all.iter().skip(start).take(4) {
            let stop =
                ["e", "quero", "queria", "gostaria", "preciso", "com", "aqui", "and", "vim", "to", "sou", "tudo"];
            if !token.text.chars().all(char::is_alphabetic) || stop.contains(&token.text.as_str()) {
                break;
            }
            let word = text.get(token.start..token.end).unwrap_or_default();
            words.push(if particles.contains(&token.text.as_str()) { word.to_lowercase() } else { capital(word) });
        }
        if !words.is_empty() {
            return Some(words.join(" "));
        }
    }
    None
}

/// "Às 25h", "15:75": a time that no clock has, as it is written. "Em 48h" is a span and no time.
pub(super) fn impossible_time(text: &str) -> Option<String> {
    const LEADS: &[&str] = &[
        "as", "pras", "pelas", "das", "at", "umas", "ate", "hoje", "hj", "amanha", "segunda", "terca", "quarta",
        "quinta", "sexta", "sabado", "domingo",
    ];
    let words: Vec<&str> = text.split_whitespace().collect();
    words.iter().enumerate().find_map(|(index, word)| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let before = index.checked_sub(1).and_then(|before| words.get(before)).map(|word| normalize(word));
        let led = before.is_some_and(|before| LEADS.contains(&before.as_str()));
        let behind = words.get(index.saturating_add(1)).map(|word| normalize(word)).unwrap_or_default();
        let unit = ["h", "hs", "hrs", "horas"].contains(&behind.trim_end_matches(['?', '.', '!', ',']));
        let (hour, minute) = word.split_once([':', 'h']).or_else(|| unit.then_some((word, "")))?;
        let hour: u32 = hour.parse().ok()?;
        let digits: String = minute.chars().take_while(char::is_ascii_digit).collect();
        let minute: u32 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        let clock = led || word.contains(':');
        let written = if unit && !word.contains(['h', ':']) { format!("{word}h") } else { word.to_owned() };
        (clock && (hour > 24 || minute > 59)).then_some(written)
    })
}

pub(crate) fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// "1 hora antes", "30 min antes", "um dia antes", "meia hora antes": minutes.
pub(super) fn minutes_before(text: &str) -> Option<u32> {
    let all = tokens(text);
    let at = |index: usize| all.get(index).map_or("", |token| token.text.as_str());
    (0..all.len()).find_map(|index| {
        if at(index) == "meia" && at(index.saturating_add(1)) == "hora" {
            return Some(30);
        }
        let number = balcao_language::numbers::number_at(&all, index)?;
        let unit = match at(number.next) {
            "minuto" | "minutos" | "min" | "mins" | "minutes" => 1,
            "hora" | "horas" | "h" | "hs" | "hour" | "hours" => 60,
            "dia" | "dias" | "day" | "days" => 1440,
            _ => return None,
        };
        let after = number.next.saturating_add(1);
        ["antes", "before"].contains(&at(after)).then(|| number.value.saturating_mul(unit))
    })
}
