//! What the web chat reads: `[chat]`.

use std::path::PathBuf;

use balcao_app::context::budgets::StrangerBudgets;
use balcao_llm::price::parse_usd;
use balcao_web::chat::{ChatLimits, Origins, Tokens};
use secrecy::SecretString;
use serde::Deserialize;

use super::serve::secret_of;

/// The chat on the business's own pages.
#[derive(Debug, Clone, Deserialize)]
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
    /// Tokens that strangers may use up in a day, all together; 0: any number.
    pub(crate) strangers_tokens_day: u64,
    /// US dollars that they may cost in a day, such as `5.00`, where prices are known; `0`: any.
    pub(crate) strangers_usd_day: String,
    /// New visitors of one address in a day.
    pub(crate) visitors_per_address_day: u32,
    /// Mebibytes of files that visitors may send in a day, all together.
    pub(crate) files_mib_day: u32,
}

impl Default for ChatConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            origins: Vec::new(),
            secret: None,
            secret_file: None,
            strangers_tokens_day: 5_000_000,
            strangers_usd_day: "5.00".to_owned(),
            visitors_per_address_day: 60,
            files_mib_day: 500,
        }
    }
}

/// The web chat, ready to be used.
pub(crate) struct ChatSettings {
    pub(crate) tokens: Tokens,
    pub(crate) origins: Origins,
    pub(crate) limits: ChatLimits,
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
        self.strangers()?;
        let limits = ChatLimits { visitors_of_one_day: self.visitors_per_address_day, ..ChatLimits::default() };
        Ok(Some(ChatSettings { tokens, origins, limits }))
    }

    /// What strangers may cost in a day.
    pub(crate) fn strangers(&self) -> Result<StrangerBudgets, String> {
        let cost = parse_usd(&self.strangers_usd_day).map_err(|error| format!("chat.strangers_usd_day: {error}"))?;
        let ceiling = |most: u64| Some(most).filter(|most| *most > 0);
        Ok(StrangerBudgets { tokens: ceiling(self.strangers_tokens_day), cost_micro_usd: ceiling(cost) })
    }

    /// Numbers and what they may be.
    pub(super) fn ranges(&self) -> [(&'static str, u64, u64, u64); 3] {
        [
            ("chat.strangers_tokens_day", self.strangers_tokens_day, 0, 1_000_000_000_000),
            ("chat.visitors_per_address_day", u64::from(self.visitors_per_address_day), 1, 1_000_000),
            ("chat.files_mib_day", u64::from(self.files_mib_day), 0, 1 << 20),
        ]
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
        row("chat.strangers_usd_day", self.strangers_usd_day.clone());
        for (key, value, ..) in self.ranges() {
            row(key, value.to_string());
        }
    }
}
