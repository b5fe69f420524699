//! Access tokens, and the grant that they are got for.

use std::{sync::Arc, time::Duration};

use reqwest::{Method, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tokio::sync::Mutex;

use super::{RefreshKeeper, service_account::Signer};
use crate::{
    clock::Clock,
    command::Response,
    connection::{Errors, OAuth2Refresh, ServiceAccount, address},
    error::{CallError, FailureKind, Outcome},
    held::Held,
    problem::Problem,
    request::{Body, Request},
    settings::Settings,
    transport::Transport,
};

/// How long before its end a token is renewed.
const EARLY: Duration = Duration::from_secs(30);

/// Longest answer of a token endpoint, in bytes.
const MAX_TOKEN_BYTES: usize = 256 * 1024;

/// Access tokens that a grant is traded for.
pub(crate) struct Traded {
    url: Url,
    /// One trade at a time: two would invalidate each other where refresh tokens rotate.
    tokens: Mutex<Tokens>,
}

struct Tokens {
    grant: Grant,
    access: Option<(SecretString, Option<Duration>)>,
    /// How many access tokens there were: whoever was refused with an earlier one takes the present one.
    number: u64,
}

/// What access tokens are got for.
enum Grant {
    /// A refresh token (RFC 6749 §6).
    Refresh {
        configured: SecretString,
        token: SecretString,
        client_id: String,
        client_secret: Option<SecretString>,
        scope: Option<String>,
        keeper: Option<Arc<dyn RefreshKeeper>>,
    },
    /// A statement of ours that we sign anew each time (RFC 7523 §2.1).
    Signed(Box<Signer>),
}

impl Traded {
    pub(super) fn for_refresh_token(
        oauth: &OAuth2Refresh,
        settings: &Settings,
        keeper: Option<Arc<dyn RefreshKeeper>>,
    ) -> Result<Self, Vec<Problem>> {
        let base = "/auth/oauth2_refresh";
        let mut problems = Vec::new();
        let mut take = |found: Result<SecretString, Problem>| found.map_err(|problem| problems.push(problem)).ok();
        let token = take(settings.credential(&oauth.refresh_token, &format!("{base}/refresh_token")));
        let secret = oauth.client_secret.as_ref();
        let client_secret =
            secret.and_then(|secret| take(settings.credential(secret, &format!("{base}/client_secret"))));
        let client_id = take(settings.credential(&oauth.client_id, &format!("{base}/client_id")));
        let url = endpoint(&oauth.token_url, base).map_err(|problem| problems.push(problem)).ok();
        let (Some(configured), Some(client_id), Some(url), true) = (token, client_id, url, problems.is_empty()) else {
            return Err(problems);
        };
        let (client_id, scope) = (client_id.expose_secret().to_owned(), oauth.scope.clone());
        let token = keeper.as_ref().and_then(|keeper| keeper.kept(&configured)).unwrap_or_else(|| configured.clone());
        Ok(Self::new(url, Grant::Refresh { configured, token, client_id, client_secret, scope, keeper }))
    }

    pub(super) fn for_service_account(google: &ServiceAccount, settings: &Settings) -> Result<Self, Vec<Problem>> {
        let base = "/auth/google_service_account";
        let url = endpoint(&google.token_url, base).map_err(|problem| vec![problem])?;
        let signer = Signer::new(google, settings, base)?;
        Ok(Self::new(url, Grant::Signed(Box::new(signer))))
    }

    fn new(url: Url, grant: Grant) -> Self {
        Self { url, tokens: Mutex::new(Tokens { grant, access: None, number: 0 }) }
    }

    /// A token, and its number. `refused` is the number of one that was refused: another one is got.
    pub(super) async fn access(
        &self,
        transport: &Transport,
        refused: Option<u64>,
        clock: &dyn Clock,
        within: Duration,
    ) -> Result<(SecretString, u64), CallError> {
        let mut tokens = self.tokens.lock().await;
        if refused == Some(tokens.number) {
            tokens.access = None;
        }
        if let Some((access, until)) = &tokens.access
            && until.is_none_or(|until| clock.elapsed() < until)
        {
            return Ok((access.clone(), tokens.number));
        }
        let answer = match self.trade(transport, &tokens.grant, clock, within).await {
            // Another program may have exchanged it.
            Err(error) if error.kind == FailureKind::Unauthorized && tokens.grant.look_again() => {
                self.trade(transport, &tokens.grant, clock, within).await?
            }
            traded => traded?,
        };
        let word =
            |key: &str| answer.get(key).and_then(Value::as_str).filter(|word| !word.is_empty()).map(SecretString::from);
        let Some(access) = word("access_token") else {
            let detail = "the token endpoint gave no access token";
            return Err(CallError::new(FailureKind::Unreadable, Outcome::NotDone, detail));
        };
        let lives = answer.get("expires_in").and_then(Value::as_u64).map(Duration::from_secs);
        let until = lives.map(|lives| clock.elapsed().saturating_add(lives.saturating_sub(EARLY)));
        if let (Grant::Refresh { configured, token, keeper, .. }, Some(new)) =
            (&mut tokens.grant, word("refresh_token"))
            && new.expose_secret() != token.expose_secret()
        {
            if let Some(keeper) = keeper {
                keeper.keep(configured, &new);
            }
            *token = new;
        }
        tokens.access = Some((access.clone(), until));
        tokens.number = tokens.number.saturating_add(1);
        Ok((access, tokens.number))
    }

    async fn trade(
        &self,
        transport: &Transport,
        grant: &Grant,
        clock: &dyn Clock,
        within: Duration,
    ) -> Result<Value, CallError> {
        let form = grant.form(&self.url, clock)?;
        let request =
            Request { method: Method::POST, url: self.url.clone(), headers: Vec::new(), body: Body::Form(form) };
        let held = Held::new(MAX_TOKEN_BYTES);
        let sent = transport.send(&request, None, 0, |_| false, &held, within).await;
        let errors = Errors { code: Some("/error".to_owned()), ..Errors::default() };
        let read =
            sent.and_then(|answer| answer.read(&Response::default(), &errors, false, held.values_left(), clock.now()));
        read.map_err(|error| {
            // RFC 6749 §5.2: 400 with `invalid_grant` or `invalid_client` says that the connection is over.
            let over = error.status.is_some_and(|status| (400..500).contains(&status) && status != 429);
            let kind = if over { FailureKind::Unauthorized } else { error.kind };
            // Whatever became of the tokens: the call itself was not sent.
            // And its status is not the service's, so another token does not help.
            CallError { kind, outcome: Outcome::NotDone, status: None, ..error }
        })
    }

    /// Secrets as they go over the network.
    pub(super) async fn secrets(&self) -> Vec<SecretString> {
        let tokens = self.tokens.lock().await;
        let refresh = match &tokens.grant {
            Grant::Refresh { token, .. } => Some(token.clone()),
            // What is signed serves once, and its key is among the settings.
            Grant::Signed(_) => None,
        };
        tokens.access.iter().map(|(access, _)| access.clone()).chain(refresh).collect()
    }
}

impl Grant {
    /// Takes the refresh token that is kept, if it is another one than ours; tells whether it was.
    fn look_again(&mut self) -> bool {
        let Self::Refresh { configured, token, keeper: Some(keeper), .. } = self else { return false };
        let other = keeper.kept(configured).filter(|kept| kept.expose_secret() != token.expose_secret());
        other.map(|kept| *token = kept).is_some()
    }

    fn form(&self, url: &Url, clock: &dyn Clock) -> Result<Vec<(String, String)>, CallError> {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        match self {
            Self::Refresh { token, client_id, client_secret, scope, configured: _, keeper: _ } => {
                let mut form = vec![
                    pair("grant_type", "refresh_token"),
                    pair("refresh_token", token.expose_secret()),
                    pair("client_id", client_id),
                ];
                form.extend(client_secret.as_ref().map(|secret| pair("client_secret", secret.expose_secret())));
                form.extend(scope.as_ref().map(|scope| pair("scope", scope)));
                Ok(form)
            }
            Self::Signed(signer) => {
                let assertion = signer.assertion(url, clock.now())?;
                Ok(vec![
                    pair("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
                    pair("assertion", assertion.expose_secret()),
                ])
            }
        }
    }
}

fn endpoint(url: &str, base: &str) -> Result<Url, Problem> {
    address(url).map_err(|message| Problem::new(format!("{base}/token_url"), message))
}
