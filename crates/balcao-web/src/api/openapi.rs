//! The OpenAPI 3.1 document, made of the endpoints.

use balcao_app::admin::keys::Scope;
use balcao_channel::file::own::served_types;
use serde_json::{Map, Value, json};

use super::DOCUMENT;
use super::endpoint::{Endpoint, Gives, REPLAYED, Takes};
use super::input;
use super::method::IDEMPOTENCY_KEY;
use super::schema::Components;

/// Refusals that every endpoint may give, by status: the name of the response, and when.
const COMMON: [(u16, &str, &str); 8] = [
    (
        400,
        "BadRequest",
        "The query, a header or the JSON cannot be read; `errors` says what is wrong with each parameter.",
    ),
    (401, "Unauthorized", "No key, or one that is unknown, expired or revoked."),
    (403, "Forbidden", "The key lacks the scope."),
    (406, "NotAcceptable", "The caller takes no JSON."),
    (429, "TooManyRequests", "The key's requests of this minute are used up."),
    (431, "HeadersTooLarge", "The headers are too large or too many; the answer has no body."),
    (500, "InternalError", "Something broke here; it was logged."),
    (
        503,
        "Unavailable",
        "The database is busy, or the request took too long; try again, with the same `Idempotency-Key`.",
    ),
];
/// Those of endpoints whose path names a thing, and of those that take a body.
const NOT_FOUND: (u16, &str, &str) = (404, "NotFound", "The organization has no such thing.");
const OF_BODIES: [(u16, &str, &str); 4] = [
    (408, "TooSlow", "The body took more than ten seconds."),
    (413, "TooLarge", "The body is larger than 1 MiB, or the largest file."),
    (415, "UnsupportedMediaType", "The body is not of the type that is asked for, or is compressed."),
    (
        422,
        "BadFields",
        "A field does not fit, or the `Idempotency-Key` was used for another request; `errors` names every bad field.",
    ),
];

/// The document of these endpoints.
pub(super) fn document(endpoints: &[Endpoint]) -> Value {
    let mut components = Components::new();
    let mut paths = Map::new();
    for endpoint in endpoints {
        let route = &endpoint.route;
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Some(methods) = path.as_object_mut() {
            methods.insert(route.method.as_str().to_owned(), operation(endpoint, &mut components));
        }
    }
    paths.insert(DOCUMENT.to_owned(), json!({ "get": of_itself() }));
    let mut schemas = components.all();
    schemas.insert("Problem".to_owned(), problem());
    schemas.insert("FieldProblem".to_owned(), field_problem());
    let groups: Vec<Value> = groups(endpoints).into_iter().map(|name| json!({ "name": name })).collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Balcão",
            "version": env!("CARGO_PKG_VERSION"),
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
            "description": "The front desk's API. A key belongs to one organization and has scopes; ids of others do not exist \
                            for it. Errors are `application/problem+json` (RFC 9457). Writes take an `Idempotency-Key`: the \
                            same request with the same key happens once and is answered alike. Lists are read page by page."
        },
        "servers": [{ "url": "/" }],
        "security": [{ "key": [] }],
        "tags": groups,
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": responses(),
            "securitySchemes": { "key": {
                "type": "http",
                "scheme": "bearer",
                "description": format!(
                    "A key that `balcao key create` made, `bk_…`. Scopes: {}.",
                    Scope::ALL.map(Scope::as_str).join(", ")
                )
            } }
        }
    })
}

fn groups(endpoints: &[Endpoint]) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for name in endpoints.iter().map(|endpoint| endpoint.route.group) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn operation(endpoint: &Endpoint, components: &mut Components) -> Value {
    let route = &endpoint.route;
    let (body, answer) = (endpoint.describe)(components);
    let scope = format!("Needs the scope `{}`.", route.scope.as_str());
    let description = if route.description.is_empty() { scope } else { format!("{} {scope}", route.description) };
    let mut operation = json!({
        "operationId": route.name,
        "tags": [route.group],
        "summary": route.summary,
        "description": description,
        "security": [{ "key": [] }],
        "x-scope": route.scope.as_str(),
        "parameters": parameters(endpoint),
        "responses": answers(endpoint, &answer)
    });
    let content = match (&endpoint.takes, &route.body) {
        (Takes::Json(_), Some(example)) => json!({ "application/json": { "schema": body, "example": example } }),
        (Takes::File(largest), _) => {
            json!({ input::FILE: { "schema": { "type": "string", "contentMediaType": input::FILE,
            "description": format!("The file itself, at most {largest} bytes.") } } })
        }
        (Takes::Json(_), None) | (Takes::Nothing, _) => return operation,
    };
    let required = !matches!(&endpoint.takes, Takes::Json(schema) if input::may_be_left_out(schema));
    if let Some(fields) = operation.as_object_mut() {
        fields.insert("requestBody".to_owned(), json!({ "required": required, "content": content }));
    }
    operation
}

fn parameters(endpoint: &Endpoint) -> Vec<Value> {
    let route = &endpoint.route;
    let mut all = Vec::new();
    if let Some(id) = route.id {
        all.push(json!({
            "name": "id", "in": "path", "required": true,
            "description": format!("The id of the {}.", id.kind),
            "schema": { "type": "string", "pattern": format!("^{}_[1-9][0-9]{{0,9}}$", id.prefix) },
            "example": format!("{}_1", id.prefix)
        }));
    }
    let query = endpoint.query.source();
    let required = query.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    for (name, schema) in query.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let description = schema.get("description").cloned().unwrap_or_default();
        let mut schema = schema.clone();
        if let Some(fields) = schema.as_object_mut() {
            fields.remove("description");
        }
        all.push(json!({ "name": name, "in": "query", "required": required.contains(&Value::from(name.as_str())),
            "description": description, "schema": schema }));
    }
    if !route.method.only_reads() {
        all.push(json!({
            "name": IDEMPOTENCY_KEY.as_str(), "in": "header", "required": false,
            "description": "Any text that is new for each request and the same for each repeat of it.",
            "schema": { "type": "string", "pattern": "^[!-~]{1,200}$" },
            "example": "5f0c7c2e-1"
        }));
    }
    all
}

fn answers(endpoint: &Endpoint, answer: &Value) -> Value {
    let (route, has_body) = (&endpoint.route, !matches!(endpoint.takes, Takes::Nothing));
    let mut all = Map::new();
    let mut success = match endpoint.gives {
        Gives::Json => json!({
            "description": "It is done, and this is the answer.",
            "content": { "application/json": { "schema": answer, "example": route.answer } }
        }),
        Gives::File => json!({
            "description": "The file, to be saved under the name in `Content-Disposition`.",
            "headers": { "Content-Disposition": { "description": "`attachment` and its name (RFC 6266).", "required": true,
                "schema": { "type": "string" } } },
            "content": served_types().map(|mime| (mime.to_owned(), json!({}))).collect::<Map<_, _>>()
        }),
    };
    if !route.method.only_reads()
        && let Some(fields) = success.as_object_mut()
    {
        let header = json!({ "description": "`true` if this was answered before: nothing was done now.",
            "schema": { "type": "string", "enum": ["true"] } });
        fields.insert("headers".to_owned(), json!({ REPLAYED: header }));
    }
    all.insert(route.success.to_string(), success);
    let of_bodies = OF_BODIES.iter().filter(|_| has_body);
    // A name in a query or a key that was used can be wrong where there is no body, too.
    let bad_fields = OF_BODIES.iter().filter(|(status, ..)| !has_body && !route.method.only_reads() && *status == 422);
    let not_found = Some(&NOT_FOUND).filter(|_| route.id.is_some());
    let of_json = |status: u16| endpoint.gives == Gives::Json || status != 406;
    for (status, name, _) in
        COMMON.iter().filter(|(status, ..)| of_json(*status)).chain(of_bodies).chain(bad_fields).chain(not_found)
    {
        all.insert(status.to_string(), json!({ "$ref": format!("#/components/responses/{name}") }));
    }
    for (status, when) in route.refusals {
        all.insert(status.to_string(), refusal(*status, when));
    }
    all.sort_keys();
    Value::Object(all)
}

fn responses() -> Value {
    let all = COMMON.iter().chain(&OF_BODIES).chain([&NOT_FOUND]);
    all.map(|(status, name, when)| ((*name).to_owned(), refusal(*status, when))).collect::<Map<_, _>>().into()
}

fn refusal(status: u16, when: &str) -> Value {
    if status == 431 {
        return json!({ "description": when });
    }
    let mut response = json!({
        "description": when,
        "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } }
    });
    let header = |name: &str, description: &str, kind: &str| json!({ name: { "description": description, "required": true, "schema": { "type": kind } } });
    let headers = match status {
        401 | 403 => header("WWW-Authenticate", "What is needed (RFC 6750).", "string"),
        429 | 503 | 504 => header("Retry-After", "Seconds until it is worth trying again.", "integer"),
        _ => return response,
    };
    if let Some(fields) = response.as_object_mut() {
        fields.insert("headers".to_owned(), headers);
    }
    response
}

fn of_itself() -> Value {
    json!({
        "operationId": "get_document",
        "summary": "This document",
        "description": "Needs no key.",
        "security": [],
        "responses": { "200": {
            "description": "The OpenAPI document.",
            "content": { "application/json": { "schema": { "type": "object", "required": ["openapi", "paths"] } } }
        } }
    })
}

fn problem() -> Value {
    json!({
        "type": "object",
        "description": "What was wrong, and what would be right (RFC 9457).",
        "required": ["type", "title", "status", "detail"],
        "additionalProperties": false,
        "properties": {
            "type": { "type": "string", "description": "`about:blank`, or `urn:balcao:problem:` and `code`." },
            "title": { "type": "string", "description": "The kind of problem, in a few words." },
            "status": { "type": "integer", "minimum": 400, "maximum": 599, "description": "The status." },
            "detail": { "type": "string", "description": "This problem, in a sentence for people." },
            "code": { "type": "string", "description": "The kind of problem, for programs." },
            "errors": {
                "type": "array",
                "description": "One entry per bad field.",
                "items": { "$ref": "#/components/schemas/FieldProblem" }
            },
            "facts": { "type": "object", "description": "What is known besides, such as `alternatives`." }
        },
        "examples": [{
            "type": "urn:balcao:problem:slot_taken", "title": "Slot taken", "code": "slot_taken", "status": 409,
            "detail": "somebody else has that time",
            "facts": { "alternatives": [{ "professional": "Davi Lopes", "date": "2026-11-24", "start": "11:00" }] }
        }]
    })
}

fn field_problem() -> Value {
    json!({
        "type": "object",
        "description": "One bad field.",
        "required": ["pointer", "problem", "expected"],
        "additionalProperties": false,
        "properties": {
            "pointer": { "type": "string", "description": "JSON pointer of the field, or `/` and the parameter's name." },
            "problem": { "type": "string", "description": "`missing`, `unknown_field`, `wrong_type`, `out_of_range`, …" },
            "expected": { "type": "string", "description": "What would be right." },
            "got": { "description": "What came, cut to a readable length." },
            "nearest": { "description": "The nearest valid value or name." }
        },
        "examples": [{ "pointer": "/tex", "problem": "unknown_field", "expected": "one of conversation, text, contact",
            "nearest": "text" }]
    })
}
