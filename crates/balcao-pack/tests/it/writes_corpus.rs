//! Writes by rule: of every command of a pack valid ones, and invalid ones that follow from its schemas and anti-patterns.

use balcao_pack::{LoadedPack, manifest::Command};
use balcao_tool::Effect;
use serde_json::{Map, Value, json};

/// The id of a custom field that every list has.
const FIELD: &str = "5a3c9d0e-0000-4222-8333-444455556666";
const MS: i64 = 1_795_269_600_000;
const CUSTOM_IDS: [&str; 3] = ["CORTE-42", "DEV_7", "A1.900"];
const FIELD_NAMES: [&str; 3] = ["Status", "Origem do cliente", "5a3c9d0e"];

/// A call with what must come of it.
#[derive(Debug, Clone)]
pub(crate) struct Write {
    pub(crate) rule: &'static str,
    pub(crate) command: String,
    pub(crate) args: Value,
    /// The anti-pattern that a refusal must cite, where the rule comes from one.
    pub(crate) cites: Option<&'static str>,
    /// Part of the place that a refusal must tell.
    pub(crate) place: String,
}

/// The commands that change something.
fn writes(pack: &LoadedPack) -> impl Iterator<Item = &Command> {
    pack.pack.commands.iter().filter(|command| command.effect != Effect::Read && !command.internal)
}

fn properties(command: &Command) -> impl Iterator<Item = (&String, &Value)> {
    command.input_schema["properties"].as_object().into_iter().flatten()
}

fn has(command: &Command, property: &str) -> bool {
    command.input_schema["properties"].get(property).is_some()
}

fn required(command: &Command) -> Vec<&str> {
    command.input_schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The input of the command's first example.
fn base(pack: &LoadedPack, command: &Command) -> Value {
    let cases = &pack.pack.examples.success_cases;
    cases.iter().find(|case| case.operation == command.id).unwrap().input.clone()
}

fn with(args: &Value, property: &str, value: Value) -> Value {
    let mut changed = args.clone();
    changed.as_object_mut().unwrap().insert(property.to_owned(), value);
    changed
}

fn without(args: &Value, property: &str) -> Value {
    let mut changed = args.clone();
    changed.as_object_mut().unwrap().remove(property);
    changed
}

fn is_time(property: &str) -> bool {
    matches!(property, "due_date" | "start_date" | "start" | "end_date")
}

/// Values that an optional argument may have.
fn fitting(command: &Command, property: &str, schema: &Value) -> Vec<Value> {
    let updates = command.id.starts_with("update");
    let people = |id: Value| if updates { json!({"add": [id], "rem": []}) } else { json!([id]) };
    match property {
        time if is_time(time) => vec![json!(MS), json!(MS - 86_400_000), json!(1_000_000_000_000_i64)],
        "assignees" | "watchers" => vec![people(json!(4_410_021)), people(json!(1))],
        "group_assignees" => vec![people(json!("grupo"))],
        "custom_fields" if updates => Vec::new(),
        "custom_fields" => vec![json!([{"id": FIELD, "type": "text", "value": "x"}]), json!([])],
        // Other rules give the values of these fields.
        "custom_task_ids" | "team_id" | "field_type" | "value" | "tasks" | "fields" => Vec::new(),
        "parent" | "links_to" | "depends_on" | "dependency_of" => vec![json!("86b7q1x2z")],
        "tid" | "task_id" => vec![json!("86b7q1x2y")],
        "field_id" => vec![json!(FIELD)],
        _ => of_schema(schema),
    }
}

fn of_schema(schema: &Value) -> Vec<Value> {
    if let Some(allowed) = schema["enum"].as_array() {
        return allowed.clone();
    }
    if schema.get("pattern").is_some() || schema.get("required").is_some() {
        return schema["examples"].as_array().cloned().unwrap_or_default();
    }
    let stated = &schema["type"];
    let kinds = stated.as_array().cloned().unwrap_or_else(|| vec![stated.clone()]);
    let of_kind = |kind: &Value| match kind.as_str()? {
        "string" => Some(json!("Ação às 14h")),
        "integer" => Some(json!(90_110_223)),
        "number" => Some(json!(2.5)),
        "boolean" => Some(json!(true)),
        "array" => Some(json!(["whatsapp"])),
        "object" => Some(json!({})),
        "null" => Some(Value::Null),
        _ => None,
    };
    kinds.iter().filter_map(of_kind).collect()
}

/// Whether two arguments may stand together.
fn agree(args: &Value, added: &str) -> bool {
    let groups: [&[&str]; 3] = [
        &["description", "markdown_content"],
        &["depends_on", "dependency_of"],
        &["space_id", "folder_id", "list_id", "task_id"],
    ];
    let exclusive = |group: &&[&str]| {
        let webhook = group.len() == 4 && args.get("endpoint").is_none();
        !webhook && group.contains(&added) && group.iter().any(|other| *other != added && args.get(other).is_some())
    };
    !groups.iter().any(exclusive)
}

/// Calls that nothing is wrong with.
pub(crate) fn valid(pack: &LoadedPack) -> Vec<Write> {
    let mut made = Vec::new();
    let mut add = |rule, command: &Command, args| {
        made.push(Write { rule, command: command.id.clone(), args, cites: None, place: String::new() });
    };
    for command in writes(pack) {
        let base = base(pack, command);
        add("example", command, base.clone());
        let mut before = base.clone();
        for (property, schema) in properties(command).filter(|(property, _)| agree(&base, property)) {
            for value in fitting(command, property, schema) {
                add("one argument more", command, with(&base, property, value.clone()));
                if agree(&before, property) {
                    before = with(&before, property, value);
                    add("many arguments", command, before.clone());
                }
            }
        }
        if has(command, "custom_task_ids") {
            for id in CUSTOM_IDS {
                let named = with(&with(&base, "task_id", json!(id)), "custom_task_ids", json!(true));
                add("custom id", command, with(&named, "team_id", json!("9001001")));
            }
        }
        for (name, write) in written(pack) {
            for args in field_calls(command, &base, &name, &write) {
                add("field value", command, args);
            }
        }
    }
    made
}

/// Types of fields that can be written, with such a value.
fn written(pack: &LoadedPack) -> Vec<(String, Value)> {
    let types = pack.pack.field_mappings["custom_fields"].iter().filter(|(_, mapping)| !mapping.read_only);
    types.filter_map(|(name, mapping)| Some((name.clone(), mapping.write.clone()?))).collect()
}

/// The calls by which a command writes a value to a field of a type; empty if it writes none.
fn field_calls(command: &Command, base: &Value, kind: &str, value: &Value) -> Vec<Value> {
    let entry = json!([{"id": FIELD, "type": kind, "value": value}]);
    match command.id.as_str() {
        "set_custom_field" => vec![with(&with(base, "field_type", json!(kind)), "value", value.clone())],
        "set_custom_fields" => vec![with(base, "fields", entry)],
        "create_task" | "create_subtask" => vec![with(base, "custom_fields", entry)],
        "create_tasks" => vec![with(base, "tasks", json!([{"name": "a"}, {"name": "b", "custom_fields": entry}]))],
        _ => Vec::new(),
    }
}

/// Calls that one thing is wrong with.
pub(crate) fn invalid(pack: &LoadedPack) -> Vec<Write> {
    let mut made = Vec::new();
    for command in writes(pack) {
        let mut of = Broken { command, base: base(pack, command), made: Vec::new() };
        of.by_schema();
        of.times();
        of.ids_of_tasks();
        of.people();
        of.fields_in_updates();
        of.ids_of_fields();
        of.values_of_fields(pack);
        made.append(&mut of.made);
    }
    made
}

struct Broken<'a> {
    command: &'a Command,
    base: Value,
    made: Vec<Write>,
}

impl Broken<'_> {
    fn add(&mut self, rule: &'static str, cites: Option<&'static str>, place: &str, args: Value) {
        let place = place.to_owned();
        self.made.push(Write { rule, command: self.command.id.clone(), args, cites, place });
    }

    fn by_schema(&mut self) {
        for property in required(self.command) {
            let args = without(&self.base, property);
            self.add("required argument missing", None, property, args);
        }
        self.add("unknown argument", None, "colour", with(&self.base, "colour", json!("red")));
        for (property, schema) in properties(self.command) {
            let kinds = [json!({"a": 1}), json!("texto"), json!([[]]), json!(true)];
            let taken = |value: &Value| {
                let allowed = schema["enum"].as_array().is_some_and(|allowed| allowed.contains(value));
                let name = if value.is_object() {
                    "object"
                } else if value.is_string() {
                    "string"
                } else if value.is_array() {
                    "array"
                } else {
                    "boolean"
                };
                let kind = &schema["type"];
                allowed || kind == name || kind.as_array().is_some_and(|kinds| kinds.contains(&json!(name)))
            };
            let described = schema.get("type").is_some() || schema.get("enum").is_some();
            if let (true, Some(wrong)) = (described, kinds.into_iter().find(|value| !taken(value))) {
                self.add("wrong type", None, property, with(&self.base, property, wrong));
            }
        }
    }

    fn times(&mut self) {
        let command = self.command;
        for (property, _) in properties(command).filter(|(property, _)| is_time(property)) {
            let args = with(&self.base, property, json!(MS / 1000));
            self.add("seconds", Some("date-in-seconds"), property, args);
        }
        let items = &command.input_schema["properties"]["tasks"]["items"]["properties"];
        for property in items.as_object().map(Map::keys).into_iter().flatten().filter(|property| is_time(property)) {
            let mut args = self.base.clone();
            args["tasks"][0][property.as_str()] = json!(MS / 1000);
            self.add("seconds", Some("date-in-seconds"), property, args);
        }
    }

    fn ids_of_tasks(&mut self) {
        let cites = Some("custom-id-without-team");
        for id in CUSTOM_IDS {
            if has(self.command, "custom_task_ids") {
                let named = with(&self.base, "task_id", json!(id));
                self.add("custom id alone", cites, "task_id", named.clone());
                let flagged = with(&named, "custom_task_ids", json!(true));
                self.add("custom id without its workspace", cites, "team_id", flagged);
                self.add("workspace without the flag", cites, "task_id", with(&named, "team_id", json!("9001001")));
            } else if self.command.id != "create_webhook" {
                for property in ["task_id", "tid"].into_iter().filter(|property| has(self.command, property)) {
                    let args = with(&self.base, property, json!(id));
                    self.add("custom id where none is understood", cites, property, args);
                }
                for property in ["task_ids", "source_task_ids"].into_iter().filter(|name| has(self.command, name)) {
                    let args = with(&self.base, property, json!(["86b7q1x2z", id]));
                    self.add("custom id where none is understood", cites, property, args);
                }
            }
        }
        if self.command.id == "update_tasks" {
            let mut args = self.base.clone();
            args["tasks"][0]["task_id"] = json!("CORTE-42");
            self.add("custom id where none is understood", cites, "task_id", args);
        }
    }

    fn people(&mut self) {
        let updates = self.command.id.starts_with("update");
        let (cites, wrong) = if updates {
            (Some("assignee-format-mismatch"), [json!([456, 789]), json!([])])
        } else {
            (Some("update-format-in-create"), [json!({"add": [456], "rem": []}), json!({"add": [456], "rem": [789]})])
        };
        for value in wrong {
            for property in ["assignees", "watchers", "group_assignees"] {
                if has(self.command, property) && (updates || property == "assignees") {
                    let args = with(&self.base, property, value.clone());
                    self.add("form of assignees", cites, property, args);
                }
            }
            if has(self.command, "tasks") {
                let mut args = self.base.clone();
                args["tasks"][0]["assignees"] = value;
                self.add("form of assignees", cites, "assignees", args);
            }
        }
    }

    fn fields_in_updates(&mut self) {
        let cites = Some("custom-fields-in-update");
        for entry in [json!([{"id": FIELD, "value": "x"}]), json!([{"id": FIELD, "type": "number", "value": 1}])] {
            if self.command.id == "update_task" {
                self.add("fields in an update", cites, "custom_fields", with(&self.base, "custom_fields", entry));
            } else if self.command.id == "update_tasks" {
                let mut args = self.base.clone();
                args["tasks"][0]["custom_fields"] = entry;
                self.add("fields in an update", cites, "tasks", args);
            }
        }
    }

    fn ids_of_fields(&mut self) {
        let cites = Some("wrong-field-id");
        for name in FIELD_NAMES {
            if has(self.command, "field_id") {
                self.add("name for a field's id", cites, "field_id", with(&self.base, "field_id", json!(name)));
            }
            for mut args in field_calls(self.command, &self.base, "text", &json!("x")) {
                for place in ["/fields/0/id", "/custom_fields/0/id", "/tasks/1/custom_fields/0/id"] {
                    if let Some(id) = args.pointer_mut(place) {
                        *id = json!(name);
                        self.add("name for a field's id", cites, place, args.clone());
                    }
                }
            }
        }
    }

    /// To a field of each type, one value of each JSON type that it is not written with; to fields that cannot be written, all of them.
    fn values_of_fields(&mut self, pack: &LoadedPack) {
        let values = [json!("Ana"), json!(["a"]), json!({"id": 1}), Value::Null];
        for (name, mapping) in &pack.pack.field_mappings["custom_fields"] {
            let kind = |value: &Value| std::mem::discriminant(value);
            let own = mapping.write.as_ref().filter(|_| !mapping.read_only).map(kind);
            let cites = match name.as_str() {
                "votes" => "votes-field-set",
                "drop_down" | "labels" => "drop-down-by-label",
                "date" => "date-in-seconds",
                _ => "wrong-field-value",
            };
            let texts_are_ids = name == "drop_down";
            for value in values.iter().filter(|value| own != Some(kind(value)) || texts_are_ids) {
                let place = if cites == "votes-field-set" { "" } else { "value" };
                for args in field_calls(self.command, &self.base, name, value) {
                    self.add("value of another type", Some(cites), place, args);
                }
            }
        }
    }
}
