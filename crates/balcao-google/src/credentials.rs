//! How a business proves who it is. The program that holds this crate keeps the credentials.

use std::fmt;

use balcao_domain::OrganizationId;
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

/// The credentials of businesses.
///
/// Every request asks for them, so that a new connection counts at once: an answer must be quick.
pub trait Credentials: fmt::Debug + Send + Sync {
    /// The credential of a business; `None` if the business is not connected.
    ///
    /// # Errors
    /// The credential is there and cannot be read; the text is for staff.
    fn find(&self, organization: OrganizationId) -> Result<Option<Credential>, String>;

    /// Stores durably a refresh token that the service gave in the place of `grant.refresh_token`.
    ///
    /// # Errors
    /// The token cannot be stored; the text is for staff.
    fn replace(&self, organization: OrganizationId, grant: &Grant, refresh_token: &SecretString) -> Result<(), String>;
}

/// A credential.
#[derive(Debug, Clone)]
pub enum Credential {
    /// A service account.
    ServiceAccount {
        /// The text of its key file.
        key_file: SecretString,
        /// The person of the domain in whose name the account acts; `None` if it acts in its own.
        subject: Option<String>,
    },
    /// What a person granted.
    Grant(Grant),
}

/// A refresh token, and the OAuth client that it belongs to.
#[derive(Debug, Clone)]
pub struct Grant {
    /// The client.
    pub client_id: String,
    /// Its secret.
    pub client_secret: SecretString,
    /// The token.
    pub refresh_token: SecretString,
    /// When the person granted it, if that is known.
    pub granted_at: Option<Timestamp>,
}

impl Credential {
    /// Tells credentials apart without holding them.
    pub(crate) fn fingerprint(&self) -> [u8; 32] {
        let mut digest = Sha256::new();
        match self {
            Self::ServiceAccount { key_file, subject } => {
                digest.update(key_file.expose_secret());
                digest.update([0]);
                digest.update(subject.as_deref().unwrap_or_default());
            }
            Self::Grant(grant) => {
                digest.update(&grant.client_id);
                digest.update([0]);
                digest.update(grant.refresh_token.expose_secret());
            }
        }
        digest.finalize().into()
    }
}
