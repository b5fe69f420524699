//! Logs, metrics and traces of the program.

mod logs;
#[cfg(feature = "telemetry")]
pub(crate) mod measured;
#[cfg(not(feature = "telemetry"))]
#[path = "measured_absent.rs"]
pub(crate) mod measured;
mod redact;
#[cfg(feature = "telemetry")]
mod spans;
#[cfg(not(feature = "telemetry"))]
#[path = "spans_absent.rs"]
mod spans;

use std::{collections::BTreeMap, fmt::Display, sync::Arc};

use axum::Router;
use balcao_agent::spans::CONTENT;
use tokio::net::TcpListener;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{Layer, Registry, filter::Targets, layer::SubscriberExt, util::SubscriberInitExt};

use crate::{
    config::Config,
    output::{Failure, indented, print_error},
};
use redact::Redactor;

/// The address that Prometheus reads, ready to be served.
pub(crate) struct Measured {
    pub(crate) listener: TcpListener,
    pub(crate) router: Router,
    /// Puts samples into their ranges, for ever.
    pub(crate) upkeep: std::pin::Pin<Box<dyn Future<Output = ()> + Send>>,
}

/// Logs and spans, from the start of a command to its end.
pub(crate) struct Telemetry {
    exporter: Option<spans::Exporter>,
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
        let exporter = spans::Exporter::new(&config.telemetry, environment).map_err(Failure::usage)?;
        let exported = exporter.as_ref().map(|exporter| {
            let content = if config.telemetry.capture_content { LevelFilter::INFO } else { LevelFilter::OFF };
            let ours = Targets::new().with_target("balcao", LevelFilter::INFO).with_target(CONTENT, content);
            exporter.layer().with_filter(ours)
        });
        // A second call (in tests) keeps the first logger.
        drop(Registry::default().with(log).with(exported).try_init());
        Ok(Self { exporter })
    }

    /// Lets the last spans leave.
    pub(crate) async fn end(self) {
        if let Some(exporter) = self.exporter {
            exporter.end().await;
        }
    }
}

/// What is said of a key that needs the feature.
#[cfg(not(feature = "telemetry"))]
fn absent(key: &str) -> String {
    format!("{key}: this build measures and traces nothing; build the program with its feature `telemetry`")
}

/// A panic's message may hold anything.
fn redact_panics(redactor: &Arc<Redactor>) {
    let redactor = Arc::clone(redactor);
    std::panic::set_hook(Box::new(move |panic| {
        let thread = std::thread::current();
        print_error(&panicked(&redactor, thread.name().unwrap_or("unnamed"), panic));
    }));
}

/// What is written of a panic.
fn panicked(redactor: &Redactor, thread: &str, panic: &dyn Display) -> String {
    indented(&redactor.clean(&format!("thread '{thread}' {panic}")), 4)
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;

    use super::*;

    #[test]
    fn u03_a_panic_tells_neither_a_secret_nor_a_person() {
        let redactor = Redactor::new(&[SecretString::from("hunter2-hunter2")], Vec::new());
        let told = panicked(&redactor, "turns", &"panicked at turn.rs:1:\ninvalid hunter2-hunter2 of +5531988880001");
        assert!(told.contains("turn.rs:1") && told.contains("invalid"), "{told}");
        assert!(!told.contains("hunter2") && !told.contains("31988880001"), "{told}");
    }
}
