//! What of packs can be found: an entry for each command, helper, example, anti-pattern, validator and section of prose.

use balcao_search::{Entry, Labels};
use balcao_tool::{CommandSpec, Locale};
use serde_json::Value;

use crate::{LoadedPack, Prose};

/// Characters of a piece of prose.
const MAX_PIECE: usize = 2_000;

/// Creates the search entry of a command.
#[must_use]
pub fn of_tool(spec: &CommandSpec) -> Entry {
    let (pt, en) = (spec.description.get(Locale::PtBr), spec.description.get(Locale::En));
    let made = entry(&spec.pack, "command", &spec.name, &spec.name, format!("{pt} {en}"), vec![spec.name.clone()]);
    Entry { details: arguments(&spec.input_schema), ..made }
}

/// What a schema says of arguments, inner ones too: their names, what is said of them, and the words that they may be.
#[must_use]
pub fn arguments(schema: &Value) -> String {
    let mut words: Vec<&str> = Vec::new();
    gather(schema, DEEPEST, &mut words);
    words.join(" ")
}

/// Within what the arguments of a schema stand.
const INNER: [&str; 5] = ["items", "anyOf", "oneOf", "allOf", "$defs"];
/// So many levels of a schema are read.
const DEEPEST: usize = 8;

fn gather<'a>(schema: &'a Value, levels: usize, words: &mut Vec<&'a str>) {
    let Some(deeper) = levels.checked_sub(1) else { return };
    for (name, inner) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        words.push(name);
        words.extend(inner.get("description").and_then(Value::as_str));
        gather(inner, deeper, words);
    }
    words.extend(schema.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str));
    for key in INNER {
        match schema.get(key) {
            Some(Value::Array(several)) => several.iter().for_each(|inner| gather(inner, deeper, words)),
            Some(Value::Object(named)) if key == "$defs" => {
                named.values().for_each(|inner| gather(inner, deeper, words))
            }
            Some(inner) => gather(inner, deeper, words),
            None => {}
        }
    }
}

/// Commands are labelled with the names of their tools, however the pack spells them where it refers to them.
fn entry(tool: &str, kind: &str, id: &str, title: &str, text: String, commands: Vec<String>) -> Entry {
    let commands = commands.into_iter().map(|command| command.replace('-', "_")).collect();
    let labels = Labels { tool: tool.to_owned(), kind: kind.to_owned(), commands, category: String::new() };
    Entry { id: id.to_owned(), title: title.to_owned(), text, details: String::new(), labels }
}

impl LoadedPack {
    /// The pack's prose, in pieces.
    #[must_use]
    pub fn notes(&self) -> Vec<Entry> {
        let of = |prose| {
            pieces(prose).into_iter().map(move |(title, text): (String, String)| {
                let id = format!("{}#{title}", prose.file);
                entry(self.id.as_str(), "prose", &id, &title, text, Vec::new())
            })
        };
        self.knowledge.iter().flat_map(of).collect()
    }

    /// Everything of the pack that can be found. Internal commands cannot.
    #[must_use]
    pub fn search_entries(&self) -> Vec<Entry> {
        let pack = self.id.as_str();
        let offered = self.tools.iter().filter(|tool| !tool.spec.internal);
        let mut entries: Vec<Entry> = offered.map(|tool| of_tool(&tool.spec)).collect();
        let named = |id: &str, summary: Option<&str>| format!("{id} {}", summary.unwrap_or_default());
        for helper in &self.pack.helpers {
            let users = self.pack.commands.iter().filter(|command| command.uses_helpers.contains(&helper.id));
            let commands = users.map(|command| command.id.clone()).collect();
            let signature = helper.signature.as_deref().unwrap_or_default();
            let text = named(signature, helper.summary.as_deref());
            entries.push(entry(pack, "helper", &helper.id, &helper.id, text, commands));
        }
        for validator in &self.pack.validators {
            let text = validator.rule.clone().unwrap_or_default();
            entries.push(entry(pack, "validator", &validator.id, &validator.id, text, self.judged_by(&validator.id)));
        }
        for anti in &self.pack.anti_patterns {
            let pattern = anti.pattern.as_deref().unwrap_or_default();
            let limits = anti.limitation.as_deref().unwrap_or_default();
            let text = format!("{pattern} {} {limits}", anti.why);
            let mut commands = anti.validator().map(|id| self.judged_by(id)).unwrap_or_default();
            commands.extend(anti.commands.iter().filter(|id| !commands.contains(id)).cloned().collect::<Vec<_>>());
            let title = format!("{} {}", anti.id, anti.title);
            let made = entry(pack, "anti_pattern", &anti.id, &title, text, commands);
            entries.push(Entry { details: anti.wrong.to_string(), ..made });
        }
        self.examples(&mut entries);
        entries.extend(self.notes());
        for script in &self.scripts {
            let lines = script.text.lines().scan(0, |number, line| {
                *number += 1;
                Some((*number, line))
            });
            let mut parts: Vec<(usize, String)> = Vec::new();
            for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
                match parts.last_mut() {
                    Some((_, text)) if text.len() + line.len() <= MAX_PIECE => {
                        text.push('\n');
                        text.push_str(line);
                    }
                    _ => parts.push((number, line.to_owned())),
                }
            }
            entries.extend(parts.into_iter().map(|(number, text)| {
                entry(pack, "script", &format!("{}:{number}", script.file), &script.title, text, Vec::new())
            }));
        }
        for entry in &mut entries {
            entry.labels.category = self.category(&entry.labels.commands);
        }
        entries
    }

    /// The category that all of these commands have; empty if they have several, or none.
    fn category(&self, commands: &[String]) -> String {
        let of = |name: &String| {
            let known =
                self.pack.commands.iter().find(|command| command.id == *name || command.id.replace('-', "_") == *name);
            known.and_then(|command| command.category.as_deref()).unwrap_or_default()
        };
        let mut all = commands.iter().map(of);
        let first = all.next().unwrap_or_default();
        if all.all(|other| other == first) { first.to_owned() } else { String::new() }
    }

    fn examples(&self, entries: &mut Vec<Entry>) {
        let pack = self.id.as_str();
        let examples = &self.pack.examples;
        for case in &examples.success_cases {
            let said = [case.description.as_deref(), case.notes.as_deref()].into_iter().flatten().collect::<Vec<_>>();
            let text = format!("{} {}", case.operation, said.join(" "));
            let made = entry(pack, "example", &case.id, &case.id, text, vec![case.operation.clone()]);
            entries.push(Entry { details: case.input.to_string(), ..made });
        }
        for case in &examples.failure_cases {
            let said = [case.description.as_deref(), case.solution.as_deref()].into_iter().flatten();
            let said = said.collect::<Vec<_>>().join(" ");
            let text = format!("{} {} {said}", case.operation, case.cause);
            let made = entry(pack, "example", &case.id, &case.id, text, vec![case.operation.clone()]);
            entries.push(Entry { details: case.wrong_input.to_string(), ..made });
        }
        for case in &examples.edge_cases {
            let said =
                [case.description.as_deref(), case.helper.as_deref(), case.notes.as_deref()].into_iter().flatten();
            let text = said.collect::<Vec<_>>().join(" ");
            entries.push(entry(pack, "example", &case.id, &case.id, text, Vec::new()));
        }
    }

    /// The commands that a validator is for.
    fn judged_by(&self, validator: &str) -> Vec<String> {
        let stated = self.pack.validators.iter().find(|known| known.id == validator);
        let stated = stated.and_then(|known| known.validates.clone());
        let users =
            self.pack.commands.iter().filter(|command| command.uses_validators.iter().any(|id| id == validator));
        stated.into_iter().chain(users.map(|command| command.id.clone())).collect()
    }
}

/// Prose by its headings; what is very long in several pieces. Each with the heading that it stands under.
fn pieces(prose: &Prose) -> Vec<(String, String)> {
    let mut pieces: Vec<(String, String)> = Vec::new();
    let mut title = prose.title.clone();
    let mut fenced = false;
    for line in prose.text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        let heading = line.strip_prefix('#').filter(|_| !fenced).map(|rest| rest.trim_start_matches('#').trim());
        if let Some(heading) = heading.filter(|heading| !heading.is_empty()) {
            heading.clone_into(&mut title);
            continue;
        }
        match pieces.last_mut() {
            Some((of, text)) if *of == title && text.len() + line.len() <= MAX_PIECE => {
                text.push('\n');
                text.push_str(line);
            }
            _ => pieces.push((title.clone(), line.to_owned())),
        }
    }
    pieces.retain(|(_, text)| !text.trim().is_empty());
    pieces
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
