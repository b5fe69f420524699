//! What strangers may cost, how much room is left, and who may read what is stored.

use balcao_store::Store;

use super::{Config, Finding};

/// What is said of strangers of the web chat, if there is one.
pub(super) fn of_strangers(config: &Config) -> Option<Finding> {
    if !config.chat.enabled {
        return None;
    }
    // A mistake in it has been told.
    let budgets = config.chat.strangers().ok()?;
    let mut unpriced: Vec<&str> = config
        .model
        .providers
        .iter()
        .filter(|one| one.price_input_usd.is_none() || one.price_output_usd.is_none())
        .map(|one| one.name.as_str())
        .collect();
    if config.transcription.model.is_some() && config.transcription.usd_minute.is_none() {
        unpriced.push("the transcription service");
    }
    let mend =
        "set chat.strangers_tokens_day or chat.strangers_usd_day: anybody may open the page, any number of times";
    Some(match (budgets.tokens, budgets.cost_micro_usd) {
        (None, None) => Finding::warning(
            "chat",
            "strangers may cost any amount in a day, because no ceiling is set".to_owned(),
            mend,
        ),
        (None, Some(_)) if !unpriced.is_empty() => Finding::warning(
            "chat",
            format!("strangers have no ceiling where {} answers: its prices are not known", unpriced.join(", ")),
            "set its prices (price_input_usd and price_output_usd, transcription.usd_minute), or chat.strangers_tokens_day",
        ),
        (Some(tokens), Some(_)) if !unpriced.is_empty() => Finding::warning(
            "chat",
            format!(
                "the ceiling of US$ {} in a day does not hold where {} answers: its prices are not known; that of {tokens} tokens does",
                config.chat.strangers_usd_day,
                unpriced.join(", ")
            ),
            "set its prices (price_input_usd and price_output_usd, transcription.usd_minute), or chat.strangers_usd_day = \"0\" if tokens are enough",
        ),
        (tokens, _) => {
            let tokens = tokens.map_or_else(|| "any number of".to_owned(), |tokens| tokens.to_string());
            let dollars = &config.chat.strangers_usd_day;
            Finding::fine("chat", format!("strangers may use {tokens} tokens and US$ {dollars} in a day, all together"))
        }
    })
}

/// What is said of a database's file: who may read it, and whether its disk has room for files and for the database itself.
pub(super) fn of_database(store: &Store, config: &Config) -> Vec<Finding> {
    const LITTLE: u8 = 10;
    let least = config.server.least_free_disk_percent;
    let readable = store.readable_by_all().map(|path| {
        Finding::warning(
            "database",
            format!("every user of this machine may read {}: what customers wrote is in it", path.display()),
            "chmod 600 the file, and those that end in -wal and -shm; do the same for backups",
        )
    });
    let full = store.free_disk().filter(|free| *free < least.max(LITTLE)).map(|free| {
        Finding::warning(
            "database",
            format!("{free} % of its disk are free; below {least} % no files are taken"),
            "free some room, or lower server.least_free_disk_percent",
        )
    });
    readable.into_iter().chain(full).collect()
}
