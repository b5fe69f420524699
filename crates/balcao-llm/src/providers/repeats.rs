//! Fields that stand twice in one object, as some relays write them.
//!
//! A field that says the same twice says it once. What a field means that says two things is unknown, and such a field is left alone:
//! the reader of the text refuses it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A JSON text with each field that stands twice with the same value standing once. `None` if there is none, or the text is not JSON.
pub(crate) fn without_repeats(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let found = write(text.trim(), balcao_json::MOST_LEVELS, &mut out).ok()?;
    found.then_some(out)
}

/// Writes a value of at most so many levels and tells whether it left a field out.
fn write(raw: &str, levels: usize, out: &mut String) -> serde_json::Result<bool> {
    let Some(levels) = levels.checked_sub(1) else { return Err(serde_json::Error::custom("too deep")) };
    let mut found = false;
    if raw.starts_with('{') {
        let Fields(fields) = serde_json::from_str(raw)?;
        out.push('{');
        let mut written: Vec<&(String, &RawValue)> = Vec::with_capacity(fields.len());
        for field in &fields {
            // The objects of an answer have a few fields; an object of thousands is read as it is.
            let mut looked_at = written.iter().take(MOST_FIELDS);
            if looked_at.any(|earlier| earlier.0 == field.0 && earlier.1.get() == field.1.get()) {
                found = true;
                continue;
            }
            if !written.is_empty() {
                out.push(',');
            }
            out.push_str(&serde_json::to_string(&field.0)?);
            out.push(':');
            found |= write(field.1.get(), levels, out)?;
            written.push(field);
        }
        out.push('}');
    } else if raw.starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(raw)?;
        out.push('[');
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            found |= write(item.get(), levels, out)?;
        }
        out.push(']');
    } else {
        out.push_str(raw);
    }
    Ok(found)
}

/// So many fields of an object are compared with the ones after them.
const MOST_FIELDS: usize = 64;

/// The fields of an object in their order, also those that stand twice.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
                    fields.push((name, value));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}
