//! Whether the mail server lets us in.

use super::{Config, Finding, error_chain};

/// Nothing where no e-mail is configured.
pub(super) async fn check(config: &Config) -> Option<Finding> {
    let mend = "correct [email]: host, port, security, user, password";
    let email = match config.email.read() {
        Ok(email) => email?,
        Err(says) => return Some(Finding::wrong("email", says, mend)),
    };
    Some(match email.probe().await {
        Ok(()) => Finding::fine("email", "the mail server lets us in".to_owned()),
        Err(error) => Finding::wrong("email", error_chain(&error), mend),
    })
}
