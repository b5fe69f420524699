//! Characters that hide, reorder or imitate others: controls, bidi, zero-width, full-width, look-alike letters.

use crate::reply_checks::sanitise::{
    edit::{Edit, from, upto},
    rules::Rules,
};

pub(crate) fn find(text: &str, _: &Rules) -> Vec<Edit> {
    if text.bytes().all(|byte| (b' '..0x7f).contains(&byte) || byte == b'\n') {
        return Vec::new();
    }
    let mixed = mixed_scripts(text);
    let mut cuts = Vec::new();
    for (at, c) in text.char_indices() {
        let end = at.saturating_add(c.len_utf8());
        let change: Option<Option<char>> = match c {
            '\n' => None,
            '\t' => Some(Some(' ')),
            '\r' => Some((!from(text, end).starts_with('\n')).then_some('\n')),
            '\u{2028}' | '\u{2029}' | '\u{85}' => Some(Some('\n')),
            '\0'..='\u{1F}' | '\u{7F}'..='\u{9F}' | '\u{AD}' => Some(None),
            '\u{200D}' => (!joins_emoji(text, at, end)).then_some(None),
            '\u{FE0F}' => (!after_sign(text, at)).then_some(None),
            '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{FE00}'..='\u{FE0E}'
            | '\u{FEFF}'
            | '\u{FFF9}'..='\u{FFFD}'
            | '\u{180E}'
            | '\u{61C}'
            | '\u{115F}'
            | '\u{3164}'
            | '\u{E000}'..='\u{F8FF}'
            | '\u{F0000}'..='\u{10FFFF}' => Some(None),
            '\u{E0000}'..='\u{E0FFF}' => (!in_flag(text, at)).then_some(None),
            '\u{FF01}'..='\u{FF5E}' => Some(char::from_u32(u32::from(c).saturating_sub(0xFEE0))),
            '▁' => Some(Some('_')),
            '\u{1D400}'..='\u{1D7FF}' => Some(mathematical(c)),
            _ if mixed => latin_twin(text, at, end, c).map(Some),
            _ => None,
        };
        if let Some(change) = change {
            cuts.push(match change {
                Some(other) => Edit::replace(at..end, other.to_string()),
                None => Edit::new(at..end, crate::reply_checks::sanitise::edit::Severity::Form),
            });
        }
    }
    cuts
}

/// A joiner between two pictures makes one of them ("👨‍👩‍👧"); anywhere else it hides.
fn joins_emoji(text: &str, at: usize, end: usize) -> bool {
    let picture = |c: char| u32::from(c) >= 0x2190 && !c.is_alphanumeric();
    upto(text, at).chars().next_back().is_some_and(picture) && from(text, end).chars().next().is_some_and(picture)
}

/// The emoji selector belongs behind a sign, a figure or `#` and `*`.
fn after_sign(text: &str, at: usize) -> bool {
    upto(text, at).chars().next_back().is_some_and(|c| {
        u32::from(c) >= 0xA9 && !c.is_alphabetic() || c.is_ascii_digit() || matches!(c, '#' | '*' | 'ℹ' | 'Ⓜ')
    })
}

/// Tag characters spell the flags of England, Scotland and Wales behind a black flag.
fn in_flag(text: &str, at: usize) -> bool {
    let head = upto(text, at).trim_end_matches(|c: char| ('\u{E0000}'..='\u{E0FFF}').contains(&c));
    head.ends_with('🏴')
}

/// Bold, italic and other mathematical letters and digits as plain ones.
fn mathematical(c: char) -> Option<char> {
    unicode_compatible(c)
}

fn unicode_compatible(c: char) -> Option<char> {
    // `fold` resolves compatibility forms; case is lost, which is acceptable in a disguise.
    balcao_language::normalize(c.encode_utf8(&mut [0; 4])).chars().next()
}

fn mixed_scripts(text: &str) -> bool {
    let twin = |c: char| ('\u{370}'..='\u{52F}').contains(&c);
    text.chars().any(twin) && text.chars().any(|c| c.is_ascii_alphabetic())
}

/// The Latin letter that a Greek or Cyrillic one imitates, if it stands glued to Latin letters.
fn latin_twin(text: &str, at: usize, end: usize, c: char) -> Option<char> {
    const TWINS: &[(char, char)] = &[
        ('а', 'a'),
        ('е', 'e'),
        ('о', 'o'),
        ('р', 'p'),
        ('с', 'c'),
        ('у', 'y'),
        ('х', 'x'),
        ('і', 'i'),
        ('ѕ', 's'),
        ('ј', 'j'),
        ('һ', 'h'),
        ('ԁ', 'd'),
        ('ո', 'n'),
        ('ѵ', 'v'),
        ('ԛ', 'q'),
        ('ԝ', 'w'),
        ('к', 'k'),
        ('м', 'm'),
        ('т', 't'),
        ('А', 'A'),
        ('В', 'B'),
        ('Е', 'E'),
        ('К', 'K'),
        ('М', 'M'),
        ('Н', 'H'),
        ('О', 'O'),
        ('Р', 'P'),
        ('С', 'C'),
        ('Т', 'T'),
        ('Х', 'X'),
        ('ο', 'o'),
        ('α', 'a'),
        ('ι', 'i'),
        ('ν', 'v'),
        ('ρ', 'p'),
        ('Ο', 'O'),
        ('Α', 'A'),
        ('Τ', 'T'),
    ];
    let latin = TWINS.iter().find(|(twin, _)| *twin == c).map(|(_, latin)| *latin)?;
    let is_latin = |c: &char| c.is_ascii_alphabetic() || *c == '_';
    let near =
        upto(text, at).chars().rev().take_while(|c| c.is_alphanumeric() || *c == '_').take(40).any(|c| is_latin(&c))
            || from(text, end).chars().take_while(|c| c.is_alphanumeric() || *c == '_').take(40).any(|c| is_latin(&c));
    near.then_some(latin)
}
