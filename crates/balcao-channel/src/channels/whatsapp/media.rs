//! Files: up to Meta before they are sent, and down from it after they came.
//!
//! The token travels only to the Graph API and to Meta's hosts for files, whatever an answer says; no redirect is
//! followed. A file is read up to the limit that the caller gives, and its hash compared.

use base64::{Engine, engine::general_purpose::STANDARD};
use reqwest::{
    Method, Url,
    header::CONTENT_TYPE,
    multipart::{Form, Part},
};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::time::{Instant, timeout_at};

use super::{errors, http::Silence, json, send::WhatsApp};
pub use crate::file::{DownloadLimits, Downloaded, MediaError};
use crate::{
    error::{SendClass, SendError},
    file::{bare_type, check_type, sendable},
    id::ProviderMediaId,
    inbound::MediaKind,
};

/// Where a file can be fetched, for five minutes.
struct Found {
    url: Url,
    mime: Option<String>,
    sha256: Option<String>,
    size: Option<usize>,
}

impl WhatsApp {
    /// Uploads a file, to be sent within 30 days.
    ///
    /// # Errors
    /// [`MediaError`], before anything is sent if type or size do not fit the kind.
    pub async fn upload(
        &self,
        kind: MediaKind,
        mime: &str,
        filename: &str,
        bytes: Vec<u8>,
    ) -> Result<ProviderMediaId, MediaError> {
        let (types, limit) = sendable(kind);
        let bare = bare_type(mime);
        if !types.contains(&bare.as_str()) {
            return Err(MediaError::Type { mime: bare });
        }
        if bytes.is_empty() {
            return Err(MediaError::Empty);
        }
        if bytes.len() > limit {
            return Err(MediaError::TooLarge { limit });
        }
        let part = Part::bytes(bytes).file_name(filename.to_owned()).mime_str(mime);
        let part = part.map_err(|_source| MediaError::Type { mime: bare_type(mime) })?;
        let form = Form::new().text("messaging_product", "whatsapp").text("type", mime.to_owned()).part("file", part);
        let url = self.graph.url(&[self.graph.account.as_str(), "media"]);
        let request = self.graph.request(Method::POST, url).multipart(form);
        let answer = self.graph.call(request, self.graph.clocks.file).await.map_err(repeatable)?;
        if !(200..300).contains(&answer.status) {
            return Err(again(errors::from_answer(answer.status, &answer.body)).into());
        }
        let body = balcao_json::read(&answer.body, super::limits::MAX_DEPTH).unwrap_or(Value::Null);
        json::text(&body, &["id"])
            .map(ProviderMediaId::new)
            .ok_or_else(|| SendError::new(SendClass::retry(), "the answer to an upload names no file").into())
    }

    /// Fetches a customer's file. `announced` is the hash that its message said ([`crate::inbound::Media::sha256`]).
    ///
    /// # Errors
    /// [`MediaError`]; nothing beyond the limits is read.
    pub async fn download(
        &self,
        id: &ProviderMediaId,
        announced: Option<&str>,
        limits: DownloadLimits,
    ) -> Result<Downloaded, MediaError> {
        let found = self.find(id).await?;
        if found.size.is_some_and(|size| size > limits.max_bytes) {
            return Err(MediaError::TooLarge { limit: limits.max_bytes });
        }
        if let Some(mime) = &found.mime {
            check_type(mime, limits)?;
        }
        let file = match self.fetch(&found, limits).await {
            // The address lives five minutes; a fresh one is worth one attempt.
            Err(MediaError::Gone) => self.fetch(&self.find(id).await?, limits).await?,
            other => other?,
        };
        let hash = Sha256::digest(&file.bytes);
        let fits = |expected: &str| is_hash(expected, &hash);
        if announced.is_none_or(fits) && found.sha256.as_deref().is_none_or(fits) {
            Ok(file)
        } else {
            Err(MediaError::Altered)
        }
    }

    async fn find(&self, id: &ProviderMediaId) -> Result<Found, MediaError> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if id.as_str().is_empty() || id.as_str().len() > 128 || !id.as_str().bytes().all(plain) {
            return Err(MediaError::Id);
        }
        let mut url = self.graph.url(&[id.as_str()]);
        url.query_pairs_mut().append_pair("phone_number_id", self.graph.account.as_str());
        let request = self.graph.request(Method::GET, url);
        let answer = self.graph.call(request, self.graph.clocks.whole).await.map_err(repeatable)?;
        if answer.status == 404 {
            return Err(MediaError::Gone);
        }
        if !(200..300).contains(&answer.status) {
            return Err(again(errors::from_answer(answer.status, &answer.body)).into());
        }
        let body = balcao_json::read(&answer.body, super::limits::MAX_DEPTH).unwrap_or(Value::Null);
        let url = json::text(&body, &["url"]).and_then(|url| Url::parse(url).ok());
        let url = url.ok_or_else(|| SendError::new(SendClass::retry(), "the answer names no address of the file"))?;
        Ok(Found {
            url,
            mime: json::owned(&body, &["mime_type"]),
            sha256: json::owned(&body, &["sha256"]),
            size: json::integer(&body, &["file_size"]).and_then(|size| usize::try_from(size).ok()),
        })
    }

    async fn fetch(&self, found: &Found, limits: DownloadLimits) -> Result<Downloaded, MediaError> {
        if !self.graph.trusts(&found.url) {
            return Err(MediaError::Host { host: found.url.host_str().unwrap_or_default().to_owned() });
        }
        let until = Instant::now() + self.graph.clocks.file;
        let request = self.graph.request(Method::GET, found.url.clone());
        let mut response = self.graph.open(request, until).await.map_err(repeatable)?;
        match response.status().as_u16() {
            200 => {}
            404 => return Err(MediaError::Gone),
            status => return Err(again(errors::from_answer(status, &[])).into()),
        }
        let header = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let mime = bare_type(found.mime.as_deref().or(header).unwrap_or("application/octet-stream"));
        check_type(&mime, limits)?;
        let mut bytes = Vec::new();
        loop {
            let piece = timeout_at(until, response.chunk()).await;
            let piece =
                piece.map_err(|_elapsed| SendError::new(SendClass::retry(), "the file did not come in time"))?;
            let piece = piece.map_err(|_source| SendError::new(SendClass::retry(), "the file broke off"))?;
            let Some(piece) = piece else { break };
            if bytes.len().saturating_add(piece.len()) > limits.max_bytes {
                return Err(MediaError::TooLarge { limit: limits.max_bytes });
            }
            bytes.extend_from_slice(&piece);
        }
        if bytes.is_empty() { Err(MediaError::Empty) } else { Ok(Downloaded { mime, bytes }) }
    }
}

/// Moving a file twice does no harm, so an unknown outcome is worth another attempt.
fn repeatable(silence: Silence) -> SendError {
    SendError::new(SendClass::retry(), &silence.words)
}

fn again(mut error: SendError) -> SendError {
    if error.class == SendClass::Unknown {
        error.class = SendClass::retry();
    }
    error
}

/// Webhooks write the hash in base64, look-ups in hex. One of neither form says nothing.
fn is_hash(expected: &str, hash: &[u8]) -> bool {
    let hex = expected.len() == 64 && expected.bytes().all(|byte| byte.is_ascii_hexdigit());
    if hex {
        let bytes = expected
            .as_bytes()
            .chunks_exact(2)
            .map(|pair| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok()));
        return bytes.eq(hash.iter().copied().map(Some));
    }
    STANDARD.decode(expected).map_or(true, |bytes| bytes.len() != hash.len() || bytes == hash)
}

#[cfg(test)]
#[path = "media_tests.rs"]
mod tests;
