//! Processors and formats as written become ones that run.

use balcao_tool::validate::Schema;
use balcao_yaml::escape;
use indexmap::IndexMap;
use serde_json::Value;

use super::{
    Processor, Processors, Step,
    payload::{Format, Formats},
};
use crate::{
    expression::Expression,
    manifest::{self, BuiltIn, Pack, SchemaRef},
    validate::{Compiler, References},
};

pub(crate) fn compile(compiler: &mut Compiler<'_>, pack: &Pack) -> Processors {
    for (name, schema) in &pack.schemas {
        build(compiler, schema, &format!("/tool/schemas/{}", escape(name)));
    }
    let mut processors = Processors { formats: formats(compiler, pack), ..Processors::default() };
    for (index, written) in pack.processors.iter().enumerate() {
        let at = format!("/tool/processors/{index}");
        let processor = Processor {
            input: written
                .input_schema
                .as_ref()
                .and_then(|schema| find(compiler, pack, schema, &format!("{at}/input_schema"))),
            output: written
                .output_schema
                .as_ref()
                .and_then(|schema| find(compiler, pack, schema, &format!("{at}/output_schema"))),
            steps: written
                .steps
                .iter()
                .enumerate()
                .filter_map(|(place, written)| step(compiler, pack, written, &format!("{at}/steps/{place}")))
                .collect(),
        };
        if processors.by_id.insert(written.id.clone(), processor).is_some() {
            compiler.complain(&format!("{at}/id"), format!("two processors have the id `{}`", written.id), None);
        }
    }
    for (index, written) in pack.processors.iter().enumerate() {
        if let Some(path) = cycle(pack, &written.id) {
            let message = format!("processor `{}` needs itself: {}", written.id, path.join(" → "));
            compiler.complain(&format!("/tool/processors/{index}/steps"), message, None);
        }
    }
    processors
}

fn formats(compiler: &mut Compiler<'_>, pack: &Pack) -> Formats {
    let mut formats = Vec::new();
    for (name, written) in &pack.payload_schemas {
        let at = format!("/tool/payload_schemas/{}", escape(name));
        let detection = compiler.expression(&written.detection, &format!("{at}/detection"));
        let path = compiler.expression(&written.path, &format!("{at}/path"));
        let schema = written.schema.as_ref().and_then(|schema| find(compiler, pack, schema, &format!("{at}/schema")));
        if let (Some(detection), Some(path)) = (detection, path) {
            formats.push(Format { name: name.clone(), detection, path, schema });
        }
    }
    Formats { formats }
}

fn find(compiler: &mut Compiler<'_>, pack: &Pack, schema: &SchemaRef, at: &str) -> Option<Schema> {
    match schema {
        SchemaRef::Inline(schema) => build(compiler, schema, at),
        SchemaRef::Named(name) => {
            compiler.refer(References::Schema, name, at);
            // The check of the schema itself has already reported its mistakes.
            Schema::compile(pack.schemas.get(name)?).ok()
        }
    }
}

fn build(compiler: &mut Compiler<'_>, schema: &Value, at: &str) -> Option<Schema> {
    match Schema::compile(schema) {
        Ok(schema) => Some(schema),
        Err(reason) => {
            let suggestion = "a JSON Schema 2020-12 is expected, with references within itself only".to_owned();
            compiler.complain(at, format!("invalid schema: {reason}"), Some(suggestion));
            None
        }
    }
}

fn step(compiler: &mut Compiler<'_>, pack: &Pack, written: &manifest::Step, at: &str) -> Option<Step> {
    let built_in = match written {
        manifest::Step::Helper(id) => {
            let there = compiler.refer(References::Helper, id, at);
            return there.then(|| Step::Helper { id: id.clone(), arguments: None });
        }
        manifest::Step::BuiltIn(built_in) => built_in,
    };
    match built_in {
        BuiltIn::Helper { id, arguments } => {
            compiler.refer(References::Helper, id, &format!("{at}/helper/id"));
            let arguments = arguments.iter().enumerate();
            let read =
                arguments.map(|(place, text)| compiler.expression(text, &format!("{at}/helper/arguments/{place}")));
            Some(Step::Helper { id: id.clone(), arguments: Some(read.collect::<Option<Vec<_>>>()?) })
        }
        BuiltIn::Path(text) => compiler.expression(text, &format!("{at}/path")).map(Step::Path),
        BuiltIn::Set(fields) => Some(Step::Set(set(compiler, fields, &format!("{at}/set"))?)),
        BuiltIn::Pick(names) => Some(Step::Pick(names.clone())),
        BuiltIn::Omit(names) => Some(Step::Omit(names.clone())),
        BuiltIn::Rename(names) => {
            Some(Step::Rename(names.iter().map(|(from, to)| (from.clone(), to.clone())).collect()))
        }
        BuiltIn::Payload(with_format) => {
            if pack.payload_schemas.is_empty() {
                let suggestion = "describe the formats under `payload_schemas`".to_owned();
                compiler.complain(at, "this pack knows no formats of payloads", Some(suggestion));
            }
            Some(Step::Payload { with_format: *with_format })
        }
        BuiltIn::Processor(id) => {
            compiler.refer(References::Processor, id, &format!("{at}/processor")).then(|| Step::Processor(id.clone()))
        }
    }
}

fn set(compiler: &mut Compiler<'_>, fields: &IndexMap<String, String>, at: &str) -> Option<Vec<(String, Expression)>> {
    let read = fields.iter().map(|(name, text)| {
        compiler.expression(text, &format!("{at}/{}", escape(name))).map(|expression| (name.clone(), expression))
    });
    read.collect()
}

/// The way from a processor back to itself, if there is one that begins with it.
fn cycle(pack: &Pack, start: &str) -> Option<Vec<String>> {
    let next = |id: &str| -> Vec<String> {
        let written = pack.processors.iter().filter(|processor| processor.id == id).flat_map(|found| &found.steps);
        written
            .filter_map(|step| match step {
                manifest::Step::BuiltIn(BuiltIn::Processor(other)) => Some(other.clone()),
                manifest::Step::BuiltIn(_) | manifest::Step::Helper(_) => None,
            })
            .collect()
    };
    let mut seen = Vec::new();
    let mut open = vec![vec![start.to_owned()]];
    while let Some(path) = open.pop() {
        for other in next(path.last()?) {
            let mut longer = path.clone();
            longer.push(other.clone());
            if other == start {
                return Some(longer);
            }
            if !seen.contains(&other) {
                seen.push(other);
                open.push(longer);
            }
        }
    }
    None
}
