//! Reads JSON from strangers strictly: it refuses duplicate keys and deep nesting, and reports the place of a mistake.
//!
//! RFC 8259 leaves open what a duplicate key means. So two readers may understand one text differently, and a program may check one value
//! and run the other. The sender of a duplicate key gets an error.
//!
//! One bad character does not lose a text: half of an escaped surrogate pair, as phones and services cut it, becomes U+FFFD, and the reader
//! skips a byte order mark before the text. [`read_delivered`] tolerates more, because a provider would only repeat a delivery that is
//! refused.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

mod escapes;

pub use escapes::{Pieces, mend_escapes, without_mark};

/// Levels of arrays and objects that `serde_json` itself reads; no limit beyond it has an effect.
pub const MOST_LEVELS: usize = 127;

/// Why a text is no JSON that is read. Nothing of the text is quoted but the keys that lead to the place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is no JSON; the words are the parser's.
    #[error("not valid JSON: {message} (line {line}, column {column})")]
    Malformed {
        /// What was expected there.
        message: String,
        /// From 1.
        line: usize,
        /// From 1; 0 at the end of a text that is empty.
        column: usize,
    },
    /// Arrays and objects in one another beyond the limit.
    #[error("nested deeper than {limit} levels")]
    TooDeep {
        /// The levels that may be.
        limit: usize,
    },
    /// Values beyond the limit.
    #[error("more than {limit} values")]
    TooMany {
        /// The values that may be.
        limit: usize,
    },
    /// A whole number that no 64 bits hold: another number would take its place.
    #[error("the number {number} is too large; expected at most 18446744073709551615, or a text")]
    TooLarge {
        /// Its beginning.
        number: String,
    },
    /// A key stands twice in one object.
    #[error("`{pointer}` is given twice")]
    KeyTwice {
        /// The second one's place, as a JSON pointer.
        pointer: String,
    },
}

/// Reads one value of at most [`MOST_VALUES`] and nothing behind it; arrays and objects may stand in one another up to `max_depth` times.
///
/// # Errors
/// The first [`Fault`] in the order of the text.
pub fn read(text: &[u8], max_depth: usize) -> Result<Value, Fault> {
    read_within(text, max_depth, MOST_VALUES)
}

/// The same, of at most so many values: arrays, objects and what is in them. A value takes a hundred times the memory of its shortest text.
///
/// # Errors
/// The first [`Fault`] in the order of the text.
pub fn read_within(text: &[u8], max_depth: usize, max_values: usize) -> Result<Value, Fault> {
    read_bytes(text, max_depth, max_values).and_then(|(value, huge)| match huge {
        Some(number) => Err(Fault::TooLarge { number }),
        None => Ok(value),
    })
}

/// The value, and the beginning of a whole number in it that is too large.
fn read_bytes(text: &[u8], max_depth: usize, max_values: usize) -> Result<(Value, Option<String>), Fault> {
    let text = mend_escapes(without_mark(text));
    match std::str::from_utf8(&text) {
        // To check the whole once is quicker than to check each of its strings.
        Ok(text) => read_by(serde_json::Deserializer::from_str(text), text.as_bytes(), max_depth, max_values),
        // The parser finds the string that is not UTF-8, or a mistake before it.
        Err(_) => read_by(serde_json::Deserializer::from_slice(&text), &text, max_depth, max_values),
    }
}

/// As [`read`], of a text that is known to be UTF-8: its strings are not looked at once more.
///
/// # Errors
/// The first [`Fault`] in the order of the text.
pub fn read_text(text: &str, max_depth: usize) -> Result<Value, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (value, huge) = match mend_escapes(text.as_bytes()) {
        Cow::Borrowed(_) => read_by(serde_json::Deserializer::from_str(text), text.as_bytes(), max_depth, MOST_VALUES),
        Cow::Owned(mended) => read_by(serde_json::Deserializer::from_slice(&mended), &mended, max_depth, MOST_VALUES),
    }?;
    huge.map_or(Ok(value), |number| Err(Fault::TooLarge { number }))
}

fn read_by<'de, R: serde_json::de::Read<'de>>(
    mut reader: serde_json::Deserializer<R>,
    text: &[u8],
    max_depth: usize,
    max_values: usize,
) -> Result<(Value, Option<String>), Fault> {
    let found = Found {
        told: RefCell::default(),
        values: Cell::new(max_values),
        max_depth,
        is_huge: Cell::new(false),
        fields: [const { Cell::new(0) }; MOST_LEVELS],
    };
    let malformed = |error: &serde_json::Error| {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default().to_owned();
        Fault::Malformed { message, line: error.line(), column: error.column() }
    };
    let value = Strict { level: 0, found: &found }.deserialize(&mut reader);
    let value = value.map_err(|error| match found.told.take() {
        Some(Ours::TooMany) => Fault::TooMany { limit: max_values },
        Some(Ours::TooDeep) => Fault::TooDeep { limit: max_depth },
        Some(Ours::KeyTwice(mut steps)) => {
            steps.reverse();
            Fault::KeyTwice { pointer: steps.iter().flat_map(|step| ["/", step]).collect() }
        }
        None if error.to_string().starts_with("recursion limit") => Fault::TooDeep { limit: MOST_LEVELS },
        None => malformed(&error),
    })?;
    reader.end().map_err(|error| malformed(&error))?;
    let huge = if found.is_huge.get() { huge_number(text) } else { None };
    Ok((value, huge))
}

/// Digits of 64 bits: a whole number of fewer fits.
const FEWEST_HUGE: usize = 19;

/// The beginning of the first whole number in a JSON text that no 64 bits hold. One with a point or an exponent neither counts nor names anything.
fn huge_number(text: &[u8]) -> Option<String> {
    let (mut in_text, mut escaped, mut digits) = (false, false, 0_usize);
    for (at, byte) in text.iter().chain(b" ").enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'0'..=b'9' => digits = digits.saturating_add(1),
            b'.' | b'e' | b'E' | b'+' => digits = 0,
            _ => {
                let written = text.get(at.saturating_sub(digits)..at).and_then(|run| std::str::from_utf8(run).ok())?;
                let before = at.checked_sub(digits.saturating_add(1)).and_then(|before| text.get(before));
                let is_whole = !before.is_some_and(|sign| matches!(sign, b'.' | b'e' | b'E' | b'+'));
                let is_negative = before == Some(&b'-');
                let fits = if is_negative {
                    format!("-{written}").parse::<i64>().is_ok()
                } else {
                    written.parse::<u64>().is_ok()
                };
                if digits >= FEWEST_HUGE && is_whole && !fits {
                    return Some(written.chars().take(40).collect());
                }
                digits = 0;
            }
        }
    }
    None
}

/// Values that a delivery or the body of a request may hold: some ten times what the largest of a provider hold.
pub const MOST_VALUES: usize = 200_000;

/// Upper bound of the number of values in a JSON text, found without building a tree. Callers can refuse the text before they parse it.
#[must_use]
pub fn count_values(text: &[u8]) -> usize {
    let (mut count, mut in_text, mut escaped) = (1_usize, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' | b',' if !in_text => count = count.saturating_add(1),
            _ => {}
        }
    }
    count
}

/// Reads what a provider delivered, of at most [`MOST_VALUES`]: as [`read_within`], but bytes that are no UTF-8 are read as U+FFFD, and line breaks and other control
/// characters may stand in a text as they are, and a number that is too large is read as the nearest. To refuse a delivery for one character is to
/// lose it.
///
/// # Errors
/// As [`read_within`].
pub fn read_delivered(text: &[u8], max_depth: usize) -> Result<Value, Fault> {
    let read = match read_bytes(text, max_depth, MOST_VALUES) {
        Err(Fault::Malformed { .. }) => read_bytes(&mended(text), max_depth, MOST_VALUES),
        read => read,
    };
    read.map(|(value, _)| value)
}

/// Reads a text into a type of the program without a tree, of at most so many values as [`count_values`] counts them. A piece that the
/// type keeps as it is written may hold half of an escaped pair; a key that stands twice is refused by the type, and where the type keeps
/// a whole [`Value`], the last one counts.
///
/// # Errors
/// The parser's, or that there are too many values.
pub fn read_as<'a, T: Deserialize<'a>>(text: &'a [u8], max_values: usize) -> Result<T, serde_json::Error> {
    let text = without_mark(text);
    // No text has more values than bytes: most are too short to be counted.
    if text.len() > max_values && count_values(text) > max_values {
        return Err(serde_json::Error::custom(Fault::TooMany { limit: max_values }));
    }
    serde_json::from_slice(text)
}

/// Reads a whole text into a type of the program as strictly as [`read`]: a key that stands twice is refused in maps, too.
///
/// # Errors
/// The first [`Fault`], or what does not fit the type.
pub fn read_strictly<T: DeserializeOwned>(text: &[u8]) -> Result<T, serde_json::Error> {
    serde_json::from_value(read_within(text, MOST_LEVELS, usize::MAX).map_err(serde_json::Error::custom)?)
}

/// A text as [`read_delivered`] reads it: JSON again, if characters alone were wrong with it.
#[must_use]
pub fn mended(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(without_mark(text));
    mend_escapes(escapes::escape_controls(&text).as_bytes()).into_owned()
}

/// Two to the power of 63: whole numbers from here on may be read as others.
const LEAST_HUGE: f64 = 9_223_372_036_854_775_808.0;

/// What we found ourselves; an error of the parser's carries words only.
struct Found {
    told: RefCell<Option<Ours>>,
    /// Values that may still come.
    values: Cell<usize>,
    /// Levels of arrays and objects that may be.
    max_depth: usize,
    /// A number was read that is larger than a whole one may be.
    is_huge: Cell<bool>,
    /// The fields of the last object of each level. The objects of a list mostly have as many as the one before, and room for that many
    /// is made at once; all rooms together are as large as all objects before them.
    fields: [Cell<usize>; MOST_LEVELS],
}

enum Ours {
    TooMany,
    TooDeep,
    /// The steps from the second key up to the whole.
    KeyTwice(Vec<String>),
}

impl Found {
    fn refuse<E: Error>(&self, ours: Ours) -> E {
        *self.told.borrow_mut() = Some(ours);
        E::custom("refused")
    }

    /// On the way out of a repeated key: which place this is.
    fn under(&self, step: &str) {
        if let Some(Ours::KeyTwice(steps)) = self.told.borrow_mut().as_mut() {
            steps.push(step.replace('~', "~0").replace('/', "~1"));
        }
    }
}

/// Reads a value within so many levels of arrays and objects.
#[derive(Clone, Copy)]
struct Strict<'a> {
    level: usize,
    found: &'a Found,
}

impl Strict<'_> {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        if self.level >= self.found.max_depth {
            return Err(self.found.refuse(Ours::TooDeep));
        }
        Ok(Self { level: self.level + 1, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let left = self.found.values.get().checked_sub(1);
        self.found.values.set(left.ok_or_else(|| self.found.refuse::<D::Error>(Ours::TooMany))?);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(truth.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        if number.abs() >= LEAST_HUGE {
            self.found.is_huge.set(true);
        }
        Ok(Number::from_f64(number).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut read = Vec::new();
        loop {
            let next = items.next_element_seed(inner).inspect_err(|_| self.found.under(&read.len().to_string()));
            let Some(item) = next? else { return Ok(Value::Array(read)) };
            read.push(item);
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let last = self.found.fields.get(self.level);
        let mut read = Map::with_capacity(last.map_or(0, Cell::get));
        while let Some(key) = fields.next_key::<String>()? {
            match read.entry(key) {
                Entry::Occupied(earlier) => {
                    let error = self.found.refuse(Ours::KeyTwice(Vec::new()));
                    self.found.under(earlier.key());
                    return Err(error);
                }
                Entry::Vacant(place) => {
                    let field = fields.next_value_seed(inner).inspect_err(|_| self.found.under(place.key()))?;
                    place.insert(field);
                }
            }
        }
        if let Some(last) = last {
            last.set(read.len());
        }
        Ok(Value::Object(read))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_read_as_they_are() {
        let text = r#" {"a": [1, -2, 2.5, null, true, "é\n"], "b": {}, "big": 18446744073709551615} "#;
        let value = json!({ "a": [1, -2, 2.5, null, true, "é\n"], "b": {}, "big": u64::MAX });
        assert_eq!(read_text(text, 2), Ok(value.clone()));
        assert_eq!(read(text.as_bytes(), 2), Ok(value));
    }

    #[test]
    fn a_whole_number_beyond_64_bits_is_refused_and_others_are_read() {
        for huge in ["191704365991270529612345", "18446744073709551616", "-9223372036854775809"] {
            let told = Err(Fault::TooLarge { number: huge.trim_start_matches('-').to_owned() });
            for text in [huge.to_owned(), format!(r#"{{"a": [1e30, {huge}]}}"#), format!(r#"["\\\"", {huge},2]"#)] {
                assert_eq!(read(text.as_bytes(), 4), told, "{text}");
                assert_eq!(read_text(&text, 4), told, "{text}");
            }
        }
        for held in
            ["18446744073709551615", "-9223372036854775808", "1e30", "1.5e300", "12345678901234567890123.5", "2E+25"]
        {
            assert!(read(held.as_bytes(), 4).is_ok(), "{held}");
        }
        assert!(read_delivered(b"[191704365991270529612345]", 4).is_ok(), "a delivery is not lost");
        let text = r#"{"text": "191704365991270529612345", "float": 1e30}"#;
        assert!(read_text(text, 4).is_ok());
    }

    #[test]
    fn a_text_of_very_many_values_is_refused_by_every_reader() {
        let many = format!("[{}0]", "0,".repeat(MOST_VALUES));
        let told = Err(Fault::TooMany { limit: MOST_VALUES });
        assert_eq!(read(many.as_bytes(), 4), told);
        assert_eq!(read_text(&many, 4), told);
    }

    #[test]
    fn a_repeated_key_is_told_with_its_place() {
        let twice = |pointer: &str| Err(Fault::KeyTwice { pointer: pointer.to_owned() });
        assert_eq!(read(br#"{"a": 1, "a": 1}"#, 4), twice("/a"));
        assert_eq!(read(br#"{"a": [0, {"b/c": 1, "b\/c": 2}]}"#, 4), twice("/a/1/b~1c"));
        assert_eq!(read(br#"{"a": {"b": 1}, "b": 2}"#, 4), Ok(json!({ "a": { "b": 1 }, "b": 2 })));
    }

    #[test]
    fn objects_of_any_number_of_fields_stand_side_by_side() {
        let fields = |count: usize| (0..count).map(|field| (format!("f{field}"), json!({}))).collect::<Map<_, _>>();
        let list: Value = [3, 0, 40, 1, 0, 7].into_iter().map(fields).collect();
        assert_eq!(read(list.to_string().as_bytes(), 4), Ok(list));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_told_by_their_place() {
        let told = |text: &[u8]| read(text, 4).unwrap_err().to_string();
        assert!(told(b"[\"a\",\n\"b\xff\"]").ends_with("(line 2, column 3)"));
        assert_eq!(told(b"[}\xff"), "not valid JSON: expected value (line 1, column 2)");
    }

    #[test]
    fn no_text_is_bottomless() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(read(deep(64).as_bytes(), 64).is_ok());
        assert_eq!(read(deep(65).as_bytes(), 64), Err(Fault::TooDeep { limit: 64 }));
        assert!(read(deep(MOST_LEVELS).as_bytes(), usize::MAX).is_ok());
        assert_eq!(read(deep(1_000_000).as_bytes(), usize::MAX), Err(Fault::TooDeep { limit: MOST_LEVELS }));
    }

    #[test]
    fn values_are_counted_wherever_they_stand() {
        let text = br#"[{"a": 0}, [1, 2]]"#;
        assert!(read_within(text, 4, 6).is_ok());
        assert_eq!(read_within(text, 4, 5), Err(Fault::TooMany { limit: 5 }));
        assert_eq!(count_values(text), 6);
        assert_eq!(count_values(br#"["a,b[{", "\",", 1]"#), 4);
    }

    #[test]
    fn a_type_is_read_within_the_same_bounds() {
        let numbers = |text: &str, most: usize| read_as::<Vec<i64>>(text.as_bytes(), most).map_err(|e| e.to_string());
        assert_eq!(numbers("\u{feff}[1, 2, 3]", 4), Ok(vec![1, 2, 3]));
        assert_eq!(numbers("[1, 2, 3]", 2), Err("more than 2 values".to_owned()));
        assert!(numbers("[1", 4).is_err());
        let deep = format!("{}{}", "[".repeat(1_000), "]".repeat(1_000));
        assert!(read_as::<Value>(deep.as_bytes(), MOST_VALUES).is_err());
    }

    #[test]
    fn a_key_that_stands_twice_is_refused_in_maps_of_a_type() {
        use std::collections::BTreeMap;
        let read =
            |text: &str| read_strictly::<BTreeMap<String, u8>>(text.as_bytes()).map_err(|error| error.to_string());
        assert_eq!(read(r#"{"a": 1, "b": 2}"#).unwrap().len(), 2);
        assert_eq!(read(r#"{"a": 1, "a": 2}"#).unwrap_err(), "`/a` is given twice");
        assert!(read(r#"{"a": "x"}"#).unwrap_err().contains("invalid type"));
    }

    #[test]
    fn what_is_no_json_is_told_by_line_and_column_and_not_quoted() {
        let told = |text: &[u8]| read(text, 4).unwrap_err().to_string();
        assert_eq!(told(b"<html>secret"), "not valid JSON: expected value (line 1, column 1)");
        assert_eq!(told(b"{\n\"a\": }"), "not valid JSON: expected value (line 2, column 6)");
        assert_eq!(told(b"{} {}"), "not valid JSON: trailing characters (line 1, column 4)");
        assert_eq!(told(b""), "not valid JSON: EOF while parsing a value (line 1, column 0)");
        assert!(told(b"\"\xff\"").starts_with("not valid JSON: "));
    }

    #[test]
    fn half_an_escaped_pair_is_one_character_and_whole_pairs_and_backslashes_stay() {
        for (text, meant) in [
            (r#""\ud83d oi""#, "\u{fffd} oi"),
            (r#""oi \uDE00""#, "oi \u{fffd}"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
            (r#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"),
            (r#""\ud83d\u0041""#, "\u{fffd}A"),
            (r#""\\ud83d""#, "\\ud83d"),
            (r#""\\\ud83d""#, "\\\u{fffd}"),
            (r#""\ud83d""#, "\u{fffd}"),
        ] {
            assert_eq!(read(text.as_bytes(), 1), Ok(json!(meant)), "{text}");
            assert_eq!(read_text(text, 1), Ok(json!(meant)), "{text}");
        }
        assert_eq!(read(br#"{"a\udc00": "\ud800"}"#, 1), Ok(json!({ "a\u{fffd}": "\u{fffd}" })));
        assert!(matches!(mend_escapes(br#""\ud83d\ude00 \n""#), Cow::Borrowed(_)));
        for broken in [r#""\ud8""#, r#""\u+123""#, r#""\ud83"#, "\"\\"] {
            assert!(read(broken.as_bytes(), 1).is_err(), "{broken}");
        }
    }

    #[test]
    fn a_byte_order_mark_before_a_text_is_passed_over_and_no_second_one() {
        assert_eq!(read(b"\xef\xbb\xbf{}", 1), Ok(json!({})));
        assert!(read(b"\xef\xbb\xbf\xef\xbb\xbf{}", 1).is_err());
    }

    #[test]
    fn a_delivery_is_read_in_spite_of_a_byte_or_a_line_break_and_not_in_spite_of_its_structure() {
        let read_it = |text: &[u8]| read_delivered(text, 4);
        assert_eq!(read_it(b"{\"a\": \"oi\xff\"}"), Ok(json!({ "a": "oi\u{fffd}" })));
        assert_eq!(read_it(b"{\n\"a\": \"one\ntwo \\\" \x01\"\n}"), Ok(json!({ "a": "one\ntwo \" \u{1}" })));
        assert!(matches!(read_it(b"{\"a\": }"), Err(Fault::Malformed { .. })));
        assert!(matches!(read_it(br#"{"a": 1, "a": 2}"#), Err(Fault::KeyTwice { .. })));
        assert!(read(b"{\"a\": \"oi\xff\"}", 4).is_err());
    }

    #[test]
    fn a_text_in_pieces_is_what_it_is_in_one() {
        let joined = |pieces: &[&str]| {
            let mut held = Pieces::default();
            let mut text: String = pieces.iter().map(|piece| held.push(piece).unwrap()).collect();
            text.push_str(held.rest());
            text
        };
        assert_eq!(joined(&[r#""oi \ud83d""#, r#""\ude00!""#]), "oi \u{1f600}!");
        assert_eq!(joined(&[r#""oi \uD83D""#, r#""""#, r#""\uDE00""#]), "oi \u{1f600}");
        assert_eq!(joined(&[r#""oi \ud83d""#, r#""!""#]), "oi \u{fffd}!");
        assert_eq!(joined(&[r#""\ud83d""#, r#""\ud83d""#, r#""\ude00""#]), "\u{fffd}\u{1f600}");
        assert_eq!(joined(&[r#""oi \ud83d""#]), "oi \u{fffd}");
        assert_eq!(joined(&[r#""a\\ud83d""#, r#""b""#]), "a\\ud83db");
        assert!(Pieces::default().push("7").is_err());
    }
}
