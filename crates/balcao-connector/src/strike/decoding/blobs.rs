//! Reads long words that may be Base64 or Base32 of a text, to see what other codes stand in it.
//!
//! Of a secret itself these words are known without decoding; here is what holds it in another code: Base64 of "pk%5F12". Secrets and
//! codes are of ASCII, and few words spell ASCII by chance: of Base64 three bits of each four letters would be zero.

use super::Decoded;

/// The letters of Base32 for a piece of eight characters, which may not pass; nearly all words of prose are shorter.
const SHORTEST: usize = 13;
/// Bytes of ASCII side by side that are looked at.
const LEAST: usize = 8;

/// Letters that stand for some bits each.
struct Alphabet {
    value: fn(u8) -> Option<u8>,
    bits: usize,
    /// Letters that spell whole bytes.
    block: usize,
}

/// The usual letters and those of addresses (RFC 4648, chapters 4 and 5).
const BASE64: Alphabet = Alphabet {
    value: |letter| match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    },
    bits: 6,
    block: 4,
};
/// The letters of chapter 6.
const BASE32: Alphabet = Alphabet {
    value: |letter| match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'2'..=b'7' => Some(letter - b'2' + 26),
        _ => None,
    },
    bits: 5,
    block: 8,
};

impl Alphabet {
    /// The bytes that a block of letters spells, each with the place of its last letter; `None` if they are not all ASCII.
    fn ascii(&self, block: &[u8]) -> Option<impl Iterator<Item = (u8, usize)>> {
        let mut all = 0_u64;
        for letter in block {
            all = all << self.bits | u64::from((self.value)(*letter)?);
        }
        let (length, bits) = (block.len() * self.bits, self.bits);
        let byte = move |index: usize| {
            let [byte, ..] = (all >> (length - 8 * (index + 1))).to_le_bytes();
            byte
        };
        let is_ascii = (0..length / 8).all(|index| byte(index).is_ascii());
        is_ascii.then(|| (0..length / 8).map(move |index| (byte(index), (8 * index + 7) / bits)))
    }

    /// Adds what the parts of a word spell that are long enough and of ASCII.
    fn read(&self, found: &mut Option<Decoded>, word: &[u8], from: usize) {
        let mut bytes: Vec<(u8, usize)> = Vec::new();
        let mut end_part = |bytes: &mut Vec<(u8, usize)>, end: usize| {
            if bytes.len() >= LEAST {
                let found = found.get_or_insert_with(Decoded::new);
                // Of wide characters every other byte is zero.
                bytes.iter().for_each(|(byte, place)| found.push_all([*byte], *place));
                found.push(0, end);
            }
            bytes.clear();
        };
        for (index, block) in word.chunks(self.block).enumerate() {
            let begin = from + index * self.block;
            match self.ascii(block) {
                Some(spelled) => bytes.extend(spelled.map(|(byte, letter)| (byte, begin + letter))),
                None => end_part(&mut bytes, begin),
            }
        }
        end_part(&mut bytes, from + word.len());
    }
}

/// Adds what the long words of the text spell, as Base64 and as Base32, where they may spell a text.
pub(super) fn read_words(all: &mut Vec<Decoded>, text: &[u8]) {
    let (mut base64, mut base32) = (None, None);
    let is_letter = |place: &usize| text.get(*place).is_some_and(|byte| is_letter(*byte));
    let mut done = 0;
    // Each word that is long enough covers one of these places.
    for place in (SHORTEST - 1..text.len()).step_by(SHORTEST) {
        if place < done || !is_letter(&place) {
            continue;
        }
        let from = (done..place).rev().take_while(is_letter).last().unwrap_or(place);
        let to = (place..text.len()).find(|at| !is_letter(at)).unwrap_or(text.len());
        done = to;
        let word = text.get(from..to).unwrap_or_default();
        if word.len() >= SHORTEST {
            BASE64.read(&mut base64, word, from);
            BASE32.read(&mut base32, word, from);
        }
    }
    all.extend(base64);
    all.extend(base32);
}

/// Whether it is a letter of Base64, and so of Base32, too.
const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'/' | b'_')
}
