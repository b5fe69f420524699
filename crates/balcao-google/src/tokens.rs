//! Access tokens of every business: one refresh in flight for each, a minute before the old token ends.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use balcao_app::context::calendar_service::{DisconnectCause, ServiceError};
use balcao_connector::{ServiceAccountKey, Statement};
use balcao_domain::{Clock, OrganizationId};
use jiff::{SignedDuration, Timestamp};
use secrecy::SecretString;
use tokio::time::{Instant, timeout_at};

use crate::consent::scopes;
use crate::credentials::{Credential, Credentials, Grant};
use crate::oauth::{Given, OAuth, OAuthError};

/// How long before its end a token is renewed.
const EARLY: SignedDuration = SignedDuration::from_secs(60);
/// The age at which grants die while the consent screen is in testing.
const TESTING: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The tokens, and what they are got with.
pub(crate) struct Tokens {
    oauth: OAuth,
    credentials: Arc<dyn Credentials>,
    clock: Arc<dyn Clock>,
    token_url: String,
    slots: Mutex<BTreeMap<OrganizationId, Arc<tokio::sync::Mutex<Slot>>>>,
}

#[derive(Default)]
struct Slot {
    token: Option<Held>,
    /// How many tokens there were: a caller that was refused with an earlier one takes the present one.
    number: u64,
}

struct Held {
    token: SecretString,
    until: Timestamp,
    fingerprint: [u8; 32],
}

/// A token to be used for one request.
pub(crate) struct AccessToken {
    pub(crate) token: SecretString,
    pub(crate) number: u64,
    /// The cause if the API refuses a fresh token, too.
    pub(crate) if_refused: DisconnectCause,
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").field("credentials", &self.credentials).finish_non_exhaustive()
    }
}

impl Tokens {
    pub(crate) fn new(oauth: OAuth, token_url: &str, credentials: Arc<dyn Credentials>, clock: Arc<dyn Clock>) -> Self {
        Self { oauth, credentials, clock, token_url: token_url.to_owned(), slots: Mutex::default() }
    }

    /// The instant by the clock that tokens are judged by.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The credential of a business.
    ///
    /// # Errors
    /// [`ServiceError::Disconnected`] if the business has none.
    pub(crate) fn credential(&self, organization: OrganizationId) -> Result<Credential, ServiceError> {
        let cause = DisconnectCause::NotConnected;
        let found = self.credentials.find(organization);
        found.map_err(|reason| ServiceError::Disconnected { cause, reason })?.ok_or_else(|| {
            ServiceError::Disconnected {
                cause,
                reason: "the business is not connected; `balcao calendar connect` does it".to_owned(),
            }
        })
    }

    /// A token that is good for a minute at least. `refused` is the number of a token that the API did not take.
    pub(crate) async fn access(
        &self,
        organization: OrganizationId,
        refused: Option<u64>,
        until: Instant,
    ) -> Result<AccessToken, ServiceError> {
        let credential = self.credential(organization)?;
        let if_refused = match &credential {
            Credential::ServiceAccount { .. } => DisconnectCause::RefusedKey,
            Credential::Grant(_) => DisconnectCause::DeadGrant,
        };
        let slot = self.slot(organization);
        let mut slot = timeout_at(until, slot.lock()).await.map_err(|_elapsed| ServiceError::Unavailable {
            reason: "another request waits for an access token".to_owned(),
            retry_after_ms: None,
        })?;
        let fingerprint = credential.fingerprint();
        let fresh = |held: &&Held| held.fingerprint == fingerprint && self.now() < held.until;
        if refused != Some(slot.number)
            && let Some(held) = slot.token.as_ref().filter(fresh)
        {
            return Ok(AccessToken { token: held.token.clone(), number: slot.number, if_refused });
        }
        slot.token = None;
        let given = self.trade(organization, &credential, until).await?;
        let ends = self.now().saturating_add(given.lives.saturating_sub(EARLY)).unwrap_or(Timestamp::MAX);
        slot.token = Some(Held { token: given.access_token.clone(), until: ends, fingerprint });
        slot.number = slot.number.saturating_add(1);
        Ok(AccessToken { token: given.access_token, number: slot.number, if_refused })
    }

    fn slot(&self, organization: OrganizationId) -> Arc<tokio::sync::Mutex<Slot>> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(slots.entry(organization).or_default())
    }

    async fn trade(
        &self,
        organization: OrganizationId,
        credential: &Credential,
        until: Instant,
    ) -> Result<Given, ServiceError> {
        match credential {
            Credential::Grant(grant) => {
                let given = self.oauth.refresh(grant, until).await.map_err(|error| self.of_grant(grant, &error))?;
                if let Some(new) = &given.refresh_token
                    && let Err(error) = self.credentials.replace(organization, grant, new)
                {
                    // The call goes on; after the next start the old token may be worth nothing.
                    tracing::error!(%organization, error, "a new refresh token was not stored");
                }
                Ok(given)
            }
            Credential::ServiceAccount { key_file, subject } => {
                let refused = |reason| ServiceError::Disconnected { cause: DisconnectCause::RefusedKey, reason };
                let key = ServiceAccountKey::read(key_file).map_err(refused)?;
                if key.token_url() != self.token_url {
                    let found = key.token_url();
                    let expected = &self.token_url;
                    return Err(refused(format!(
                        "invalid `token_uri` `{found}` in the key file; expected `{expected}`"
                    )));
                }
                // A calendar that people share with the account is not the account's own.
                let scope = scopes(true).join(" ");
                let statement = Statement { scope: &scope, subject: subject.as_deref(), audience: &self.token_url };
                let assertion = key.sign(statement, self.now()).map_err(refused)?;
                self.oauth.assert(&assertion, until).await.map_err(|error| self.of_key(&error))
            }
        }
    }

    fn of_grant(&self, grant: &Grant, error: &OAuthError) -> ServiceError {
        let is_young = grant.granted_at.is_some_and(|at| self.now().duration_since(at) < TESTING);
        let (cause, why) = if is_young {
            (
                DisconnectCause::DeadGrant,
                "the person or an administrator revoked it, or the account has too many grants",
            )
        } else {
            (
                DisconnectCause::OldGrant,
                "the consent screen is in testing, where every grant dies after seven days (publish it), or the person or an \
                 administrator revoked it, or nothing used it for six months",
            )
        };
        explained(error, cause, || why.to_owned())
    }

    fn of_key(&self, error: &OAuthError) -> ServiceError {
        let skew = error.skew(self.now());
        explained(error, DisconnectCause::RefusedKey, || match skew {
            Some(skew) => {
                format!("the service's clock is {} s ahead of the clock of this machine: set it (NTP)", skew.as_secs())
            }
            None => "the key was deleted, the account does not exist, or the clock of this machine is wrong".to_owned(),
        })
    }
}

/// What an error of the token endpoint means; `why` gives likely causes of `invalid_grant`.
fn explained(error: &OAuthError, dead: DisconnectCause, why: impl FnOnce() -> String) -> ServiceError {
    let reason = error.to_string();
    let apart = |cause| ServiceError::Disconnected { cause, reason: reason.clone() };
    match error {
        OAuthError::Unreached { retry_after_ms, .. } => {
            ServiceError::Unavailable { reason, retry_after_ms: *retry_after_ms }
        }
        OAuthError::Incomplete { .. } => ServiceError::Unavailable { reason, retry_after_ms: None },
        OAuthError::Refused { error, .. } => match error.as_str() {
            "invalid_grant" => {
                ServiceError::Disconnected { cause: dead, reason: format!("{reason}; likely: {}", why()) }
            }
            "invalid_scope" | "unauthorized_client" | "access_denied" | "admin_policy_enforced" => {
                apart(DisconnectCause::MissingScope)
            }
            "invalid_client" | "deleted_client" | "disabled_client" => apart(DisconnectCause::RefusedKey),
            "org_internal" => apart(DisconnectCause::DeadGrant),
            _ => ServiceError::Refused { reason },
        },
    }
}
