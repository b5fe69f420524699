//! What may follow a cardinal: a fraction, a half, decimals in words, dozens.

use super::{
    Page, Read,
    cardinal::{Cardinal, cardinal},
    figures::figures,
    ordinal::denominator,
};

/// The number that begins at `index`, with all that belongs to it.
pub(super) fn number(page: &Page<'_>, index: usize) -> Option<Read> {
    if page.text_at(index) == "meia" && is_dozen(page, index.saturating_add(1)) {
        return Some(Read { value: 6.0, to: index.saturating_add(2) });
    }
    let whole = cardinal(page, index)?;
    let to = whole.read.to;
    let found = if whole.figures { slash(page, index, whole.read) } else { None };
    found
        .or_else(|| over(page, whole.read))
        .or_else(|| in_words(page, whole.read))
        .or_else(|| part_of_scale(page, whole))
        .or_else(|| decimals(page, whole.read))
        .or_else(|| is_dozen(page, to).then(|| Read { value: whole.read.value * 12.0, to: to.saturating_add(1) }))
        .or(Some(whole.read))
}

fn is_dozen(page: &Page<'_>, index: usize) -> bool {
    ["duzia", "duzias"].contains(&page.text_at(index))
}

/// "3/4", and the mixed "1 4/5". What has two strokes is a date.
fn slash(page: &Page<'_>, index: usize, first: Read) -> Option<Read> {
    let quotient = |top: Read| {
        let below = top.to.saturating_add(1);
        let tight = page.text_at(top.to) == "/" && page.glued(top.to) && page.glued(below);
        let divisor: f64 = page.digits(below).filter(|_| tight)?.parse().ok()?;
        let to = below.saturating_add(1);
        let more = page.text_at(to) == "/" && page.glued(to);
        (divisor != 0.0 && !more).then_some((top.value, divisor, to))
    };
    if let Some((top, divisor, to)) = quotient(first) {
        return Some(Read { value: top / divisor, to });
    }
    let whole = first.value.fract() == 0.0 && !page.glued(first.to);
    let part = figures(page, first.to).filter(|part| whole && part.value >= 0.0)?;
    let (top, divisor, to) = quotient(part).filter(|(top, divisor, _)| top < divisor)?;
    let sign = if page.text_at(index) == "-" { -1.0 } else { 1.0 };
    Some(Read { value: first.value + sign * top / divisor, to })
}

/// "Um sobre três".
fn over(page: &Page<'_>, top: Read) -> Option<Read> {
    let below = cardinal(page, top.to.saturating_add(1)).filter(|_| page.text_at(top.to) == "sobre")?;
    (below.read.value != 0.0).then(|| Read { value: top.value / below.read.value, to: below.read.to })
}

/// "Cinco oitavos", "vinte vinte e cinco avos", "três dois milésimos".
fn in_words(page: &Page<'_>, top: Read) -> Option<Read> {
    let divided = |below: f64, to: usize| (below != 0.0).then(|| Read { value: top.value / below, to });
    if let Some(below) = denominator(page.text_at(top.to)) {
        return divided(below, top.to.saturating_add(1));
    }
    let below = cardinal(page, top.to)?.read;
    let to = below.to.saturating_add(1);
    match page.text_at(below.to) {
        "avos" | "avo" => divided(below.value, to),
        name => denominator(name).filter(|scale| *scale >= 1e3).and_then(|scale| divided(below.value * scale, to)),
    }
}

/// "Três milhões e meio", "cinco trilhões com três quartos", "duas e meia".
fn part_of_scale(page: &Page<'_>, whole: Cardinal) -> Option<Read> {
    let Cardinal { read, scale, .. } = whole;
    let next = read.to.saturating_add(1);
    let link = page.text_at(read.to);
    let part = match page.text_at(next) {
        "meio" | "meia" if link == "e" => Read { value: 0.5, to: next.saturating_add(1) },
        _ => {
            let fraction = cardinal(page, next).and_then(|top| in_words(page, top.read));
            fraction.filter(|part| scale > 1.0 && ["com", "e"].contains(&link) && part.value < 1.0)?
        }
    };
    Some(Read { value: read.value + part.value * scale, to: part.to })
}

/// "Quarenta e sete vírgula vinte e oito": what follows is read as digits.
fn decimals(page: &Page<'_>, whole: Read) -> Option<Read> {
    if page.text_at(whole.to) != "virgula" {
        return None;
    }
    let mut to = whole.to.saturating_add(1);
    let mut digits = String::new();
    while page.text_at(to) == "zero" {
        digits.push('0');
        to = to.saturating_add(1);
    }
    if let Some(rest) = cardinal(page, to).filter(|rest| rest.read.value.fract() == 0.0) {
        digits.push_str(&rest.read.value.to_string());
        to = rest.read.to;
    }
    let part: f64 = format!("0.{digits}").parse().ok()?;
    (!digits.is_empty()).then_some(Read { value: whole.value + part, to })
}
