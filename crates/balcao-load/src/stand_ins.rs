//! The model and the provider of a measurement: they answer when they are told to.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use balcao_channel::{
    AccountId, Capabilities, Channel, MediaDelivery, Outbound, ProviderMessageId, Recipient, SendError, SendReceipt,
};
use balcao_llm::{
    ChatProvider, EventSink, FinishReason, Message, ModelError, ModelRequest, ModelResponse, ToolCallRequest, Usage,
};
use jiff::{ToSpan, civil::Date};
use tokio::sync::oneshot;

/// Twenty half hours a day, five days a week.
const SLOTS_A_DAY: u32 = 20;
const DAYS_A_WEEK: u32 = 5;

/// Looks, books the slot that the customer wants, and says so: the standard turn of three calls.
#[derive(Debug)]
pub(crate) struct BookingModel {
    /// How long it thinks.
    pub(crate) latency: Duration,
}

/// Day and local time of a slot.
pub(crate) fn slot(number: u32) -> (Date, u16) {
    let (day, at) = (number / SLOTS_A_DAY, number % SLOTS_A_DAY);
    let days = i64::from(day / DAYS_A_WEEK * 7 + day % DAYS_A_WEEK);
    let first = Date::constant(2026, 11, 24);
    let date = first.checked_add(days.days()).unwrap_or(first);
    (date, u16::try_from(9 * 60 + at * 30).unwrap_or(540))
}

/// What a customer writes who wants a slot: a booking holds only what they said.
pub(crate) fn booking_text(number: u32) -> String {
    let (date, start_min) = slot(number);
    format!("quero um Corte com a Ana em {date} às {:02}:{:02}", start_min / 60, start_min % 60)
}

/// Day and time of a wish.
fn parse_booking_text(text: &str) -> Option<(&str, &str)> {
    text.rsplit_once(" em ")?.1.split_once(" às ")
}

#[async_trait]
impl ChatProvider for BookingModel {
    fn name(&self) -> &str {
        "bench"
    }

    fn model(&self) -> &str {
        "bench"
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        _on_event: &mut EventSink<'_>,
    ) -> Result<ModelResponse, ModelError> {
        if !self.latency.is_zero() {
            tokio::time::sleep(self.latency).await;
        }
        let last = request.messages.iter().rposition(|message| matches!(message, Message::User { .. }));
        let since = request.messages.iter().skip(last.unwrap_or(0));
        let results = since.filter(|message| matches!(message, Message::ToolResult { .. })).count();
        let asked = last.and_then(|at| match request.messages.get(at) {
            Some(Message::User { text }) => parse_booking_text(text),
            _ => None,
        });
        let (date, start) = asked.unwrap_or_default();
        let call = |name: &str, arguments: String| ModelResponse {
            text: String::new(),
            tool_calls: vec![ToolCallRequest { id: "a".to_owned(), name: name.to_owned(), arguments, vendor: None }],
            finish: FinishReason::ToolCalls,
            usage: Usage::default(),
            model: "bench".to_owned(),
            mended: Vec::new(),
        };
        Ok(match results {
            0 => {
                call("check_availability", format!(r#"{{"date":"{date}","barber_name":"Ana","service_name":"Corte"}}"#))
            }
            1 => call(
                "create_appointment",
                format!(r#"{{"date":"{date}","start_hour":"{start}","barber_name":"Ana","service_name":"Corte"}}"#),
            ),
            _ => ModelResponse {
                text: "Prontinho, está marcado!".to_owned(),
                tool_calls: Vec::new(),
                finish: FinishReason::Stop,
                usage: Usage::default(),
                model: "bench".to_owned(),
                mended: Vec::new(),
            },
        })
    }
}

/// A WhatsApp that takes everything at once, and tells whoever waits for it.
#[derive(Debug)]
pub(crate) struct AcceptingChannel {
    account: AccountId,
    waiting: Mutex<HashMap<String, oneshot::Sender<String>>>,
}

impl AcceptingChannel {
    pub(crate) fn new(account: &str) -> Arc<Self> {
        Arc::new(Self { account: AccountId::new(account), waiting: Mutex::default() })
    }

    /// Gets the next message to this number.
    pub(crate) fn listen(&self, number: &str) -> oneshot::Receiver<String> {
        let (sender, receiver) = oneshot::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(number.to_owned(), sender);
        receiver
    }
}

#[async_trait]
impl Channel for AcceptingChannel {
    fn kind(&self) -> &'static str {
        "whatsapp"
    }

    fn account(&self) -> &AccountId {
        &self.account
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            max_text: 4_096,
            max_buttons: 0,
            max_rows: 0,
            media: &[],
            own_files: MediaDelivery::Link,
            templates: false,
            quotes: false,
            read_marks: false,
            typing: None,
            window: None,
            idempotent: false,
        }
    }

    async fn send(&self, message: &Outbound, to: &Recipient) -> Result<SendReceipt, SendError> {
        let number = match to {
            Recipient::Number(number) => number.as_str().trim_start_matches('+').to_owned(),
            Recipient::User(user) => user.as_str().to_owned(),
        };
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
        if let Some(waiting) = waiting {
            // Whoever waited may have given up.
            drop(waiting.send(serde_json::to_string(message).unwrap_or_default()));
        }
        Ok(SendReceipt {
            message: ProviderMessageId::new(format!("sent to {number}")),
            number: None,
            user: None,
            held: false,
        })
    }

    async fn mark_read(&self, _message: &ProviderMessageId) -> Result<(), SendError> {
        Ok(())
    }

    async fn typing(&self, _message: &ProviderMessageId) -> Result<(), SendError> {
        Ok(())
    }
}
