//! The key file of a Google service account, and the statements that it signs (RFC 7523, section 2.1).

use std::fmt;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::Timestamp;
use ring::{
    rand::SystemRandom,
    signature::{RSA_PKCS1_SHA256, RsaKeyPair},
};
use rustls_pki_types::{PrivateKeyDer, pem::PemObject};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

/// How long a statement holds, in seconds: the longest that Google takes.
const HOLDS_S: i64 = 3_600;

/// A service account that can sign who it is. `Debug` shows its address alone.
pub struct ServiceAccountKey {
    key: RsaKeyPair,
    key_id: String,
    email: String,
    token_url: String,
}

/// What an account asks for.
#[derive(Debug, Clone, Copy)]
pub struct Statement<'a> {
    /// The scopes, with spaces between them.
    pub scope: &'a str,
    /// The person of the domain in whose name the account acts; `None` if it acts in its own.
    pub subject: Option<&'a str>,
    /// The address of the token endpoint.
    pub audience: &'a str,
}

/// Levels of arrays and objects of a key file; Google writes one.
const MOST_LEVELS: usize = 8;

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

impl fmt::Debug for ServiceAccountKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceAccountKey").field("email", &self.email).finish_non_exhaustive()
    }
}

impl ServiceAccountKey {
    /// Reads a key file, the text of JSON that Google's console gives out.
    ///
    /// # Errors
    /// The text is not such a file, or holds another key than one of RSA. The error repeats nothing of the file.
    pub fn read(file: &SecretString) -> Result<Self, String> {
        let read = balcao_json::read_text(file.expose_secret(), MOST_LEVELS).map_err(|fault| match fault {
            balcao_json::Fault::Malformed { line, column, .. } => {
                format!("invalid key file (line {line}, column {column})")
            }
            other @ (balcao_json::Fault::TooDeep { .. }
            | balcao_json::Fault::TooMany { .. }
            | balcao_json::Fault::TooLarge { .. }
            | balcao_json::Fault::KeyTwice { .. }) => format!("invalid key file: {other}"),
        })?;
        // What the reader of types says may repeat a value.
        let file: KeyFile = serde_json::from_value(read).map_err(|_secret| {
            "invalid key file; expected the texts `client_email`, `private_key`, `private_key_id` and `token_uri`"
                .to_owned()
        })?;
        let key = rsa_key(&file.private_key)?;
        Ok(Self { key, key_id: file.private_key_id, email: file.client_email, token_url: file.token_uri })
    }

    /// The address of the account, with which people share calendars.
    #[must_use]
    pub fn email(&self) -> &str {
        &self.email
    }

    /// The token endpoint that the file names.
    #[must_use]
    pub fn token_url(&self) -> &str {
        &self.token_url
    }

    /// Signs a statement that is good for an hour from `now`.
    ///
    /// # Errors
    /// The key cannot sign.
    pub fn sign(&self, statement: Statement<'_>, now: Timestamp) -> Result<SecretString, String> {
        let header = Header { typ: "JWT", alg: "RS256", kid: &self.key_id };
        let Statement { scope, subject: sub, audience: aud } = statement;
        let iat = now.as_second();
        let claims = Claims { iss: &self.email, scope, aud, sub, iat, exp: iat.saturating_add(HOLDS_S) };
        let cannot = |error: &dyn fmt::Display| format!("the key cannot sign: {error}");
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
fn rsa_key(pem: &SecretString) -> Result<RsaKeyPair, String> {
    let none = "invalid `private_key` in the key file; expected an RSA key in PEM";
    let read = match PrivateKeyDer::from_pem_slice(pem.expose_secret().as_bytes()) {
        Ok(PrivateKeyDer::Pkcs8(key)) => RsaKeyPair::from_pkcs8(key.secret_pkcs8_der()),
        Ok(PrivateKeyDer::Pkcs1(key)) => RsaKeyPair::from_der(key.secret_pkcs1_der()),
        Ok(_) | Err(_) => return Err(none.to_owned()),
    };
    read.map_err(|_secret| "invalid `private_key` in the key file; expected an RSA key of 2048 to 4096 bits".to_owned())
}

fn encoded(part: &impl Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_vec(part).map(|json| URL_SAFE_NO_PAD.encode(json))
}
