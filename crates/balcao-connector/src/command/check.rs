//! What is wrong with a command beyond its shape: its placeholders against the arguments, its parts against each other.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Encoding, HttpCommand};
use crate::{
    fields::check_pointer,
    problem::Problem,
    template::{Hole, Piece, RESERVED, Template, Text},
};

/// The arguments that a schema declares.
pub(super) struct Known {
    pub(super) all: BTreeSet<String>,
    pub(super) required: BTreeSet<String>,
}

impl Known {
    pub(super) fn from_schema(schema: &Value) -> Self {
        let properties = schema.get("properties").and_then(Value::as_object);
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        Self {
            all: properties.map(|map| map.keys().cloned().collect()).unwrap_or_default(),
            required: required.filter_map(|name| name.as_str().map(str::to_owned)).collect(),
        }
    }
}

pub(super) struct Check<'a> {
    pub(super) command: &'a HttpCommand,
    pub(super) known: Known,
    pub(super) problems: Vec<Problem>,
}

impl Check<'_> {
    pub(super) fn path(&mut self) -> Vec<Text> {
        let path = &self.command.path;
        let complain = |message: &str| Problem::new("/path", message.to_owned());
        if !path.starts_with('/') || path.contains("//") {
            self.problems.push(
                complain("a path begins with one `/` and has no empty segments")
                    .suggest("write it as `/v2/task/{task_id}`"),
            );
        }
        if path.contains(['?', '#', '\\', '%', ' ']) {
            self.problems
                .push(complain("a path holds no `?`, `#`, `\\`, `%` or spaces").suggest("put the query under `query`"));
        }
        let mut segments = Vec::new();
        for segment in path.split('/').skip(1) {
            if matches!(segment, "." | "..") {
                self.problems.push(complain("a path has no `.` or `..`"));
            }
            let Some(text) = self.text(segment, "/path") else { continue };
            for hole in text.holes().filter(|hole| hole.0.len() == 1 && !self.known.required.contains(hole.first())) {
                if self.known.all.contains(hole.first()) {
                    let name = hole.first();
                    self.problems.push(
                        complain(&format!("the argument `{name}` is part of the path, but may be absent"))
                            .suggest(format!("list `{name}` under `required` of the input schema")),
                    );
                }
            }
            segments.push(text);
        }
        segments
    }

    pub(super) fn body(&mut self) -> Option<Template> {
        let command = self.command;
        let mut template = command.body.as_ref().map(|body| self.template(body, "/body"));
        let own = command.body_fields.iter().enumerate();
        let mut fields: Vec<(String, Template)> =
            own.map(|(index, name)| (name.clone(), self.field(name, &format!("/body_fields/{index}")))).collect();
        for name in command.for_each.iter().flat_map(|each| &each.body_fields) {
            let hole = Hole(vec!["item".to_owned(), name.clone()]);
            fields.push((name.clone(), Template::Text(Text(vec![Piece::Hole(hole)]))));
        }
        if !fields.is_empty() {
            match &mut template {
                None => template = Some(Template::Object(fields)),
                Some(Template::Object(known)) => known.extend(fields),
                Some(Template::Text(_) | Template::Constant(_) | Template::Array(_)) => self.problems.push(
                    Problem::new("/body_fields", "fields can only be put into a body that is an object")
                        .suggest("make `body` an object, or leave one of the two out"),
                ),
            }
        }
        if template.is_some() && command.method.is_safe() {
            let message = "a GET has no body";
            self.problems.push(Problem::new("/body", message).suggest("put the arguments under `query`"));
        }
        if command.encoding != Encoding::Json && !matches!(template, Some(Template::Object(_))) {
            let message = "a form or a body in parts is made of an object";
            self.problems.push(Problem::new("/encoding", message).suggest("list its fields under `body`"));
        }
        template
    }

    pub(super) fn rest(&mut self) {
        check_pointer(self.command.response.at.as_deref(), "/response/at", &mut self.problems);
        if let Some(find) = &self.command.response.find
            && !self.known.required.contains(&find.argument)
        {
            let problem = Problem::new(
                "/response/find/argument",
                format!("invalid argument `{}`; expected a required argument", find.argument),
            );
            self.problems.push(problem.nearest(&find.argument, self.known.required.iter().map(String::as_str)));
        }
        if let Some(pagination) = &self.command.pagination {
            self.problems.extend(pagination.problems().into_iter().map(|problem| problem.below("/pagination")));
            if !self.command.method.is_safe() {
                self.problems.push(Problem::new("/pagination", "only what is read has pages"));
            }
        }
        if let Some(each) = &self.command.for_each {
            let required = &self.known.required;
            if !required.contains(&each.argument) {
                let problem = Problem::new(
                    "/for_each/argument",
                    format!("invalid argument `{}`; expected a required argument", each.argument),
                );
                self.problems.push(problem.nearest(&each.argument, required.iter().map(String::as_str)));
            }
            if self.command.pagination.is_some() {
                self.problems.push(Problem::new("/for_each", "a command has pages or goes through a list, not both"));
            }
        }
        for name in RESERVED.iter().filter(|name| self.known.all.contains(**name)) {
            let message = format!("an argument must not be named `{name}`: placeholders use that word");
            self.problems.push(Problem::new("", message).suggest("rename it in the input schema"));
        }
    }

    pub(super) fn template(&mut self, value: &Value, at: &str) -> Template {
        let template = Template::parse(value, at, &mut self.problems);
        for hole in template.holes() {
            self.problems.extend(self.unknown(hole, at));
        }
        template
    }

    pub(super) fn text(&mut self, source: &str, at: &str) -> Option<Text> {
        match Text::parse(source) {
            Ok(text) => {
                let unknown: Vec<Problem> = text.holes().filter_map(|hole| self.unknown(hole, at)).collect();
                self.problems.extend(unknown);
                Some(text)
            }
            Err(message) => {
                self.problems.push(Problem::new(at, message));
                None
            }
        }
    }

    pub(super) fn field(&mut self, name: &str, at: &str) -> Template {
        self.problems.extend(self.unknown(&Hole(vec![name.to_owned()]), at));
        Template::argument(name)
    }

    fn unknown(&self, hole: &Hole, at: &str) -> Option<Problem> {
        let name = hole.first();
        let fine = match name {
            "settings" => hole.0.len() > 1,
            "item" => self.command.for_each.is_some(),
            name => self.known.all.contains(name),
        };
        let message = match name {
            "settings" => "`{settings}` names no setting".to_owned(),
            "item" => "`{item}` is known only under `for_each`".to_owned(),
            name => format!("unknown argument `{name}`"),
        };
        (!fine).then(|| Problem::new(at, message).nearest(name, self.known.all.iter().map(String::as_str)))
    }
}
