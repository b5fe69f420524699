//! Refresh tokens that a service exchanged for the one that the operator set: the old one is worth nothing any more, so the new one has to outlive
//! the program.
//!
//! Only the owner of the file can read it. It holds each token under its pack and organization, with a digest of the configured token. If the
//! operator configures another token, the digest differs and the stored token no longer counts. Programs that share the file share the
//! tokens. A token that was exchanged without an organization counts for one that is named later, until that one exchanges its own.

use std::{
    collections::BTreeMap,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use balcao_connector::RefreshKeeper;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::private;

/// One writer at a time within this program.
static WRITING: Mutex<()> = Mutex::new(());

/// The tokens of one account.
#[derive(Debug)]
pub(super) struct TokenFile {
    path: PathBuf,
    account: String,
    /// The same account, of no organization in particular.
    unnamed: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exchanged {
    /// SHA-256 of the token that was configured.
    instead_of: String,
    refresh_token: String,
}

type Tokens = BTreeMap<String, Exchanged>;

impl TokenFile {
    pub(super) fn new(path: &Path, pack: &str, organization: Option<&str>) -> Self {
        let account = |whose: &str| format!("{pack}@{whose}");
        Self { path: path.to_owned(), account: account(organization.unwrap_or("*")), unnamed: account("*") }
    }

    /// Whether an exchanged token could be kept: found out before a service takes the old one away.
    ///
    /// # Errors
    /// Why not, and what would do.
    pub(super) fn check(&self) -> Result<(), String> {
        self.read().map_err(|error| format!("packs.tokens {}: {error}", self.path.display()))?;
        private::check_replace(&self.path).map_err(|error| {
            if error.kind() == ErrorKind::IsADirectory {
                return format!("invalid packs.tokens `{}`; expected a file", self.path.display());
            }
            format!("packs.tokens: nothing can be written in {}: {error}", private::folder(&self.path).display())
        })
    }

    fn read(&self) -> Result<Tokens, String> {
        match balcao_pack::read_named(&self.path, private::MOST_BYTES) {
            Ok(bytes) => private::read_json(&bytes, "file of tokens"),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Tokens::new()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn write(&self, tokens: &Tokens) -> Result<(), String> {
        let text = serde_json::to_string_pretty(tokens).map_err(|error| error.to_string())?;
        private::replace(&self.path, text.as_bytes()).map_err(|error| error.to_string())
    }
}

impl RefreshKeeper for TokenFile {
    fn kept(&self, configured: &SecretString) -> Option<SecretString> {
        match self.read() {
            Ok(mut tokens) => tokens
                .remove(&self.account)
                .or_else(|| tokens.remove(&self.unnamed))
                .filter(|one| one.instead_of == digest(configured))
                .map(|one| SecretString::from(one.refresh_token)),
            Err(error) => {
                tracing::error!(file = %self.path.display(), error, "exchanged refresh tokens cannot be read");
                None
            }
        }
    }

    fn keep(&self, configured: &SecretString, refresh_token: &SecretString) {
        let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        let exchanged =
            Exchanged { instead_of: digest(configured), refresh_token: refresh_token.expose_secret().to_owned() };
        let kept = self.read().and_then(|mut tokens| {
            tokens.insert(self.account.clone(), exchanged);
            self.write(&tokens)
        });
        if let Err(error) = kept {
            // The call goes on; but after a start the service will know nobody, so staff must hear of it now.
            tracing::error!(file = %self.path.display(), account = self.account, error, "an exchanged refresh token was not kept");
        }
    }
}

fn digest(token: &SecretString) -> String {
    Sha256::digest(token.expose_secret()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
#[path = "tokens_tests.rs"]
mod tests;
