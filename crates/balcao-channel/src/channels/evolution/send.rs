//! The sender. The gateway has no key for repeated requests: without an answer the outcome is unknown.

use std::time::Duration;

use async_trait::async_trait;
use base64::{Engine, engine::general_purpose::STANDARD};
use reqwest::{Client, Url, redirect, retry};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::KIND;
use crate::capabilities::Capabilities;
use crate::capabilities::MediaDelivery;
use crate::{
    channel::{Channel, Recipient, SendReceipt},
    channels::whatsapp::json as read,
    error::{GiveUpReason, SendClass, SendError},
    file::{DownloadLimits, Downloaded, MediaError, bare_type, check_type},
    id::{AccountId, ProviderMessageId},
    inbound::{Media, MediaKind},
    outbound::{InlineFile, MediaSource, Outbound, OutboundContent, limits},
};

/// Largest answer that is read, unless it is a file.
const MAX_ANSWER: usize = 64 * 1024;
const MAX_DEPTH: usize = 64;

/// An instance of the gateway.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where it answers. `https`, or `http` on this machine and to a neighbour whose name has no dot.
    pub base_url: String,
    /// The instance's name.
    pub instance: String,
    /// Its key.
    pub key: SecretString,
    /// How long one call may take.
    pub within: Duration,
}

/// Why an instance cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The key would travel in the open, or nowhere.
    #[error("invalid base URL `{url}`; expected https:// (http:// on this machine or to a name without a dot)")]
    BaseUrl {
        /// As given.
        url: String,
    },
    /// It has no name.
    #[error("the instance has no name")]
    Instance,
    /// There is no key.
    #[error("the gateway's key is empty")]
    Key,
    /// The TLS back end or the system's proxy settings cannot be used.
    #[error("no HTTP client could be built")]
    Client(#[source] reqwest::Error),
}

/// One number behind the gateway. Its `Debug` hides the key.
#[derive(Debug, Clone)]
pub struct Evolution {
    client: Client,
    base: Url,
    account: AccountId,
    key: SecretString,
    within: Duration,
}

impl Evolution {
    /// Checks the configuration. Nothing is sent.
    ///
    /// # Errors
    /// [`ConfigError`] says what to mend.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        let refuse = || ConfigError::BaseUrl { url: config.base_url.clone() };
        let base = Url::parse(&config.base_url).map_err(|_source| refuse())?;
        let host = base.host_str().ok_or_else(refuse)?;
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let local = match bare.parse::<std::net::IpAddr>() {
            Ok(address) => address.is_loopback(),
            Err(_a_name) => !host.contains('.'),
        };
        let plain = base.username().is_empty() && base.password().is_none() && base.query().is_none();
        if !plain || !(base.scheme() == "https" || (base.scheme() == "http" && local)) {
            return Err(refuse());
        }
        if config.instance.trim().is_empty() {
            return Err(ConfigError::Instance);
        }
        if config.key.expose_secret().trim().is_empty() {
            return Err(ConfigError::Key);
        }
        let builder = balcao_http::builder()
            .connect_timeout(Duration::from_secs(5))
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .user_agent(concat!("balcao/", env!("CARGO_PKG_VERSION")));
        let builder = if local { builder.no_proxy() } else { builder };
        let client = builder.build().map_err(ConfigError::Client)?;
        let Config { instance, key, within, .. } = config;
        Ok(Self { client, base, account: AccountId::new(instance), key, within })
    }

    /// Posts to one of the gateway's paths; gives the status and at most `most` bytes of the answer.
    async fn post(&self, group: &str, what: &str, body: &Value, most: usize) -> Result<(u16, Vec<u8>), SendError> {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend([group, what, self.account.as_str()]);
        }
        let until = Instant::now() + self.within;
        let request = self.client.post(url).header("apikey", self.key.expose_secret()).json(body);
        let sent = timeout_at(until, request.send()).await;
        let mut response = match sent {
            Ok(Ok(response)) => response,
            Ok(Err(cause)) if cause.is_connect() || cause.is_builder() => {
                return Err(SendError::new(SendClass::retry(), "no connection to the gateway"));
            }
            Ok(Err(_)) | Err(_) => return Err(SendError::new(SendClass::Unknown, "no answer of the gateway")),
        };
        let status = response.status().as_u16();
        let mut answer = Vec::new();
        while let Ok(Ok(Some(piece))) = timeout_at(until, response.chunk()).await {
            if answer.len().saturating_add(piece.len()) > most {
                return Err(SendError::new(SendClass::Unknown, "the gateway's answer is too large"));
            }
            answer.extend_from_slice(&piece);
        }
        Ok((status, answer))
    }
}

#[async_trait]
impl Channel for Evolution {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn account(&self) -> &AccountId {
        &self.account
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            max_text: limits::TEXT,
            max_buttons: 0,
            max_rows: 0,
            media: &[MediaKind::Image, MediaKind::Video, MediaKind::Audio, MediaKind::Document],
            own_files: MediaDelivery::Inline,
            templates: false,
            quotes: true,
            read_marks: false,
            typing: None,
            window: None,
            idempotent: false,
        }
    }

    async fn send(&self, message: &Outbound, to: &Recipient) -> Result<SendReceipt, SendError> {
        let Some((what, body)) = request(message, to) else {
            let words = "the gateway cannot send such a message, or not to that recipient";
            return Err(SendError::new(SendClass::give_up(GiveUpReason::Rejected), words));
        };
        let (status, answer) = self.post("message", what, &body, MAX_ANSWER).await?;
        let parsed = balcao_json::read(&answer, MAX_DEPTH).unwrap_or(Value::Null);
        if !(200..300).contains(&status) {
            return Err(refused(status));
        }
        match read::text(&parsed, &["key", "id"]) {
            Some(id) => Ok(SendReceipt { message: ProviderMessageId::new(id), number: None, user: None, held: false }),
            None => Err(SendError::new(SendClass::Unknown, "accepted, but the answer names no message")),
        }
    }

    async fn mark_read(&self, _message: &ProviderMessageId) -> Result<(), SendError> {
        Ok(())
    }

    async fn typing(&self, _message: &ProviderMessageId) -> Result<(), SendError> {
        Ok(())
    }

    async fn upload_media(&self, file: InlineFile) -> Result<MediaSource, MediaError> {
        // The gateway takes files within the message.
        Ok(MediaSource::Inline(file))
    }

    async fn fetch(&self, media: &Media, limits: DownloadLimits) -> Result<Downloaded, MediaError> {
        let body = json!({ "message": { "key": { "id": media.id } }, "convertToMp4": false });
        // In base64, and a little around it.
        let most = limits.max_bytes.saturating_add(2) / 3 * 4 + MAX_ANSWER;
        let asked = self.post("chat", "getBase64FromMediaMessage", &body, most).await;
        let (status, answer) = match asked {
            Ok(answered) => answered,
            Err(error) if error.message.contains("too large") => {
                return Err(MediaError::TooLarge { limit: limits.max_bytes });
            }
            // Asking twice does no harm.
            Err(error) => return Err(SendError { class: SendClass::retry(), ..error }.into()),
        };
        match status {
            200..300 => {}
            400 | 404 => return Err(MediaError::Gone),
            other => return Err(again(refused(other)).into()),
        }
        let broken = |words| MediaError::from(SendError::new(SendClass::retry(), words));
        let parsed =
            balcao_json::read(&answer, MAX_DEPTH).map_err(|_fault| broken("invalid JSON in the gateway's answer"))?;
        let mime = bare_type(read::text(&parsed, &["mimetype"]).unwrap_or("application/octet-stream"));
        check_type(&mime, limits)?;
        let text = read::text(&parsed, &["base64"]).ok_or(MediaError::Empty)?;
        let bytes = STANDARD.decode(text).map_err(|_source| broken("invalid base64 in the gateway's file"))?;
        if bytes.len() > limits.max_bytes {
            return Err(MediaError::TooLarge { limit: limits.max_bytes });
        }
        if bytes.is_empty() { Err(MediaError::Empty) } else { Ok(Downloaded { mime, bytes }) }
    }
}

/// Path and body of a message; `None` for what the gateway cannot send.
fn request(message: &Outbound, to: &Recipient) -> Option<(&'static str, Value)> {
    let number = match to {
        Recipient::Number(number) => {
            let digits = number.as_str().trim_start_matches('+');
            let plain = (6..=20).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| digits.to_owned())?
        }
        Recipient::User(user) => user.as_str().ends_with("@lid").then(|| user.as_str().to_owned())?,
    };
    let (what, mut body) = match message.content() {
        OutboundContent::Text { body, preview_url } => {
            ("sendText", json!({ "text": body, "linkPreview": preview_url }))
        }
        OutboundContent::Media { media: MediaKind::Audio, source: MediaSource::Link(link), .. } => {
            ("sendWhatsAppAudio", json!({ "audio": link }))
        }
        OutboundContent::Media { media, source: MediaSource::Link(link), caption, filename, .. }
            if *media != MediaKind::Sticker =>
        {
            (
                "sendMedia",
                json!({ "mediatype": media.as_str(), "media": link, "caption": caption, "fileName": filename }),
            )
        }
        OutboundContent::Media { source: MediaSource::Inline(file), caption, .. } => {
            let base64 = STANDARD.encode(&file.bytes);
            match file.kind {
                MediaKind::Audio => ("sendWhatsAppAudio", json!({ "audio": base64 })),
                MediaKind::Image | MediaKind::Video | MediaKind::Document | MediaKind::Sticker => (
                    "sendMedia",
                    json!({ "mediatype": file.kind.as_str(), "mimetype": file.mime, "media": base64,
                        "caption": caption, "fileName": file.name }),
                ),
            }
        }
        OutboundContent::Location { latitude, longitude, name, address } => (
            "sendLocation",
            json!({ "latitude": latitude, "longitude": longitude, "name": name.as_deref().unwrap_or_default(),
                "address": address.as_deref().unwrap_or_default() }),
        ),
        OutboundContent::Media { .. }
        | OutboundContent::Buttons { .. }
        | OutboundContent::List { .. }
        | OutboundContent::AskNumber { .. }
        | OutboundContent::Template(_)
        | OutboundContent::Mail { .. } => return None,
    };
    let part = body.as_object_mut()?;
    part.retain(|_key, value| !value.is_null());
    part.insert("number".to_owned(), json!(number));
    if let Some(quote) = message.quote() {
        part.insert("quoted".to_owned(), json!({ "key": { "id": quote } }));
    }
    Some((what, body))
}

fn refused(status: u16) -> SendError {
    let class = match status {
        401 | 403 => SendClass::Misconfigured,
        // No such instance.
        404 => SendClass::Misconfigured,
        429 | 503 => SendClass::retry(),
        400..500 => SendClass::give_up(GiveUpReason::Rejected),
        _ => SendClass::Unknown,
    };
    SendError::new(class, &format!("the gateway answers HTTP {status}"))
}

fn again(error: SendError) -> SendError {
    if error.class == SendClass::Unknown { SendError { class: SendClass::retry(), ..error } } else { error }
}
