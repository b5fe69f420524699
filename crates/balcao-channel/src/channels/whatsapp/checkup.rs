//! Questions to Meta that tell whether an account is set up well. They change nothing.

use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use jiff::{SignedDuration, Timestamp, fmt::rfc2822};
use reqwest::{Method, Url, header::DATE, redirect};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use sha2::Sha256;
use tokio::time::Instant;

use super::{errors, http::Silence, json, send::WhatsApp};
use crate::error::{SendClass, SendError};

/// How far clocks may differ before signatures, windows and reminders suffer.
pub const SKEW: SignedDuration = SignedDuration::from_secs(60);

/// What Meta says of a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberInfo {
    /// The number as people write it.
    pub number: Option<String>,
    /// The name that customers see.
    pub name: Option<String>,
    /// `GREEN`, `YELLOW`, `RED` or `UNKNOWN`.
    pub quality: Option<String>,
    /// `CONNECTED`, …
    pub status: Option<String>,
    /// What time it was at Meta.
    pub at: Option<Timestamp>,
}

/// A template as Meta has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateInfo {
    /// Its name.
    pub name: String,
    /// Its language.
    pub language: String,
    /// `APPROVED`, `PENDING`, `REJECTED`, `PAUSED`, …
    pub status: String,
    /// What it is billed as.
    pub category: String,
    /// The names of its gaps, or their numbers, in the order of its words; `None` if Meta does not show them.
    pub gaps: Option<Vec<String>>,
    /// How many buttons of the kind "quick reply" it has.
    pub quick_replies: usize,
}

impl WhatsApp {
    /// What Meta says of the account's number. With the app secret, Meta checks that too, and refuses a wrong one.
    ///
    /// # Errors
    /// [`SendError`], its code Meta's: 190 a bad token, 100 an unknown id or a wrong app secret.
    pub async fn number_info(&self, app_secret: Option<&SecretString>) -> Result<NumberInfo, SendError> {
        let mut url = self.graph.url(&[self.graph.account.as_str()]);
        url.query_pairs_mut().append_pair("fields", "display_phone_number,verified_name,quality_rating,status");
        if let Some(secret) = app_secret {
            url.query_pairs_mut().append_pair("appsecret_proof", &self.proof(secret));
        }
        let (body, at) = self.look(url).await?;
        Ok(NumberInfo {
            number: json::owned(&body, &["display_phone_number"]),
            name: json::owned(&body, &["verified_name"]),
            quality: json::owned(&body, &["quality_rating"]),
            status: json::owned(&body, &["status"]),
            at,
        })
    }

    /// Whether Meta would send for the account: it knows the token, and the number is connected.
    pub(super) async fn is_able(&self) -> Result<(), SendError> {
        match self.number_info(None).await?.status.as_deref() {
            None | Some("CONNECTED") => Ok(()),
            Some(other) => Err(SendError::new(SendClass::retry(), &format!("Meta says that the number is {other}"))),
        }
    }

    /// The apps that get the webhooks of a business account. If there is none, no message ever arrives.
    ///
    /// # Errors
    /// [`SendError`]
    pub async fn subscribed_apps(&self, business: &str) -> Result<Vec<String>, SendError> {
        let (body, _) = self.look(self.graph.url(&[business, "subscribed_apps"])).await?;
        let name = |one: &Value| json::owned(one, &["whatsapp_business_api_data", "name"]).unwrap_or_default();
        Ok(json::items(&body, &["data"]).iter().map(name).collect())
    }

    /// The templates of a business account, the first hundred.
    ///
    /// # Errors
    /// [`SendError`]
    pub async fn template_infos(&self, business: &str) -> Result<Vec<TemplateInfo>, SendError> {
        let mut url = self.graph.url(&[business, "message_templates"]);
        url.query_pairs_mut()
            .append_pair("fields", "name,status,category,language,components")
            .append_pair("limit", "100");
        let (body, _) = self.look(url).await?;
        let text = |one: &Value, key: &str| json::owned(one, &[key]).unwrap_or_default();
        let info = |one: &Value| TemplateInfo {
            name: text(one, "name"),
            language: text(one, "language"),
            status: text(one, "status"),
            category: text(one, "category"),
            gaps: words_of(one).map(gaps),
            quick_replies: quick_replies(one),
        };
        Ok(json::items(&body, &["data"]).iter().map(info).collect())
    }

    /// That we know both the token and the app secret, as Meta wants it shown.
    fn proof(&self, app_secret: &SecretString) -> String {
        // HMAC takes keys of any length.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(app_secret.expose_secret().as_bytes()) else {
            return String::new();
        };
        mac.update(self.graph.secret().as_bytes());
        mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    async fn look(&self, url: Url) -> Result<(Value, Option<Timestamp>), SendError> {
        let silent = |silence: Silence| SendError::new(SendClass::retry(), &silence.words);
        let request = self.graph.request(Method::GET, url);
        let until = Instant::now() + self.graph.clocks.whole;
        let response = self.graph.open(request, until).await.map_err(silent)?;
        let at = response.headers().get(DATE).and_then(|value| value.to_str().ok()).and_then(date);
        let answer = self.graph.read(response, until).await;
        if !(200..300).contains(&answer.status) {
            return Err(errors::from_answer(answer.status, &answer.body));
        }
        let body = balcao_json::read(&answer.body, super::limits::MAX_DEPTH);
        let body = body.map_err(|_fault| SendError::new(SendClass::retry(), "invalid JSON in the answer"))?;
        Ok((body, at))
    }
}

/// Checks the webhook's address as Meta does: asks it to repeat `challenge`.
///
/// # Errors
/// What is wrong, in words for the operator.
pub async fn handshake(public_url: &str, verify_token: &SecretString, challenge: &str) -> Result<(), String> {
    let base = public_url.trim_end_matches('/');
    let mut url = Url::parse(&format!("{base}/webhooks/whatsapp")).map_err(|error| error.to_string())?;
    let host = url.host_str().unwrap_or_default();
    let local = host == "localhost" || host.starts_with("127.");
    if url.scheme() != "https" && !local {
        return Err("Meta wants an address that begins with https://".to_owned());
    }
    url.query_pairs_mut()
        .append_pair("hub.mode", "subscribe")
        .append_pair("hub.challenge", challenge)
        .append_pair("hub.verify_token", verify_token.expose_secret());
    let builder = balcao_http::builder().timeout(Duration::from_secs(10)).redirect(redirect::Policy::none());
    let builder = if local { builder.no_proxy() } else { builder };
    let client = builder.build().map_err(|error| error.to_string())?;
    let answer = client.get(url).send().await.map_err(|error| {
        // The address holds the verify token.
        let why = error.without_url();
        if why.is_timeout() { "no answer within 10 s".to_owned() } else { format!("no connection: {why}") }
    })?;
    let status = answer.status();
    let body = answer.text().await.unwrap_or_default();
    match (status.as_u16(), body == challenge) {
        (200, true) => Ok(()),
        (200, false) => {
            Err("it answers 200, but does not repeat the challenge: something else answers there".to_owned())
        }
        (403, _) => Err("it answers 403: the server there has another verify token".to_owned()),
        (other, _) => Err(format!("it answers {other}")),
    }
}

fn components<'t>(template: &'t Value, kind: &'static str) -> impl Iterator<Item = &'t Value> {
    json::items(template, &["components"]).iter().filter(move |one| json::text(one, &["type"]) == Some(kind))
}

fn words_of(template: &Value) -> Option<&str> {
    components(template, "BODY").find_map(|body| json::text(body, &["text"]))
}

/// The gaps in a template's words: what stands in `{{…}}`, each once.
fn gaps(words: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for gap in words.split("{{").skip(1).filter_map(|rest| Some(rest.split_once("}}")?.0.trim())) {
        if !all.iter().any(|known| known == gap) {
            all.push(gap.to_owned());
        }
    }
    all
}

fn quick_replies(template: &Value) -> usize {
    let buttons = components(template, "BUTTONS").flat_map(|one| json::items(one, &["buttons"]));
    buttons.filter(|one| json::text(one, &["type"]) == Some("QUICK_REPLY")).count()
}

fn date(text: &str) -> Option<Timestamp> {
    rfc2822::parse(text).ok().map(|at| at.timestamp())
}
