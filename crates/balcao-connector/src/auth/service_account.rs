//! A Google service account: we say who we are, sign it, and get an access token for it (RFC 7523 §2.1; facts: Google Calendar, §3.2).

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::Timestamp;
use reqwest::Url;
use ring::{
    rand::SystemRandom,
    signature::{RSA_PKCS1_SHA256, RsaKeyPair},
};
use rustls_pki_types::{PrivateKeyDer, pem::PemObject};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use crate::{
    connection::ServiceAccount,
    error::{CallError, FailureKind, Outcome},
    problem::Problem,
    settings::Settings,
};

/// How long a statement holds, in seconds: the longest that Google takes.
const HOLDS_S: i64 = 3_600;

/// Whoever signs for an account.
pub(super) struct Signer {
    key: RsaKeyPair,
    key_id: String,
    email: String,
    scope: String,
    subject: Option<String>,
}

/// What of an account's key file is needed.
#[derive(Deserialize)]
struct KeyFile {
    client_email: String,
    private_key: SecretString,
    private_key_id: String,
    token_uri: String,
}

/// How it is signed: RFC 7515 §4.1, with RS256 of RFC 7518 §3.3, the one way that Google takes.
#[derive(Serialize)]
struct Header<'a> {
    typ: &'static str,
    alg: &'static str,
    kid: &'a str,
}

/// What is stated.
#[derive(Serialize)]
struct Claims<'a> {
    iss: &'a str,
    scope: &'a str,
    aud: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sub: Option<&'a str>,
    iat: i64,
    exp: i64,
}

impl Signer {
    /// No problem repeats anything of the key file.
    pub(super) fn new(account: &ServiceAccount, settings: &Settings, base: &str) -> Result<Self, Vec<Problem>> {
        let at = format!("{base}/key");
        let wrong = |message: &str| {
            let mend = "give the whole key file of the account, as Google wrote it: a JSON object with `client_email`, `private_key`, \
                        `private_key_id` and `token_uri`";
            vec![Problem::new(at.as_str(), message).suggest(mend)]
        };
        let file = settings.credential(&account.key, &at).map_err(|problem| vec![problem])?;
        let file: KeyFile = serde_json::from_str(file.expose_secret()).map_err(|error| {
            wrong(&format!("invalid key file in the setting (line {}, column {})", error.line(), error.column()))
        })?;
        if file.token_uri != account.token_url {
            let message = "the key file names another `token_uri` than `token_url` does: what we sign would go where the pack does not say";
            return Err(vec![Problem::new(at.as_str(), message)]);
        }
        let key = rsa_key(&file.private_key).map_err(wrong)?;
        let subject = account.subject.as_ref().map(|subject| settings.open(subject, &format!("{base}/subject")));
        let subject = subject.transpose().map_err(|problem| vec![problem])?;
        let (email, key_id) = (file.client_email, file.private_key_id);
        Ok(Self { key, key_id, email, scope: account.scope.clone(), subject })
    }

    /// The signed statement, good for an hour from `now`.
    pub(super) fn assertion(&self, to: &Url, now: Timestamp) -> Result<SecretString, CallError> {
        let header = Header { typ: "JWT", alg: "RS256", kid: &self.key_id };
        let (iat, sub) = (now.as_second(), self.subject.as_deref());
        let exp = iat.saturating_add(HOLDS_S);
        let claims = Claims { iss: &self.email, scope: &self.scope, aud: to.as_str(), sub, iat, exp };
        let stated = encoded(&header).and_then(|header| Ok(format!("{header}.{}", encoded(&claims)?)));
        let stated = stated.map_err(|error| cannot(&error))?;
        let mut signature = vec![0; self.key.public().modulus_len()];
        // Chance only hides from a neighbour how long it takes; the signature is the same each time.
        let signed = self.key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), stated.as_bytes(), &mut signature);
        signed.map_err(|error| cannot(&error))?;
        Ok(SecretString::from(format!("{stated}.{}", URL_SAFE_NO_PAD.encode(signature))))
    }
}

/// The key in a text in PEM: PKCS#8, as Google writes it, or PKCS#1.
fn rsa_key(pem: &SecretString) -> Result<RsaKeyPair, &'static str> {
    let none = "invalid `private_key` in the key file; expected an RSA key in PEM";
    let read = match PrivateKeyDer::from_pem_slice(pem.expose_secret().as_bytes()) {
        Ok(PrivateKeyDer::Pkcs8(key)) => RsaKeyPair::from_pkcs8(key.secret_pkcs8_der()),
        Ok(PrivateKeyDer::Pkcs1(key)) => RsaKeyPair::from_der(key.secret_pkcs1_der()),
        Ok(_) | Err(_) => return Err(none),
    };
    read.map_err(|_secret| "invalid `private_key` in the key file; expected an RSA key of 2048 to 4096 bits")
}

fn encoded(part: &impl Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_vec(part).map(|json| URL_SAFE_NO_PAD.encode(json))
}

fn cannot(error: &dyn std::fmt::Display) -> CallError {
    CallError::new(FailureKind::Unauthorized, Outcome::NotDone, format!("the key cannot sign: {error}"))
}

#[cfg(test)]
#[path = "service_account_tests.rs"]
mod tests;
