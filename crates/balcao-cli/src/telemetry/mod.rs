//! What the program tells of itself.

mod logs;
pub(crate) mod measured;
mod redact;
mod spans;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use balcao_agent::spans::CONTENT;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{Layer, Registry, filter::Targets, layer::SubscriberExt, util::SubscriberInitExt};

use crate::{
    config::Config,
    output::{Failure, complain, indented},
};
use redact::Redactor;

/// How long the last spans may take to leave.
const LAST_SPANS: Duration = Duration::from_secs(5);

/// Logs and spans, from the start of a command to its end.
pub(crate) struct Telemetry {
    provider: Option<SdkTracerProvider>,
}

impl Telemetry {
    /// Begins to log, and to export spans if an address is configured. `usual` is the level of the log if nothing says
    /// another.
    pub(crate) fn start(
        config: &Config,
        verbose: u8,
        usual: LevelFilter,
        environment: &BTreeMap<String, String>,
    ) -> Result<Self, Failure> {
        let accounts = config.whatsapp.account.iter().chain(&config.whatsapp.business).cloned();
        let redactor = Arc::new(Redactor::new(&config.secrets, accounts.collect()));
        redact_panics(&redactor);
        let log = logs::layer(&config.log, verbose, usual, environment, redactor).map_err(Failure::usage)?;
        let provider = spans::provider(&config.telemetry, environment).map_err(Failure::usage)?;
        let exported = provider.as_ref().map(|provider| {
            let content = if config.telemetry.capture_content { LevelFilter::INFO } else { LevelFilter::OFF };
            let ours = Targets::new().with_target("balcao", LevelFilter::INFO).with_target(CONTENT, content);
            spans::layer(provider).with_filter(ours)
        });
        // A second call (in tests) keeps the first logger.
        drop(Registry::default().with(log).with(exported).try_init());
        Ok(Self { provider })
    }

    /// Lets the last spans leave.
    pub(crate) async fn end(self) {
        let Some(provider) = self.provider else { return };
        // It waits for a thread of its own, which needs this runtime to send.
        let ended = tokio::task::spawn_blocking(move || provider.shutdown_with_timeout(LAST_SPANS)).await;
        if !matches!(ended, Ok(Ok(()))) {
            tracing::warn!("the last spans could not be exported");
        }
    }
}

/// A panic's message may hold anything.
fn redact_panics(redactor: &Arc<Redactor>) {
    let redactor = Arc::clone(redactor);
    std::panic::set_hook(Box::new(move |panic| {
        let thread = std::thread::current();
        let text = format!("thread '{}' {panic}", thread.name().unwrap_or("unnamed"));
        complain(&indented(&redactor.clean(&text), 4));
    }));
}
