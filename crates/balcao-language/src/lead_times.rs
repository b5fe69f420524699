//! How long before something a message wants to hear of it: "uma hora antes", "30 min antes", "com dois dias de antecedência".

use crate::{
    normalize::{Token, TokenKind, is_glued, text_at, tokens},
    numbers::number_at,
    times::find_times,
};

/// Words behind an amount of time that make it one before something.
const BEFORE: &[&str] = &["antes", "before", "antecedencia", "earlier", "prior"];

/// Words behind an amount of time that make it one after something.
const AFTER: &[&str] = &["depois", "apos", "after", "later"];

/// The amounts of time that a text names, in minutes and in its order: those before something or, where none says so, all.
#[must_use]
pub fn lead_times(text: &str) -> Vec<u32> {
    let all = tokens(text);
    let times = find_times(text);
    let mut found: Vec<(u32, bool)> = Vec::new();
    let mut index = 0;
    while index < all.len() {
        let Some((minutes, next)) = amount_at(&all, index) else {
            index = index.saturating_add(1);
            continue;
        };
        // "1h de antecedência", "uma hora e pouco antes".
        let is_before = (next..next.saturating_add(3)).any(|at| BEFORE.contains(&text_at(&all, at)));
        let ahead = ["faltando", "faltar", "faltarem"].contains(&crate::normalize::before(&all, index, 1));
        // "Às 14h" is a time of day.
        let is_time =
            all.get(index).is_some_and(|token| times.iter().any(|time| (time.start..time.end).contains(&token.start)));
        // Nothing reminds of what is over.
        let is_after = AFTER.contains(&text_at(&all, next));
        if !is_after && (is_before || ahead || !is_time) {
            found.push((minutes, is_before || ahead));
        }
        index = next;
    }
    let marked = found.iter().any(|(_, is_before)| *is_before);
    found.into_iter().filter(|(_, is_before)| *is_before || !marked).map(|(minutes, _)| minutes).collect()
}

/// The amount of time that begins at a token, in minutes, and the token behind it.
fn amount_at(all: &[Token], index: usize) -> Option<(u32, usize)> {
    let half = ["meia", "half"].contains(&text_at(all, index));
    if half {
        let article = usize::from(["an", "a"].contains(&text_at(all, index.saturating_add(1))));
        let unit = index.saturating_add(1).saturating_add(article);
        return (unit_at(all, unit)? == 60).then_some((30, unit.saturating_add(1)));
    }
    let article = ["a", "an"].contains(&text_at(all, index)).then_some((1, index.saturating_add(1)));
    let (value, at) = match number_at(all, index) {
        Some(number) => (number.value, number.next),
        None => article?,
    };
    let unit = unit_at(all, at)?;
    let mut minutes = value.checked_mul(unit)?;
    let mut next = at.saturating_add(1);
    if unit == 60 {
        let and = usize::from(["e", "and"].contains(&text_at(all, next)));
        let behind = next.saturating_add(and);
        let is_half = and == 1 && ["meia", "half"].contains(&text_at(all, behind));
        // "1h30" and "uma hora e quinze (minutos)"; "uma hora 15" is none.
        let more = number_at(all, behind).filter(|more| (and == 1 || is_glued(all, behind)) && more.value < 60);
        if is_half {
            (minutes, next) = (minutes.checked_add(30)?, behind.saturating_add(1));
        } else if let Some(more) = more {
            let named = unit_at(all, more.next) == Some(1);
            (minutes, next) = (minutes.checked_add(more.value)?, more.next.saturating_add(usize::from(named)));
        }
    }
    Some((minutes, next))
}

/// The minutes of a unit of time.
fn unit_at(all: &[Token], index: usize) -> Option<u32> {
    all.get(index).filter(|token| token.kind == TokenKind::Word)?;
    Some(match text_at(all, index) {
        "minuto" | "minutos" | "minutinho" | "minutinhos" | "min" | "mins" | "minute" | "minutes" => 1,
        "hora" | "horas" | "horinha" | "horinhas" | "h" | "hs" | "hr" | "hrs" | "hour" | "hours" => 60,
        "dia" | "dias" | "day" | "days" => 1_440,
        "semana" | "semanas" | "week" | "weeks" => 10_080,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_time_are_read_in_minutes() {
        for (text, expected) in [
            ("me lembra uma hora antes", &[60][..]),
            ("me avisa 30 min antes", &[30]),
            ("meia hora antes", &[30]),
            ("half an hour before", &[30]),
            ("an hour before", &[60]),
            ("uma hora e meia antes", &[90]),
            ("1h30 antes", &[90]),
            ("2h antes", &[120]),
            ("me lembra 2 dias antes", &[2_880]),
            ("um dia antes", &[1_440]),
            ("com dois dias de antecedência", &[2_880]),
            ("uma semana antes", &[10_080]),
            ("uma horinha antes", &[60]),
            ("faltando 15 minutos", &[15]),
            ("me lembra meia hora", &[30]),
            ("o corte leva 40 minutos, me lembra uma hora antes", &[60]),
            ("uma hora e quinze minutos antes", &[75]),
            ("um dia antes e 2 horas antes", &[1_440, 120]),
            ("me lembra às 14h", &[]),
            ("sexta 15h, me lembra", &[]),
            ("me lembra uma hora depois", &[]),
            ("remind me an hour after", &[]),
            ("me lembra uma hora antes e depois me liga", &[60]),
            ("quero um lembrete", &[]),
            ("dia 12", &[]),
            ("", &[]),
        ] {
            assert_eq!(lead_times(text), expected, "{text}");
        }
    }
}
