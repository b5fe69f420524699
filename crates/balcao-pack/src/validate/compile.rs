//! Compiles the written validators into checks, and reports each mistake with its place.

use std::{collections::BTreeMap, sync::Arc};

use balcao_tool::{Effect, limits::MAX_PATTERN_MEMORY, validate::Schema};
use balcao_yaml::escape;
use indexmap::IndexMap;
use serde_json::json;

use super::{
    ArgumentChecks, Check, Cited, Compiler, References, Rule,
    fix::Mending,
    path::FieldPath,
    pure::{Format, Pure},
    reads::{Question, Read},
};
use crate::{
    expression::Expression,
    manifest::{
        AntiPattern, Assignees, CheckKind, CheckSpec, EnumFrom, FieldIds, Fix, HelperCheck, Pack, TaskIds, Validator,
    },
};

impl Compiler<'_> {
    /// The checks of every command, by its id.
    pub(crate) fn admissions(&mut self, autofix: bool) -> BTreeMap<String, Arc<ArgumentChecks>> {
        let pack = self.pack;
        let cited: BTreeMap<&str, Arc<Cited>> =
            pack.anti_patterns.iter().map(|anti| (anti.id.as_str(), Arc::new(cite(anti)))).collect();
        let mut by_command: BTreeMap<String, Vec<Check>> = BTreeMap::new();
        for (index, validator) in pack.validators.iter().enumerate() {
            let at = format!("/tool/validators/{index}");
            if pack.validators.iter().take(index).any(|other| other.id == validator.id) {
                self.complain(&format!("{at}/id"), format!("two validators have the id `{}`", validator.id), None);
            }
            let users = self.users(validator, &at);
            if validator.checks.is_empty() && validator.file.is_none() {
                let suggestion = Some("add `checks:`, or `file: validators/x.js`".to_owned());
                self.complain(
                    &format!("{at}/id"),
                    format!("the validator `{}` checks nothing", validator.id),
                    suggestion,
                );
            }
            if users.is_empty() {
                // The validator belongs to no command, but the compiler reports its mistakes all the same.
                let _nobodys = self.checks(validator, &at, &cited);
                self.unchecked.insert(None);
            }
            // Every command has checks of its own: they are few, and are read once.
            for (place, command) in users.iter().enumerate() {
                let told = self.problems.len();
                let checks = self.checks(validator, &at, &cited);
                if self.problems.len() > told {
                    self.unchecked.insert(Some(command.clone()));
                }
                if place > 0 {
                    self.problems.truncate(told);
                }
                by_command.entry(command.clone()).or_default().extend(checks);
            }
        }
        let known = cited.into_iter().map(|(id, cited)| (id.to_owned(), cited)).collect();
        let known: Arc<BTreeMap<String, Arc<Cited>>> = Arc::new(known);
        let admission = |(command, checks): (String, Vec<Check>)| {
            let admission =
                ArgumentChecks { command: command.clone(), checks: checks.into(), autofix, cited: Arc::clone(&known) };
            (command, Arc::new(admission))
        };
        by_command.into_iter().map(admission).collect()
    }

    /// The commands that a validator is for: the one it names, and those that name it.
    fn users(&mut self, validator: &Validator, at: &str) -> Vec<String> {
        let mut users = Vec::new();
        if let Some(command) = &validator.validates
            && self.refer(References::Command, command, &format!("{at}/validates"))
        {
            users.push(command.clone());
        }
        for command in &self.pack.commands {
            if command.uses_validators.contains(&validator.id) && !users.contains(&command.id) {
                users.push(command.id.clone());
            }
        }
        if users.is_empty() && validator.validates.is_none() && !self.lacks("commands") {
            let message = format!("no command uses the validator `{}`", validator.id);
            let suggestion = Some("add `validates: <command>`, or name it under `uses_validators`".to_owned());
            self.complain(&format!("{at}/id"), message, suggestion);
        }
        users
    }

    fn checks(&mut self, validator: &Validator, at: &str, cited: &BTreeMap<&str, Arc<Cited>>) -> Vec<Check> {
        let mut checks = Vec::new();
        for (place, spec) in validator.checks.iter().enumerate() {
            checks.extend(self.check(spec, &format!("{at}/checks/{place}"), cited));
        }
        if validator.file.is_some() {
            let rule = Rule::Helper { id: validator.id.clone(), arguments: None, field: None, reads: Vec::new() };
            checks.push(Check {
                rule,
                when: None,
                message: None,
                suggestion: None,
                cited: None,
                fix: Some(Mending::Known),
            });
        }
        checks
    }

    fn check(&mut self, spec: &CheckSpec, at: &str, cited: &BTreeMap<&str, Arc<Cited>>) -> Option<Check> {
        let kinds = spec.kinds();
        let [kind] = kinds.as_slice() else {
            let suggestion = Some("write each check as an entry of its own".to_owned());
            let message = if kinds.is_empty() { "this check checks nothing" } else { "this is more than one check" };
            self.complain(at, message, suggestion);
            return None;
        };
        let when = spec.when.as_ref().and_then(|text| self.expression(text, &format!("{at}/when")));
        let cited = spec.anti_pattern().and_then(|id| {
            self.refer(References::AntiPattern, id, &format!("{at}/anti_pattern"));
            cited.get(id).map(Arc::clone)
        });
        let fix = self.fix(spec, at);
        let rule = self.rule(*kind, spec, at)?;
        Some(Check { rule, when, message: spec.message.clone(), suggestion: spec.suggestion.clone(), cited, fix })
    }

    fn fix(&mut self, spec: &CheckSpec, at: &str) -> Option<Mending> {
        match spec.fix.as_ref()? {
            Fix::Known(false) => None,
            Fix::Known(true) => {
                if spec.helper.is_none() && spec.assignee_format.is_none() {
                    let suggestion = "write what it does: `fix: {field: <expression>}`".to_owned();
                    self.complain(
                        &format!("{at}/fix"),
                        "this check does not know how to mend a failure",
                        Some(suggestion),
                    );
                }
                Some(Mending::Known)
            }
            Fix::Set(fields) => {
                let mut set = Vec::new();
                for (field, expression) in fields {
                    let at = format!("{at}/fix/{}", escape(field));
                    let path = self.path(field, &at);
                    let expression = expression.as_ref().map(|text| self.expression(text, &at));
                    if let (Some(path), None | Some(Some(_))) = (path, &expression) {
                        set.push((path, expression.flatten()));
                    }
                }
                Some(Mending::Set(set))
            }
        }
    }

    fn path(&mut self, text: &str, at: &str) -> Option<FieldPath> {
        let path = FieldPath::parse(text);
        if path.is_none() {
            let suggestion = "write `name`, `due.date`, `custom_fields[*].id` or a JSON pointer".to_owned();
            self.complain(at, format!("invalid field `{text}`"), Some(suggestion));
        }
        path
    }

    fn paths(&mut self, fields: &[String], at: &str) -> Vec<FieldPath> {
        fields.iter().enumerate().filter_map(|(place, field)| self.path(field, &format!("{at}/{place}"))).collect()
    }

    fn rule(&mut self, kind: CheckKind<'_>, spec: &CheckSpec, at: &str) -> Option<Rule> {
        let pure = match kind {
            CheckKind::RequiredFields(fields) => Pure::Required(self.paths(fields, &format!("{at}/required_fields"))),
            CheckKind::OneOf(fields) => Pure::OneOf(self.paths(fields, &format!("{at}/one_of"))),
            CheckKind::MutuallyExclusive(fields) => {
                Pure::Exclusive(self.paths(fields, &format!("{at}/mutually_exclusive")))
            }
            CheckKind::Format(fields) => Pure::Format(self.fields(fields, &format!("{at}/format"), Self::format)),
            CheckKind::Pattern(fields) => Pure::Pattern(self.fields(fields, &format!("{at}/pattern"), Self::pattern)),
            CheckKind::Range(fields) => {
                let bounds = self.fields(fields, &format!("{at}/range"), |compiler, range, at| {
                    if range.min.zip(range.max).is_some_and(|(low, high)| low > high) {
                        compiler.complain(
                            at,
                            "no number lies in this range",
                            Some("`min` is the smaller one".to_owned()),
                        );
                    }
                    Some((range.min, range.max))
                });
                Pure::Range(bounds)
            }
            CheckKind::AssigneeFormat(assignees) => {
                let (form, field) = match assignees {
                    Assignees::Form(form) => (*form, "assignees"),
                    Assignees::In { form, field } => (*form, field.as_str()),
                };
                Pure::Assignees { field: self.path(field, &format!("{at}/assignee_format"))?, form }
            }
            CheckKind::TaskIdFormat(ids) => {
                let (forms, fields) = match ids {
                    TaskIds::Forms(forms) => (forms.clone(), vec!["task_id", "taskId"]),
                    TaskIds::In { forms, field } => (forms.clone(), vec![field.as_str()]),
                };
                let at = format!("{at}/task_id_format");
                Pure::TaskIds { fields: fields.into_iter().filter_map(|field| self.path(field, &at)).collect(), forms }
            }
            CheckKind::Expression(text) => {
                let field = spec.field.as_ref().and_then(|field| self.path(field, &format!("{at}/field")));
                let expression = self.expression(text, &format!("{at}/expression"))?;
                Pure::Expression { expression, text: text.to_owned(), field }
            }
            CheckKind::Helper(helper) => return self.helper(helper, spec, at),
            CheckKind::EnumFrom(from) => return self.values(from, "not_allowed", &format!("{at}/enum_from")),
            CheckKind::CustomFieldIdsExist(ids) => {
                let at = format!("{at}/custom_field_ids_exist");
                return match ids {
                    FieldIds::Usual(false) => None,
                    FieldIds::Usual(true) => self.values(&usual(self.pack), "not_found", &at),
                    FieldIds::Stated(from) => self.values(from, "not_found", &at),
                };
            }
            CheckKind::ReferenceExists(reference) => {
                let at = format!("{at}/reference_exists");
                let field = self.path(&reference.field, &at);
                let question = self.question(&reference.command, &reference.arguments, &at);
                let (field, question) = (field?, question?);
                return Some(Rule::Read(Read { problem: "not_found", field, question, values: None }));
            }
        };
        Some(Rule::Pure(pure))
    }

    fn fields<T, C>(
        &mut self,
        fields: &IndexMap<String, T>,
        at: &str,
        compile: impl Fn(&mut Self, &T, &str) -> Option<C>,
    ) -> Vec<(FieldPath, C)> {
        let mut compiled = Vec::new();
        for (field, entry) in fields {
            let at = format!("{at}/{}", escape(field));
            if let (Some(path), Some(entry)) = (self.path(field, &at), compile(self, entry, &at)) {
                compiled.push((path, entry));
            }
        }
        compiled
    }

    #[expect(clippy::ptr_arg, reason = "it is called with what the map holds")]
    fn format(&mut self, name: &String, at: &str) -> Option<Format> {
        match name.as_str() {
            "timestamp_ms" => Some(Format::TimestampMs),
            "timestamp_s" => Some(Format::TimestampS),
            known => match Schema::compile(&json!({"type": "string", "format": known})) {
                Ok(schema) => Some(Format::Named(known.to_owned(), Box::new(schema))),
                Err(reason) => {
                    self.complain(at, reason, None);
                    None
                }
            },
        }
    }

    fn pattern(&mut self, text: &String, at: &str) -> Option<regex::Regex> {
        match regex::RegexBuilder::new(text).size_limit(MAX_PATTERN_MEMORY).build() {
            Ok(pattern) => Some(pattern),
            Err(error) => {
                let suggestion = "patterns know no look-around and no back-references".to_owned();
                self.complain(at, format!("invalid pattern `{text}`: {error}"), Some(suggestion));
                None
            }
        }
    }

    fn helper(&mut self, helper: &HelperCheck, spec: &CheckSpec, at: &str) -> Option<Rule> {
        let field = spec.field.as_ref().and_then(|field| self.path(field, &format!("{at}/field")));
        let at = format!("{at}/helper");
        let there = self.refer(References::Helper, helper.id(), &at);
        let (arguments, reads) = match helper {
            HelperCheck::Named(_) => (None, Vec::new()),
            HelperCheck::With { arguments, reads, .. } => {
                let mut given = Vec::new();
                for (place, text) in arguments.iter().enumerate() {
                    given.extend(self.expression(text, &format!("{at}/arguments/{place}")));
                }
                let mut questions = Vec::new();
                for (name, read) in reads {
                    let at = format!("{at}/reads/{}", escape(name));
                    let question = self.question(&read.command, &read.arguments, &at);
                    questions.extend(question.map(|question| (name.clone(), question)));
                }
                (Some(given), questions)
            }
        };
        there.then(|| Rule::Helper { id: helper.id().to_owned(), arguments, field, reads })
    }

    fn values(&mut self, from: &EnumFrom, problem: &'static str, at: &str) -> Option<Rule> {
        let field = self.path(&from.field, &format!("{at}/field"));
        let question = self.question(&from.command, &from.arguments, at);
        let values = self.expression(&from.values, &format!("{at}/values"));
        let (field, question, values) = (field?, question?, values?);
        Some(Rule::Read(Read { problem, field, question, values: Some(values) }))
    }

    /// What a command that only reads is asked.
    fn question(&mut self, command: &str, arguments: &IndexMap<String, String>, at: &str) -> Option<Question> {
        let command = self.reads(command, at);
        let arguments = self.arguments(arguments, at);
        Some(Question { command: command?, arguments })
    }

    /// The id of a command that only reads.
    fn reads(&mut self, command: &str, at: &str) -> Option<String> {
        let at = format!("{at}/command");
        if !self.refer(References::Command, command, &at) {
            return None;
        }
        let writes = |command: &&crate::manifest::Command| command.effect != Effect::Read;
        if self.pack.commands.iter().filter(|known| known.id == command).any(|known| writes(&known)) {
            self.complain(&at, format!("a check may only read, and `{command}` does more"), None);
            return None;
        }
        Some(command.to_owned())
    }

    fn arguments(&mut self, arguments: &IndexMap<String, String>, at: &str) -> Vec<(String, Expression)> {
        let mut read = Vec::new();
        for (name, text) in arguments {
            let at = format!("{at}/arguments/{}", escape(name));
            read.extend(self.expression(text, &at).map(|expression| (name.clone(), expression)));
        }
        read
    }
}

/// What `custom_field_ids_exist: true` means.
fn usual(pack: &Pack) -> EnumFrom {
    let names = ["get_list_custom_fields", "get-list-custom-fields", "list-custom-fields"];
    let there = names.into_iter().find(|name| pack.commands.iter().any(|command| command.id == *name));
    EnumFrom {
        field: "custom_fields[*].id".to_owned(),
        command: there.unwrap_or("get_list_custom_fields").to_owned(),
        arguments: IndexMap::from([("list_id".to_owned(), "list_id || listId".to_owned())]),
        values: "fields[*].id".to_owned(),
    }
}

fn cite(anti: &AntiPattern) -> Cited {
    Cited { id: anti.id.clone(), wrong: anti.wrong.clone(), instead: anti.instead().cloned(), why: anti.why.clone() }
}
