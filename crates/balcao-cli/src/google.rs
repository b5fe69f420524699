//! Google Calendar as the configuration names it: its credentials lie in files of this machine.

mod credential_files;
pub(crate) mod redirect;
pub(crate) mod token_file;

use std::sync::Arc;

use balcao_domain::Clock;
use balcao_google::{Addresses, GoogleCalendar, Limits, OAuth};

use crate::config::GoogleConfig;
use crate::output::{Failure, error_chain};
use credential_files::CredentialFiles;

/// Where Google answers, or the configured stand-in.
///
/// # Errors
/// `google.base_url` cannot be used.
pub(crate) fn addresses(config: &GoogleConfig) -> Result<Addresses, Failure> {
    let read = config.base_url.as_deref().map_or_else(Addresses::google, Addresses::under);
    read.map_err(|error| Failure::usage(format!("google.base_url: {error}")))
}

/// The service, if the configuration says how the business is connected.
///
/// # Errors
/// The configuration contradicts itself, or no client can be built.
pub(crate) fn service(config: &GoogleConfig, clock: Arc<dyn Clock>) -> Result<Option<GoogleCalendar>, Failure> {
    config.check().map_err(Failure::usage)?;
    if !config.is_set() {
        return Ok(None);
    }
    let credentials = Arc::new(CredentialFiles::new(config).map_err(Failure::usage)?);
    let built = GoogleCalendar::new(addresses(config)?, Limits::default(), credentials, clock);
    built.map(Some).map_err(|error| Failure::operation(error_chain(&error)))
}

/// A client of the token endpoint.
///
/// # Errors
/// No client can be built.
pub(crate) fn oauth(config: &GoogleConfig) -> Result<OAuth, Failure> {
    OAuth::new(addresses(config)?, Limits::default()).map_err(|error| Failure::operation(error_chain(&error)))
}
