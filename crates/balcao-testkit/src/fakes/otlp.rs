//! A collector that takes spans by OTLP over HTTP, in protobuf, and nothing else.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use opentelemetry_proto::tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse};
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value::Value};
use opentelemetry_proto::tonic::trace::v1;
use prost::Message;

use super::http::{Reply, Request, Server};

/// A span that arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The trace, in hexadecimal.
    pub trace: String,
    /// The span, in hexadecimal.
    pub id: String,
    /// The span above it; empty if it has none.
    pub parent: String,
    /// Its name.
    pub name: String,
    /// `internal`, `server`, `client`, `producer`, `consumer`.
    pub kind: &'static str,
    /// Whether its status is an error.
    pub failed: bool,
    /// Its attributes; numbers and truth values as words.
    pub attributes: BTreeMap<String, String>,
    /// Its events: name and attributes.
    pub events: Vec<(String, BTreeMap<String, String>)>,
    /// What it is an attribute of: the service and its version.
    pub resource: BTreeMap<String, String>,
}

#[derive(Debug, Default)]
struct Seen {
    spans: Vec<Span>,
    raw: Vec<u8>,
    complaints: Vec<String>,
}

/// A collector on 127.0.0.1.
#[derive(Debug)]
pub struct FakeCollector {
    server: Server,
    seen: Arc<Mutex<Seen>>,
}

impl FakeCollector {
    /// Starts one.
    ///
    /// # Errors
    /// No port is free.
    pub fn start() -> std::io::Result<Self> {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let kept = Arc::clone(&seen);
        let server = Server::start(move |request| answer(&request, &mut lock(&kept)))?;
        Ok(Self { server, seen })
    }

    /// Its address, without a path.
    #[must_use]
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// The spans that arrived, in the order of their arrival.
    #[must_use]
    pub fn spans(&self) -> Vec<Span> {
        lock(&self.seen).spans.clone()
    }

    /// Whether these words came in anywhere.
    #[must_use]
    pub fn heard(&self, words: &str) -> bool {
        lock(&self.seen).raw.windows(words.len()).any(|window| window == words.as_bytes())
    }

    /// What was not as the protocol demands.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        lock(&self.seen).complaints.clone()
    }
}

fn lock(seen: &Mutex<Seen>) -> std::sync::MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

const KIND: &str = "application/x-protobuf";

fn answer(request: &Request, seen: &mut Seen) -> Reply {
    match read(request) {
        Ok(read) => {
            seen.raw.extend_from_slice(&request.body);
            seen.spans.extend(read);
            let body = ExportTraceServiceResponse::default().encode_to_vec();
            Reply::Whole(200, KIND.to_owned(), body)
        }
        Err((status, complaint)) => {
            seen.complaints.push(complaint.clone());
            Reply::Whole(status, "text/plain".to_owned(), complaint.into_bytes())
        }
    }
}

fn read(request: &Request) -> Result<Vec<Span>, (u16, String)> {
    if (request.method.as_str(), request.target.as_str()) != ("POST", "/v1/traces") {
        return Err((404, format!("{} {} is not taken", request.method, request.target)));
    }
    if request.header("content-type") != Some(KIND) {
        return Err((415, format!("the type is {:?}", request.header("content-type"))));
    }
    let body = ExportTraceServiceRequest::decode(request.body.as_slice()).map_err(|error| (400, error.to_string()))?;
    let mut spans = Vec::new();
    for group in body.resource_spans {
        let resource = attributes(&group.resource.unwrap_or_default().attributes).map_err(|error| (400, error))?;
        if !resource.contains_key("service.name") {
            return Err((400, "a resource has no service.name".to_owned()));
        }
        for span in group.scope_spans.into_iter().flat_map(|scope| scope.spans) {
            spans.push(span_of(span, resource.clone()).map_err(|error| (400, error))?);
        }
    }
    Ok(spans)
}

fn span_of(span: v1::Span, resource: BTreeMap<String, String>) -> Result<Span, String> {
    let named = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    if span.trace_id.len() != 16 || span.span_id.len() != 8 || !matches!(span.parent_span_id.len(), 0 | 8) {
        return Err(format!("the ids of {} have a wrong length", span.name));
    }
    if span.end_time_unix_nano < span.start_time_unix_nano || span.start_time_unix_nano == 0 {
        return Err(format!("{} ends before it begins", span.name));
    }
    let kind = match span.kind() {
        v1::span::SpanKind::Server => "server",
        v1::span::SpanKind::Client => "client",
        v1::span::SpanKind::Producer => "producer",
        v1::span::SpanKind::Consumer => "consumer",
        v1::span::SpanKind::Internal => "internal",
        v1::span::SpanKind::Unspecified => return Err(format!("{} has no kind", span.name)),
    };
    let events = span.events.iter().map(|event| Ok((event.name.clone(), attributes(&event.attributes)?)));
    let events = events.collect::<Result<Vec<_>, String>>()?;
    Ok(Span {
        trace: named(&span.trace_id),
        id: named(&span.span_id),
        parent: named(&span.parent_span_id),
        kind,
        failed: span.status.as_ref().is_some_and(|status| status.code() == v1::status::StatusCode::Error),
        attributes: attributes(&span.attributes)?,
        events,
        resource,
        name: span.name,
    })
}

fn attributes(list: &[KeyValue]) -> Result<BTreeMap<String, String>, String> {
    let mut found = BTreeMap::new();
    for KeyValue { key, value, .. } in list {
        if found.insert(key.clone(), value_text(value.as_ref())).is_some() {
            return Err(format!("{key} is given twice"));
        }
    }
    Ok(found)
}

fn value_text(value: Option<&AnyValue>) -> String {
    match value.and_then(|value| value.value.as_ref()) {
        Some(Value::StringValue(text)) => text.clone(),
        Some(Value::BoolValue(truth)) => truth.to_string(),
        Some(Value::IntValue(number)) => number.to_string(),
        Some(Value::DoubleValue(number)) => number.to_string(),
        other => format!("{other:?}"),
    }
}
