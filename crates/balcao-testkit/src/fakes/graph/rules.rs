//! What Meta's documentation demands of a request.

use std::collections::HashSet;

use serde_json::Value;

use crate::fakes::multipart;

/// A broken rule, as Meta answers it.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) code: i64,
    pub(super) details: String,
}

pub(super) type Verdict = Result<(), Broken>;

pub(super) fn broken(code: i64, details: impl Into<String>) -> Broken {
    Broken { code, details: details.into() }
}

pub(super) fn demand(holds: bool, code: i64, details: &str) -> Verdict {
    if holds { Ok(()) } else { Err(broken(code, details)) }
}

/// The text at this path, 1 to `max` letters.
fn words<'a>(value: &'a Value, path: &str, max: usize) -> Result<&'a str, Broken> {
    let text = value.pointer(path).and_then(Value::as_str);
    let text = text.ok_or_else(|| broken(131_008, format!("Parameter {path} is required.")))?;
    let length = text.chars().count();
    let fits = (1..=max).contains(&length) && !text.trim().is_empty();
    if fits {
        Ok(text)
    } else {
        Err(broken(131_009, format!("{path} has {length} characters; allowed are 1 to {max}.")))
    }
}

fn optional(value: &Value, path: &str, max: usize) -> Verdict {
    if value.pointer(path).is_some() { words(value, path, max).map(|_text| ()) } else { Ok(()) }
}

fn items<'a>(value: &'a Value, path: &str, max: usize) -> Result<&'a [Value], Broken> {
    let items = value.pointer(path).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    demand((1..=max).contains(&items.len()), 131_009, &format!("{path} needs 1 to {max} items."))?;
    Ok(items)
}

/// A body of `POST /messages` that sends something.
pub(super) fn message(body: &Value) -> Verdict {
    let text = |key: &str| body.get(key).and_then(Value::as_str);
    demand(text("messaging_product") == Some("whatsapp"), 100, "messaging_product must be whatsapp.")?;
    demand(text("recipient_type") == Some("individual"), 100, "recipient_type must be individual.")?;
    recipient(text("to"), text("recipient"))?;
    optional(body, "/context/message_id", 256)?;
    optional(body, "/biz_opaque_callback_data", 512)?;
    let kind = words(body, "/type", 20)?;
    let part = body.get(kind).ok_or_else(|| broken(131_008, format!("Parameter {kind} is required.")))?;
    match kind {
        "text" => words(part, "/body", 4096).map(|_text| ()),
        "image" | "video" | "audio" | "document" | "sticker" => media(kind, part),
        "location" => location(part),
        "contacts" => items(body, "/contacts", 257)?.iter().try_for_each(|card| {
            words(card, "/name/formatted_name", 1000)?;
            words(card, "/phones/0/phone", 30).map(|_text| ())
        }),
        "reaction" => words(part, "/message_id", 256).map(|_text| ()),
        "interactive" => interactive(part),
        "template" => template(part),
        _ => Err(broken(131_009, format!("type {kind} is unknown."))),
    }?;
    let known =
        ["messaging_product", "recipient_type", "to", "recipient", "type", "context", "biz_opaque_callback_data"];
    let stranger =
        body.as_object().into_iter().flatten().find(|(key, _)| *key != kind && !known.contains(&key.as_str()));
    demand(stranger.is_none(), 100, &format!("Unexpected key {:?}.", stranger.map(|(key, _)| key)))
}

fn recipient(to: Option<&str>, user: Option<&str>) -> Verdict {
    let number = |to: &str| {
        to.strip_prefix('+')
            .is_some_and(|digits| (7..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let scoped = |user: &str| {
        user.split_once('.').is_some_and(|(country, rest)| {
            country.len() == 2
                && (1..=128).contains(&rest.len())
                && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    };
    match (to, user) {
        (Some(to), None) => demand(number(to), 131_009, "to is not a number with a plus sign and its country code."),
        (None, Some(user)) => demand(scoped(user), 131_009, "recipient is not a user id."),
        (Some(_), Some(_)) => Err(broken(131_009, "to and recipient are both given.")),
        (None, None) => Err(broken(131_008, "Neither to nor recipient is given.")),
    }
}

fn media(kind: &str, part: &Value) -> Verdict {
    let (id, link) = (part.get("id"), part.get("link").and_then(Value::as_str));
    demand(id.is_some() != link.is_some(), 131_009, "A file has either an id or a link.")?;
    demand(link.is_none_or(|link| link.starts_with("https://")), 131_009, "A link must be https.")?;
    let captioned = matches!(kind, "image" | "video" | "document");
    demand(captioned || part.get("caption").is_none(), 131_009, "This kind has no caption.")?;
    demand(kind == "document" || part.get("filename").is_none(), 131_009, "Only documents have a filename.")?;
    demand(kind == "audio" || part.get("voice").is_none(), 131_009, "Only audio has voice.")?;
    optional(part, "/caption", 1024)
}

fn location(part: &Value) -> Verdict {
    let degrees = |key: &str, max: f64| part.get(key).and_then(Value::as_f64).is_some_and(|value| value.abs() <= max);
    demand(degrees("latitude", 90.0) && degrees("longitude", 180.0), 131_009, "Invalid place.")
}

fn interactive(part: &Value) -> Verdict {
    words(part, "/body/text", 1024)?;
    optional(part, "/footer/text", 60)?;
    if part.get("header").is_some() {
        demand(
            part.pointer("/header/type").and_then(Value::as_str) == Some("text"),
            131_009,
            "header.type is unknown.",
        )?;
        words(part, "/header/text", 60)?;
    }
    let name = part.pointer("/action/name").and_then(Value::as_str);
    match words(part, "/type", 40)? {
        "button" => buttons(part),
        "list" => list(part),
        "cta_url" => {
            demand(name == Some("cta_url"), 131_009, "action.name is not cta_url.")?;
            words(part, "/action/parameters/display_text", 20)?;
            words(part, "/action/parameters/url", 2000).map(|_text| ())
        }
        "location_request_message" => {
            demand(name == Some("send_location"), 131_009, "action.name is not send_location.")
        }
        "request_contact_info" => demand(name == Some("request_contact_info"), 131_009, "action.name is wrong."),
        other => Err(broken(131_009, format!("interactive.type {other} is unknown."))),
    }
}

fn buttons(part: &Value) -> Verdict {
    let mut seen = HashSet::new();
    for button in items(part, "/action/buttons", 3)? {
        demand(button.get("type").and_then(Value::as_str) == Some("reply"), 131_009, "A button's type is reply.")?;
        let (id, title) = (words(button, "/reply/id", 256)?, words(button, "/reply/title", 20)?);
        demand(seen.insert(("id", id)) && seen.insert(("title", title)), 131_009, "Buttons must differ.")?;
    }
    Ok(())
}

fn list(part: &Value) -> Verdict {
    words(part, "/action/button", 20)?;
    let sections = items(part, "/action/sections", 10)?;
    let mut seen = HashSet::new();
    for section in sections {
        optional(section, "/title", 24)?;
        demand(sections.len() == 1 || section.get("title").is_some(), 131_009, "Several sections need titles.")?;
        for row in items(section, "/rows", 10)? {
            let id = words(row, "/id", 200)?;
            words(row, "/title", 24)?;
            optional(row, "/description", 72)?;
            demand(seen.insert(id), 131_009, "Rows must differ.")?;
        }
    }
    demand(seen.len() <= 10, 131_009, "A list has at most 10 rows in all sections.")
}

fn template(part: &Value) -> Verdict {
    words(part, "/name", 512)?;
    words(part, "/language/code", 10)?;
    for component in part.get("components").and_then(Value::as_array).into_iter().flatten() {
        let kind = component.get("type").and_then(Value::as_str);
        if kind == Some("button") {
            demand(component.get("index").is_some_and(Value::is_string), 132_012, "A button's index is a text.")?;
        }
        for parameter in items(component, "/parameters", 30)? {
            let text = parameter.get("text").or_else(|| parameter.get("payload")).and_then(Value::as_str);
            let text = text.ok_or_else(|| broken(132_000, "A parameter has no text."))?;
            let one_line = !text.is_empty() && !text.contains(['\n', '\t']) && !text.contains("     ");
            demand(one_line, 132_018, "A parameter holds a line break, a tab or many spaces.")?;
        }
    }
    Ok(())
}

/// A body of `POST /messages` that marks a message as read.
pub(super) fn mark(body: &Value) -> Verdict {
    let text = |key: &str| body.get(key).and_then(Value::as_str);
    demand(text("messaging_product") == Some("whatsapp"), 100, "messaging_product must be whatsapp.")?;
    demand(text("status") == Some("read"), 131_009, "status must be read.")?;
    demand(text("message_id").is_some_and(|id| id.starts_with("wamid.")), 131_009, "message_id is unknown.")?;
    let typing = body.get("typing_indicator");
    let fits = typing.is_none_or(|typing| typing.get("type").and_then(Value::as_str) == Some("text"));
    demand(fits, 131_009, "typing_indicator.type must be text.")
}

/// The largest file of each kind, in bytes.
const LARGEST: [(&str, usize); 5] =
    [("image", 5 << 20), ("audio", 16 << 20), ("video", 16 << 20), ("document", 100 << 20), ("sticker", 500 << 10)];

/// Whether a message of this kind may show a file of this type.
pub(super) fn is_of_kind(kind: &str, mime: &str) -> bool {
    let bare = mime.split(';').next().unwrap_or_default();
    let office = |format: &str| bare == format!("application/vnd.openxmlformats-officedocument.{format}");
    match kind {
        "image" => matches!(bare, "image/jpeg" | "image/png"),
        "audio" => matches!(bare, "audio/aac" | "audio/amr" | "audio/mpeg" | "audio/mp4" | "audio/ogg"),
        "video" => matches!(bare, "video/mp4" | "video/3gpp"),
        "sticker" => bare == "image/webp",
        "document" => {
            matches!(bare, "text/plain" | "application/pdf" | "application/msword")
                || matches!(bare, "application/vnd.ms-excel" | "application/vnd.ms-powerpoint")
                || office("wordprocessingml.document")
                || office("spreadsheetml.sheet")
                || office("presentationml.presentation")
        }
        _ => false,
    }
}

/// Type and bytes of the file in the multipart body of an upload.
pub(super) fn upload(content_type: &str, body: &[u8]) -> Result<(String, Vec<u8>), Broken> {
    let fields =
        multipart::fields(content_type, body).ok_or_else(|| broken(100, "The body is not multipart/form-data."))?;
    let field = |name: &str| fields.iter().find(|(head, _)| head.contains(&format!("name=\"{name}\"")));
    let text = |name: &str| field(name).map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned());
    demand(text("messaging_product").as_deref() == Some("whatsapp"), 100, "messaging_product must be whatsapp.")?;
    let mime = text("type").ok_or_else(|| broken(131_008, "Parameter type is required."))?;
    let (head, bytes) = field("file").ok_or_else(|| broken(131_008, "Parameter file is required."))?;
    let same = head.to_ascii_lowercase().contains(&format!("content-type: {mime}"));
    demand(same && head.contains("filename=\""), 131_053, "The file's type is not the type that was given.")?;
    let largest = LARGEST.iter().find(|(kind, _)| is_of_kind(kind, &mime)).map(|(_, largest)| *largest);
    let largest = largest.ok_or_else(|| broken(131_053, "Media of this type are not taken."))?;
    demand(!bytes.is_empty() && bytes.len() <= largest, 131_053, "The file is empty, or too large for its type.")?;
    Ok((mime, bytes.to_vec()))
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
