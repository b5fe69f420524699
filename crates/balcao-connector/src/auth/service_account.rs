//! A Google service account as a connection names it: its key file is a setting, and its token endpoint is the pack's.

use jiff::Timestamp;
use reqwest::Url;
use secrecy::SecretString;

use super::service_account_key::{ServiceAccountKey, Statement};
use crate::{
    connection::ServiceAccount,
    error::{CallError, FailureKind, Outcome},
    problem::Problem,
    settings::Settings,
};

/// Signs for an account.
pub(super) struct Signer {
    key: ServiceAccountKey,
    scope: String,
    subject: Option<String>,
}

impl Signer {
    /// No problem repeats anything of the key file.
    pub(super) fn new(account: &ServiceAccount, settings: &Settings, base: &str) -> Result<Self, Vec<Problem>> {
        let at = format!("{base}/key");
        let wrong = |message: String| {
            let mend = "give the whole key file of the account, as Google wrote it: a JSON object with `client_email`, `private_key`, \
                        `private_key_id` and `token_uri`";
            vec![Problem::new(at.as_str(), message).suggest(mend)]
        };
        let file = settings.credential(&account.key, &at).map_err(|problem| vec![problem])?;
        let key = ServiceAccountKey::read(&file).map_err(wrong)?;
        if key.token_url() != account.token_url {
            let message = "the key file names another `token_uri` than `token_url` does: what we sign would go where the pack does not say";
            return Err(vec![Problem::new(at.as_str(), message)]);
        }
        let subject = account.subject.as_ref().map(|subject| settings.open(subject, &format!("{base}/subject")));
        let subject = subject.transpose().map_err(|problem| vec![problem])?;
        Ok(Self { key, scope: account.scope.clone(), subject })
    }

    /// The signed statement, good for an hour from `now`.
    pub(super) fn assertion(&self, to: &Url, now: Timestamp) -> Result<SecretString, CallError> {
        let statement = Statement { scope: &self.scope, subject: self.subject.as_deref(), audience: to.as_str() };
        let signed = self.key.sign(statement, now);
        signed.map_err(|reason| CallError::new(FailureKind::Unauthorized, Outcome::NotDone, reason))
    }
}

#[cfg(test)]
#[path = "service_account_tests.rs"]
mod tests;
