//! The token endpoint, and the end of a grant.

use jiff::{SignedDuration, Timestamp};
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tokio::time::Instant;

use crate::addresses::Addresses;
use crate::consent::GrantedCode;
use crate::credentials::Grant;
use crate::limits::Limits;
use crate::transport::{Answer, Silence, Transport};

/// Characters of a service's own words that are repeated.
const MOST_WORDS: usize = 200;
/// How far clocks may differ before what is signed is refused.
const SKEW: SignedDuration = SignedDuration::from_secs(60);

/// Why the token endpoint gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OAuthError {
    /// It did not answer, or failed.
    #[error("the token endpoint does not answer: {reason}")]
    Unreached {
        /// For staff.
        reason: String,
        /// When to try again, in milliseconds from now, if it said so.
        retry_after_ms: Option<u64>,
    },
    /// It refused.
    #[error("the token endpoint refuses: {}", line(error, description))]
    Refused {
        /// The code of RFC 6749 §5.2, for example `invalid_grant`.
        error: String,
        /// The service's words, possibly empty.
        description: String,
        /// The service's clock at that moment, if it said so.
        server_time: Option<Timestamp>,
    },
    /// It gave something else than a token.
    #[error("the token endpoint answered without `{missing}`")]
    Incomplete {
        /// What is missing.
        missing: &'static str,
    },
}

fn line(error: &str, description: &str) -> String {
    if description.is_empty() { error.to_owned() } else { format!("{error}: {description}") }
}

impl OAuthError {
    /// How far the service's clock is ahead of `now`, if that is more than a minute either way.
    pub(crate) fn skew(&self, now: Timestamp) -> Option<SignedDuration> {
        let Self::Refused { server_time: Some(there), .. } = self else { return None };
        Some(there.duration_since(now)).filter(|skew| skew.abs() > SKEW)
    }
}

/// What a consent gave.
#[derive(Debug)]
pub struct OAuthGrant {
    /// The token from which access tokens are got, until the grant ends.
    pub refresh_token: SecretString,
    /// The scopes that were really granted.
    pub scopes: Vec<String>,
}

/// An access token as the endpoint gives it.
pub(crate) struct Given {
    pub(crate) access_token: SecretString,
    pub(crate) lives: SignedDuration,
    pub(crate) refresh_token: Option<SecretString>,
    scope: Option<String>,
}

/// A client of the token endpoint.
#[derive(Debug, Clone)]
pub struct OAuth {
    transport: Transport,
    addresses: Addresses,
}

impl OAuth {
    /// A client of the endpoints at these addresses.
    ///
    /// # Errors
    /// TLS or the resolver cannot be set up.
    pub fn new(addresses: Addresses, limits: Limits) -> Result<Self, reqwest::Error> {
        Ok(Self { transport: Transport::new(&addresses, limits)?, addresses })
    }

    pub(crate) fn over(transport: Transport, addresses: Addresses) -> Self {
        Self { transport, addresses }
    }

    /// Exchanges the code of a consent. A code is good once.
    ///
    /// # Errors
    /// [`OAuthError`]
    pub async fn exchange(
        &self,
        client_id: &str,
        client_secret: &SecretString,
        granted: &GrantedCode,
    ) -> Result<OAuthGrant, OAuthError> {
        let form = [
            ("grant_type", "authorization_code"),
            ("code", granted.code.expose_secret()),
            ("client_id", client_id),
            ("client_secret", client_secret.expose_secret()),
            ("redirect_uri", &granted.redirect_uri),
            ("code_verifier", granted.verifier.expose_secret()),
        ];
        let given = self.tokens(&form, self.deadline()).await?;
        let refresh_token = given.refresh_token.ok_or(OAuthError::Incomplete { missing: "refresh_token" })?;
        let scopes =
            given.scope.unwrap_or_default().split(' ').filter(|one| !one.is_empty()).map(str::to_owned).collect();
        Ok(OAuthGrant { refresh_token, scopes })
    }

    /// Ends a grant. One that ended already is fine.
    ///
    /// # Errors
    /// [`OAuthError`]
    pub async fn revoke(&self, refresh_token: &SecretString) -> Result<(), OAuthError> {
        let form = [("token", refresh_token.expose_secret())];
        match self.post(&self.addresses.revoke, &form, self.deadline()).await {
            Err(OAuthError::Refused { error, .. }) if error == "invalid_token" => Ok(()),
            other => other.map(drop),
        }
    }

    pub(crate) async fn refresh(&self, grant: &Grant, until: Instant) -> Result<Given, OAuthError> {
        let form = [
            ("grant_type", "refresh_token"),
            ("refresh_token", grant.refresh_token.expose_secret()),
            ("client_id", &grant.client_id),
            ("client_secret", grant.client_secret.expose_secret()),
        ];
        self.tokens(&form, until).await
    }

    pub(crate) async fn assert(&self, assertion: &SecretString, until: Instant) -> Result<Given, OAuthError> {
        let form =
            [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion.expose_secret())];
        self.tokens(&form, until).await
    }

    fn deadline(&self) -> Instant {
        Instant::now() + self.transport.limits.whole
    }

    async fn tokens(&self, form: &[(&str, &str)], until: Instant) -> Result<Given, OAuthError> {
        let body = self.post(&self.addresses.token, form, until).await?;
        let text = |key: &str| body.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
        let access_token = text("access_token").ok_or(OAuthError::Incomplete { missing: "access_token" })?.into();
        let lives =
            body.get("expires_in").and_then(Value::as_i64).ok_or(OAuthError::Incomplete { missing: "expires_in" })?;
        let (lives, refresh_token) = (SignedDuration::from_secs(lives), text("refresh_token").map(SecretString::from));
        Ok(Given { access_token, lives, refresh_token, scope: text("scope") })
    }

    async fn post(&self, to: &Url, form: &[(&str, &str)], until: Instant) -> Result<Value, OAuthError> {
        let request = self.transport.client.post(to.clone()).form(form);
        let unreached =
            |reason: &str, retry_after_ms| OAuthError::Unreached { reason: reason.to_owned(), retry_after_ms };
        let answer = match self.transport.send(request, until).await {
            Ok(answer) => answer,
            Err(Silence::NotSent(why) | Silence::Lost(why)) => return Err(unreached(why, None)),
        };
        let body = balcao_json::read_within(&answer.body, 8, 1_000).ok();
        let Answer { status, retry_after_ms, date, .. } = answer;
        match (status, body) {
            (200, Some(body)) => Ok(body),
            (200, None) => Err(unreached("the answer cannot be read", None)),
            (429 | 500.., _) => Err(unreached(&format!("status {status}"), retry_after_ms)),
            (_, body) => {
                let text = |key: &str| {
                    let text = body.as_ref().and_then(|body| body.get(key)?.as_str());
                    text.map(|text| text.chars().take(MOST_WORDS).collect::<String>())
                };
                let error = text("error").unwrap_or_else(|| format!("status {status}"));
                let description = text("error_description").unwrap_or_default();
                Err(OAuthError::Refused { error, description, server_time: date })
            }
        }
    }
}
