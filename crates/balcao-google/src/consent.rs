//! The consent of a person: what is asked for, and what came back (RFC 6749 §4.1, with PKCE of RFC 7636 and a loopback address of
//! RFC 8252 §7.3).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::addresses::Addresses;

/// What stands before the name of every scope.
const PREFIX: &str = "https://www.googleapis.com/auth/";
/// Busy times, and the list from which an operator picks a calendar.
const BESIDE: [&str; 2] = ["calendar.freebusy", "calendar.calendarlist.readonly"];

/// The scopes that are asked for: the narrowest that do. With `shared`, also events of calendars that the account does not own.
#[must_use]
pub fn scopes(shared: bool) -> Vec<String> {
    let events = if shared { "calendar.events" } else { "calendar.events.owned" };
    std::iter::once(events).chain(BESIDE).map(|short| format!("{PREFIX}{short}")).collect()
}

/// The wanted scopes that were not granted: a person may untick each of them.
#[must_use]
pub fn missing_scopes(wanted: &[String], granted: &[String]) -> Vec<String> {
    wanted.iter().filter(|scope| !granted.contains(scope)).cloned().collect()
}

/// A consent that is asked for.
#[derive(Debug)]
pub struct Consent {
    address: Url,
    redirect_uri: String,
    state: String,
    verifier: SecretString,
}

/// A code, and what it can be exchanged with.
#[derive(Debug)]
pub struct GrantedCode {
    pub(crate) code: SecretString,
    pub(crate) redirect_uri: String,
    pub(crate) verifier: SecretString,
}

/// Why no code came back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConsentError {
    /// The person said no.
    #[error("the consent was denied")]
    Denied,
    /// The answer belongs to another request.
    #[error("invalid `state` in the answer; expected the one of this request: start again")]
    OtherRequest,
    /// The service refuses the request.
    #[error("the consent failed: {0}")]
    Failed(String),
    /// The answer has no code.
    #[error("`code` is missing in the answer")]
    NoCode,
}

impl Consent {
    /// Asks for scopes on behalf of a client. `random` makes the state and the verifier, and must come from the system.
    #[must_use]
    pub fn ask(
        addresses: &Addresses,
        client_id: &str,
        scopes: &[String],
        redirect_uri: &str,
        random: [u8; 64],
    ) -> Self {
        let (state, verifier) = random.split_at(32);
        let (state, verifier) = (URL_SAFE_NO_PAD.encode(state), URL_SAFE_NO_PAD.encode(verifier));
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&verifier));
        let mut address = addresses.consent.clone();
        address
            .query_pairs_mut()
            .append_pair("client_id", client_id)
            .append_pair("redirect_uri", redirect_uri)
            .append_pair("response_type", "code")
            .append_pair("scope", &scopes.join(" "))
            // Without the next two the second consent gives no refresh token.
            .append_pair("access_type", "offline")
            .append_pair("prompt", "consent")
            .append_pair("state", &state)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        Self { address, redirect_uri: redirect_uri.to_owned(), state, verifier: SecretString::from(verifier) }
    }

    /// The page on which the person answers.
    #[must_use]
    pub fn address(&self) -> &Url {
        &self.address
    }

    /// Whether a query holds the state of this request.
    #[must_use]
    pub fn is_answered_by(&self, query: &str) -> bool {
        let pairs = reqwest::Url::parse(&format!("http://localhost/?{query}"));
        let state = pairs
            .ok()
            .and_then(|url| url.query_pairs().find(|(name, _)| name == "state").map(|(_, value)| value.into_owned()));
        state.is_some_and(|state| bool::from(state.as_bytes().ct_eq(self.state.as_bytes())))
    }

    /// Reads the query of the redirect.
    ///
    /// # Errors
    /// [`ConsentError`]
    pub fn read_answer(&self, query: &str) -> Result<GrantedCode, ConsentError> {
        if !self.is_answered_by(query) {
            return Err(ConsentError::OtherRequest);
        }
        let url = Url::parse(&format!("http://localhost/?{query}"))
            .map_err(|error| ConsentError::Failed(error.to_string()))?;
        let value = |wanted: &str| {
            let mut pairs = url.query_pairs();
            pairs.find(|(name, value)| name == wanted && !value.is_empty()).map(|(_, value)| value.into_owned())
        };
        match value("error").as_deref() {
            None => {}
            Some("access_denied") => return Err(ConsentError::Denied),
            Some(other) => return Err(ConsentError::Failed(other.chars().take(100).collect())),
        }
        let code = value("code").ok_or(ConsentError::NoCode)?;
        let verifier = SecretString::from(self.verifier.expose_secret().to_owned());
        Ok(GrantedCode { code: SecretString::from(code), redirect_uri: self.redirect_uri.clone(), verifier })
    }
}
