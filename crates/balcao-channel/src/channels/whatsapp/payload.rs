//! An [`Outbound`] as the Graph API wants it.

use serde_json::{Map, Value, json};

use crate::{
    channel::Recipient,
    outbound::{MediaSource, Outbound, OutboundContent, Section, Template, TemplateParameter},
};

/// The body of `POST /<account>/messages`; `None` if the recipient is neither a number nor a user id, or the file was not handed in.
pub(super) fn message(message: &Outbound, to: &Recipient) -> Option<Value> {
    let mut body = Map::new();
    body.insert("messaging_product".to_owned(), json!("whatsapp"));
    body.insert("recipient_type".to_owned(), json!("individual"));
    match to {
        Recipient::Number(number) => {
            let digits = number.as_str().strip_prefix('+').unwrap_or(number.as_str());
            let plain = (6..=20).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
            // Without the plus sign Meta puts the business's own country code before it.
            body.insert("to".to_owned(), json!(plain.then(|| format!("+{digits}"))?));
        }
        Recipient::User(user) => {
            let user = user.as_str();
            let plain = user.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
            body.insert("recipient".to_owned(), json!((plain && !user.is_empty()).then_some(user)?));
        }
    }
    if let Some(quote) = message.quote() {
        body.insert("context".to_owned(), json!({ "message_id": quote }));
    }
    if let Some(correlation) = message.correlation() {
        body.insert("biz_opaque_callback_data".to_owned(), json!(correlation.as_str()));
    }
    let (kind, part) = content(message.content())?;
    body.insert("type".to_owned(), json!(kind));
    body.insert(kind.to_owned(), part);
    Some(Value::Object(body))
}

/// The name of the kind, which is also the key of its part, and the part.
fn content(content: &OutboundContent) -> Option<(&'static str, Value)> {
    Some(match content {
        OutboundContent::Text { body, preview_url } => ("text", json!({ "body": body, "preview_url": preview_url })),
        OutboundContent::Media { media, source, caption, filename, voice } => {
            let source = match source {
                MediaSource::Uploaded(id) => ("id", json!(id)),
                MediaSource::Link(url) => ("link", json!(url)),
                MediaSource::Kept(_) | MediaSource::Inline(_) => return None,
            };
            let voice = voice.then_some(Value::Bool(true));
            (media.as_str(), object([Some(source), text("caption", caption), text("filename", filename)], voice))
        }
        OutboundContent::Location { latitude, longitude, name, address } => {
            let place =
                [Some(("latitude", json!(latitude))), Some(("longitude", json!(longitude))), text("name", name)];
            let mut place = object(place, None);
            put(&mut place, text("address", address));
            ("location", place)
        }
        OutboundContent::Template(used) => ("template", template(used)),
        OutboundContent::Mail { .. } => return None,
        OutboundContent::Buttons { .. } | OutboundContent::List { .. } | OutboundContent::AskNumber { .. } => {
            ("interactive", interactive(content).unwrap_or_default())
        }
    })
}

/// `None` for what is not interactive.
fn interactive(content: &OutboundContent) -> Option<Value> {
    let around = |kind: &str, header: Option<&String>, body: &str, footer: Option<&String>, action: Value| {
        let mut part = json!({ "type": kind });
        put(&mut part, header.map(|header| ("header", json!({ "type": "text", "text": header }))));
        put(&mut part, Some(("body", json!({ "text": body }))));
        put(&mut part, footer.map(|footer| ("footer", json!({ "text": footer }))));
        put(&mut part, Some(("action", action)));
        part
    };
    match content {
        OutboundContent::Buttons { header, body, footer, buttons } => {
            let button = |button: &crate::outbound::Button| json!({ "type": "reply", "reply": { "id": button.id, "title": button.title } });
            let action = json!({ "buttons": buttons.iter().map(button).collect::<Vec<_>>() });
            Some(around("button", header.as_ref(), body, footer.as_ref(), action))
        }
        OutboundContent::List { header, body, footer, open, sections } => {
            let action = json!({ "button": open, "sections": sections.iter().map(section).collect::<Vec<_>>() });
            Some(around("list", header.as_ref(), body, footer.as_ref(), action))
        }
        OutboundContent::AskNumber { body } => {
            Some(around("request_contact_info", None, body, None, json!({ "name": "request_contact_info" })))
        }
        OutboundContent::Text { .. }
        | OutboundContent::Media { .. }
        | OutboundContent::Location { .. }
        | OutboundContent::Template(_)
        | OutboundContent::Mail { .. } => None,
    }
}

fn section(section: &Section) -> Value {
    let row = |row: &crate::outbound::Row| {
        let parts =
            [Some(("id", json!(row.id))), Some(("title", json!(row.title))), text("description", &row.description)];
        object(parts, None)
    };
    let rows = section.rows.iter().map(row).collect::<Vec<_>>();
    object([text("title", &section.title), Some(("rows", json!(rows))), None], None)
}

fn template(template: &Template) -> Value {
    let Template { name, language, body, quick_replies } = template;
    let parameter = |parameter: &TemplateParameter| {
        let words = json!(parameter.text);
        object([Some(("type", json!("text"))), text("parameter_name", &parameter.name), Some(("text", words))], None)
    };
    let mut components = Vec::new();
    if !body.is_empty() {
        components.push(json!({ "type": "body", "parameters": body.iter().map(parameter).collect::<Vec<_>>() }));
    }
    components.extend(quick_replies.iter().enumerate().map(|(index, payload)| {
        json!({ "type": "button", "sub_type": "quick_reply", "index": index.to_string(),
            "parameters": [{ "type": "payload", "payload": payload }] })
    }));
    let mut part = json!({ "name": name, "language": { "code": language, "policy": "deterministic" } });
    put(&mut part, (!components.is_empty()).then(|| ("components", json!(components))));
    part
}

fn text<'a>(key: &'a str, value: &Option<String>) -> Option<(&'a str, Value)> {
    value.as_ref().map(|value| (key, json!(value)))
}

/// An object of those parts that exist.
fn object(parts: [Option<(&str, Value)>; 3], voice: Option<Value>) -> Value {
    let mut object = json!({});
    parts.into_iter().for_each(|part| put(&mut object, part));
    put(&mut object, voice.map(|voice| ("voice", voice)));
    object
}

fn put(object: &mut Value, part: Option<(&str, Value)>) {
    if let (Some((key, value)), Value::Object(object)) = (part, object) {
        object.insert(key.to_owned(), value);
    }
}
