//! Cardinals in words, with or without figures among them: "quatrocentos e dois mil e cem", "2 milhões e 300 mil".

use super::{Page, Read, figures::figures};
use crate::normalize::TokenKind;

/// A number, and the last scale that it names: "três milhões" may go on with "e meio".
#[derive(Debug, Clone, Copy)]
pub(super) struct Cardinal {
    pub(super) read: Read,
    /// 1 where none was named.
    pub(super) scale: f64,
    /// What stands behind the last scale of a million or more, for ordinals: "… milhões seiscentos milésimo".
    pub(super) tail: f64,
    /// No word is part of it.
    pub(super) figures: bool,
}

/// The number that begins at `index`.
pub(super) fn cardinal(page: &Page<'_>, index: usize) -> Option<Cardinal> {
    let mut read = below_a_million(page, index)?;
    let figures = page.kind(index) != Some(TokenKind::Word) && read.scale == 1.0;
    let mut cardinal = Cardinal { tail: read.read.value, figures, ..read };
    let mut total = 0.0;
    let mut limit = f64::INFINITY;
    while let Some(scale) = large_scale(page.text_at(read.read.to)).filter(|scale| *scale < limit) {
        total += read.read.value * scale;
        limit = scale;
        let to = read.read.to.saturating_add(1);
        cardinal = Cardinal { read: Read { value: total, to }, scale, tail: 0.0, figures: false };
        let and = to.saturating_add(usize::from(page.text_at(to) == "e"));
        let Some(more) = below_a_million(page, and) else { break };
        // "Dois milhões e 3 pessoas" is not known from "e 3 mil": figures need a scale of their own.
        let bare_figures = page.kind(and) != Some(TokenKind::Word) && more.scale == 1.0;
        if bare_figures && large_scale(page.text_at(more.read.to)).is_none() {
            break;
        }
        read = more;
        let value = total + read.read.value;
        cardinal = Cardinal {
            read: Read { value, to: read.read.to },
            scale: read.scale,
            tail: read.read.value,
            figures: false,
        };
    }
    Some(cardinal)
}

/// "Quatrocentos e cinquenta e dois mil trezentos", "mil e cem", "52 mil".
fn below_a_million(page: &Page<'_>, index: usize) -> Option<Cardinal> {
    let first = hundreds(page, index).or_else(|| figures(page, index));
    let (thousands, mil_at) = match first {
        Some(read) => (read.value, read.to),
        None => (1.0, index),
    };
    if page.text_at(mil_at) != "mil" {
        return first.map(|read| Cardinal { read, scale: 1.0, tail: read.value, figures: false });
    }
    let to = mil_at.saturating_add(1);
    let value = thousands * 1e3;
    let and = to.saturating_add(usize::from(page.text_at(to) == "e"));
    let rest = hundreds(page, and).or_else(|| figures(page, and).filter(|rest| rest.value < 1e3 && and > to));
    let scaled = |rest: &Read| large_scale(page.text_at(rest.to)).is_some();
    Some(match rest.filter(|rest| !scaled(rest) || and == to) {
        Some(rest) => {
            Cardinal { read: Read { value: value + rest.value, to: rest.to }, scale: 1.0, tail: 0.0, figures: false }
        }
        None => Cardinal { read: Read { value, to }, scale: 1e3, tail: 0.0, figures: false },
    })
}

/// A number below a thousand in words: hundreds, tens and units, each joined by "e".
fn hundreds(page: &Page<'_>, index: usize) -> Option<Read> {
    let joined = |to: usize| Some(to.saturating_add(1)).filter(|_| page.text_at(to) == "e");
    let Some(hundred) = hundred_named(page.text_at(index)) else { return tens(page, index) };
    let read = Read { value: f64::from(hundred), to: index.saturating_add(1) };
    let rest = joined(read.to).filter(|_| page.text_at(index) != "cem").and_then(|next| tens(page, next));
    Some(rest.map_or(read, |rest| Read { value: read.value + rest.value, to: rest.to }))
}

fn tens(page: &Page<'_>, index: usize) -> Option<Read> {
    let to = index.saturating_add(1);
    let value = below_hundred(page.text_at(index))?;
    let joined = to.saturating_add(1);
    let unit = below_hundred(page.text_at(joined))
        .filter(|unit| page.text_at(to) == "e" && value >= 20 && value.is_multiple_of(10) && (1..10).contains(unit));
    Some(match unit {
        Some(unit) => Read { value: f64::from(value.saturating_add(unit)), to: joined.saturating_add(1) },
        None => Read { value: f64::from(value), to },
    })
}

fn below_hundred(word: &str) -> Option<u32> {
    Some(match word {
        "dezasseis" => 16,
        "dezassete" => 17,
        "dezanove" => 19,
        "cinquoenta" => 50,
        "sessenta" => 60,
        "setenta" => 70,
        "oitenta" => 80,
        "noventa" => 90,
        _ => crate::numbers::word_value(word)?,
    })
}

fn hundred_named(word: &str) -> Option<u32> {
    Some(match word {
        "cem" | "cento" => 100,
        "duzentos" | "duzentas" => 200,
        "trezentos" | "trezentas" => 300,
        "quatrocentos" | "quatrocentas" => 400,
        "quinhentos" | "quinhentas" => 500,
        "seiscentos" | "seiscentas" => 600,
        "setecentos" | "setecentas" => 700,
        "oitocentos" | "oitocentas" => 800,
        "novecentos" | "novecentas" => 900,
        _ => return None,
    })
}

/// The scales from a million on, in Brazil's short reckoning.
pub(super) fn large_scale(word: &str) -> Option<f64> {
    Some(match word {
        "milhao" | "milhoes" => 1e6,
        "bilhao" | "bilhoes" => 1e9,
        "trilhao" | "trilhoes" => 1e12,
        _ => return None,
    })
}
