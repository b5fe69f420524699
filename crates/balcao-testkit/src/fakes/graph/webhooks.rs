//! Bodies as Meta posts them, and their signature. All names and numbers are invented.

use std::io::{Read, Write};
use std::net::TcpStream;

use balcao_domain::{Clock, SystemClock};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::ACCOUNT;
use crate::wait;

/// The business account that [`envelope`] names.
pub const BUSINESS: &str = "9001";

/// The value of `X-Hub-Signature-256` for these bytes.
#[must_use]
pub fn sign(app_secret: &str, body: &[u8]) -> String {
    // HMAC takes keys of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(app_secret.as_bytes()) else { return String::new() };
    mac.update(body);
    let hex: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={hex}")
}

/// The current time in Meta's format. It reads the machine's clock, because the built program, which receives it, does so, too.
#[must_use]
pub fn now() -> String {
    SystemClock.now().as_second().to_string()
}

/// Posts a body, signed, to the webhook at an address such as `127.0.0.1:4711`; the status, or `None` if no answer came.
#[must_use]
pub fn post(address: &str, app_secret: &str, body: &Value) -> Option<u16> {
    let body = body.to_string().into_bytes();
    let head = format!(
        "POST /webhooks/whatsapp HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\
         X-Hub-Signature-256: {}\r\n\r\n",
        body.len(),
        sign(app_secret, &body)
    );
    let mut stream = TcpStream::connect(address).ok()?;
    wait::patiently(&stream).ok()?;
    stream.write_all(&[head.as_bytes(), &body].concat()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    answer.split(' ').nth(1)?.parse().ok()
}

/// A body with one change of this field. `metadata` is put into its value.
#[must_use]
pub fn envelope(field: &str, mut value: Value) -> Value {
    if let Value::Object(value) = &mut value {
        value.insert("messaging_product".to_owned(), json!("whatsapp"));
        let metadata = json!({ "display_phone_number": "551130001000", "phone_number_id": ACCOUNT });
        value.insert("metadata".to_owned(), metadata);
    }
    json!({ "object": "whatsapp_business_account", "entry": [{ "id": BUSINESS, "changes": [{ "field": field, "value": value }] }] })
}

/// A body with one message of João, 41 98765-4321, whose WhatsApp number lacks the ninth digit. `message` has what is
/// special about it: `type` and its part; `from`, `from_user_id`, `id` and `timestamp` are put in where they are missing.
#[must_use]
pub fn message(id: &str, message: Value) -> Value {
    let mut whole =
        json!({ "from": "554187654321", "from_user_id": "BR.1234567890", "id": id, "timestamp": "1795182300" });
    if let (Value::Object(whole), Value::Object(message)) = (&mut whole, message) {
        whole.extend(message);
    }
    let contact = json!({ "profile": { "name": "João", "username": "@joao.s" }, "wa_id": "554187654321",
        "user_id": "BR.1234567890" });
    envelope("messages", json!({ "contacts": [contact], "messages": [whole] }))
}

/// A body with one text of João.
#[must_use]
pub fn text(id: &str, body: &str) -> Value {
    message(id, json!({ "type": "text", "text": { "body": body } }))
}

/// A body with one status of a message to João. `more` is put into the status.
#[must_use]
pub fn status(id: &str, status: &str, more: Value) -> Value {
    let mut whole = json!({ "id": id, "status": status, "timestamp": "1795182330", "recipient_id": "554187654321",
        "recipient_user_id": "BR.1234567890" });
    if let (Value::Object(whole), Value::Object(more)) = (&mut whole, more) {
        whole.extend(more);
    }
    envelope("messages", json!({ "statuses": [whole] }))
}
