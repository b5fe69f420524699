//! A pack as one value, though it was written in several files: every place in the value knows its file and line.

use std::sync::Arc;

use balcao_yaml::{Document, Problem, escape};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{
    folder::Folder,
    recovery::{Damage, entry_of},
};

/// The most problems that the loader reports for one pack; an author with more repairs these first.
pub(crate) const MAX_PROBLEMS: usize = 100;

/// Folders whose YAML files hold entries of a section: the folder, and where its entries belong.
const SECTIONS: [(&str, &[&str]); 5] = [
    ("processors", &["processors"]),
    ("validators", &["validators"]),
    ("examples/success", &["examples", "success_cases"]),
    ("examples/failures", &["examples", "failure_cases"]),
    ("examples/edge-cases", &["examples", "edge_cases"]),
];

/// The folders of a pack.
const FOLDERS: [&str; 5] = ["helpers", "validators", "processors", "examples", "knowledge"];

/// The folders that `examples/` may hold.
const EXAMPLES: [&str; 4] = ["success", "failures", "edge-cases", "responses"];

/// The files of a pack, as one value.
#[derive(Debug)]
pub(crate) struct Source {
    /// `tool.yaml` with what the folders add.
    pub(crate) value: Value,
    main: Arc<Document>,
    parts: Vec<Part>,
    edits: Vec<Edit>,
    damage: Damage,
    /// Values that further files may have.
    room: usize,
    /// Whether a file had more: then nothing of the pack is looked at.
    pub(crate) is_too_large: bool,
}

/// Values of all files of a pack together: each takes some hundred bytes of memory, however short its text is.
const MAX_VALUES: usize = 250_000;

/// What was done to the value since it was read: pointers into it are led back by this, the last edit first.
#[derive(Debug)]
enum Edit {
    /// A misspelt key was taken for another: the two pointers.
    Renamed { written: String, meant: String },
    /// An entry of a list was left out; those behind it moved up.
    Removed { list: String, place: usize },
}

/// A piece of the value that stands in another file.
#[derive(Debug)]
struct Part {
    /// Where it stands in the whole.
    at: String,
    /// Where it stands in its file.
    inside: String,
    document: Arc<Document>,
}

impl Source {
    /// How many more values the files of the pack may have together.
    pub(crate) const fn room(&self) -> usize {
        self.room
    }

    /// A pack that is one file.
    pub(crate) fn single(main: Document) -> Self {
        Self {
            room: MAX_VALUES.saturating_sub(values(&main.value)),
            is_too_large: false,
            value: main.value.clone(),
            main: Arc::new(main),
            parts: Vec::new(),
            edits: Vec::new(),
            damage: Damage::default(),
        }
    }

    /// Builds a pack with the entries that its folders hold. Reports and leaves out files that cannot be read.
    pub(crate) fn assemble(main: Document, folder: &Folder) -> (Self, Vec<Problem>) {
        let mut source = Self::single(main);
        let mut problems = Vec::new();
        for (name, section) in SECTIONS {
            for file in source.listed(folder, name, &mut problems) {
                if file.ends_with(".yaml") || file.ends_with(".yml") {
                    if let Err(problem) = source.add(folder, &file, section) {
                        problems.push(*problem);
                        // What its entries are called is not known.
                        source.damage.leave_out(section.last().unwrap_or(&name), None);
                    }
                } else if !file.ends_with(".js") || !matches!(name, "validators" | "processors") {
                    problems.push(outside_of(&file, "only YAML files are read here"));
                }
            }
        }
        for file in source.listed(folder, "knowledge", &mut problems) {
            if let Err(error) = folder.read(&file) {
                problems.push(outside_of(&file, &error.to_string()));
            } else if file.ends_with(".md") {
                source.append(&["knowledge_base"], json!({ "file": file }));
            } else {
                problems.push(outside_of(&file, "prose is written in `.md` files"));
            }
        }
        for code in ["helpers", "validators", "processors"] {
            // What lies in the others has been looked at.
            let mut refused = Vec::new();
            let files = source.listed(folder, code, &mut refused);
            problems.extend(refused.into_iter().filter(|_| code == "helpers"));
            for file in files {
                if file.ends_with(".js") && !names(&source.value, &file) {
                    problems.push(outside_of(&file, "no helper and no validator names this file under `file`"));
                }
            }
        }
        if let Ok(beside) = folder.folders(".") {
            for name in beside.into_iter().filter(|name| !FOLDERS.contains(&name.as_str())) {
                // Whatever else lies there is the author's; a folder with nearly the right name was meant to be read.
                if let Some(near) = balcao_yaml::nearest(&name, FOLDERS) {
                    let suggestion = Some(format!("did you mean `{near}`?"));
                    problems.push(Problem { suggestion, ..outside_of(&name, "this folder is not read") });
                }
            }
        }
        if let Ok(inside) = folder.folders("examples") {
            for name in inside.into_iter().filter(|name| !EXAMPLES.contains(&name.as_str())) {
                let near = balcao_yaml::nearest(&name, EXAMPLES).map(|name| format!("did you mean `{name}`?"));
                let problem = outside_of(&format!("examples/{name}"), "this folder is not read");
                problems.push(Problem { suggestion: near.or(problem.suggestion.clone()), ..problem });
            }
        }
        (source, problems)
    }

    fn listed(&self, folder: &Folder, name: &str, problems: &mut Vec<Problem>) -> Vec<String> {
        let (files, refused) = folder.files(name);
        problems.extend(refused.into_iter().map(|(file, error)| outside_of(&file, &error.to_string())));
        files
    }

    /// Adds the entries of one file: one mapping, or a list of them.
    fn add(&mut self, folder: &Folder, file: &str, section: &[&str]) -> Result<(), Box<Problem>> {
        let text = folder.read(file).map_err(|error| Box::new(outside_of(file, &error.to_string())))?;
        let document = Arc::new(Document::read(file, &text)?);
        let room = self.room.checked_sub(values(&document.value));
        self.room = room.unwrap_or_default();
        self.is_too_large |= room.is_none();
        room.ok_or_else(|| {
            Box::new(outside_of(
                file,
                &format!("with it, the files of the pack have more than {MAX_VALUES} values together"),
            ))
        })?;
        let entries: Vec<(String, Value)> = if let Value::Array(items) = &document.value {
            items.iter().enumerate().map(|(place, item)| (format!("/{place}"), item.clone())).collect()
        } else {
            vec![(String::new(), document.value.clone())]
        };
        for (inside, entry) in entries {
            if let Some(at) = self.append(section, entry) {
                self.parts.push(Part { at, inside, document: Arc::clone(&document) });
            }
        }
        Ok(())
    }

    /// Appends to a list of the whole. A section of another shape stays as it is: its schema will tell.
    fn append(&mut self, section: &[&str], entry: Value) -> Option<String> {
        let mut at = "/tool".to_owned();
        let mut into = self.value.get_mut("tool")?;
        for (depth, name) in section.iter().enumerate() {
            let empty = if depth + 1 == section.len() { json!([]) } else { json!({}) };
            into = into.as_object_mut()?.entry(*name).or_insert(empty);
            at.push('/');
            at.push_str(name);
        }
        let list = into.as_array_mut()?;
        list.push(entry);
        Some(format!("{at}/{}", list.len() - 1))
    }

    /// The file that holds the value at `pointer`, and where in it.
    pub(crate) fn origin(&self, pointer: &str) -> (Arc<Document>, String) {
        let (document, pointer) = self.locate(pointer);
        (Arc::clone(document), pointer)
    }

    fn locate(&self, pointer: &str) -> (&Arc<Document>, String) {
        let pointer = self.as_written(pointer);
        let pointer = pointer.as_str();
        let within = |part: &&Part| {
            pointer.strip_prefix(part.at.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match self.parts.iter().find(within) {
            Some(part) => {
                let rest = pointer.strip_prefix(part.at.as_str()).unwrap_or_default();
                (&part.document, format!("{}{rest}", part.inside))
            }
            None => (&self.main, pointer.to_owned()),
        }
    }

    /// Where what stands at a pointer now was written.
    fn as_written(&self, pointer: &str) -> String {
        self.edits.iter().rev().fold(pointer.to_owned(), |pointer, edit| match edit {
            Edit::Renamed { written, meant } => match pointer.strip_prefix(meant.as_str()) {
                Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{written}{rest}"),
                Some(_) | None => pointer,
            },
            Edit::Removed { list, place } => before_removal(pointer, list, *place),
        })
    }

    /// Its place among all that were written, under the keys that were meant.
    pub(crate) fn placed(&self, pointer: &str) -> String {
        self.edits.iter().rev().fold(pointer.to_owned(), |pointer, edit| match edit {
            Edit::Renamed { .. } => pointer,
            Edit::Removed { list, place } => before_removal(pointer, list, *place),
        })
    }

    /// Takes a key for another one.
    pub(crate) fn rename(&mut self, parent: &str, written: &str, meant: &str) {
        let Some(object) = self.value.pointer_mut(parent).and_then(Value::as_object_mut) else { return };
        let entries = std::mem::take(object).into_iter();
        *object = entries.map(|(key, value)| (if key == written { meant.to_owned() } else { key }, value)).collect();
        let at = |key: &str| format!("{parent}/{}", escape(key));
        self.edits.push(Edit::Renamed { written: at(written), meant: at(meant) });
    }

    /// Takes a key away.
    pub(crate) fn strip(&mut self, parent: &str, key: &str) {
        if let Some(object) = self.value.pointer_mut(parent).and_then(Value::as_object_mut) {
            object.retain(|name, _| name != key);
        }
    }

    /// Puts a value where none is, or another one.
    pub(crate) fn put(&mut self, pointer: &str, value: Value) {
        let Some((parent, last)) = pointer.rsplit_once('/') else { return };
        if let Some(there) = self.value.pointer_mut(pointer) {
            *there = value;
        } else if let Some(object) = self.value.pointer_mut(parent).and_then(Value::as_object_mut) {
            object.insert(unescape(last), value);
        }
    }

    /// Notes that the value at a pointer is taken away, or that another will stand in for it.
    pub(crate) fn touch(&mut self, pointer: &str) {
        let entry = entry_of(pointer);
        let id = entry.as_ref().and_then(|entry| self.value.pointer(&entry.at)?.get("id")?.as_str().map(str::to_owned));
        let written = self.placed(pointer);
        let entry = entry_of(&written).map(|entry| (entry, id));
        self.damage.touch(&written, self.value.pointer(pointer), entry);
    }

    /// Takes away entries and items of lists, and entries that are known by their keys: all that were found at one time.
    pub(crate) fn remove(&mut self, mut pointers: Vec<String>) {
        // From the back, so that those before them keep their places.
        let order = |pointer: &String| -> Vec<(usize, String)> {
            pointer.split('/').map(|step| (step.parse().unwrap_or_default(), step.to_owned())).collect()
        };
        pointers.sort_by_cached_key(|pointer| std::cmp::Reverse(order(pointer)));
        pointers.dedup();
        for pointer in pointers {
            let Some((parent, last)) = pointer.rsplit_once('/') else { continue };
            if let Some(entry) = entry_of(&pointer).filter(|entry| entry.at == pointer) {
                let keyed = unescape(last);
                let listed = self.value.pointer(parent).is_some_and(Value::is_array);
                let written = || self.value.pointer(&pointer)?.get("id")?.as_str().map(str::to_owned);
                let id = if listed { written() } else { Some(keyed) };
                self.damage.leave_out(&entry.section, id);
            }
            match (self.value.pointer_mut(parent), last.parse::<usize>()) {
                (Some(Value::Array(items)), Ok(place)) if place < items.len() => {
                    items.remove(place);
                    self.edits.push(Edit::Removed { list: parent.to_owned(), place });
                }
                (Some(Value::Object(_)), _) => self.strip(parent, &unescape(last)),
                _ => {}
            }
        }
    }

    /// Whether something at or below a pointer was taken away or has another in its place.
    pub(crate) fn is_damaged(&self, pointer: &str) -> bool {
        self.damage.is_at(&self.placed(pointer))
    }

    /// Whether an entry lacks something on which its meaning hangs.
    pub(crate) fn is_hurt(&self, entry: &str) -> bool {
        self.damage.hurts(&self.placed(entry))
    }

    /// Whether something of this section is not there as it was written.
    pub(crate) fn lacks(&self, section: &str) -> bool {
        self.damage.lacks(section)
    }

    /// Returns whether a problem at this place may be a mere consequence of a part that was left out.
    pub(crate) fn owes(&self, pointer: &str, message: &str) -> bool {
        self.damage.explains(&self.placed(pointer), message)
    }

    /// A mistake at a place of the whole.
    pub(crate) fn problem(&self, pointer: &str, message: impl Into<String>, suggestion: Option<String>) -> Problem {
        let (document, pointer) = self.locate(pointer);
        document.problem(&pointer, message, suggestion)
    }

    /// The file that holds the value at `pointer`.
    pub(crate) fn file(&self, pointer: &str) -> &str {
        &self.locate(pointer).0.file
    }

    /// Where a text begins: [`Document::text_start`].
    pub(crate) fn text_start(&self, pointer: &str, text: &str) -> (usize, usize) {
        let (document, pointer) = self.locate(pointer);
        document.text_start(&pointer, text)
    }

    /// The whole as `T`.
    pub(crate) fn read_as<T: DeserializeOwned>(&self) -> Result<T, Box<Problem>> {
        let mut whole = Document::clone(&self.main);
        whole.value = self.value.clone();
        whole
            .read_as_at()
            .map_err(|(pointer, message, suggestion)| Box::new(self.problem(&pointer, message, suggestion)))
    }
}

/// The values within a value, itself among them.
pub(crate) fn values(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(values).sum::<usize>().saturating_add(1),
        Value::Object(fields) => fields.values().map(values).sum::<usize>().saturating_add(1),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

/// A pointer as it was before an item of a list was removed.
fn before_removal(pointer: String, list: &str, place: usize) -> String {
    let inside = pointer.strip_prefix(list).and_then(|rest| rest.strip_prefix('/'));
    let Some(inside) = inside else { return pointer };
    let (step, rest) = inside.split_at(inside.find('/').unwrap_or(inside.len()));
    match step.parse::<usize>() {
        Ok(now) if now >= place => format!("{list}/{}{rest}", now.saturating_add(1)),
        Ok(_) | Err(_) => pointer,
    }
}

/// A step of a pointer as the key that it is.
pub(crate) fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// Whether some `file:` of the pack names this file.
fn names(value: &Value, file: &str) -> bool {
    let entries =
        |section: &str| value.pointer(&format!("/tool/{section}")).and_then(Value::as_array).into_iter().flatten();
    let mut all = entries("helpers").chain(entries("validators"));
    all.any(|entry| {
        entry.get("file").and_then(Value::as_str).is_some_and(|named| named.trim_start_matches("./") == file)
    })
}

fn outside_of(file: &str, message: &str) -> Problem {
    Problem {
        file: file.to_owned(),
        pointer: String::new(),
        line: 1,
        column: 1,
        message: format!("{message}: `{file}`"),
        suggestion: None,
        snippet: String::new(),
    }
}
