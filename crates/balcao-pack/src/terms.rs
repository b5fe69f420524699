//! What decides where the calls of a pack go and what they may do: what a person accepts, and holds a changed pack against.
//!
//! That is the pack as it is written, with the code of its helpers and the files that its program is given, and what becomes a part of a
//! model's instructions: names, rules and mistakes. Versions, examples and scripts decide nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use balcao_tool::canonical;

use crate::{
    folder::{FileError, Folder},
    manifest::Pack,
};

/// Parts of a pack that decide nothing; commands are looked at one by one.
const LEFT_OUT: [&str; 4] = ["version", "commands", "examples", "scripts"];

/// Parts of a pack that a model reads: they name commands without calling them, and their files are long.
const PROSE: [&str; 4] = ["name", "description", "knowledge_base", "anti_patterns"];

/// The terms of a pack.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// What all commands share: connection, settings, helpers with their code, validators, processors, schemas.
    pub shared: Value,
    /// Each command by the name of its tool: its schemas, handler and flags.
    pub commands: BTreeMap<String, Value>,
}

/// A place at which terms differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The command; none: of all.
    pub command: Option<String>,
    /// The place, as a JSON pointer.
    pub pointer: String,
    /// What stood there.
    pub was: Option<Value>,
    /// What stands there.
    pub is: Option<Value>,
}

impl Terms {
    /// Those of a pack that loads. `written` is the value of its files; `folder` holds the code that it names.
    ///
    /// # Errors
    /// Why the files of the folder of a program cannot be looked at.
    pub(crate) fn of(written: &Value, pack: &Pack, folder: Option<&Folder>) -> Result<Self, String> {
        let mut shared = written.get("tool").and_then(Value::as_object).cloned().unwrap_or_default();
        shared.retain(|key, _| !LEFT_OUT.contains(&key.as_str()));
        let mut code = Map::new();
        for (key, part) in &shared {
            let is_prose = PROSE.contains(&key.as_str());
            files(part, &mut |file| {
                if let Some(Ok(text)) = folder.map(|folder| folder.read(file)) {
                    let kept = if is_prose { hashed(&text) } else { text.into() };
                    code.insert(file.to_owned(), kept);
                }
            });
        }
        // A program may run or read whatever lies in the folder: its words and its environment can name a file in any way.
        let starts_program = shared.get("connection").is_some_and(|connection| connection.get("command").is_some());
        if let Some(folder) = folder.filter(|_| starts_program) {
            let hashes = folder.hashes().map_err(|(file, error)| unreadable(&file, &error))?;
            let hashes: Map<String, Value> = hashes.into_iter().map(|(file, hash)| (file, hash.into())).collect();
            code.insert("program".to_owned(), hashes.into());
        }
        if !code.is_empty() {
            shared.insert("code".to_owned(), Value::Object(code));
        }
        let commands = written.pointer("/tool/commands").and_then(Value::as_array);
        let names = pack.commands.iter().map(|command| command.spec("").name);
        let commands = names.zip(commands.into_iter().flatten().cloned()).collect();
        Ok(Self { shared: Value::Object(shared), commands })
    }

    /// With something more that all commands share.
    pub fn share(&mut self, key: &str, value: Value) {
        if let Some(shared) = self.shared.as_object_mut() {
            shared.insert(key.to_owned(), value);
        }
    }

    /// Where these differ from those that were accepted.
    #[must_use]
    pub fn differences(&self, accepted: &Self) -> Vec<Difference> {
        let mut found = Vec::new();
        differ(None, "", Some(&accepted.shared), Some(&self.shared), &mut found);
        let names: BTreeSet<&String> = accepted.commands.keys().chain(self.commands.keys()).collect();
        for name in names {
            differ(Some(name), "", accepted.commands.get(name), self.commands.get(name), &mut found);
        }
        found
    }

    /// The commands that are not as they were accepted: those that differ, and those that name one of them; all, where something differs
    /// that they share.
    #[must_use]
    pub fn changed(&self, accepted: &Self) -> BTreeSet<String> {
        if self.shared != accepted.shared {
            return self.commands.keys().cloned().collect();
        }
        let differs = |(name, value): &(&String, &Value)| accepted.commands.get(*name) != Some(value);
        let mut changed: BTreeSet<String> =
            self.commands.iter().filter(differs).map(|(name, _)| name.clone()).collect();
        let calls = |name: &String| {
            let parts = self.shared.as_object().into_iter().flatten();
            parts.filter(|(key, _)| !PROSE.contains(&key.as_str())).any(|(_, part)| names(part, name))
        };
        if changed.iter().any(calls) {
            return self.commands.keys().cloned().collect();
        }
        loop {
            let further: Vec<String> = self
                .commands
                .iter()
                .filter(|(name, value)| !changed.contains(*name) && changed.iter().any(|other| names(value, other)))
                .map(|(name, _)| name.clone())
                .collect();
            if further.is_empty() {
                return changed;
            }
            changed.extend(further);
        }
    }
}

/// Why the folder of a program cannot be looked at, and what helps.
fn unreadable(file: &str, error: &FileError) -> String {
    let said = format!("the program may read the pack's folder, and of `{file}`: {error}");
    match error {
        FileError::Symlink => {
            format!("{said}; put what the link leads to in its place, or take the link out of the folder")
        }
        FileError::NotAFile | FileError::TooLarge | FileError::PackTooLarge { .. } | FileError::TooMany { .. } => {
            format!("{said}; take what changes out of the folder, such as logs and virtual environments")
        }
        FileError::Outside | FileError::NotUtf8 | FileError::Io(_) => said,
    }
}

fn hashed(text: &str) -> Value {
    canonical::hash(&Value::from(text)).into()
}

/// Every file that an entry names.
fn files(value: &Value, see: &mut dyn FnMut(&str)) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| files(item, see)),
        Value::Object(fields) => {
            if let Some(file) = fields.get("file").and_then(Value::as_str) {
                see(file);
            }
            fields.values().for_each(|field| files(field, see));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether some text or key within a value is the name of a command, as its id or as its tool is written.
fn names(value: &Value, command: &str) -> bool {
    let is = |text: &str| text.len() == command.len() && text.replace('-', "_") == command;
    match value {
        Value::String(text) => is(text),
        Value::Array(items) => items.iter().any(|item| names(item, command)),
        Value::Object(fields) => fields.iter().any(|(key, field)| is(key) || names(field, command)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn differ(command: Option<&str>, pointer: &str, was: Option<&Value>, is: Option<&Value>, found: &mut Vec<Difference>) {
    match (was, is) {
        (Some(was), Some(is)) if was == is => {}
        (Some(Value::Object(was)), Some(Value::Object(is))) => {
            let keys: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
            for key in keys {
                let at = format!("{pointer}/{}", balcao_yaml::escape(key));
                differ(command, &at, was.get(key), is.get(key), found);
            }
        }
        (Some(Value::Array(was)), Some(Value::Array(is))) if was.len() == is.len() => {
            for (place, (was, is)) in was.iter().zip(is).enumerate() {
                differ(command, &format!("{pointer}/{place}"), Some(was), Some(is), found);
            }
        }
        (was, is) => found.push(Difference {
            command: command.map(str::to_owned),
            pointer: pointer.to_owned(),
            was: was.cloned(),
            is: is.cloned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn terms(shared: Value, commands: Value) -> Terms {
        let commands = commands.as_object().unwrap().iter().map(|(name, value)| (name.clone(), value.clone()));
        Terms { shared, commands: commands.collect() }
    }

    #[test]
    fn a_change_of_what_is_shared_concerns_every_command() {
        let before = terms(json!({"connection": {"base_url": "https://a"}}), json!({"one": {}, "two": {}}));
        let now = terms(json!({"connection": {"base_url": "https://b"}}), json!({"one": {}, "two": {}}));
        assert_eq!(now.changed(&before), BTreeSet::from(["one".to_owned(), "two".to_owned()]));
        let told = now.differences(&before);
        assert_eq!(told.len(), 1);
        assert_eq!(
            (told[0].pointer.as_str(), told[0].is.as_ref()),
            ("/connection/base_url", Some(&json!("https://b")))
        );
        assert!(before.changed(&before).is_empty() && before.differences(&before).is_empty());
    }

    #[test]
    fn a_change_of_a_command_concerns_those_that_call_it() {
        let commands = |method: &str| {
            json!({
                "get_it": {"handler": {"method": method}}, "both": {"handler": {"calls": ["get-it"]}},
                "over_both": {"handler": {"calls": ["both"]}}, "other": {"handler": {"method": "GET"}},
            })
        };
        let (before, now) = (terms(json!({}), commands("GET")), terms(json!({}), commands("DELETE")));
        let changed: Vec<String> = now.changed(&before).into_iter().collect();
        assert_eq!(changed, ["both", "get_it", "over_both"]);
        // A validator that reads by it stands before every command.
        let read = json!({"validators": [{"reads": "get_it"}]});
        assert_eq!(terms(read.clone(), commands("DELETE")).changed(&terms(read, commands("GET"))).len(), 4);
    }
}
