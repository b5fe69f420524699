//! The key of a service beside the model: in the environment or in a file, never in the configuration itself.

use std::path::Path;

use secrecy::{ExposeSecret, SecretString};

/// The key of `section`'s service, if it has one: from the variable that `api_key_env` names, or from `api_key_file`.
///
/// # Errors
/// What to mend in the configuration.
pub(super) fn read(
    section: &str,
    api_key_env: Option<&str>,
    api_key_file: Option<&Path>,
    environment: impl FnOnce(&str) -> Option<SecretString>,
) -> Result<Option<SecretString>, String> {
    let key = match (api_key_env, api_key_file) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => return Err(format!("give {section}.api_key_env or {section}.api_key_file, not both")),
        (Some(name), None) => environment(name)
            .filter(|key| !key.expose_secret().trim().is_empty())
            .ok_or_else(|| format!("{section}.api_key_env names {name}, which is not set in the environment"))?,
        (None, Some(file)) => std::fs::read_to_string(file)
            .map_err(|error| crate::files::reason(&error))
            .and_then(|key| if key.trim().is_empty() { Err("it is empty".to_owned()) } else { Ok(key.into()) })
            .map_err(|error| format!("{section}.api_key_file {}: {error}", file.display()))?,
    };
    Ok(Some(key.expose_secret().trim().to_owned().into()))
}
