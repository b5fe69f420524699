//! What of a definition was left out, or stands in for something else, so that the rest can be looked at; and what follows of that alone.
//!
//! The loader reports a mistake once. It does not report the consequences elsewhere, such as a reference to an entry that was left out.
//! They go when the mistake does, so the author reads one line for each mistake.
//!
//! Places are those of the files: they do not move when entries before them are left out.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// Sections that are lists of entries, as the steps of their pointers.
const LISTS: [&[&str]; 9] = [
    &["commands"],
    &["helpers"],
    &["processors"],
    &["validators"],
    &["anti_patterns"],
    &["knowledge_base"],
    &["examples", "success_cases"],
    &["examples", "failure_cases"],
    &["examples", "edge_cases"],
];

/// Sections whose entries are known by their keys, and how deep those lie.
const MAPS: [(&str, usize); 3] = [("schemas", 1), ("payload_schemas", 1), ("field_mappings", 2)];

/// What messages call the entries of a section.
const WORDS: [(&str, &str); 10] = [
    ("commands", "command"),
    ("helpers", "helper"),
    ("processors", "processor"),
    ("validators", "validator"),
    ("anti_patterns", "anti-pattern"),
    ("schemas", "schema"),
    ("field_mappings", "field type"),
    ("success_cases", "example"),
    ("failure_cases", "example"),
    ("edge_cases", "example"),
];

/// Fields of entries on which nothing else hangs.
const PLAIN: [&str; 17] = [
    "timeout_ms",
    "settle_ms",
    "category",
    "description",
    "summary",
    "inject",
    "lazy_load",
    "notes",
    "title",
    "why",
    "cause",
    "solution",
    "rule",
    "idempotent",
    "reversible",
    "open_world",
    "on_error",
];

/// How an entry is called whose own id is none.
const UNNAMED: &str = "unnamed-";

/// An entry of a section: where it stands, and the last step of its section's pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) at: String,
    pub(crate) section: String,
}

/// The entry that a place lies in.
pub(crate) fn entry_of(pointer: &str) -> Option<Entry> {
    let steps: Vec<&str> = pointer.strip_prefix("/tool/")?.split('/').collect();
    let listed = LISTS.iter().find_map(|list| {
        let place = steps.strip_prefix(*list)?.first()?;
        place.bytes().all(|byte| byte.is_ascii_digit()).then(|| (list.join("/"), (*place).to_owned()))
    });
    let (section, place) = match listed {
        Some(listed) => listed,
        None => {
            let (name, rest) = steps.split_first()?;
            let (_, depth) = MAPS.iter().find(|(section, _)| section == name)?;
            ((*name).to_owned(), rest.get(..*depth)?.join("/"))
        }
    };
    let last = section.rsplit('/').next().unwrap_or_default().to_owned();
    Some(Entry { at: format!("/tool/{section}/{place}"), section: last })
}

/// Something of the right shape for a field that has to be there and is not right; `None` if nothing will do.
pub(crate) fn placeholder_for(pointer: &str) -> Option<Value> {
    let (parent, field) = pointer.rsplit_once('/')?;
    let sentence = || json!({"pt-BR": "?", "en": "?"});
    if parent == "/tool" {
        return match field {
            "id" => Some(json!("unnamed")),
            "name" => Some(json!("?")),
            "version" => Some(json!("0.0.0")),
            "description" => Some(sentence()),
            "type" => Some(json!("native")),
            _ => None,
        };
    }
    let entry = entry_of(pointer).filter(|entry| entry.at == parent)?;
    match (entry.section.as_str(), field) {
        (_, "id") => Some(json!(format!("{UNNAMED}{}", entry.at.rsplit('/').next().unwrap_or_default()))),
        ("commands", "description") => Some(sentence()),
        ("commands", "effect") => Some(json!("destructive")),
        ("commands", "handler") => Some(json!({})),
        ("commands", "input_schema") => Some(json!({"type": "object", "additionalProperties": false})),
        ("commands", "output_schema") => Some(json!({"type": "object"})),
        ("payload_schemas", "detection" | "path") => Some(json!("$")),
        ("processors", "steps") => Some(json!([{"omit": ["?"]}])),
        ("edge_cases", "cases") => Some(json!([{}])),
        ("success_cases", "input" | "output") | ("failure_cases", "wrong_input") => Some(json!({})),
        (_, "operation" | "error_message" | "cause" | "title" | "why" | "wrong") => Some(json!("?")),
        _ => None,
    }
}

/// What was done to a definition.
#[derive(Debug, Default)]
pub(crate) struct Damage {
    left_out: Vec<LeftOut>,
    /// Where a value was taken away, or stands in for another.
    places: BTreeSet<String>,
    hurt: Vec<Hurt>,
}

/// An entry that the value lacks, or that has another name in it.
#[derive(Debug)]
struct LeftOut {
    section: String,
    /// What others call it by.
    id: Option<String>,
}

/// An entry that is there, but for something on which others may hang.
#[derive(Debug)]
struct Hurt {
    entry: Entry,
    id: Option<String>,
}

impl Damage {
    /// An entry was left out.
    pub(crate) fn leave_out(&mut self, section: &str, id: Option<String>) {
        self.left_out.push(LeftOut { section: section.to_owned(), id });
    }

    /// A value at a place of the files was taken away, or another stands in for it. `entry` is what it lies in, `id` that one's.
    pub(crate) fn touch(&mut self, at: &str, value: Option<&Value>, entry: Option<(Entry, Option<String>)>) {
        if !self.places.insert(at.to_owned()) {
            return;
        }
        let Some((entry, id)) = entry else {
            self.whole_section(at);
            return;
        };
        let field = at.strip_prefix(&entry.at).and_then(|rest| rest.split('/').nth(1)).unwrap_or_default();
        if field == "id" {
            // Others may call it by this or by what was meant.
            self.leave_out(&entry.section, None);
            self.leave_out(&entry.section, value.and_then(Value::as_str).map(str::to_owned));
        } else if !PLAIN.contains(&field) {
            self.hurt.push(Hurt { entry, id });
        }
    }

    /// If a section is not a list of entries, all its entries count as left out.
    fn whole_section(&mut self, at: &str) {
        let Some(name) = at.strip_prefix("/tool/") else { return };
        let within = |section: &&str| {
            *section == name.rsplit('/').next().unwrap_or_default()
                || (name == "examples" && section.ends_with("_cases"))
        };
        for section in WORDS.iter().map(|(section, _)| *section).filter(within) {
            self.leave_out(section, None);
        }
    }

    /// Whether a value at or below a place of the files was taken away or stands in for another.
    pub(crate) fn is_at(&self, at: &str) -> bool {
        let below = format!("{at}/");
        self.places.iter().any(|place| place == at || place.starts_with(&below))
    }

    /// Whether an entry lacks something on which its meaning hangs.
    pub(crate) fn hurts(&self, entry: &str) -> bool {
        self.hurt.iter().any(|one| one.entry.at == entry)
    }

    /// Whether something of a section is not there as it was written, so that what seems to be absent may be there once it is mended.
    pub(crate) fn lacks(&self, section: &str) -> bool {
        self.left_out.iter().any(|one| one.section == section)
            || self.hurt.iter().any(|one| one.entry.section == section)
    }

    /// Whether a message may come of this alone. `at` is the place in the files that it is about.
    pub(crate) fn explains(&self, at: &str, message: &str) -> bool {
        self.is_of_it(at) || self.names(at, message)
    }

    /// It is about what was taken away, or about the entry as a whole that it was taken from.
    fn is_of_it(&self, at: &str) -> bool {
        let around =
            |place: &String| at == place || at.strip_prefix(place.as_str()).is_some_and(|rest| rest.starts_with('/'));
        let Some(entry) = entry_of(at) else { return self.places.iter().any(around) };
        let whole = at == entry.at || at == format!("{}/id", entry.at);
        self.places.iter().any(|place| {
            let within = place.strip_prefix(at).is_some_and(|rest| rest.starts_with('/'));
            around(place)
                || within
                || (whole && place.starts_with(&format!("{}/", entry.at)) && !is_plain(place, &entry))
        })
    }

    /// It names what is not there.
    fn names(&self, at: &str, message: &str) -> bool {
        let quoted = |id: &String| message.contains(&format!("`{id}`"));
        let gone = self.left_out.iter().any(|one| match &one.id {
            Some(id) => quoted(id),
            None => {
                let mut words = WORDS.iter().filter(|(section, _)| *section == one.section);
                words.any(|(_, word)| message.starts_with(&format!("unknown {word} `")))
            }
        });
        let elsewhere = |one: &Hurt| !at.starts_with(&format!("{}/", one.entry.at));
        let hurt = self.hurt.iter().any(|one| elsewhere(one) && one.id.as_ref().is_some_and(quoted));
        let parts = [("settings", "setting"), ("connection", "connection"), ("payload_schemas", "formats of payloads")];
        let part =
            |(field, word): &(&str, &str)| self.places.contains(&format!("/tool/{field}")) && message.contains(word);
        let schema = entry_of(at).map(|entry| format!("{}/input_schema", entry.at));
        let argument = message.contains("argument") && schema.is_some_and(|schema| self.places.contains(&schema));
        gone || hurt || argument || parts.iter().any(part) || message.contains(&format!("`{UNNAMED}"))
    }
}

fn is_plain(place: &str, entry: &Entry) -> bool {
    let field = place.strip_prefix(&entry.at).and_then(|rest| rest.split('/').nth(1));
    field.is_some_and(|field| PLAIN.contains(&field))
}
