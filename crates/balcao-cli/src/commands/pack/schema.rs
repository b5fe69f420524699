//! `balcao pack schema`: the JSON Schema of `tool.yaml`, with what each kind of execution understands under `connection` and `handler`.
//!
//! The loader holds a pack against the part that all kinds share; each kind reads its own part, by the schema that is put in here.

use std::process::ExitCode;

use balcao_connector::HttpCommand;
use balcao_pack::manifest::PackKind;
use serde_json::{Value, json};

use crate::output::{Failure, error_chain, print_line};

/// Runs the command.
pub(super) fn run() -> Result<ExitCode, Failure> {
    print_line(&format!("{:#}", published()?));
    Ok(ExitCode::SUCCESS)
}

fn published() -> Result<Value, Failure> {
    let mut schema: Value =
        serde_json::from_str(balcao_pack::SCHEMA).map_err(|error| Failure::operation(error_chain(&error)))?;
    let kinds = [PackKind::Native, PackKind::Http, PackKind::Mcp, PackKind::Script].map(of_kind);
    if let Some(tool) = schema.pointer_mut("/properties/tool").and_then(Value::as_object_mut) {
        tool.insert("allOf".to_owned(), json!(kinds));
    }
    Ok(schema)
}

/// What a pack of that type has, beyond what all have.
fn of_kind(kind: PackKind) -> Value {
    let (connection, handler) = match kind {
        PackKind::Native => (None, json!({"description": "The native handler's name.", "type": "string"})),
        PackKind::Http => (Some(balcao_connector::Connection::schema()), HttpCommand::schema()),
        PackKind::Mcp => (Some(balcao_mcp::Connection::schema()), balcao_mcp::Mapping::schema()),
        PackKind::Script => (None, helper()),
    };
    // In a pack of any type a command may be made of others.
    let handler = json!({"if": {"type": "object", "required": ["calls"]}, "then": composite(), "else": handler});
    let commands = json!({"items": {"properties": {"handler": handler}}});
    let properties = match connection {
        Some(connection) => json!({"connection": connection, "commands": commands}),
        None => json!({"connection": false, "commands": commands}),
    };
    json!({
        "if": {"required": ["type"], "properties": {"type": {"const": kind.as_str()}}},
        "then": {"properties": properties},
    })
}

fn helper() -> Value {
    json!({
        "description": "A helper of the pack.", "type": "object", "additionalProperties": false, "required": ["helper"],
        "properties": {"helper": {"description": "Its id.", "type": "string"}},
    })
}

fn composite() -> Value {
    json!({
        "description": "A helper that calls commands of the pack.", "type": "object", "additionalProperties": false,
        "required": ["helper", "calls"],
        "properties": {
            "helper": {"description": "The helper's id; it is called with the arguments and `tools`.", "type": "string"},
            "calls": {"description": "The commands that it may call.", "type": "array", "items": {"type": "string"}, "minItems": 1},
            "max_calls": {"description": "Calls of one run.", "type": "integer", "minimum": 1, "maximum": 32, "default": 8},
        },
    })
}
