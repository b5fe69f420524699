//! Undoes encodings that spell each byte by itself. A text without a sign of one is read once and copied never.

use memchr::memchr_iter;

/// A text as it is without its encoding, and where each of its bytes begins in the text.
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    places: Vec<usize>,
    end: usize,
}

impl Decoded {
    fn new(encoded: &[u8]) -> Self {
        Self { bytes: Vec::new(), places: Vec::new(), end: encoded.len() }
    }

    fn push(&mut self, byte: u8, place: usize) {
        self.bytes.push(byte);
        self.places.push(place);
    }

    /// Where the byte at `index` begins in the text; past the last byte, where the text ends.
    pub(super) fn place_of(&self, index: usize) -> usize {
        self.places.get(index).copied().unwrap_or(self.end)
    }
}

/// The text without the encodings that it shows signs of.
pub(super) fn decoded(text: &[u8]) -> Vec<Decoded> {
    let signs = signs_of(text);
    let mut all = Vec::new();
    if signs.percent {
        all.push(by_sign(text, b'%'));
    }
    if signs.equals {
        all.push(by_sign(text, b'='));
    }
    if signs.spaced {
        all.push(spaced(text));
    }
    all
}

struct Signs {
    percent: bool,
    equals: bool,
    spaced: bool,
}

/// Codes in a row that are more than a blank in an address, a date or a time.
const RUN: usize = 4;
/// Bytes of the shortest run: four pairs with marks between them.
pub(super) const SHORTEST_RUN: usize = 11;

/// Every so many bytes of a text are looked at: no run is so short that it lies between two such places.
const STRIDE: usize = 8;
/// Bytes that are looked at in one place.
const LOOK: usize = 4;

/// Looks for runs of codes, and for what only quoted-printable text has.
fn signs_of(text: &[u8]) -> Signs {
    Signs {
        percent: memchr_iter(b'%', text).any(|place| is_run(text, place, b'%')),
        equals: memchr_iter(b'=', text).any(|place| is_joint(text, place) || is_run(text, place, b'=')),
        spaced: is_spaced(text),
    }
}

/// Whether a run of pairs with marks between them stands somewhere.
fn is_spaced(text: &[u8]) -> bool {
    let may_be = |place: usize| {
        text.get(place..place + LOOK).is_some_and(|bytes| {
            bytes.iter().all(|byte| byte.is_ascii_hexdigit() || is_mark(Some(byte)))
                && bytes.iter().any(|byte| is_mark(Some(byte)))
        })
    };
    (0..text.len()).step_by(STRIDE).filter(|place| may_be(*place)).any(|place| {
        // A mark lies in these bytes, and the run has begun before them or goes on behind them.
        (place.saturating_sub(SHORTEST_RUN)..place + LOOK).any(|at| is_mark(text.get(at)) && begins_spaced(text, at))
    })
}

/// "%41%42%43%44".
fn is_run(text: &[u8], from: usize, sign: u8) -> bool {
    (0..RUN).map(|code| from + 3 * code).all(|at| text.get(at) == Some(&sign) && pair_at(text, at + 1).is_some())
}

/// The end of a line that goes on, and an equals sign itself.
fn is_joint(text: &[u8], index: usize) -> bool {
    let rest = text.get(index + 1..).unwrap_or_default();
    [&b"\n"[..], b"\r\n", b"3D", b"3d"].iter().any(|end| rest.starts_with(end))
}

/// Whether pairs of digits with marks between them begin behind the mark at `index`.
fn begins_spaced(text: &[u8], index: usize) -> bool {
    let mut at = index;
    for _ in 0..RUN - 1 {
        while is_mark(text.get(at)) {
            at += 1;
        }
        if pair_at(text, at).is_none() || text.get(at + 2).is_some_and(u8::is_ascii_hexdigit) {
            return false;
        }
        at += 2;
        if !is_mark(text.get(at)) && at < text.len() {
            return false;
        }
    }
    true
}

/// "%41%42" and "=41=42": each sign with two digits is a byte. "=" at the end of a line joins it to the next.
fn by_sign(text: &[u8], sign: u8) -> Decoded {
    let mut found = Decoded::new(text);
    let mut index = 0;
    while let Some(byte) = text.get(index) {
        let rest = text.get(index + 1..).unwrap_or_default();
        if *byte != sign {
            found.push(*byte, index);
            index += 1;
        } else if let Some(value) = pair_at(text, index + 1) {
            found.push(value, index);
            index += 3;
        } else if sign == b'=' && rest.starts_with(b"\r\n") {
            index += 3;
        } else if sign == b'=' && rest.starts_with(b"\n") {
            index += 2;
        } else {
            found.push(*byte, index);
            index += 1;
        }
    }
    found
}

/// "41:42", "41 42", "41-42", "41, 42": pairs of digits with equal marks between them. All else is left as one zero byte, which parts runs.
fn spaced(text: &[u8]) -> Decoded {
    let mut found = Decoded::new(text);
    let mut index = 0;
    while index < text.len() {
        let begins = index == 0 || text.get(index - 1).is_none_or(|before| !before.is_ascii_hexdigit());
        let Some(value) = pair_at(text, index).filter(|_| begins) else {
            if !is_mark(text.get(index)) && found.bytes.last() != Some(&0) {
                found.push(0, index);
            }
            index += 1;
            continue;
        };
        found.push(value, index);
        index += 2;
    }
    found
}

const fn is_mark(byte: Option<&u8>) -> bool {
    matches!(byte, Some(b':' | b' ' | b'-' | b',' | b'\t'))
}

fn pair_at(text: &[u8], index: usize) -> Option<u8> {
    let digit = |at: usize| char::from(*text.get(at)?).to_digit(16);
    let value = digit(index)? * 16 + digit(index + 1)?;
    u8::try_from(value).ok()
}
