//! Keys of the HTTP API: made, listed, revoked, recognised; and how many requests each may make.
//!
//! A key is shown once, when it is made. Only its SHA-256 is stored: 32 random bytes need no slow hash, because an attacker cannot
//! try them out. It is found by its first characters and compared in constant time.
//!
//! Requests are counted in the database, per minute and key, over all replicas. A process takes a share of the minute's at a
//! time, so that reading costs no write each; what it took and did not use is lost with the minute.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use balcao_domain::{ApiKeyId, OrganizationId};
use balcao_store::ops::api_key::{self, ApiKey, NewApiKey};
use balcao_store::ops::audit::{self, AuditEntry};
pub use balcao_store::turns::ledger::EffectKey;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::hash::sha256_hex;

/// What every key begins with.
const MARK: &str = "bk_";
/// So many characters of a key find and show it; the rest stays 28 bytes strong.
const PREFIX_CHARS: usize = 9;
/// A process takes this part of a minute's requests at a time.
const SHARES: u32 = 20;
/// Longest name of a key, in characters.
const MAX_NAME_CHARS: usize = 100;
/// Requests per minute of a key that says nothing else.
pub const USUAL_PER_MINUTE: u32 = 600;

/// What a key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Have turns run: write as a contact, and get the reply.
    Turn,
    /// Read everything that the API shows.
    Read,
    /// Change contacts and appointments.
    Write,
    /// Act as staff in conversations.
    Inbox,
    /// Change the business: hours, services, people, knowledge.
    Business,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 5] = [Self::Turn, Self::Read, Self::Write, Self::Inbox, Self::Business];

    /// The word it is stored and shown as.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Read => "read",
            Self::Write => "write",
            Self::Inbox => "inbox",
            Self::Business => "business",
        }
    }

    /// The scope of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word)
    }
}

/// A key to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRequest {
    /// What it is for.
    pub name: String,
    /// What it may do; at least one thing.
    pub scopes: Vec<Scope>,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// Requests per minute, at least one.
    pub per_minute: u32,
}

/// A key as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeyView {
    /// Its id.
    pub id: ApiKeyId,
    /// What it is for.
    pub name: String,
    /// Its first characters.
    pub prefix: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Requests per minute.
    pub per_minute: u32,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// About when it was last used: exact to the minute.
    pub last_used_at: Option<Timestamp>,
}

/// A key that was just made.
#[derive(Debug, Clone)]
pub struct Created {
    /// The key itself: shown now, and never again.
    pub key: SecretString,
    /// How it is listed.
    pub view: KeyView,
}

/// Why a key was not made or revoked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyRefusal {
    /// Nothing but spaces, or longer than 100 characters.
    #[error("the name of a key has 1 to {MAX_NAME_CHARS} characters")]
    Name,
    /// It may do nothing.
    #[error("a key needs a scope: turn, read, write, inbox, business")]
    NoScope,
    /// No requests at all.
    #[error("a key needs at least one request per minute")]
    NoRequests,
    /// The end is not to come.
    #[error("the key would have expired already")]
    Expired,
    /// No such key, or it was revoked before.
    #[error("cannot revoke key {id}: the key is unknown or already revoked; `balcao key list` shows every key")]
    NotFound {
        /// The id.
        id: ApiKeyId,
    },
}

/// The client that presented a valid key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The key.
    pub key: ApiKeyId,
    /// Whose data it opens.
    pub organization: OrganizationId,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Requests per minute.
    pub per_minute: u32,
}

impl Caller {
    /// Whether the key may do this.
    #[must_use]
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }

    /// Who it is in the audit log.
    #[must_use]
    pub fn actor(&self) -> String {
        format!("api:{}", self.key)
    }
}

/// Returns the effect key of a request. Two requests are one if they have the name that the caller gives; without a name the key holds
/// `fresh`, which is unique. `what` is the operation, `arguments` its input; a repeated name with other arguments is an error.
#[must_use]
pub fn effect_key(caller: &Caller, name: Option<&str>, fresh: &str, what: &str, arguments: &str) -> EffectKey {
    // Neither can be taken for the other: a name comes behind a letter of its own.
    let name = name.map_or_else(|| format!("r/{fresh}"), |name| format!("n/{name}"));
    EffectKey {
        key: format!("api/{}/{name}", caller.key),
        args_hash: sha256_hex(format!("{what}\n{arguments}")),
        turn: None,
        tool: "api".to_owned(),
    }
}

/// A process's share of a key's requests.
#[derive(Debug, Clone, Copy)]
struct Share {
    minute: Timestamp,
    left: u32,
}

/// Makes, lists, revokes and recognises keys. Cheap to clone; clones count together.
#[derive(Debug, Clone)]
pub struct ApiKeys {
    app: AppContext,
    shares: Arc<Mutex<HashMap<ApiKeyId, Share>>>,
    /// The task that takes a share holds this lock, so that other tasks wait for that share instead of taking one each.
    taking: Arc<tokio::sync::Mutex<()>>,
}

impl ApiKeys {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app, shares: Arc::default(), taking: Arc::default() }
    }

    /// Makes a key of 32 random bytes.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn create(
        &self,
        organization: OrganizationId,
        request: KeyRequest,
        random: [u8; 32],
    ) -> Result<Result<Created, KeyRefusal>, UseCaseError> {
        let now = self.app.clock.now();
        let name = request.name.trim().to_owned();
        if name.is_empty() || name.chars().count() > MAX_NAME_CHARS {
            return Ok(Err(KeyRefusal::Name));
        }
        if request.scopes.is_empty() {
            return Ok(Err(KeyRefusal::NoScope));
        }
        if request.per_minute == 0 {
            return Ok(Err(KeyRefusal::NoRequests));
        }
        if request.expires_at.is_some_and(|at| at <= now) {
            return Ok(Err(KeyRefusal::Expired));
        }
        let mut scopes = request.scopes;
        scopes.sort();
        scopes.dedup();
        let key = format!("{MARK}{}", URL_SAFE_NO_PAD.encode(random));
        let prefix = prefix_of(&key).unwrap_or_default().to_owned();
        let (hash, words) = (sha256_hex(&key), words_of(&scopes));
        let view = self
            .app
            .store
            .write(move |tx| {
                let new = NewApiKey {
                    name: &name,
                    prefix: &prefix,
                    hash: &hash,
                    scopes: &words,
                    per_minute: request.per_minute,
                    expires_at: request.expires_at,
                };
                let id = api_key::insert(tx, organization, &new, now)?;
                let after = serde_json::json!({ "name": name, "scopes": scopes }).to_string();
                let made = AuditEntry::by_operator("api_key.create", id, now);
                audit::append(tx, organization, &AuditEntry { after: Some(after), ..made })?;
                Ok::<_, UseCaseError>(KeyView {
                    id,
                    name,
                    prefix,
                    scopes,
                    per_minute: request.per_minute,
                    created_at: now,
                    expires_at: request.expires_at,
                    revoked_at: None,
                    last_used_at: None,
                })
            })
            .await?;
        Ok(Ok(Created { key: key.into(), view }))
    }

    /// Every key, revoked and expired ones included, in order of id.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn list(&self, organization: OrganizationId) -> Result<Vec<KeyView>, UseCaseError> {
        let found = self.app.look(move |tx, _now| Ok(api_key::list(tx, organization)?)).await?;
        Ok(found.into_iter().map(view).collect())
    }

    /// Revokes a key: from now on it is as if it did not exist.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn revoke(
        &self,
        organization: OrganizationId,
        id: ApiKeyId,
    ) -> Result<Result<(), KeyRefusal>, UseCaseError> {
        let now = self.app.clock.now();
        self.app
            .store
            .write(move |tx| {
                if !api_key::revoke(tx, organization, id, now)? {
                    return Ok(Err(KeyRefusal::NotFound { id }));
                }
                audit::append(tx, organization, &AuditEntry::by_operator("api_key.revoke", id, now))?;
                Ok(Ok(()))
            })
            .await
    }

    /// Identifies the caller that presents a key; `None` if the key is unknown, expired or revoked. The caller cannot see which one.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn recognise(&self, presented: &str) -> Result<Option<Caller>, UseCaseError> {
        let Some(prefix) = prefix_of(presented).map(str::to_owned) else { return Ok(None) };
        let hash = sha256_hex(presented);
        self.app
            .look(move |tx, now| {
                let all = api_key::find_by_prefix(tx, &prefix)?;
                let found = all.into_iter().find(|one| bool::from(one.hash.as_bytes().ct_eq(hash.as_bytes())));
                let valid = found.filter(|one| one.revoked_at.is_none() && one.expires_at.is_none_or(|at| at > now));
                Ok(valid.map(|one| Caller {
                    key: one.id,
                    organization: one.organization,
                    scopes: scopes_of(&one.scopes),
                    per_minute: one.per_minute,
                }))
            })
            .await
    }

    /// Counts a request. `Err(seconds)` if the minute's are used up: so long until there are more.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn spend(&self, caller: &Caller) -> Result<Result<(), u32>, UseCaseError> {
        let now = self.app.clock.now();
        let minute = Timestamp::from_second(now.as_second().div_euclid(60).saturating_mul(60)).unwrap_or(now);
        if self.spend_of_share(caller.key, minute) {
            return Ok(Ok(()));
        }
        let _taking = self.taking.lock().await;
        if self.spend_of_share(caller.key, minute) {
            return Ok(Ok(()));
        }
        let (organization, key) = (caller.organization, caller.key);
        let wanted = caller.per_minute.div_ceil(SHARES);
        let given =
            self.app.store.write(move |tx| api_key::take_requests(tx, organization, key, minute, wanted, now)).await;
        let given = given.map_err(UseCaseError::from)?;
        let Some(left) = given.checked_sub(1) else {
            let rest = 60_i64.saturating_sub(now.as_second().rem_euclid(60));
            return Ok(Err(u32::try_from(rest).unwrap_or(60)));
        };
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        shares.retain(|_, share| share.minute >= minute);
        let share = shares.entry(key).or_insert(Share { minute, left: 0 });
        share.left = share.left.saturating_add(left);
        Ok(Ok(()))
    }

    fn spend_of_share(&self, key: ApiKeyId, minute: Timestamp) -> bool {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        let share = shares.get_mut(&key).filter(|share| share.minute == minute);
        let Some((share, left)) = share.and_then(|share| share.left.checked_sub(1).map(|left| (share, left))) else {
            return false;
        };
        share.left = left;
        true
    }
}

/// Returns the characters that a key is found by; `None` if the text does not have the form of our keys.
fn prefix_of(key: &str) -> Option<&str> {
    let rest = key.strip_prefix(MARK)?;
    let is_ours = rest.len() == 43 && rest.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    key.split_at_checked(PREFIX_CHARS).filter(|_| is_ours).map(|(prefix, _)| prefix)
}

fn words_of(scopes: &[Scope]) -> String {
    scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(" ")
}

/// A word that this program does not know opens nothing.
fn scopes_of(words: &str) -> Vec<Scope> {
    words.split(' ').filter_map(Scope::from_word).collect()
}

fn view(key: ApiKey) -> KeyView {
    KeyView {
        id: key.id,
        name: key.name,
        prefix: key.prefix,
        scopes: scopes_of(&key.scopes),
        per_minute: key.per_minute,
        created_at: key.created_at,
        expires_at: key.expires_at,
        revoked_at: key.revoked_at,
        last_used_at: key.last_used_at,
    }
}
