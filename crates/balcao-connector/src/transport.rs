//! One request out, one answer in. The only place that touches the network.

use std::time::Duration;

use reqwest::{
    Client, Method, RequestBuilder, Url,
    header::{HeaderName, HeaderValue, LOCATION},
    multipart,
};
use tokio::time::{Instant, timeout_at};

use crate::{
    error::{CallError, FailureKind, Outcome},
    held::Held,
    request::{Body, Part, Request},
    response::{Answer, Bytes},
    ssrf_guard::{Barred, Egress},
};

/// Sends requests to permitted addresses.
#[derive(Debug)]
pub(crate) struct Transport {
    client: Client,
    egress: Egress,
}

/// A header that proves who we are, and the only origin that it is shown to.
#[derive(Debug, Clone)]
pub(crate) struct Proof {
    pub(crate) name: HeaderName,
    pub(crate) value: HeaderValue,
    pub(crate) origin: Url,
    /// Which of our tokens it is, counted.
    pub(crate) number: u64,
}

impl Transport {
    pub(crate) fn new(egress: &Egress, connect: Duration, plain: bool) -> Result<Self, reqwest::Error> {
        let client = egress.client(connect, plain)?;
        Ok(Self { client, egress: egress.clone() })
    }

    /// Whether nothing may be sent that may change something.
    pub(crate) const fn is_trial(&self) -> bool {
        self.egress.safe_only
    }

    /// Sends a request and reads its answer, following at most so many redirects to addresses that `allowed` accepts.
    pub(crate) async fn send(
        &self,
        request: &Request,
        proof: Option<&Proof>,
        redirects: u8,
        allowed: impl Fn(&Url) -> bool,
        held: &Held,
        within: Duration,
    ) -> Result<Answer, CallError> {
        let until = Instant::now() + within;
        let mut request = request.clone();
        let mut left = redirects;
        loop {
            let answer = self.once(&request, proof, held, until).await?;
            let target = (300..400).contains(&answer.status).then(|| answer.header(LOCATION.as_str())).flatten();
            let (Some(target), true) = (target, left > 0 && request.method == Method::GET) else { return Ok(answer) };
            let Some(url) = request.url.join(target).ok().filter(|url| allowed(url)) else { return Ok(answer) };
            held.give_bytes(answer.taken);
            request.url = url;
            left = left.saturating_sub(1);
        }
    }

    async fn once(
        &self,
        request: &Request,
        proof: Option<&Proof>,
        held: &Held,
        until: Instant,
    ) -> Result<Answer, CallError> {
        let unsent = |detail: String| CallError::new(FailureKind::Unavailable, Outcome::NotDone, detail);
        self.egress.check(&request.url).map_err(|reason| unsent(format!("the address is not permitted: {reason}")))?;
        let builder = self.builder(request, proof).map_err(unsent)?;
        // Beyond this line the request may have been read.
        let outcome = if request.method == Method::GET || request.method == Method::HEAD {
            Outcome::NotDone
        } else {
            Outcome::Unknown
        };
        let mut response = match timeout_at(until, builder.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) if error.is_connect() || error.is_builder() => {
                let barred = causes(&error).any(|cause| cause.is::<Barred>());
                return Err(unsent(if barred { Barred.to_string() } else { "no connection".to_owned() }));
            }
            Ok(Err(_broken)) => {
                let detail = "the connection broke before an answer";
                return Err(CallError::new(FailureKind::Unavailable, outcome, detail));
            }
            Err(_elapsed) => return Err(CallError::new(FailureKind::Timeout, outcome, "no answer in time")),
        };
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let (mut body, mut taken) = (Vec::new(), 0_usize);
        let body = loop {
            match timeout_at(until, response.chunk()).await {
                Ok(Ok(Some(piece))) if !held.take_bytes(piece.len()) => break Bytes::TooLarge,
                Ok(Ok(Some(piece))) => {
                    taken = taken.saturating_add(piece.len());
                    body.extend_from_slice(&piece);
                }
                Ok(Ok(None)) => break Bytes::Whole(body),
                Ok(Err(_broken)) => break Bytes::Cut,
                Err(_elapsed) => break Bytes::Late,
            }
        };
        Ok(Answer { status, headers, body, taken })
    }

    fn builder(&self, request: &Request, proof: Option<&Proof>) -> Result<RequestBuilder, String> {
        let mut builder = self.client.request(request.method.clone(), request.url.clone());
        for (name, value) in &request.headers {
            let value = HeaderValue::from_str(value).map_err(|error| format!("the header `{name}`: {error}"))?;
            builder = builder.header(name, value);
        }
        if let Some(proof) = proof.filter(|proof| proof.origin.origin() == request.url.origin()) {
            builder = builder.header(proof.name.clone(), proof.value.clone());
        }
        Ok(match &request.body {
            Body::Empty => builder,
            Body::Json(value) => builder.json(value),
            Body::Form(pairs) => builder.form(pairs),
            Body::Multipart(parts) => builder.multipart(form(parts)?),
        })
    }
}

fn form(parts: &[Part]) -> Result<multipart::Form, String> {
    let mut form = multipart::Form::new();
    for part in parts {
        let mut written = multipart::Part::bytes(part.content.clone());
        if let Some(name) = &part.file_name {
            written = written.file_name(name.clone());
        }
        if let Some(kind) = &part.media_type {
            written = written
                .mime_str(kind)
                .map_err(|_no_type| "invalid type of content; expected a media type such as image/png".to_owned())?;
        }
        form = form.part(part.name.clone(), written);
    }
    Ok(form)
}

fn causes<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |cause| cause.source())
}
