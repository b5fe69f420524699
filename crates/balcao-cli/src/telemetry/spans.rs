//! Spans leave by OTLP over HTTP, in protobuf.

use std::{collections::BTreeMap, fmt, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::{HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{
    Resource,
    trace::{SdkTracer, SdkTracerProvider},
};
use tokio::runtime::Handle;
use tracing::Subscriber;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::registry::LookupSpan;

use crate::config::TelemetryConfig;

const CONNECT: Duration = Duration::from_secs(5);
const WHOLE: Duration = Duration::from_secs(10);

/// How long the last spans may take to leave.
const LAST_SPANS: Duration = Duration::from_secs(5);

/// Exports spans, from the start of a command to its end.
pub(super) struct Exporter(SdkTracerProvider);

impl Exporter {
    /// One that is configured; `None` if the configuration asks for no spans.
    ///
    /// # Errors
    /// What to mend in the configuration.
    pub(super) fn new(
        config: &TelemetryConfig,
        environment: &BTreeMap<String, String>,
    ) -> Result<Option<Self>, String> {
        Ok(provider(config, environment)?.map(Self))
    }

    /// Spans of the program as spans of OpenTelemetry.
    pub(super) fn layer<S>(&self) -> OpenTelemetryLayer<S, SdkTracer>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        tracing_opentelemetry::layer()
            .with_tracer(self.0.tracer("balcao"))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
    }

    /// Lets the last spans leave.
    pub(super) async fn end(self) {
        // It waits for a thread of its own, which needs this runtime to send.
        let ended = tokio::task::spawn_blocking(move || self.0.shutdown_with_timeout(LAST_SPANS)).await;
        if !matches!(ended, Ok(Ok(()))) {
            tracing::warn!("the last spans could not be exported");
        }
    }
}

/// What exports spans. The standard variables of OpenTelemetry go before the file.
fn provider(
    config: &TelemetryConfig,
    environment: &BTreeMap<String, String>,
) -> Result<Option<SdkTracerProvider>, String> {
    let set = |name: &str| environment.get(name).map(String::as_str).filter(|value| !value.is_empty());
    if set("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        return Ok(None);
    }
    let by_environment =
        ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"].iter().any(|name| set(name).is_some());
    if !by_environment && config.otlp_endpoint.is_none() {
        return Ok(None);
    }
    let client = balcao_llm::http::client(CONNECT, false).map_err(|error| format!("telemetry: {error}"))?;
    let mut builder =
        SpanExporter::builder().with_http().with_http_client(Sender { client, runtime: Handle::current() });
    if let Some(endpoint) = config.otlp_endpoint.as_deref().filter(|_| !by_environment) {
        builder = builder.with_endpoint(format!("{}/v1/traces", endpoint.trim_end_matches('/')));
    }
    let exporter = builder.build().map_err(|error| format!("telemetry.otlp_endpoint: {error}"))?;
    let name = set("OTEL_SERVICE_NAME").unwrap_or(&config.service_name).to_owned();
    let version = opentelemetry::KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = Resource::builder().with_service_name(name).with_attribute(version).build();
    Ok(Some(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build()))
}

/// Sends for the exporter, whose thread has no runtime.
struct Sender {
    client: reqwest::Client,
    runtime: Handle,
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

#[async_trait]
impl HttpClient for Sender {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        let sending = self.runtime.spawn(async move {
            let mut request = reqwest::Request::try_from(request)?;
            *request.timeout_mut() = Some(WHOLE);
            let answer = client.execute(request).await?;
            let status = answer.status();
            answer.bytes().await.map(|body| (status, body))
        });
        match sending.await? {
            Ok((status, body)) => {
                if !status.is_success() {
                    tracing::warn!(status = status.as_u16(), "a collector refused spans");
                }
                Ok(Response::builder().status(status).body(body)?)
            }
            Err(error) => {
                tracing::warn!(%error, "spans could not be exported");
                Err(error.into())
            }
        }
    }
}
