//! One edit of the stored document.

use balcao_yaml::nearest;
use serde_json::{Map, Value};

use super::document::{knowledge_name, list, template_name};
use super::plan::Section;

/// What is done to a field of an entry.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldEdit {
    /// It gets this value; `null` takes it away.
    Set(Value),
    /// Its list gets one more item.
    Add(Value),
    /// Its list loses this item, or those that have all these fields.
    Take(Value),
}

/// An edit of one entry.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// A new entry.
    Add {
        /// Where.
        section: Section,
        /// Its fields, the one that names it among them.
        fields: Map<String, Value>,
    },
    /// Fields of an entry, by keys of a business file; a dot leads into a mapping, as in `scheduling.pending_minutes`.
    Change {
        /// Where.
        section: Section,
        /// Which.
        name: String,
        /// What, in order.
        fields: Vec<(String, FieldEdit)>,
    },
    /// Entries of the knowledge, such as those of a text: one of the same title is replaced, others are added. Where two entries have one
    /// title, the category says which is meant.
    Knowledge {
        /// The entries.
        entries: Vec<Map<String, Value>>,
        /// Whether the entries that are not among them are removed.
        replace: bool,
    },
    /// The entry is archived, or removed where nothing can refer to it.
    Remove {
        /// Where.
        section: Section,
        /// Which.
        name: String,
    },
}

impl Edit {
    /// The entry that it edits, for messages.
    #[must_use]
    pub fn place(&self) -> String {
        let named = |section: Section, name: Option<&str>| match name.filter(|name| !name.is_empty()) {
            Some(name) => format!("{section} `{name}`"),
            None => section.to_string(),
        };
        match self {
            Self::Add { section, fields } => {
                named(*section, fields.get(section.name_field().unwrap_or("name")).and_then(Value::as_str))
            }
            Self::Change { section, name, .. } | Self::Remove { section, name } => named(*section, Some(name)),
            Self::Knowledge { .. } => named(Section::Knowledge, None),
        }
    }
}

/// Why an edit fits nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// No entry has this name.
    #[error("unknown entry `{name}` of {section}; expected one of: {}", known.join(", "))]
    Unknown {
        /// Where.
        section: Section,
        /// As given.
        name: String,
        /// The nearest name, or all of them.
        known: Vec<String>,
    },
    /// Several entries go by this name.
    #[error("ambiguous entry `{name}` of {section}; expected one of: {}", candidates.join(", "))]
    Ambiguous {
        /// Where.
        section: Section,
        /// As given.
        name: String,
        /// Their names, as a plan prints them.
        candidates: Vec<String>,
    },
    /// An entry of that name exists.
    #[error("invalid entry: {section} has `{name}` already; change it instead")]
    Taken {
        /// Where.
        section: Section,
        /// The name.
        name: String,
    },
    /// Something else refers to the entry by its name.
    #[error("invalid edit: entries of {section} keep their names; add another, and remove this one")]
    NameStays {
        /// Where.
        section: Section,
    },
    /// A new entry does not say its name.
    #[error("invalid entry of {section}: `{field}` is missing; expected the field that names it")]
    Nameless {
        /// Where.
        section: Section,
        /// The field that names.
        field: &'static str,
    },
    /// The section is one entry, which can only be changed.
    #[error("invalid edit: {section} can only be changed")]
    OnlyChanged {
        /// Where.
        section: Section,
    },
    /// An item was to be added to, or taken from, something other than a list.
    #[error(
        "invalid edit: `{field}` does not hold a list; expected a field with a list, or `{field}=` with the whole value"
    )]
    NotAList {
        /// The field.
        field: String,
    },
    /// The list lacks the item that was to be taken from it.
    #[error("invalid edit: no item of `{field}` fits {item}; nothing was taken away")]
    NoSuchItem {
        /// The field.
        field: String,
        /// What was looked for.
        item: String,
    },
}

/// Changes the document.
pub(super) fn apply(document: &mut Value, edit: &Edit) -> Result<(), EditError> {
    let Value::Object(document) = document else { return Ok(()) };
    match edit {
        Edit::Add { section, fields } => add(document, *section, fields),
        Edit::Knowledge { entries, replace } => {
            let section = Section::Knowledge;
            let stored = list(document, section).ok_or(EditError::OnlyChanged { section })?;
            // Two entries of one name within the text are left to the reader, who refuses them.
            let merged = entries.iter().map(|new| replaced(stored, entries, new)).collect::<Result<Vec<_>, _>>()?;
            let gone: Vec<usize> = merged.iter().filter_map(|(place, _)| *place).collect();
            let mut place = 0..;
            stored.retain(|_| place.next().is_some_and(|place| !replace && !gone.contains(&place)));
            stored.extend(merged.into_iter().map(|(_, entry)| Value::Object(entry)));
            Ok(())
        }
        Edit::Remove { section, name } => {
            if *section == Section::Organization {
                return Err(EditError::OnlyChanged { section: *section });
            }
            let place = find(document, *section, name)?;
            let entries = list(document, *section).ok_or(EditError::OnlyChanged { section: *section })?;
            match entries.get_mut(place).and_then(Value::as_object_mut) {
                // Others may name it, so it stays where it is.
                Some(entry) if section.is_archived() => drop(entry.insert("active".to_owned(), Value::Bool(false))),
                Some(_) | None => drop(entries.remove(place)),
            }
            Ok(())
        }
        Edit::Change { section, name, fields } => {
            // What others refer to by its name keeps it: bookings, subscribers and figures are of that name.
            let naming = section.name_field().filter(|_| section.is_archived());
            if naming.is_some_and(|naming| fields.iter().any(|(field, _)| field == naming)) {
                return Err(EditError::NameStays { section: *section });
            }
            let entry = entry(document, *section, name)?;
            fields.iter().try_for_each(|(field, edit)| change(entry, field, edit))
        }
    }
}

/// The entry of the knowledge that a new one takes the place of, if there is one, and the new one. A text that says nothing of the category
/// leaves it as it is.
fn replaced(
    stored: &[Value],
    entries: &[Map<String, Value>],
    new: &Map<String, Value>,
) -> Result<(Option<usize>, Map<String, Value>), EditError> {
    let (category, title) = (new.get("category"), new.get("title"));
    let titled: Vec<(usize, &Value)> = stored.iter().enumerate().filter(|(_, one)| one.get("title") == title).collect();
    let exact = titled.iter().find(|(_, one)| one.get("category") == category);
    let is_sole = entries.iter().filter(|other| other.get("title") == title).count() == 1;
    match (exact, titled.as_slice()) {
        (Some((place, _)), _) => Ok((Some(*place), new.clone())),
        (None, [(place, one)]) if is_sole => {
            let mut entry = new.clone();
            if let (None, Some(kept)) = (category, one.get("category")) {
                entry.insert("category".to_owned(), kept.clone());
            }
            Ok((Some(*place), entry))
        }
        (None, [_, _, ..]) if category.is_none() => {
            let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
            let name = text(title).unwrap_or_default();
            let named = |one: &Value| knowledge_name(text(one.get("category")).as_deref(), &name);
            let candidates = titled.iter().map(|(_, one)| named(one)).collect();
            Err(EditError::Ambiguous { section: Section::Knowledge, name, candidates })
        }
        (None, _) => Ok((None, new.clone())),
    }
}

fn add(document: &mut Map<String, Value>, section: Section, fields: &Map<String, Value>) -> Result<(), EditError> {
    if section == Section::Organization {
        return Err(EditError::OnlyChanged { section });
    }
    let field = section.name_field().unwrap_or("name");
    let name = fields.get(field).and_then(Value::as_str).ok_or(EditError::Nameless { section, field })?;
    // Entries of one title in two categories, or of one name in two languages, are kept apart by the reader.
    let may_repeat = matches!(section, Section::Knowledge | Section::Templates);
    if !may_repeat && names(document, section).iter().any(|known| known == name) {
        return Err(EditError::Taken { section, name: name.to_owned() });
    }
    let entry = if section == Section::Tags { Value::from(name) } else { Value::Object(fields.clone()) };
    list(document, section).ok_or(EditError::OnlyChanged { section })?.push(entry);
    Ok(())
}

fn names(document: &mut Map<String, Value>, section: Section) -> Vec<String> {
    let field = section.name_field();
    let name = |entry: &Value| match field {
        Some(field) => entry.get(field).and_then(Value::as_str).map(str::to_owned),
        None => entry.as_str().map(str::to_owned),
    };
    list(document, section).into_iter().flatten().filter_map(|entry| name(entry)).collect()
}

/// The names of entries as a plan prints them.
fn printed_names(document: &mut Map<String, Value>, section: Section) -> Vec<String> {
    let short = names(document, section);
    let entries = list(document, section).into_iter().flatten();
    let printed = entries.zip(short).map(|(entry, short)| {
        let text = |field: &str| entry.get(field).and_then(Value::as_str);
        match section {
            Section::Knowledge => knowledge_name(text("category"), &short),
            Section::Templates => template_name(&short, text("language").unwrap_or_default()),
            Section::Organization
            | Section::Services
            | Section::Professionals
            | Section::Plans
            | Section::Pipelines
            | Section::Tags
            | Section::Staff
            | Section::Media => short,
        }
    });
    printed.collect()
}

/// The place of the one entry that goes by a name, in short or as a plan prints it.
fn find(document: &mut Map<String, Value>, section: Section, name: &str) -> Result<usize, EditError> {
    let names = names(document, section);
    let printed = printed_names(document, section);
    let is_meant = |(place, known): &(usize, &String)| *known == name || names.get(*place).is_some_and(|s| s == name);
    let found: Vec<(usize, &String)> = printed.iter().enumerate().filter(is_meant).collect();
    match found.as_slice() {
        [(place, _)] => Ok(*place),
        [] => {
            let near = nearest(name, names.iter().map(String::as_str)).map(|near| vec![near.to_owned()]);
            let known = near.unwrap_or(printed);
            Err(EditError::Unknown { section, name: name.to_owned(), known })
        }
        several => {
            let candidates = several.iter().map(|(_, known)| (*known).clone()).collect();
            Err(EditError::Ambiguous { section, name: name.to_owned(), candidates })
        }
    }
}

fn entry<'a>(
    document: &'a mut Map<String, Value>,
    section: Section,
    name: &str,
) -> Result<&'a mut Map<String, Value>, EditError> {
    let unknown = || EditError::Unknown { section, name: name.to_owned(), known: Vec::new() };
    if section == Section::Tags {
        return Err(EditError::OnlyChanged { section: Section::Organization });
    }
    if section == Section::Organization {
        return document.get_mut(section.as_str()).and_then(Value::as_object_mut).ok_or_else(unknown);
    }
    let place = find(document, section, name)?;
    list(document, section).and_then(|all| all.get_mut(place)?.as_object_mut()).ok_or_else(unknown)
}

fn change(entry: &mut Map<String, Value>, field: &str, edit: &FieldEdit) -> Result<(), EditError> {
    if let Some((outer, inner)) = field.split_once('.') {
        let within = entry.entry(outer).or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(within) = within else { return Err(EditError::NotAList { field: outer.to_owned() }) };
        return change(within, inner, edit);
    }
    let not_a_list = || EditError::NotAList { field: field.to_owned() };
    match edit {
        FieldEdit::Set(Value::Null) => drop(entry.remove(field)),
        FieldEdit::Set(value) => drop(entry.insert(field.to_owned(), value.clone())),
        FieldEdit::Add(item) => {
            let items = entry.entry(field).or_insert_with(|| Value::Array(Vec::new()));
            items.as_array_mut().ok_or_else(not_a_list)?.push(item.clone());
        }
        FieldEdit::Take(item) => {
            let items = entry.get_mut(field).and_then(Value::as_array_mut).ok_or_else(not_a_list)?;
            let before = items.len();
            items.retain(|one| !fits(one, item));
            if items.len() == before {
                return Err(EditError::NoSuchItem { field: field.to_owned(), item: item.to_string() });
            }
        }
    }
    Ok(())
}

/// Whether an item is the one that is named, or has all the fields that are named.
fn fits(item: &Value, wanted: &Value) -> bool {
    match (item, wanted) {
        (Value::Object(item), Value::Object(wanted)) => wanted.iter().all(|(key, value)| item.get(key) == Some(value)),
        (item, wanted) => item == wanted,
    }
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;
