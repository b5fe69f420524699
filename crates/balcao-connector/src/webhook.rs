//! What a service sends on its own: whether it is the service that sends, and whether it was here before. Without I/O.

use hmac::{Hmac, KeyInit, Mac};
use schemars::JsonSchema;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::{
    fields::{check_header_name, check_pointer},
    problem::{self, Problem},
    strike::Striker,
    template::plain,
};

/// How a service signs its deliveries and names its changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deliveries {
    /// The header that holds HMAC-SHA-256 over the raw body, in hexadecimal digits.
    #[serde(default)]
    pub signature_header: Option<String>,
    /// The header that holds a secret as it is, for what the service sends without a signature.
    #[serde(default)]
    pub secret_header: Option<String>,
    /// What stands before the digits, such as `sha256=`.
    #[serde(default)]
    pub prefix: String,
    /// JSON pointers to what tells one delivery from another. Where one is absent, the whole body does, for as long as services repeat
    /// what got no answer.
    pub once: Vec<String>,
    /// JSON pointers to what names the change that is told of: several deliveries may tell of one.
    #[serde(default)]
    pub change: Vec<String>,
    /// The processor of the pack that reads a delivery; without one it is handed on as it came.
    #[serde(default)]
    pub processor: Option<String>,
}

/// What a delivery proves itself with. While a secret is exchanged for another, both are there.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    /// What bodies are signed with.
    pub signing: Vec<SecretString>,
    /// What `secret_header` may hold. None of them signs: whoever sees it in a header could sign with it.
    pub shown: Vec<SecretString>,
}

impl Keys {
    /// Without a key nobody can prove anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.signing.is_empty() && self.shown.is_empty()
    }

    /// Finds these secrets in what a service says.
    #[must_use]
    pub fn striker(&self) -> Striker {
        Striker::new(self.signing.iter().chain(&self.shown).map(ExposeSecret::expose_secret))
    }
}

/// A delivery that was sent by who knows the secret.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    /// The same for a delivery that is sent again, different for any other.
    pub once: String,
    /// Whether `once` is what the service calls the delivery. Otherwise it is made of the bytes, and two deliveries may have the same.
    pub named: bool,
    /// The same for all deliveries of one change, if the service names it.
    pub change: Option<String>,
    /// What was sent.
    pub body: Value,
}

/// Why a delivery is refused. Says nothing of the secret, nor of how near a signature came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// No signature.
    #[error("the delivery is not signed")]
    Unsigned,
    /// A wrong one.
    #[error("the signature does not fit")]
    Forged,
    /// It is signed, and no JSON object.
    #[error("invalid delivery; expected a JSON object")]
    Unreadable,
}

impl Deliveries {
    /// Reads it from YAML's or JSON's values.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(value: &Value) -> Result<Self, Vec<Problem>> {
        let read: Self = problem::read(value)?;
        let problems = read.problems();
        if problems.is_empty() { Ok(read) } else { Err(problems) }
    }

    pub(crate) fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (name, header) in [("signature_header", &self.signature_header), ("secret_header", &self.secret_header)] {
            if let Some(header) = header {
                check_header_name(header, &format!("/{name}"), &mut problems);
            }
        }
        if self.signature_header.is_none() && self.secret_header.is_none() {
            let found = Problem::new("", "nothing proves who sends a delivery");
            problems.push(found.suggest("name the `signature_header`, or a `secret_header`"));
        }
        if self.once.is_empty() {
            problems.push(
                Problem::new("/once", "nothing tells deliveries apart").suggest("name a JSON pointer such as `/id`"),
            );
        }
        for (list, pointers) in [("once", &self.once), ("change", &self.change)] {
            for (index, pointer) in pointers.iter().enumerate() {
                check_pointer(Some(pointer), &format!("/{list}/{index}"), &mut problems);
            }
        }
        problems
    }

    /// The headers by which a delivery may prove itself, for which there are keys. The first that is there decides: what is signed
    /// wrongly is not saved by a secret.
    #[must_use]
    pub fn headers(&self, keys: &Keys) -> Vec<&str> {
        let signed = self.signature_header.as_deref().filter(|_| !keys.signing.is_empty());
        let secret = self.secret_header.as_deref().filter(|_| !keys.shown.is_empty());
        signed.into_iter().chain(secret).collect()
    }

    /// Judges a delivery by the bytes that came and what one of [`Self::headers`] held.
    ///
    /// # Errors
    /// [`Refused`]: nothing of the delivery may be looked at.
    pub fn judge(&self, keys: &Keys, header: &str, held: &str, body: &[u8]) -> Result<Delivery, Refused> {
        let is = |name: &Option<String>| name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(header));
        if is(&self.signature_header) && !keys.signing.is_empty() {
            return self.accept(&keys.signing, Some(held), body);
        }
        if !is(&self.secret_header) {
            return Err(Refused::Unsigned);
        }
        // Digests are compared, so that time tells nothing of a secret's length either.
        let held = Sha256::digest(held.as_bytes());
        let same = |secret: &SecretString| {
            let secret = secret.expose_secret();
            !secret.is_empty() & bool::from(Sha256::digest(secret.as_bytes()).as_slice().ct_eq(held.as_slice()))
        };
        let fits = keys.shown.iter().fold(false, |fits, secret| fits | same(secret));
        if fits { self.read_body(body) } else { Err(Refused::Forged) }
    }

    /// Judges a delivery by the bytes that came and the signature that came with them.
    ///
    /// # Errors
    /// [`Refused`]: nothing of the delivery may be looked at.
    pub fn accept(&self, secrets: &[SecretString], signature: Option<&str>, body: &[u8]) -> Result<Delivery, Refused> {
        let signature = signature.map(str::trim).filter(|text| !text.is_empty()).ok_or(Refused::Unsigned)?;
        let claimed = signature.strip_prefix(&self.prefix).and_then(digits).ok_or(Refused::Forged)?;
        // Every secret is tried, whichever fits: time tells nothing.
        let fits = secrets.iter().fold(false, |fits, secret| fits | is_signed(secret, body, &claimed));
        if fits { self.read_body(body) } else { Err(Refused::Forged) }
    }

    /// Reads what somebody sent who has proven to be the one.
    fn read_body(&self, body: &[u8]) -> Result<Delivery, Refused> {
        let value = balcao_json::read_delivered(body, crate::limits::MAX_LEVELS)
            .ok()
            .filter(Value::is_object)
            .ok_or(Refused::Unreadable)?;
        let called = key(&self.once, &value);
        let named = called.is_some();
        let once = called.unwrap_or_else(|| hexadecimal(&Sha256::digest(body)));
        let change = if self.change.is_empty() { None } else { key(&self.change, &value) };
        Ok(Delivery { once, named, change, body: value })
    }
}

fn is_signed(secret: &SecretString, body: &[u8], claimed: &[u8]) -> bool {
    // No key is too long or too short for HMAC; an empty secret is none.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes()) else { return false };
    mac.update(body);
    let made = mac.finalize().into_bytes();
    !secret.expose_secret().is_empty() && bool::from(made.as_slice().ct_eq(claimed))
}

/// What stands at those places; nothing that stands there can look like two.
fn key(pointers: &[String], value: &Value) -> Option<String> {
    let parts: Option<Vec<String>> = pointers.iter().map(|pointer| value.pointer(pointer).and_then(plain)).collect();
    parts.map(|parts| Value::from(parts).to_string())
}

fn digits(text: &str) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    if bytes.len() != 64 || !bytes.iter().all(|digit| digit.is_ascii_hexdigit() && !digit.is_ascii_uppercase()) {
        return None;
    }
    let pair = |pair: &[u8]| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok());
    bytes.chunks(2).map(pair).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
#[path = "webhook_tests.rs"]
mod tests;
