//! Large results: the model sees a head, a count and a handle, and may read on with `read_result`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use balcao_llm::ToolDefinition;
use balcao_tool::{
    CallResult, ErrorCode, Internal, Locale, ResultClass, ToolError, registry::error_result, validate::Schema,
    validate_call,
};
use serde_json::{Map, Value, json};

use crate::limits::{MAX_READ_ITEMS, MAX_SHOWN_RESULT_BYTES};
use crate::record::CallRecord;

/// The built-in tool that pages through a cut result. It exists only while there is one.
pub(super) const NAME: &str = "read_result";

pub(super) fn definition(locale: Locale) -> ToolDefinition {
    let description = match locale {
        Locale::PtBr => {
            "Lê mais de um resultado que foi cortado (veja `_cut.handle`), por página ou só os itens que contêm um texto."
        }
        Locale::En => {
            "Reads more of a result that was cut (see `_cut.handle`), by page or only the items that contain a text."
        }
    };
    ToolDefinition { name: NAME.to_owned(), description: description.to_owned(), input_schema: Arc::new(schema()) }
}

/// Characters of a piece of a text that is kept as a list.
const LINE_CHARS: usize = 400;

fn schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["handle"],
        "properties": {
            "handle": {"type": "string", "minLength": 1, "maxLength": 20, "examples": ["r1"]},
            "offset": {"type": "integer", "minimum": 0, "maximum": 1_000_000},
            "contains": {"type": "string", "minLength": 1, "maxLength": 80}
        }
    })
}

/// The text of a result as the model sees it. A large one is kept whole under a handle and shown in part.
///
/// A result may be some mebibytes long, so only what is kept is copied.
pub(super) fn shown(kept: &mut BTreeMap<String, Value>, record: &CallRecord) -> String {
    let mut value = Cow::Borrowed(&record.result.value);
    if record.repeated && value.is_object() {
        let map = value.to_mut().as_object_mut();
        map.map(|map| map.insert("repeated".to_owned(), true.into()));
    }
    let whole = value.to_string();
    if whole.len() <= MAX_SHOWN_RESULT_BYTES {
        return whole;
    }
    let handle = format!("r{}", kept.len().saturating_add(1));
    let Some((fields, key, items)) = longest_list(&value) else {
        let head: String = whole.chars().take(MAX_SHOWN_RESULT_BYTES / 2).collect();
        kept.insert(handle.clone(), lines(&whole));
        return json!({"head": head, "_cut": {"handle": handle, "bytes": whole.len()}}).to_string();
    };
    drop(whole);
    let head = head_of(items);
    let cut = json!({"field": key, "handle": handle, "shown": head.len(), "total": items.len()});
    let shown = |name: &String, field: &Value| if name == key { Value::Array(head.clone()) } else { field.clone() };
    let mut part: Map<String, Value> = fields.iter().map(|(name, field)| (name.clone(), shown(name, field))).collect();
    part.insert("_cut".to_owned(), cut);
    kept.insert(handle, Value::Array(items.clone()));
    Value::Object(part).to_string()
}

/// Answers a `read_result` call.
pub(super) fn read(kept: &BTreeMap<String, Value>, raw: &str, locale: Locale) -> CallResult {
    let fail = |error: &ToolError| error_result(error, None, locale);
    let read = match Schema::compile(&schema()) {
        Ok(schema) => validate_call::arguments(&schema, raw).map_err(ToolError::invalid),
        Err(reason) => Err(ToolError::new(ErrorCode::Internal, "the tool failed").internal(Internal::note(reason))),
    };
    let args = match read {
        Ok((args, _mended)) => args,
        Err(error) => return fail(&error),
    };
    let Some(items) =
        args.get("handle").and_then(Value::as_str).and_then(|handle| kept.get(handle)).and_then(Value::as_array)
    else {
        let handles: Vec<&String> = kept.keys().collect();
        let error = ToolError::new(ErrorCode::NotFound, "there is no result with this handle");
        return fail(&error.detail("available", json!(handles)));
    };
    let wanted = args.get("contains").and_then(Value::as_str).map(str::to_lowercase);
    let matching: Vec<&Value> = items
        .iter()
        .filter(|item| wanted.as_deref().is_none_or(|text| item.to_string().to_lowercase().contains(text)))
        .collect();
    let offset = args.get("offset").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let page: Vec<Value> = matching.iter().skip(offset).take(MAX_READ_ITEMS).map(|item| (*item).clone()).collect();
    let page = head_of(&page);
    let value = json!({"items": page, "offset": offset, "shown": page.len(), "total": matching.len()});
    CallResult {
        class: ResultClass::Success,
        code: None,
        value,
        receipts: vec![],
        offers: vec![],
        internal: None,
        confirm: None,
        uncertain: false,
        duration_ms: 0,
    }
}

/// The items that fit, at least one.
fn head_of(items: &[Value]) -> Vec<Value> {
    let mut size = 0usize;
    let mut head = Vec::new();
    for item in items {
        size = size.saturating_add(item.to_string().len());
        if size > MAX_SHOWN_RESULT_BYTES / 2 && !head.is_empty() {
            break;
        }
        head.push(item.clone());
    }
    head
}

/// The fields of a value, with the name and the items of the longest list among them.
fn longest_list(value: &Value) -> Option<(&Map<String, Value>, &String, &Vec<Value>)> {
    let map: &Map<String, Value> = value.as_object()?;
    map.iter()
        .filter_map(|(key, field)| Some((key, field.as_array()?)))
        .max_by_key(|(_, items)| items.iter().map(|item| item.to_string().len()).sum::<usize>())
        .filter(|(_, items)| items.len() > 1)
        .map(|(key, items)| (map, key, items))
}

/// The text in pieces of [`LINE_CHARS`] characters.
fn lines(text: &str) -> Value {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let end = rest.char_indices().nth(LINE_CHARS).map_or(rest.len(), |(at, _)| at);
        let (piece, further) = rest.split_at(end);
        pieces.push(Value::from(piece));
        rest = further;
    }
    Value::Array(pieces)
}
