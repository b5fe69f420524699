//! A program that was built without the feature `telemetry` exports no spans, and refuses a configuration that wants them.

use std::collections::BTreeMap;

use tracing::Subscriber;
use tracing_subscriber::Layer;

use crate::config::TelemetryConfig;

/// There is none.
pub(super) enum Exporter {}

impl Exporter {
    /// `None` if the configuration asks for no spans.
    ///
    /// # Errors
    /// The file wants them. The variables of OpenTelemetry are often set for all programs of a machine: they are only noted.
    pub(super) fn new(
        config: &TelemetryConfig,
        _environment: &BTreeMap<String, String>,
    ) -> Result<Option<Self>, String> {
        match &config.otlp_endpoint {
            Some(_) => Err(super::absent("telemetry.otlp_endpoint")),
            None => Ok(None),
        }
    }

    /// Never called: there is no exporter.
    pub(super) fn layer<S: Subscriber>(&self) -> Box<dyn Layer<S> + Send + Sync> {
        match *self {}
    }

    /// Never called: there is no exporter.
    #[expect(clippy::unused_async, reason = "the interface of the exporter that is built in by the feature")]
    pub(super) async fn end(self) {
        match self {}
    }
}
