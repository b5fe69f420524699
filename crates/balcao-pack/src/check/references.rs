//! Every name leads somewhere, and back where it should.

use std::collections::BTreeSet;

use balcao_yaml::{escape, nearest};

use crate::{
    folder::Folder,
    manifest::{Pack, PackKind, Subject},
    validate::{Compiler, References},
};

pub(crate) fn check(compiler: &mut Compiler<'_>, pack: &Pack, folder: Option<&Folder>) {
    commands(compiler, pack);
    anti_patterns(compiler, pack);
    mappings(compiler, pack);
    examples(compiler, pack);
    files(compiler, pack, folder);
    if let Some(settings) = &pack.settings
        && let Err(reason) = balcao_tool::validate::Schema::compile(settings)
    {
        compiler.complain("/tool/settings", format!("invalid schema: {reason}"), None);
    }
    if pack.kind == PackKind::Http && pack.connection.is_none() {
        let suggestion = "add `connection: {base_url: https://…}`".to_owned();
        compiler.complain("/tool/type", "a pack of type `http` needs a `connection`", Some(suggestion));
    }
}

fn commands(compiler: &mut Compiler<'_>, pack: &Pack) {
    let ids: Vec<&str> = pack.examples.ids().map(|(id, _, _)| id).collect();
    for (index, command) in pack.commands.iter().enumerate() {
        let at = format!("/tool/commands/{index}");
        super::undo::check(compiler, pack, command, &at);
        let lists = [
            (References::Helper, "uses_helpers", &command.uses_helpers),
            (References::Validator, "uses_validators", &command.uses_validators),
            (References::Processor, "uses_processors/before", &command.uses_processors.before),
            (References::Processor, "uses_processors/after", &command.uses_processors.after),
            (References::Processor, "uses_processors/for_model", &command.uses_processors.for_model),
        ];
        for (kind, list, names) in lists {
            for (place, name) in names.iter().enumerate() {
                compiler.refer(kind, name, &format!("{at}/{list}/{place}"));
            }
        }
        for (place, reference) in command.example_refs.iter().enumerate() {
            let (command_at, at) = (at.as_str(), format!("{at}/example_refs/{place}"));
            if !ids.contains(&reference.as_str()) {
                let near = nearest(reference, ids.iter().copied()).map(|name| format!("did you mean `{name}`?"));
                compiler.complain(&at, format!("unknown example `{reference}`"), near);
            }
            // The other way round: an example is of the command that shows it.
            let other = operation(pack, reference).filter(|operation| *operation != command.id);
            if let Some(other) = other.filter(|_| !compiler.source.is_damaged(&format!("{command_at}/id"))) {
                compiler.complain(&at, format!("the example `{reference}` is of the command `{other}`"), None);
            }
        }
    }
}

fn operation<'a>(pack: &'a Pack, example: &str) -> Option<&'a str> {
    let success = pack.examples.success_cases.iter().map(|case| (&case.id, &case.operation));
    let failure = pack.examples.failure_cases.iter().map(|case| (&case.id, &case.operation));
    success.chain(failure).find(|(id, _)| *id == example).map(|(_, operation)| operation.as_str())
}

fn anti_patterns(compiler: &mut Compiler<'_>, pack: &Pack) {
    let mut seen = BTreeSet::new();
    for (index, anti) in pack.anti_patterns.iter().enumerate() {
        let at = format!("/tool/anti_patterns/{index}");
        if !seen.insert(anti.id.as_str()) {
            compiler.complain(&format!("{at}/id"), format!("two anti-patterns have the id `{}`", anti.id), None);
        }
        if anti.correct.is_some() == anti.better.is_some() {
            let message = format!("the anti-pattern `{}` says either what is `correct` or what is `better`", anti.id);
            compiler.complain(&format!("{at}/id"), message, Some("keep one of them".to_owned()));
        }
        for (place, id) in anti.commands.iter().enumerate() {
            compiler.refer(References::Command, id, &format!("{at}/commands/{place}"));
        }
        let Some(validator) = anti.validator() else { continue };
        let at = format!("{at}/reference");
        if !compiler.refer(References::Validator, validator, &at) {
            continue;
        }
        // The other way round: the validator that finds it cites it.
        let finder = pack.validators.iter().find(|other| other.id == validator);
        let cites = finder.is_some_and(|finder| {
            finder.file.is_some() || finder.checks.iter().any(|check| check.anti_pattern() == Some(anti.id.as_str()))
        });
        if !cites {
            let message = format!("no check of the validator `{validator}` cites the anti-pattern `{}`", anti.id);
            compiler.complain(
                &at,
                message,
                Some(format!("add `anti_pattern: {}` to the check that finds it", anti.id)),
            );
        }
    }
}

fn mappings(compiler: &mut Compiler<'_>, pack: &Pack) {
    for (group, types) in &pack.field_mappings {
        for (name, mapping) in types {
            let at = format!("/tool/field_mappings/{}/{}", escape(group), escape(name));
            if let Some(helper) = mapping.helper() {
                compiler.refer(References::Helper, helper, &format!("{at}/extraction"));
            }
            if mapping.read_only && mapping.write.is_some() {
                let message = format!("`{name}` is `read_only`, and says how it is written");
                compiler.complain(&format!("{at}/write"), message, Some("keep one of them".to_owned()));
            }
        }
    }
}

fn examples(compiler: &mut Compiler<'_>, pack: &Pack) {
    let mut seen = BTreeSet::new();
    for (id, list, place) in pack.examples.ids() {
        if !seen.insert(id) {
            let at = format!("/tool/examples/{list}/{place}/id");
            compiler.complain(&at, format!("the example `{id}` is defined twice"), None);
        }
    }
    for (place, case) in pack.examples.success_cases.iter().enumerate() {
        let at = format!("/tool/examples/success_cases/{place}");
        compiler.refer(References::Command, &case.operation, &format!("{at}/operation"));
        for (index, used) in case.custom_fields_used.iter().enumerate() {
            let types = || pack.field_mappings.values().flat_map(|types| types.keys().map(String::as_str));
            if !types().any(|known| known == used) {
                let near = nearest(used, types()).map(|name| format!("did you mean `{name}`?"));
                compiler.complain(
                    &format!("{at}/custom_fields_used/{index}"),
                    format!("unknown field type `{used}`"),
                    near,
                );
            }
        }
    }
    for (place, case) in pack.examples.failure_cases.iter().enumerate() {
        let at = format!("/tool/examples/failure_cases/{place}");
        compiler.refer(References::Command, &case.operation, &format!("{at}/operation"));
        if let Some(reference) = &case.reference {
            let id = reference.strip_prefix("anti_patterns.").unwrap_or(reference);
            compiler.refer(References::AntiPattern, id, &format!("{at}/reference"));
        }
    }
    for (place, case) in pack.examples.edge_cases.iter().enumerate() {
        let at = format!("/tool/examples/edge_cases/{place}");
        match case.subject() {
            Some(Subject::Helper(id)) => drop(compiler.refer(References::Helper, id, &format!("{at}/helper"))),
            Some(Subject::Processor(id)) => drop(compiler.refer(References::Processor, id, &format!("{at}/processor"))),
            Some(Subject::Expression(text)) => drop(compiler.expression(text, &format!("{at}/expression"))),
            Some(Subject::Detection) if pack.payload_schemas.is_empty() => {
                compiler.complain(&format!("{at}/detection"), "this pack knows no formats of payloads", None);
            }
            Some(Subject::Detection) => {}
            Some(Subject::Extraction(named)) => {
                let found = named.split_once('.').and_then(|(group, name)| pack.field_mappings.get(group)?.get(name));
                if found.and_then(|mapping| mapping.helper()).is_none() {
                    let suggestion = Some("write `group.type` of a mapping with an `extraction`".to_owned());
                    compiler.complain(&format!("{at}/extraction"), format!("`{named}` has no extraction"), suggestion);
                }
            }
            None => {
                let suggestion = "name one of `helper`, `processor`, `expression`, `detection: true`, `extraction`";
                let message = format!("the edge case `{}` is about nothing, or about several things", case.id);
                compiler.complain(&format!("{at}/id"), message, Some(suggestion.to_owned()));
            }
        }
    }
}

/// Files that are named are there.
fn files(compiler: &mut Compiler<'_>, pack: &Pack, folder: Option<&Folder>) {
    let prose = pack.knowledge_base.iter().enumerate();
    let mut named: Vec<(String, &str)> = prose
        .filter_map(|(place, entry)| Some((format!("/tool/knowledge_base/{place}/file"), entry.file.as_deref()?)))
        .collect();
    named
        .extend(pack.scripts.iter().enumerate().map(|(place, file)| (format!("/tool/scripts/{place}"), file.as_str())));
    let recorded = pack.examples.success_cases.iter().enumerate();
    named.extend(recorded.filter_map(|(place, case)| {
        Some((format!("/tool/examples/success_cases/{place}/response_file"), case.response_file.as_deref()?))
    }));
    for (at, file) in named {
        let Some(folder) = folder else {
            compiler.complain(&at, "this pack has no folder to read files from", None);
            continue;
        };
        if let Err(error) = folder.read(file) {
            let suggestion = Some("name a file in the pack's folder".to_owned());
            compiler.complain(&at, format!("`{file}` is not read: {error}"), suggestion);
        }
    }
    for (place, entry) in pack.knowledge_base.iter().enumerate() {
        if entry.file.is_some() == entry.text.is_some() {
            let at = format!("/tool/knowledge_base/{place}");
            compiler.complain(&at, "prose is either a `text` or a `file`", Some("keep one of them".to_owned()));
        }
    }
}
