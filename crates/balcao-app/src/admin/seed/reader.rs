//! Takes values out of a document and notes what is wrong with them.

use std::str::FromStr;

use balcao_domain::money::MAX_PRICE_CENTS;
use balcao_domain::{Currency, Money, Phone};
use balcao_language::normalize::normalize;
use balcao_yaml::{Document, Problem, escape, nearest};
use serde_json::{Map, Value};

/// Most mistakes in one report. After correcting two hundred, the user runs the check again.
const MAX_PROBLEMS: usize = 200;

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(super) struct At<'a> {
    pub(super) value: &'a Value,
    pub(super) pointer: String,
}

/// A mapping whose keys were checked.
#[derive(Debug, Clone)]
pub(super) struct Fields<'a> {
    map: &'a Map<String, Value>,
    pub(super) pointer: String,
}

/// Reads, and collects mistakes instead of stopping at one.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    document: &'a Document,
    problems: Vec<Problem>,
}

impl<'a> Fields<'a> {
    /// The value of a key; `null` counts as absent.
    pub(super) fn get(&self, key: &str) -> Option<At<'a>> {
        let value = self.map.get(key).filter(|value| !value.is_null())?;
        Some(At { value, pointer: format!("{}/{}", self.pointer, escape(key)) })
    }

    /// Every key with its value.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&'a String, At<'a>)> + '_ {
        let at = |key: &String| format!("{}/{}", self.pointer, escape(key));
        self.map.iter().map(move |(key, value)| (key, At { value, pointer: at(key) }))
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        Self { document, problems: Vec::new() }
    }

    pub(super) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }

    pub(super) fn root(&self) -> At<'a> {
        At { value: &self.document.value, pointer: String::new() }
    }

    /// Notes a mistake, with what would be right.
    pub(super) fn wrong(&mut self, pointer: &str, message: impl Into<String>, right: impl Into<String>) {
        if self.problems.len() >= MAX_PROBLEMS {
            return;
        }
        let right: String = right.into();
        let suggestion = Some(right).filter(|right| !right.is_empty());
        self.problems.push(self.document.problem(pointer, message, suggestion));
    }

    /// A mapping with these keys and no others.
    pub(super) fn fields(&mut self, at: &At<'a>, known: &[&str]) -> Option<Fields<'a>> {
        let fields = self.any_fields(at)?;
        let unknown: Vec<&String> = fields.map.keys().filter(|key| !known.contains(&key.as_str())).collect();
        for key in unknown {
            let right = match nearest(key, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known keys: {}", known.join(", ")),
            };
            self.wrong(&format!("{}/{}", at.pointer, escape(key)), format!("unknown key `{key}`"), right);
        }
        Some(fields)
    }

    /// A mapping with any keys.
    pub(super) fn any_fields(&mut self, at: &At<'a>) -> Option<Fields<'a>> {
        let Value::Object(map) = at.value else {
            let message = format!("{} where a mapping is expected", kind(at.value));
            self.wrong(&at.pointer, message, "write `key: value` pairs");
            return None;
        };
        Some(Fields { map, pointer: at.pointer.clone() })
    }

    /// The items of a list; an absent one is empty.
    pub(super) fn items(&mut self, at: Option<At<'a>>) -> Vec<At<'a>> {
        let Some(at) = at else { return Vec::new() };
        let Value::Array(items) = at.value else {
            let message = format!("{} where a list is expected", kind(at.value));
            self.wrong(&at.pointer, message, "write it as [a, b]");
            return Vec::new();
        };
        let item = |(index, value)| At { value, pointer: format!("{}/{index}", at.pointer) };
        items.iter().enumerate().map(item).collect()
    }

    /// A text with something in it.
    pub(super) fn text(&mut self, at: &At<'a>) -> Option<String> {
        let Value::String(text) = at.value else {
            let message = format!("{} where a text is expected", kind(at.value));
            self.wrong(&at.pointer, message, "put it in quotes");
            return None;
        };
        let text = text.trim().to_owned();
        if text.is_empty() {
            self.wrong(&at.pointer, "an empty text", "write something, or leave the key out");
            return None;
        }
        if text.contains('\0') {
            self.wrong(&at.pointer, "a text with a null character, which no database keeps", "remove it");
            return None;
        }
        Some(text)
    }

    pub(super) fn optional_text(&mut self, fields: &Fields<'a>, key: &str) -> Option<String> {
        fields.get(key).and_then(|at| self.text(&at))
    }

    /// The value of a key that must be there.
    pub(super) fn required(&mut self, fields: &Fields<'a>, key: &str) -> Option<At<'a>> {
        let found = fields.get(key);
        if found.is_none() {
            self.wrong(&fields.pointer, format!("`{key}` is missing"), format!("add `{key}:`"));
        }
        found
    }

    pub(super) fn required_text(&mut self, fields: &Fields<'a>, key: &str) -> Option<String> {
        let at = self.required(fields, key)?;
        self.text(&at)
    }

    /// The texts of a list, each once.
    pub(super) fn texts(&mut self, at: Option<At<'a>>) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for item in self.items(at) {
            if let Some(text) = self.text(&item) {
                if texts.contains(&text) {
                    self.wrong(&item.pointer, format!("`{text}` is there twice"), "remove one");
                } else {
                    texts.push(text);
                }
            }
        }
        texts
    }

    /// The names of a list, each once: those that differ in case, accents or spaces alone are one.
    pub(super) fn names(&mut self, at: Option<At<'a>>) -> Vec<String> {
        let pointer = at.as_ref().map(|at| at.pointer.clone()).unwrap_or_default();
        let names = self.texts(at);
        for (place, name) in names.iter().enumerate() {
            let earlier = names.iter().take(place).find(|other| normalize(other) == normalize(name));
            if let Some(other) = earlier {
                let message = format!("`{other}` and `{name}` are one name to whoever reads them");
                self.wrong(&format!("{pointer}/{place}"), message, "rename or remove one");
            }
        }
        names
    }

    /// Something that is written as a text.
    pub(super) fn parsed<T>(&mut self, at: &At<'a>) -> Option<T>
    where
        T: FromStr,
        T::Err: std::fmt::Display,
    {
        let text = self.text(at)?;
        match text.parse() {
            Ok(value) => Some(value),
            Err(error) => {
                self.wrong(&at.pointer, error.to_string(), "");
                None
            }
        }
    }

    /// A civil date.
    pub(super) fn date(&mut self, at: &At<'a>) -> Option<jiff::civil::Date> {
        let text = self.text(at)?;
        let date = text.parse::<jiff::civil::Date>().ok().filter(|_| text.len() == 10);
        if date.is_none() {
            self.wrong(&at.pointer, format!("invalid date `{text}`"), "write a date that exists as YYYY-MM-DD");
        }
        date
    }

    /// A local date and time.
    pub(super) fn local_time(&mut self, at: &At<'a>) -> Option<jiff::civil::DateTime> {
        let text = self.text(at)?;
        let time = text.parse::<jiff::civil::DateTime>().ok().filter(|_| text.len() == 16);
        if time.is_none() {
            let right = "write a time that exists as \"YYYY-MM-DDTHH:MM\", local to the organization";
            self.wrong(&at.pointer, format!("invalid date and time `{text}`"), right);
        }
        time
    }

    /// A whole number in a range.
    pub(super) fn number(&mut self, at: &At<'a>, from: u32, to: u32) -> Option<u32> {
        let number = at.value.as_u64().and_then(|number| u32::try_from(number).ok());
        let number = number.filter(|number| (from..=to).contains(number));
        if number.is_none() {
            self.wrong(
                &at.pointer,
                format!("{} is out of place", at.value),
                format!("write a whole number from {from} to {to}"),
            );
        }
        number
    }

    pub(super) fn optional_number(&mut self, fields: &Fields<'a>, key: &str, from: u32, to: u32) -> Option<u32> {
        fields.get(key).and_then(|at| self.number(&at, from, to))
    }

    /// A number of minutes that is a multiple of five.
    pub(super) fn minutes(&mut self, at: &At<'a>, from: u32, to: u32) -> Option<u32> {
        let minutes = self.number(at, from, to)?;
        if minutes.is_multiple_of(5) {
            return Some(minutes);
        }
        let near = (minutes + 2) / 5 * 5;
        self.wrong(
            &at.pointer,
            format!("invalid number of minutes {minutes}; expected a multiple of five"),
            format!("write {}", near.max(5)),
        );
        None
    }

    pub(super) fn optional_minutes(&mut self, fields: &Fields<'a>, key: &str, from: u32, to: u32) -> Option<u32> {
        fields.get(key).and_then(|at| self.minutes(&at, from, to))
    }

    pub(super) fn truth(&mut self, fields: &Fields<'a>, key: &str, default: bool) -> bool {
        let Some(at) = fields.get(key) else { return default };
        at.value.as_bool().unwrap_or_else(|| {
            self.wrong(
                &at.pointer,
                format!("{} where true or false is expected", kind(at.value)),
                "write true or false",
            );
            default
        })
    }

    /// A number with decimals in a range.
    pub(super) fn decimal(&mut self, fields: &Fields<'a>, key: &str, limit: f64) -> Option<f64> {
        let at = fields.get(key)?;
        let number = at.value.as_f64().filter(|number| number.abs() <= limit);
        if number.is_none() {
            self.wrong(
                &at.pointer,
                format!("{} is out of place", at.value),
                format!("write a number from -{limit} to {limit}"),
            );
        }
        number
    }

    /// A price in cents: a text, or a number that is written with exactly two decimals or with none.
    pub(super) fn cents(&mut self, at: &At<'a>, currency: Currency) -> Option<i64> {
        let text = match at.value {
            Value::String(text) => text.clone(),
            // YAML reads a bare `1.500` as one and a half, so the number itself does not tell what was written.
            Value::Number(number) => match self.document.written(&at.pointer) {
                Some(written) => written.to_owned(),
                None => number.to_string(),
            },
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => kind(at.value).to_owned(),
        };
        let after_point = text.rsplit_once(['.', ',']).map(|(_, after)| after);
        let is_digits = |after: &str| after.bytes().all(|byte| byte.is_ascii_digit());
        let is_clear = match (at.value.is_number(), after_point) {
            (true, Some(decimals)) => decimals.len() == 2,
            // `1.500` is fifteen hundred to one reader and one and a half to another.
            (false, Some(after)) => after.len() != 3 || !is_digits(after),
            (_, None) => true,
        };
        match Money::parse(&text, currency) {
            Ok(money) if is_clear && money.cents > MAX_PRICE_CENTS => {
                let most = Money::new(MAX_PRICE_CENTS, currency);
                self.wrong(&at.pointer, format!("invalid price `{text}`"), format!("write at most {most}"));
                None
            }
            Ok(money) if is_clear => Some(money.cents),
            Ok(_) | Err(_) if text.trim_start().starts_with('-') => {
                self.wrong(
                    &at.pointer,
                    format!("invalid price `{text}`"),
                    "write zero or more; a price is never below it",
                );
                None
            }
            Ok(_) | Err(_) => {
                let right = "write it as a text with two decimals, such as \"45.00\" or \"1.500,00\"";
                self.wrong(&at.pointer, format!("invalid price `{text}`"), right);
                None
            }
        }
    }

    pub(super) fn phone(&mut self, fields: &Fields<'a>, key: &str) -> Option<Phone> {
        let at = fields.get(key)?;
        let text = self.text(&at)?;
        match Phone::parse(&text) {
            Ok(phone) => Some(phone),
            Err(error) => {
                self.wrong(&at.pointer, error.to_string(), "write it as \"+55 11 98765-4321\"");
                None
            }
        }
    }

    pub(super) fn email(&mut self, fields: &Fields<'a>, key: &str) -> Option<String> {
        let at = fields.get(key)?;
        let text = self.text(&at)?;
        match balcao_domain::contact::check_email(&text) {
            Ok(email) => Some(email),
            Err(error) => {
                self.wrong(&at.pointer, error.to_string(), "");
                None
            }
        }
    }

    /// One of a set of words.
    pub(super) fn read_word<T: Copy>(&mut self, at: &At<'a>, words: &[(&str, T)]) -> Option<T> {
        let text = self.text(at)?;
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        if found.is_none() {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.wrong(&at.pointer, format!("`{text}` is not known here"), format!("use one of {}", known.join(", ")));
        }
        found
    }

    /// The place of a name among those that the file defines.
    pub(super) fn reference(&mut self, at: &At<'a>, what: &str, known: &[String]) -> Option<usize> {
        let text = self.text(at)?;
        let same = |name: &String| normalize(name) == normalize(&text);
        let found = known.iter().position(|name| *name == text).or_else(|| known.iter().position(same));
        if found.is_none() {
            let right = match nearest(&text, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None if known.is_empty() => format!("the file defines no {what}"),
                None => format!("the file defines {}", known.join(", ")),
            };
            self.wrong(&at.pointer, format!("unknown {what} `{text}`"), right);
        }
        found
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
    }
}
