//! Reads texts that spell bytes by their codes. A text without a sign of codes is looked through quickly and copied never.
//!
//! Every reading gives what the codes of a text spell, and where each byte stands in the text. One reading leaves what stands between the
//! codes as it is ("pk%5F12"); the others read runs of codes, whatever stands between them ("74, 6f", `\x74|\x6f`, `[116,111]`).

use memchr::{memchr_iter, memchr3_iter};

mod blobs;
mod runs;

/// What a text spells, and where each of its bytes begins in the text. A zero byte parts what does not stand side by side.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    /// In the order of their bytes.
    pieces: Vec<Piece>,
    end: usize,
    /// Whether its codes spell what another code may be made of.
    pub(super) spells_codes: bool,
}

/// Bytes that one code spells, or that stand in the text as they are.
#[derive(Debug)]
struct Piece {
    /// Where they begin among the decoded bytes.
    index: usize,
    /// Where they begin in the text.
    place: usize,
    is_literal: bool,
}

impl Decoded {
    const fn new() -> Self {
        Self { bytes: Vec::new(), pieces: Vec::new(), end: 0, spells_codes: false }
    }

    /// Adds one byte that a code at `place` spells.
    fn push(&mut self, byte: u8, place: usize) {
        self.pieces.push(Piece { index: self.bytes.len(), place, is_literal: false });
        self.bytes.push(byte);
        self.spells_codes |= byte.is_ascii_hexdigit() || OF_CODES.contains(&byte);
    }

    /// Adds what a code at `place` spells. Zero bytes fill up the codes of wide characters and spell nothing.
    fn push_all(&mut self, bytes: impl IntoIterator<Item = u8>, place: usize) {
        bytes.into_iter().filter(|byte| *byte != 0).for_each(|byte| self.push(byte, place));
    }

    /// Adds bytes that stand in the text from `place` on.
    fn add_literal(&mut self, bytes: &[u8], place: usize) {
        if !bytes.is_empty() {
            self.pieces.push(Piece { index: self.bytes.len(), place, is_literal: true });
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// Where the byte at `index` begins in the text; past the last byte, where the last code ends.
    pub(super) fn place_of(&self, index: usize) -> usize {
        let behind = self.pieces.partition_point(|piece| piece.index <= index);
        let piece = behind.checked_sub(1).and_then(|last| self.pieces.get(last));
        match piece {
            Some(piece) if index < self.bytes.len() => {
                piece.place + if piece.is_literal { index - piece.index } else { 0 }
            }
            _ => self.end,
        }
    }
}

/// All readings of the text that differ from the text, and may hold what has at least so many bytes. Before and behind a code so many
/// bytes are kept as the `reach` says.
pub(super) fn readings(text: &[u8], least: usize, reach: usize) -> Vec<Decoded> {
    // Most texts have none, and then nothing is made.
    let mut all = Vec::new();
    let mut marks = memchr3_iter(b'%', b'&', b'\\', text).peekable();
    if marks.peek().is_some() {
        all.push(unescaped(text, marks, reach, usual_code));
    }
    let mut marks = memchr_iter(b'=', text).peekable();
    if marks.peek().is_some() {
        all.push(unescaped(text, marks, reach, quoted_code));
    }
    runs::read_runs(&mut all, text, least);
    blobs::read_words(&mut all, text);
    all.retain(|reading| !reading.bytes.is_empty());
    all
}

/// What codes are made of, besides their digits.
const OF_CODES: &[u8] = b"%&\\=#;xXuU";

/// What a code spells, and how many bytes it takes.
type Code = (Spelled, usize);

/// What a code spells.
#[derive(Clone, Copy)]
enum Spelled {
    Byte(u8),
    Char(char),
    /// The code only joins what stands before and behind it.
    Nothing,
}

/// The text with its codes replaced by what they spell, as far as it stands near a code.
fn unescaped(
    text: &[u8],
    marks: impl Iterator<Item = usize>,
    reach: usize,
    code_at: impl Fn(&[u8], usize) -> Option<Code>,
) -> Decoded {
    let mut found = Decoded::new();
    let mut done = 0;
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    for mark in marks {
        if mark < done {
            continue;
        }
        let Some((spelled, length)) = code_at(text, mark) else { continue };
        let behind = if found.bytes.is_empty() { 0 } else { mark.min(done + reach) };
        found.add_literal(part(done, behind), done);
        let before = mark.saturating_sub(reach).max(behind).max(done);
        if before > behind.max(done) {
            found.push(0, behind.max(done));
        }
        found.add_literal(part(before, mark), before);
        match spelled {
            Spelled::Byte(byte) => found.push_all([byte], mark),
            Spelled::Char(spelled) => found.push_all(spelled.encode_utf8(&mut [0; 4]).bytes(), mark),
            Spelled::Nothing => found.spells_codes = true,
        }
        done = mark + length;
    }
    if done > 0 {
        let end = text.len().min(done + reach);
        found.add_literal(part(done, end), done);
        found.end = end;
    }
    found
}

/// A code of an address, a program's text, JSON or HTML.
fn usual_code(text: &[u8], mark: usize) -> Option<Code> {
    let rest = text.get(mark + 1..)?;
    match text.get(mark)? {
        b'%' if matches!(rest.first(), Some(b'u' | b'U')) => unit(rest, 1, 4, 2),
        b'%' => Some((Spelled::Byte(pair_at(rest, 0)?), 3)),
        b'\\' => escape(rest),
        _ => reference(rest),
    }
}

/// The code behind a backslash.
fn escape(rest: &[u8]) -> Option<Code> {
    match rest.first()? {
        b'x' | b'u' if rest.get(1) == Some(&b'{') => {
            let digits = digits_from(rest, 2, 16);
            (rest.get(2 + digits) == Some(&b'}')).then(|| unit(rest, 2, digits, 4))?
        }
        b'x' => Some((Spelled::Byte(pair_at(rest, 1)?), 4)),
        b'u' => unit(rest, 1, 4, 2).or_else(|| surrogates(rest)),
        b'U' => unit(rest, 1, 8, 2),
        b'0'..=b'3' => Some((Spelled::Byte(u8::try_from(number(rest.get(..3)?, 8)?).ok()?), 4)),
        // Markdown and shells write any mark so.
        byte if byte.is_ascii_punctuation() => Some((Spelled::Byte(*byte), 2)),
        _ => None,
    }
}

/// A character by so many hexadecimal digits; the code has `marks` bytes besides.
fn unit(rest: &[u8], from: usize, digits: usize, marks: usize) -> Option<Code> {
    let value = number(rest.get(from..from + digits)?, 16)?;
    Some((Spelled::Char(char::from_u32(value)?), digits + marks))
}

/// A character by two codes: "\ud83d\ude00".
fn surrogates(rest: &[u8]) -> Option<Code> {
    let unit = |from: usize| u16::try_from(number(rest.get(from..from + 4)?, 16)?).ok();
    let is_pair = rest.get(5) == Some(&b'\\') && rest.get(6) == Some(&b'u');
    let units = [unit(1)?, unit(7).filter(|_| is_pair)?];
    let character = char::decode_utf16(units).next()?.ok()?;
    Some((Spelled::Char(character), 12))
}

/// The names of HTML for the printable marks of ASCII: all that the standard has ("named character references").
const NAMES: [(&[u8], u8); 44] = [
    (b"excl", b'!'),
    (b"quot", b'"'),
    (b"QUOT", b'"'),
    (b"num", b'#'),
    (b"dollar", b'$'),
    (b"percnt", b'%'),
    (b"amp", b'&'),
    (b"AMP", b'&'),
    (b"apos", b'\''),
    (b"lpar", b'('),
    (b"rpar", b')'),
    (b"ast", b'*'),
    (b"midast", b'*'),
    (b"plus", b'+'),
    (b"comma", b','),
    (b"period", b'.'),
    (b"sol", b'/'),
    (b"colon", b':'),
    (b"semi", b';'),
    (b"lt", b'<'),
    (b"LT", b'<'),
    (b"equals", b'='),
    (b"gt", b'>'),
    (b"GT", b'>'),
    (b"quest", b'?'),
    (b"commat", b'@'),
    (b"lsqb", b'['),
    (b"lbrack", b'['),
    (b"bsol", b'\\'),
    (b"rsqb", b']'),
    (b"rbrack", b']'),
    (b"Hat", b'^'),
    (b"lowbar", b'_'),
    (b"UnderBar", b'_'),
    (b"grave", b'`'),
    (b"DiacriticalGrave", b'`'),
    (b"lcub", b'{'),
    (b"lbrace", b'{'),
    (b"verbar", b'|'),
    (b"vert", b'|'),
    (b"VerticalLine", b'|'),
    (b"rcub", b'}'),
    (b"rbrace", b'}'),
    (b"nbsp", b' '),
];

const LONGEST_NAME: usize = 16;
const OLDEST_NAMES: [&[u8]; 5] = [b"amp", b"lt", b"gt", b"quot", b"apos"];

/// A reference of HTML, with a semicolon or without, by number with zeros before it or without.
fn reference(rest: &[u8]) -> Option<Code> {
    let with_end = |length: usize| length + 1 + usize::from(rest.get(length) == Some(&b';'));
    if rest.first() != Some(&b'#') {
        let byte_of =
            |name: &[u8]| NAMES.iter().find(|(known, _)| *known == name).map(|(_, byte)| Spelled::Byte(*byte));
        let end = rest.iter().take(LONGEST_NAME + 1).position(|byte| *byte == b';');
        if let Some(spelled) = end.and_then(|end| byte_of(rest.get(..end)?)) {
            return Some((spelled, with_end(end?)));
        }
        // The oldest names stand without a semicolon, too.
        let name = OLDEST_NAMES.into_iter().find(|name| rest.starts_with(name))?;
        return Some((byte_of(name)?, with_end(name.len())));
    }
    let (from, base) = if matches!(rest.get(1), Some(b'x' | b'X')) { (2, 16) } else { (1, 10) };
    let digits = digits_from(rest, from, base);
    let value = number(rest.get(from..from + digits)?, base)?;
    Some((Spelled::Char(char::from_u32(value)?), with_end(from + digits)))
}

/// A code of quoted-printable text, or the end of a line of it that goes on.
fn quoted_code(text: &[u8], mark: usize) -> Option<Code> {
    let rest = text.get(mark + 1..)?;
    if let Some(byte) = pair_at(rest, 0) {
        return Some((Spelled::Byte(byte), 3));
    }
    let end = [&b"\r\n"[..], b"\n"].into_iter().find(|end| rest.starts_with(end))?;
    Some((Spelled::Nothing, 1 + end.len()))
}

/// Zeros before a number have no bound that services agree on; nothing writes more digits than this.
const MOST_DIGITS: usize = 32;

fn digits_from(text: &[u8], from: usize, base: u32) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    rest.iter().take(MOST_DIGITS).take_while(|byte| char::from(**byte).is_digit(base)).count()
}

/// A number in digits of this base only, with zeros before it or without; `None` where there are none, or it is too large.
fn number(digits: &[u8], base: u32) -> Option<u32> {
    let add = |sum: u32, byte: &u8| sum.checked_mul(base)?.checked_add(char::from(*byte).to_digit(base)?);
    if digits.is_empty() { None } else { digits.iter().try_fold(0, add) }
}

fn pair_at(text: &[u8], index: usize) -> Option<u8> {
    u8::try_from(number(text.get(index..index + 2)?, 16)?).ok()
}
