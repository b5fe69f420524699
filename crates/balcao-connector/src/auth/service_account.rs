//! A Google service account: we say who we are, sign it, and get an access token for it (RFC 7523 §2.1; facts: Google Calendar, §3.2).

use jiff::Timestamp;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use reqwest::Url;
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
    key: EncodingKey,
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
            wrong(&format!("the setting is no key file (line {}, column {})", error.line(), error.column()))
        })?;
        if file.token_uri != account.token_url {
            let message = "the key file names another `token_uri` than `token_url` does: what we sign would go where the pack does not say";
            return Err(vec![Problem::new(at.as_str(), message)]);
        }
        let key = EncodingKey::from_rsa_pem(file.private_key.expose_secret().as_bytes())
            .map_err(|_secret| wrong("the `private_key` of the key file is no RSA key in PEM"))?;
        let subject = account.subject.as_ref().map(|subject| settings.open(subject, &format!("{base}/subject")));
        let subject = subject.transpose().map_err(|problem| vec![problem])?;
        let (email, key_id) = (file.client_email, file.private_key_id);
        Ok(Self { key, key_id, email, scope: account.scope.clone(), subject })
    }

    /// The signed statement, good for an hour from `now`.
    pub(super) fn assertion(&self, to: &Url, now: Timestamp) -> Result<SecretString, CallError> {
        let header = Header { kid: Some(self.key_id.clone()), ..Header::new(Algorithm::RS256) };
        let (iat, sub) = (now.as_second(), self.subject.as_deref());
        let exp = iat.saturating_add(HOLDS_S);
        let claims = Claims { iss: &self.email, scope: &self.scope, aud: to.as_str(), sub, iat, exp };
        let signed = jsonwebtoken::encode(&header, &claims, &self.key);
        signed.map(SecretString::from).map_err(|error| {
            CallError::new(FailureKind::Unauthorized, Outcome::NotDone, format!("the key cannot sign: {error}"))
        })
    }
}
