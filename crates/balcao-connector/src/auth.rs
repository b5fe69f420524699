//! Who we are: fixed credentials, or access tokens that a refresh token is traded for.

use std::{fmt, sync::Arc, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use reqwest::{
    Method, Url,
    header::{AUTHORIZATION, HeaderName, HeaderValue},
};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tokio::sync::Mutex;

use crate::{
    command::Response,
    connection::{Auth, Errors, OAuth2Refresh, address},
    error::{CallError, FailureKind, Outcome},
    problem::Problem,
    request::{Body, Request},
    settings::Settings,
    transport::{Proof, Transport},
};

/// Keeps refresh tokens that a service exchanged for new ones: the old one is worth nothing any more.
pub trait RefreshKeeper: Send + Sync {
    /// Stores the new refresh token durably.
    fn keep(&self, refresh_token: &SecretString);
}

/// How a request proves who we are.
pub(crate) enum Credentials {
    None,
    Fixed(HeaderName, HeaderValue),
    Refreshed(Box<Refreshed>),
}

/// Access tokens by OAuth 2.
pub(crate) struct Refreshed {
    url: Url,
    client_id: String,
    client_secret: Option<SecretString>,
    scope: Option<String>,
    /// One refresh at a time: two would invalidate each other where refresh tokens rotate.
    tokens: Mutex<Tokens>,
    keeper: Option<Arc<dyn RefreshKeeper>>,
}

struct Tokens {
    refresh: SecretString,
    access: Option<(SecretString, Option<Duration>)>,
    /// How many access tokens there were: whoever was refused with an earlier one takes the present one.
    number: u64,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Fixed(..) => "Fixed",
            Self::Refreshed(_) => "Refreshed",
        })
    }
}

/// How long before its end a token is no longer used.
const EARLY: Duration = Duration::from_secs(30);

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
        match &auth.oauth2_refresh {
            Some(oauth) => {
                Refreshed::new(oauth, settings, keeper).map(|refreshed| Self::Refreshed(Box::new(refreshed)))
            }
            None => Ok(Self::None),
        }
    }

    /// The proof for a request to `origin`. `refused` demands another token than that one (by its number): where somebody got
    /// another since, that one is given.
    pub(crate) async fn proof(
        &self,
        transport: &Transport,
        origin: &Url,
        refused: Option<u64>,
        now: Duration,
        within: Duration,
    ) -> Result<Option<Proof>, CallError> {
        match self {
            Self::None => Ok(None),
            Self::Fixed(name, value) => {
                Ok(Some(Proof { name: name.clone(), value: value.clone(), origin: origin.clone(), number: 0 }))
            }
            Self::Refreshed(refreshed) => {
                let (token, number) = refreshed.access(transport, refused, now, within).await?;
                let mut value =
                    HeaderValue::from_str(&format!("Bearer {}", token.expose_secret())).map_err(|_quoted| {
                        CallError::new(FailureKind::Unreadable, Outcome::NotDone, "the access token is no token")
                    })?;
                value.set_sensitive(true);
                Ok(Some(Proof { name: AUTHORIZATION, value, origin: origin.clone(), number }))
            }
        }
    }

    /// Whether asking again with another token may help.
    pub(crate) const fn renewable(&self) -> bool {
        matches!(self, Self::Refreshed(_))
    }

    /// Secrets as they go over the network, to be struck from texts.
    pub(crate) async fn secrets(&self) -> Vec<SecretString> {
        match self {
            Self::None => Vec::new(),
            // As it is written, which for user and password is not as it was given.
            Self::Fixed(_, value) => value.to_str().map(SecretString::from).into_iter().collect(),
            Self::Refreshed(refreshed) => {
                let tokens = refreshed.tokens.lock().await;
                let access = tokens.access.iter().map(|(access, _)| access.clone());
                access.chain([tokens.refresh.clone()]).collect()
            }
        }
    }
}

impl Refreshed {
    fn new(
        oauth: &OAuth2Refresh,
        settings: &Settings,
        keeper: Option<Arc<dyn RefreshKeeper>>,
    ) -> Result<Self, Vec<Problem>> {
        let base = "/auth/oauth2_refresh";
        let mut problems = Vec::new();
        let mut take = |found: Result<SecretString, Problem>| found.map_err(|problem| problems.push(problem)).ok();
        let refresh = take(settings.credential(&oauth.refresh_token, &format!("{base}/refresh_token")));
        let secret = oauth.client_secret.as_ref();
        let client_secret =
            secret.and_then(|secret| take(settings.credential(secret, &format!("{base}/client_secret"))));
        let client_id = take(settings.credential(&oauth.client_id, &format!("{base}/client_id")));
        let url = address(&oauth.token_url)
            .map_err(|message| problems.push(Problem::new(format!("{base}/token_url"), message)))
            .ok();
        let (Some(refresh), Some(client_id), Some(url), true) = (refresh, client_id, url, problems.is_empty()) else {
            return Err(problems);
        };
        let tokens = Mutex::new(Tokens { refresh, access: None, number: 0 });
        let client_id = client_id.expose_secret().to_owned();
        Ok(Self { url, client_id, client_secret, scope: oauth.scope.clone(), tokens, keeper })
    }

    pub(crate) async fn access(
        &self,
        transport: &Transport,
        refused: Option<u64>,
        now: Duration,
        within: Duration,
    ) -> Result<(SecretString, u64), CallError> {
        let mut tokens = self.tokens.lock().await;
        if refused == Some(tokens.number) {
            tokens.access = None;
        }
        if let Some((access, until)) = &tokens.access
            && until.is_none_or(|until| now < until)
        {
            return Ok((access.clone(), tokens.number));
        }
        let answer = self.trade(transport, &tokens.refresh, within).await?;
        let word =
            |key: &str| answer.get(key).and_then(Value::as_str).filter(|word| !word.is_empty()).map(SecretString::from);
        let Some(access) = word("access_token") else {
            let detail = "the token endpoint gave no access token";
            return Err(CallError::new(FailureKind::Unreadable, Outcome::NotDone, detail));
        };
        let lives = answer.get("expires_in").and_then(Value::as_u64).map(Duration::from_secs);
        let until = lives.map(|lives| now.saturating_add(lives.saturating_sub(EARLY)));
        if let Some(refresh) = word("refresh_token")
            && refresh.expose_secret() != tokens.refresh.expose_secret()
        {
            if let Some(keeper) = &self.keeper {
                keeper.keep(&refresh);
            }
            tokens.refresh = refresh;
        }
        tokens.access = Some((access.clone(), until));
        tokens.number = tokens.number.saturating_add(1);
        Ok((access, tokens.number))
    }

    async fn trade(&self, transport: &Transport, refresh: &SecretString, within: Duration) -> Result<Value, CallError> {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut form = vec![
            pair("grant_type", "refresh_token"),
            pair("refresh_token", refresh.expose_secret()),
            pair("client_id", &self.client_id),
        ];
        form.extend(self.client_secret.as_ref().map(|secret| pair("client_secret", secret.expose_secret())));
        form.extend(self.scope.as_ref().map(|scope| pair("scope", scope)));
        let request =
            Request { method: Method::POST, url: self.url.clone(), headers: Vec::new(), body: Body::Form(form) };
        let sent = transport.send(&request, None, 0, |_| false, within).await;
        let errors = Errors { code: Some("/error".to_owned()), ..Errors::default() };
        let read = sent.and_then(|answer| answer.read(&Response::default(), &errors, false));
        read.map_err(|error| {
            // RFC 6749 §5.2: 400 with `invalid_grant` or `invalid_client` says that the connection is over.
            let over = error.status.is_some_and(|status| (400..500).contains(&status) && status != 429);
            let kind = if over { FailureKind::Unauthorized } else { error.kind };
            // Whatever became of the tokens: the call itself was not sent.
            // And its status is not the service's: another token is no cure for it.
            CallError { kind, outcome: Outcome::NotDone, status: None, ..error }
        })
    }
}
