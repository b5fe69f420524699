//! What the web chat reads: `[chat]`.

use std::path::PathBuf;

use balcao_web::chat::{Origins, Tokens};
use secrecy::SecretString;
use serde::Deserialize;

use super::serve::secret_of;

/// The chat on the business's own pages.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ChatConfig {
    /// Whether there is one.
    pub(crate) enabled: bool,
    /// The pages that may hold it: scheme, host and port.
    pub(crate) origins: Vec<String>,
    /// What visitors' tokens are signed with, the same on every server of the business.
    pub(crate) secret: Option<SecretString>,
    /// A file that holds it.
    pub(crate) secret_file: Option<PathBuf>,
}

/// The web chat, ready to be used.
pub(crate) struct ChatSettings {
    pub(crate) tokens: Tokens,
    pub(crate) origins: Origins,
}

impl ChatConfig {
    /// The chat with its secret; `None` if there is none.
    pub(crate) fn read(&self) -> Result<Option<ChatSettings>, String> {
        if !self.enabled {
            return Ok(None);
        }
        if self.origins.is_empty() {
            return Err(
                "chat.origins is empty: name the pages that hold the chat, such as https://shop.example".to_owned()
            );
        }
        let origins = Origins::new(self.origins.clone()).map_err(|error| format!("chat.origins: {error}"))?;
        let secret = secret_of("chat", "enabled", "secret", self.secret.as_ref(), self.secret_file.as_deref())?;
        let tokens = Tokens::new(&secret).map_err(|error| format!("chat.secret: {error}"))?;
        Ok(Some(ChatSettings { tokens, origins }))
    }

    pub(super) fn rows(&self, row: &mut impl FnMut(&str, String)) {
        row("chat.enabled", self.enabled.to_string());
        row("chat.origins", if self.origins.is_empty() { "(none)".to_owned() } else { self.origins.join(", ") });
        let secret = match (&self.secret, &self.secret_file) {
            (Some(_), _) => "********".to_owned(),
            (None, Some(file)) => format!("in {}", file.display()),
            (None, None) => "(none)".to_owned(),
        };
        row("chat.secret", secret);
    }
}
