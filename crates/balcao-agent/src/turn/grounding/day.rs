//! A day that contradicts the customer: "quinta às 16h" is not booked on a Wednesday, whatever the model reckoned.
//!
//! Models miscount weekdays more than anything else. A day that is none of those that the message names is the caller's
//! mistake, and is told what the customer said. Messages that leave the day open ("qualquer dia", "depois de sexta", "semana
//! que vem") hold nothing against a call. A relative word may have been
//! written on the day before.

use balcao_language::{DateSpan, find_dates, format, resolve_date, weekday_named};
use jiff::civil::Date;

use super::{
    DialogueHistory, GroundingProblem, LOOK_BACK, Utterance,
    narrowed::{Narrowed, narrowed},
    words,
};

/// Words that leave the day open.
const OPEN: &[&str] = &[
    "qualquer",
    "outro",
    "outra",
    "outros",
    "outras",
    "tanto",
    "senao",
    "caso",
    "entre",
    "proximo",
    "proxima",
    "any",
    "other",
    "another",
    "otherwise",
    "between",
    "next",
    "earliest",
];

/// Words before a day that make it a bound or exclude it.
const BOUND: &[&str] =
    &["depois", "apos", "partir", "antes", "ate", "menos", "exceto", "after", "before", "until", "except"];

/// Words before a day that another one replaces: "em vez de", "no lugar da", "instead of".
const REPLACED: &[&str] = &["vez", "inves", "lugar", "instead"];

/// So many bytes beside a day hold the two words next to it.
const BESIDE: usize = 64;

/// What is amiss with the day `given`: the customer's last message that names days names others, and we have proposed none
/// of them since; or nobody has named it although somebody must have.
pub(super) fn find_problem(given: &str, talk: &DialogueHistory<'_>, must_be_named: bool) -> Option<GroundingProblem> {
    let wanted = resolve_date(given, talk.today).ok()?.date;
    let Some((said, loosely, place)) = last_named(talk, wanted) else {
        let unheard = must_be_named && !talk.lines.iter().any(|line| names(line, wanted, talk.today));
        return unheard.then(|| GroundingProblem::nobody_said("a day that the customer named or agreed to"));
    };
    if said.iter().any(|day| is_day(*day, wanted, loosely)) {
        return None;
    }
    // "Sexta" is the Friday of the list that it answers.
    let figures = wanted.strftime("%d/%m").to_string();
    let listed = |list: &str| {
        let mut days = find_dates(list, talk.today).into_iter().map(|found| found.reading);
        days.any(|day| matches!(day, Ok(DateSpan::Day(day)) if day == wanted)) || list.contains(&figures)
    };
    let of_a_list = said.iter().any(|day| day.weekday() == wanted.weekday())
        && talk.lines.iter().skip(place + 1).take(2).filter_map(Utterance::by_us).any(listed);
    if of_a_list {
        return None;
    }
    let days: Vec<String> =
        said.iter().map(|day| format!("{day} ({})", format::weekday(day.weekday(), talk.locale))).collect();
    Some(GroundingProblem {
        problem: "not_what_was_said",
        expected: format!("a day that the customer named: {}; if it is to be another, ask first", days.join(", ")),
        nearest: said.first().map(Date::to_string),
    })
}

/// True if a line names the day, or leaves it open.
fn names(line: &Utterance<'_>, wanted: Date, today: Date) -> bool {
    let text = match line {
        Utterance::Customer(text) => text,
        Utterance::Us(text) => return proposes(text, wanted, today),
    };
    match named_days(text, today) {
        Named::Nothing => false,
        Named::Open => true,
        Named::Loosely(days) => days.iter().any(|day| is_day(*day, wanted, true)),
        Named::Days(days) => days.iter().any(|day| is_day(*day, wanted, false)),
    }
}

/// Whether a line of ours names the day. What leaves the days of a customer open leaves none of ours open: "o próximo livre é quarta,
/// 02/12" proposes that Wednesday, and "prefere outro dia?" behind it takes nothing back.
fn proposes(text: &str, wanted: Date, today: Date) -> bool {
    let (days, binding) = days_in(text, today);
    let is_narrowed_to = matches!(narrowed(text, today), Narrowed::To(days) if days.contains(&wanted));
    is_narrowed_to || days.into_iter().flatten().any(|day| is_day(day, wanted, !binding))
}

/// Whether a day that was named is this one; one named by a relative word was perhaps written yesterday.
fn is_day(named: Date, wanted: Date, loosely: bool) -> bool {
    named == wanted || loosely && named.yesterday().is_ok_and(|before| before == wanted)
}

/// The days of the last message that names any, whether by relative words alone, and its place among the lines; `None` if there is none lately, if it leaves the day open, or if we named
/// the wanted day after it.
fn last_named(talk: &DialogueHistory<'_>, wanted: Date) -> Option<(Vec<Date>, bool, usize)> {
    let mut looked_at = 0;
    for (place, said) in talk.lines.iter().enumerate() {
        match said {
            Utterance::Us(text) if proposes(text, wanted, talk.today) => return None,
            Utterance::Us(_) => {}
            Utterance::Customer(text) => match named_days(text, talk.today) {
                Named::Days(days) => return Some((days, false, place)),
                Named::Loosely(days) => return Some((days, true, place)),
                Named::Open => return None,
                Named::Nothing => looked_at += 1,
            },
        }
        if looked_at >= LOOK_BACK {
            return None;
        }
    }
    None
}

/// What a message says of days.
enum Named {
    /// Nothing.
    Nothing,
    /// Any would do, or a span of them.
    Open,
    /// Only relative ones ("amanhã").
    Loosely(Vec<Date>),
    /// Weekdays or dates, and relative ones beside them.
    Days(Vec<Date>),
}

fn named_days(message: &str, today: Date) -> Named {
    if words(message).iter().any(|word| OPEN.contains(&word.as_str())) {
        return Named::Open;
    }
    match narrowed(message, today) {
        Narrowed::To(fitting) => return Named::Days(fitting),
        Narrowed::Unclear => return Named::Open,
        Narrowed::Not => {}
    }
    let (days, binding) = days_in(message, today);
    match days.into_iter().collect::<Option<Vec<Date>>>() {
        None => Named::Open,
        Some(days) if days.is_empty() => Named::Nothing,
        Some(days) if binding => Named::Days(days),
        Some(days) => Named::Loosely(days),
    }
}

/// The days that a message names, `None` for what is a bound or a span of days; and whether one of them is more than a relative word. A day
/// that the message excludes or replaces is left out.
fn days_in(message: &str, today: Date) -> (Vec<Option<Date>>, bool) {
    let mut days = Vec::new();
    let mut binding = false;
    for found in find_dates(message, today) {
        let Ok(DateSpan::Day(day)) = found.reading else {
            days.push(None);
            continue;
        };
        let part = |from: usize, to: usize| words(message.get(from..to).unwrap_or_default());
        let from = message.floor_char_boundary(found.start.saturating_sub(BESIDE));
        let to = message.floor_char_boundary(found.end.saturating_add(BESIDE));
        let (before, said, after) = (part(from, found.start), part(found.start, found.end), part(found.end, to));
        if before.iter().rev().take(2).any(|word| BOUND.contains(&word.as_str())) {
            days.push(None);
            continue;
        }
        // "Sexta não dá" and "em vez de sexta" name a day that it is not.
        let is_replaced = before.iter().rev().take(2).any(|word| REPLACED.contains(&word.as_str()));
        if is_replaced || after.iter().take(2).any(|word| word == "nao" || word == "not") {
            continue;
        }
        let binds = |word: &String| word.contains(|c: char| c.is_ascii_digit()) || weekday_named(word).is_some();
        binding |= said.iter().any(binds);
        days.push(Some(day));
    }
    (days, binding)
}

#[cfg(test)]
mod tests {
    use balcao_tool::Locale;

    use super::*;

    /// A Tuesday.
    const TODAY: Date = Date::constant(2026, 11, 24);

    fn wrong(message: &str, date: &str) -> bool {
        talked(&[Utterance::Customer(message)], date)
    }

    /// The newest first.
    fn talked(talk: &[Utterance<'_>], date: &str) -> bool {
        find_problem(
            date,
            &DialogueHistory { lines: talk.to_vec(), today: TODAY, locale: Locale::PtBr, unasked: None },
            false,
        )
        .is_some()
    }

    #[test]
    fn a_day_that_was_not_said_is_a_mistake_of_the_caller() {
        for (message, date) in [
            ("marca um corte quinta 16h com o Vanderson", "2026-11-25"),
            ("não, melhor sexta 17:30", "2026-11-26"),
            ("pode ser dia 28/11 de manhã", "2026-11-27"),
            ("passa meu horário de sexta pra sábado 10h", "2026-12-03"),
            ("friday at 3pm please", "2026-11-26"),
            ("qui 16h pode?", "2026-11-25"),
            ("qui 16h pode?", "2026-12-03"),
            ("amanhã às 15h", "2026-11-27"),
            ("semana que vem sexta 15h", "2026-11-27"),
            ("sexta 15h em dezembro", "2026-11-27"),
            ("daqui a duas semanas na sexta", "2026-11-27"),
            ("daqui a duas semanas na sexta", "2026-12-08"),
            ("em vez de sexta 15h quero sábado", "2026-11-27"),
            ("sexta 15h de dezembro", "2026-11-27"),
        ] {
            assert!(wrong(message, date), "{message} {date}");
        }
    }

    #[test]
    fn what_was_said_and_what_was_left_open_is_none() {
        for (message, date) in [
            ("marca um corte quinta 16h", "2026-11-26"),
            ("marca um corte quinta 16h", "quinta"),
            ("quinta da semana que vem", "2026-12-03"),
            ("quinta ou sexta", "2026-11-27"),
            ("quinta, ou qualquer outro dia", "2026-11-30"),
            ("depois de sexta", "2026-11-28"),
            ("sexta não dá", "2026-11-28"),
            ("semana que vem", "2026-12-02"),
            ("amanhã às 15h", "2026-11-25"),
            ("amanhã às 15h", "2026-11-24"),
            ("isso", "2026-11-27"),
            ("semana que vem sexta 15h", "2026-12-04"),
            ("sexta 15h em dezembro", "2026-12-18"),
            ("daqui a duas semanas na sexta", "2026-12-11"),
            ("em vez de sexta 15h quero sábado", "2026-11-28"),
            ("quinta", "que dia?"),
        ] {
            assert!(!wrong(message, date), "{message} {date}");
        }
    }

    #[test]
    fn an_agreement_is_to_the_day_that_was_named_before_or_proposed_since() {
        let (friday, thursday) = ("2026-11-27", "2026-11-26");
        let asked = Utterance::Customer("não, melhor sexta 17:30");
        let agreed = Utterance::Customer("fechado, pode marcar");
        let free = Utterance::Us("O horário está livre.");
        assert!(talked(&[agreed, free, asked], thursday));
        assert!(!talked(&[agreed, free, asked], friday));
        assert!(!talked(&[agreed, Utterance::Us("Sexta não tem; pode ser quinta, 26/11?"), asked], thursday));
        assert!(talked(&[Utterance::Customer("amanhã então"), free, asked], thursday));
        assert!(!talked(&[Utterance::Customer("amanhã então"), free, asked], "2026-11-25"));
        let next =
            Utterance::Us("Domingo não abrimos. O próximo livre é quinta, 26/11 às 9h. Serve, ou prefere outro dia?");
        assert!(!talked(&[Utterance::Customer("serve"), next, asked], thursday));
        assert!(talked(&[Utterance::Customer("serve"), next, asked], "2026-11-25"));
        let list = Utterance::Us("Tenho terça, 01/12, e sexta, 04/12. Qual prefere?");
        assert!(!talked(&[Utterance::Customer("sexta"), list, Utterance::Customer("semana que vem")], "2026-12-04"));
        assert!(talked(&[Utterance::Customer("sexta"), list, Utterance::Customer("semana que vem")], "2026-12-11"));
        assert!(!talked(&[agreed, agreed, agreed, asked], thursday));
    }

    #[test]
    fn a_day_that_nobody_named_is_nobodys_wish() {
        let unheard = |talk: &[Utterance<'_>]| {
            let talk = DialogueHistory { lines: talk.to_vec(), today: TODAY, locale: Locale::PtBr, unasked: None };
            find_problem("2026-11-27", &talk, true).is_some()
        };
        assert!(unheard(&[Utterance::Customer("quero cortar às 15h com o João")]));
        assert!(unheard(&[]));
        assert!(!unheard(&[Utterance::Customer("quero cortar sexta às 15h")]));
        assert!(!unheard(&[Utterance::Customer("quero cortar, qualquer dia")]));
        assert!(!unheard(&[
            Utterance::Customer("serve"),
            Utterance::Us("O próximo livre é sexta, 27/11, às 15h. Serve, ou prefere outro dia?"),
            Utterance::Customer("quero cortar")
        ]));
        assert!(!unheard(&[
            Utterance::Customer("isso"),
            Utterance::Us("Sexta, 27/11, às 15h?"),
            Utterance::Customer("quero cortar")
        ]));
    }
}
