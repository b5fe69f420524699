//! Who we are: fixed credentials, or access tokens that a grant is traded for.

mod service_account;
mod service_account_key;
mod tokens;

use std::{fmt, sync::Arc, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use reqwest::{
    Url,
    header::{AUTHORIZATION, HeaderName, HeaderValue},
};
use secrecy::{ExposeSecret, SecretString};

use crate::{
    clock::Clock,
    connection::Auth,
    error::{CallError, FailureKind, Outcome},
    problem::Problem,
    settings::Settings,
    transport::{Proof, Transport},
};
pub use service_account_key::{ServiceAccountKey, Statement};
use tokens::Traded;

/// Keeps refresh tokens that a service exchanged for new ones: the old one is worth nothing any more.
pub trait RefreshKeeper: Send + Sync {
    /// What a service last gave in the place of the token that is configured, be it after several exchanges; `None` if it never did.
    fn kept(&self, configured: &SecretString) -> Option<SecretString>;
    /// Stores durably what a service gave in the place of the token that is configured.
    fn keep(&self, configured: &SecretString, refresh_token: &SecretString);
}

/// How a request proves who we are.
pub(crate) enum Credentials {
    None,
    Fixed(HeaderName, HeaderValue),
    Traded(Box<Traded>),
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Fixed(..) => "Fixed",
            Self::Traded(_) => "Traded",
        })
    }
}

impl Credentials {
    /// Credentials of these settings; problems are those of the settings.
    pub(crate) fn new(
        auth: Option<&Auth>,
        settings: &Settings,
        keeper: Option<Arc<dyn RefreshKeeper>>,
    ) -> Result<Self, Vec<Problem>> {
        let Some(auth) = auth else { return Ok(Self::None) };
        let one = |problem| vec![problem];
        let fixed = |name: HeaderName, value: &str, at: &str| match HeaderValue::from_str(value) {
            Ok(mut value) => {
                value.set_sensitive(true);
                Ok(Self::Fixed(name, value))
            }
            Err(_not_quoted) => {
                Err(vec![Problem::new(at, "the setting holds signs that no header may have, such as a line end")])
            }
        };
        if let Some(token) = &auth.bearer {
            let token = settings.credential(token, "/auth/bearer").map_err(one)?;
            return fixed(AUTHORIZATION, &format!("Bearer {}", token.expose_secret()), "/auth/bearer");
        }
        if let Some(header) = &auth.header {
            let value = settings.credential(&header.value, "/auth/header/value").map_err(one)?;
            let name = HeaderName::from_bytes(header.name.as_bytes())
                .map_err(|error| one(Problem::new("/auth/header/name", error.to_string())))?;
            return fixed(name, value.expose_secret(), "/auth/header/value");
        }
        if let Some(basic) = &auth.basic {
            let user = settings.open(&basic.user, "/auth/basic/user").map_err(one)?;
            let password = settings.credential(&basic.password, "/auth/basic/password").map_err(one)?;
            let pair = STANDARD.encode(format!("{user}:{}", password.expose_secret()));
            return fixed(AUTHORIZATION, &format!("Basic {pair}"), "/auth/basic");
        }
        let traded = match (&auth.oauth2_refresh, &auth.google_service_account) {
            (Some(oauth), _) => Traded::for_refresh_token(oauth, settings, keeper)?,
            (None, Some(google)) => Traded::for_service_account(google, settings)?,
            (None, None) => return Ok(Self::None),
        };
        Ok(Self::Traded(Box::new(traded)))
    }

    /// The proof for a request to `origin`. `refused` demands another token than that one (by its number): where somebody got
    /// another since, that one is given.
    pub(crate) async fn proof(
        &self,
        transport: &Transport,
        origin: &Url,
        refused: Option<u64>,
        clock: &dyn Clock,
        within: Duration,
    ) -> Result<Option<Proof>, CallError> {
        match self {
            Self::None => Ok(None),
            Self::Fixed(name, value) => {
                Ok(Some(Proof { name: name.clone(), value: value.clone(), origin: origin.clone(), number: 0 }))
            }
            Self::Traded(traded) => {
                let (token, number) = traded.access(transport, refused, clock, within).await?;
                let mut value =
                    HeaderValue::from_str(&format!("Bearer {}", token.expose_secret())).map_err(|_quoted| {
                        CallError::new(
                            FailureKind::Unreadable,
                            Outcome::NotDone,
                            "invalid access token; expected printable ASCII",
                        )
                    })?;
                value.set_sensitive(true);
                Ok(Some(Proof { name: AUTHORIZATION, value, origin: origin.clone(), number }))
            }
        }
    }

    /// Whether asking again with another token may help.
    pub(crate) const fn renewable(&self) -> bool {
        matches!(self, Self::Traded(_))
    }

    /// Secrets as they go over the network, to be struck from texts.
    pub(crate) async fn secrets(&self) -> Vec<SecretString> {
        match self {
            Self::None => Vec::new(),
            // As it is written, which for user and password is not as it was given.
            Self::Fixed(_, value) => value.to_str().map(SecretString::from).into_iter().collect(),
            Self::Traded(traded) => traded.secrets().await,
        }
    }
}
