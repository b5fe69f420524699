//! The credentials of businesses, from files of this machine.

use std::path::PathBuf;

use balcao_domain::OrganizationId;
use balcao_google::{Credential, Credentials, Grant};
use secrecy::SecretString;

use super::token_file::{StoredGrant, TokenFile};
use crate::config::{GoogleConfig, OAuthClient};

/// One service account for every business, or the grant of each.
#[derive(Debug)]
pub(super) enum CredentialFiles {
    ServiceAccount { file: PathBuf, subject: Option<String> },
    Grants { client_id: String, client_secret: SecretString, tokens: TokenFile },
}

impl CredentialFiles {
    /// As the configuration has it.
    ///
    /// # Errors
    /// The client's secret is missing, or nothing is configured.
    pub(super) fn new(config: &GoogleConfig) -> Result<Self, String> {
        if let Some(file) = config.service_account_file.clone() {
            return Ok(Self::ServiceAccount { file, subject: config.subject.clone() });
        }
        let client = config.client()?;
        let OAuthClient { id, secret } = client.ok_or("google.service_account_file or google.client_id is missing")?;
        Ok(Self::Grants { client_id: id, client_secret: secret, tokens: TokenFile::new(&config.tokens) })
    }
}

impl Credentials for CredentialFiles {
    fn find(&self, organization: OrganizationId) -> Result<Option<Credential>, String> {
        match self {
            Self::ServiceAccount { file, subject } => {
                let text = std::fs::read_to_string(file).map_err(|error| {
                    format!("google.service_account_file {}: {}", file.display(), crate::files::reason(&error))
                })?;
                Ok(Some(Credential::ServiceAccount { key_file: SecretString::from(text), subject: subject.clone() }))
            }
            Self::Grants { client_id, client_secret, tokens } => {
                // A token belongs to the client that it was granted to: after a change of the client it is worth nothing.
                let found = tokens.find(organization)?.filter(|one| one.client_id == *client_id);
                Ok(found.map(|one| {
                    Credential::Grant(Grant {
                        client_id: one.client_id,
                        client_secret: client_secret.clone(),
                        refresh_token: one.refresh_token,
                        granted_at: Some(one.granted_at),
                    })
                }))
            }
        }
    }

    fn replace(&self, organization: OrganizationId, grant: &Grant, refresh_token: &SecretString) -> Result<(), String> {
        let Self::Grants { tokens, .. } = self else { return Ok(()) };
        // The grant goes on, so its age does.
        let granted_at = grant.granted_at.unwrap_or_default();
        let stored =
            StoredGrant { client_id: grant.client_id.clone(), refresh_token: refresh_token.clone(), granted_at };
        tokens.store(organization, &stored)
    }
}
