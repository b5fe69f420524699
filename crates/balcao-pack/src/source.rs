//! A pack as one value, though it was written in several files: every place in the value knows its file and line.

use std::sync::Arc;

use balcao_yaml::{Document, Problem, escape};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::folder::Folder;

/// Problems that are told of one pack; who has more mends these first.
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
    main: Document,
    parts: Vec<Part>,
    edits: Vec<Edit>,
    left_out: Vec<LeftOut>,
}

/// What was done to the value since it was read: pointers into it are led back by this, the last edit first.
#[derive(Debug)]
enum Edit {
    /// A misspelt key was taken for another: the two pointers.
    Renamed { written: String, meant: String },
    /// An entry of a list was left out; those behind it moved up.
    Removed { list: String, place: usize },
}

/// An entry that the value lacks, though it was written.
#[derive(Debug)]
struct LeftOut {
    /// The last step of its section's pointer.
    section: String,
    /// What others call it by.
    id: Option<String>,
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
    /// A pack that is one file.
    pub(crate) fn single(main: Document) -> Self {
        Self { value: main.value.clone(), main, parts: Vec::new(), edits: Vec::new(), left_out: Vec::new() }
    }

    /// A pack with the entries that its folders hold. What cannot be read is told, and left out.
    pub(crate) fn assemble(main: Document, folder: &Folder) -> (Self, Vec<Problem>) {
        let mut source = Self::single(main);
        let mut problems = Vec::new();
        for (name, section) in SECTIONS {
            for file in source.listed(folder, name, &mut problems) {
                if file.ends_with(".yaml") || file.ends_with(".yml") {
                    if let Err(problem) = source.add(folder, &file, section) {
                        problems.push(*problem);
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
    fn locate(&self, pointer: &str) -> (&Document, String) {
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
            Edit::Removed { list, place } => {
                let inside = pointer.strip_prefix(list.as_str()).and_then(|rest| rest.strip_prefix('/'));
                let Some(inside) = inside else { return pointer };
                let (step, rest) = inside.split_at(inside.find('/').unwrap_or(inside.len()));
                match step.parse::<usize>() {
                    Ok(now) if now >= *place => format!("{list}/{}{rest}", now.saturating_add(1)),
                    Ok(_) | Err(_) => pointer,
                }
            }
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

    /// Takes an entry away that others may know by its key.
    pub(crate) fn leave_out_key(&mut self, parent: &str, key: &str) {
        self.strip(parent, key);
        self.note(parent, Some(key.to_owned()));
    }

    /// Takes an entry of a list away that others may know by its `id`.
    pub(crate) fn leave_out(&mut self, list: &str, place: usize) {
        let Some(entries) = self.value.pointer_mut(list).and_then(Value::as_array_mut) else { return };
        if place >= entries.len() {
            return;
        }
        let entry = entries.remove(place);
        self.edits.push(Edit::Removed { list: list.to_owned(), place });
        self.note(list, entry.get("id").and_then(Value::as_str).map(str::to_owned));
    }

    fn note(&mut self, list: &str, id: Option<String>) {
        let section = list.rsplit('/').next().unwrap_or_default().to_owned();
        self.left_out.push(LeftOut { section, id });
    }

    /// Whether an entry of this section was left out, so that what is not there may be there when it is mended.
    pub(crate) fn lacks(&self, section: &str) -> bool {
        self.left_out.iter().any(|one| one.section == section)
    }

    /// Whether a problem may come of what was left out alone: it names it.
    pub(crate) fn owes(&self, problem: &Problem) -> bool {
        let ids = self.left_out.iter().filter_map(|one| one.id.as_deref());
        ids.into_iter().any(|id| problem.message.contains(&format!("`{id}`")))
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
        let mut whole = self.main.clone();
        whole.value = self.value.clone();
        whole
            .read_as_at()
            .map_err(|(pointer, message, suggestion)| Box::new(self.problem(&pointer, message, suggestion)))
    }
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
        line: 1,
        column: 1,
        message: format!("{message}: `{file}`"),
        suggestion: None,
        snippet: String::new(),
    }
}
