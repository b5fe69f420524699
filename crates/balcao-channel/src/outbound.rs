//! What goes out: data that can be stored, and that is within the provider's limits once it exists.
//!
//! An [`Outbound`] can only be made by [`Outbound::new`] or read back from storage, and both check every limit, so a
//! message that could never be sent is refused where it is written, with words that say how to mend it. The limits are
//! WhatsApp's ([`limits`]), the narrowest of the channels.

use std::sync::Arc;

use balcao_domain::AttachmentId;
use serde::{Deserialize, Serialize};

use crate::capabilities::Capabilities;
use crate::{
    id::{ProviderMediaId, ProviderMessageId},
    inbound::MediaKind,
};

mod check;
pub mod limits;

pub use check::OutboundError;

/// One message to send.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Outbound {
    content: OutboundContent,
    #[serde(skip_serializing_if = "Option::is_none")]
    quote: Option<ProviderMessageId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    correlation: Option<CorrelationId>,
}

impl Outbound {
    /// A message with this content.
    ///
    /// # Errors
    /// [`OutboundError`] names the first limit that it breaks.
    pub fn new(content: OutboundContent) -> Result<Self, OutboundError> {
        check::content(&content)?;
        Ok(Self { content, quote: None, correlation: None })
    }

    /// A message of words.
    ///
    /// # Errors
    /// The text is empty or too long; [`crate::split_text`] cuts a long one.
    pub fn text(body: impl Into<String>) -> Result<Self, OutboundError> {
        Self::new(OutboundContent::Text { body: body.into(), preview_url: false })
    }

    /// Words with one to three buttons.
    ///
    /// # Errors
    /// A text is empty or too long, or two buttons look alike.
    pub fn buttons(body: impl Into<String>, buttons: Vec<Button>) -> Result<Self, OutboundError> {
        Self::new(OutboundContent::Buttons { header: None, body: body.into(), footer: None, buttons })
    }

    /// Words with a list of one to ten rows behind a button.
    ///
    /// # Errors
    /// A text is empty or too long, or two rows have one id.
    pub fn list(body: impl Into<String>, open: impl Into<String>, rows: Vec<Row>) -> Result<Self, OutboundError> {
        let sections = vec![Section { title: None, rows }];
        Self::new(OutboundContent::List { header: None, body: body.into(), footer: None, open: open.into(), sections })
    }

    /// The same message as an answer to this one.
    #[must_use]
    pub fn quoting(mut self, message: ProviderMessageId) -> Self {
        self.quote = Some(message);
        self
    }

    /// The same message under our own name: statuses repeat it, which settles attempts of unknown outcome.
    #[must_use]
    pub fn tracked(mut self, correlation: CorrelationId) -> Self {
        self.correlation = Some(correlation);
        self
    }

    /// The same message for a channel that can do so much: where it has no buttons or no lists, their words alone. The words of what asks
    /// with a button ask without one, too.
    #[must_use]
    pub fn adapted_to(&self, capabilities: &Capabilities) -> Self {
        let plain = |body: &String| Self {
            content: OutboundContent::Text { body: body.clone(), preview_url: false },
            quote: self.quote.clone(),
            correlation: self.correlation.clone(),
        };
        match &self.content {
            OutboundContent::Buttons { body, buttons, .. } if buttons.len() > capabilities.max_buttons => plain(body),
            OutboundContent::List { body, sections, .. }
                if sections.iter().map(|section| section.rows.len()).sum::<usize>() > capabilities.max_rows =>
            {
                plain(body)
            }
            OutboundContent::AskNumber { body } if capabilities.max_buttons == 0 => plain(body),
            OutboundContent::Text { .. }
            | OutboundContent::Media { .. }
            | OutboundContent::Location { .. }
            | OutboundContent::Buttons { .. }
            | OutboundContent::List { .. }
            | OutboundContent::AskNumber { .. }
            | OutboundContent::Template(_)
            | OutboundContent::Mail { .. } => self.clone(),
        }
    }

    /// The file of ours that it holds, as long as it was not handed in.
    #[must_use]
    pub const fn kept(&self) -> Option<AttachmentId> {
        match &self.content {
            OutboundContent::Media { source: MediaSource::Kept(id), .. } => Some(*id),
            OutboundContent::Media { .. }
            | OutboundContent::Text { .. }
            | OutboundContent::Location { .. }
            | OutboundContent::Buttons { .. }
            | OutboundContent::List { .. }
            | OutboundContent::AskNumber { .. }
            | OutboundContent::Template(_)
            | OutboundContent::Mail { .. } => None,
        }
    }

    /// The same message with its file elsewhere; one without a file is the same.
    ///
    /// # Errors
    /// [`OutboundError`] if a file cannot be there.
    pub fn with_source(mut self, elsewhere: MediaSource) -> Result<Self, OutboundError> {
        if let OutboundContent::Media { source, .. } = &mut self.content {
            *source = elsewhere;
        }
        check::content(&self.content)?;
        Ok(self)
    }

    /// What it holds.
    #[must_use]
    pub const fn content(&self) -> &OutboundContent {
        &self.content
    }

    /// What it answers.
    #[must_use]
    pub const fn quote(&self) -> Option<&ProviderMessageId> {
        self.quote.as_ref()
    }

    /// Our own name of it.
    #[must_use]
    pub const fn correlation(&self) -> Option<&CorrelationId> {
        self.correlation.as_ref()
    }
}

/// An [`Outbound`] as it is stored, before its limits are checked again.
#[derive(Deserialize)]
struct Unchecked {
    content: OutboundContent,
    #[serde(default)]
    quote: Option<ProviderMessageId>,
    #[serde(default)]
    correlation: Option<CorrelationId>,
}

impl TryFrom<Unchecked> for Outbound {
    type Error = OutboundError;

    fn try_from(stored: Unchecked) -> Result<Self, OutboundError> {
        let Unchecked { content, quote, correlation } = stored;
        check::content(&content)?;
        Ok(Self { content, quote, correlation })
    }
}

/// Our own name of a message, such as `outbox:8812`: 1 to 512 visible ASCII characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CorrelationId(String);

impl CorrelationId {
    /// Takes a name.
    ///
    /// # Errors
    /// [`OutboundError::Correlation`] if it is empty, longer than 512, or holds anything but visible ASCII characters.
    pub fn new(name: impl Into<String>) -> Result<Self, OutboundError> {
        let name = name.into();
        let fits = (1..=limits::CORRELATION).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic());
        if fits { Ok(Self(name)) } else { Err(OutboundError::Correlation) }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for CorrelationId {
    type Error = OutboundError;

    fn try_from(name: String) -> Result<Self, OutboundError> {
        Self::new(name)
    }
}

impl From<CorrelationId> for String {
    fn from(id: CorrelationId) -> Self {
        id.0
    }
}

/// What a message holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum OutboundContent {
    /// Words.
    Text {
        /// The words, with the channel's own marks (`*bold*`, `_italic_`).
        body: String,
        /// Whether the first address in it is shown with a picture of its page.
        #[serde(default)]
        preview_url: bool,
    },
    /// A file.
    Media {
        /// What kind of file. Named so that it does not meet the tag.
        media: MediaKind,
        /// Where it is.
        source: MediaSource,
        /// Words below it; not for sound and stickers.
        caption: Option<String>,
        /// The name that the customer sees; for documents alone.
        filename: Option<String>,
        /// Whether sound is shown as a voice note (OGG with Opus, one channel).
        #[serde(default)]
        voice: bool,
    },
    /// A place.
    Location {
        /// Degrees north.
        latitude: f64,
        /// Degrees east.
        longitude: f64,
        /// What is there.
        name: Option<String>,
        /// Its address.
        address: Option<String>,
    },
    /// Words with buttons.
    Buttons {
        /// A line above.
        header: Option<String>,
        /// The words.
        body: String,
        /// A line below.
        footer: Option<String>,
        /// One to three buttons.
        buttons: Vec<Button>,
    },
    /// Words with a list behind a button.
    List {
        /// A line above.
        header: Option<String>,
        /// The words.
        body: String,
        /// A line below.
        footer: Option<String>,
        /// The words on the button that opens the list.
        open: String,
        /// At most ten rows in all sections together.
        sections: Vec<Section>,
    },
    /// Asks the customer for their number, with a button that tells it.
    AskNumber {
        /// The question.
        body: String,
    },
    /// A message in words that the provider approved: the only kind outside the window.
    Template(Template),
    /// A letter: for e-mail alone.
    Mail {
        /// What it is about: one line.
        subject: String,
        /// The words.
        body: String,
        /// An appointment as iCalendar, attached.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        calendar: Option<String>,
    },
}

/// Where a file is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaSource {
    /// At the provider: it was uploaded before.
    Uploaded(ProviderMediaId),
    /// On a public page, which the provider fetches. `https` alone.
    Link(String),
    /// With us: it is handed in before it is sent ([`crate::Channel::upload_media`]), or read from us.
    Kept(AttachmentId),
    /// Here, to travel within the message. It is never stored.
    #[serde(skip)]
    Inline(InlineFile),
}

/// A file of ours on its way out. Cheap to clone.
#[derive(Clone, PartialEq, Eq)]
pub struct InlineFile {
    /// How it is sent.
    pub kind: MediaKind,
    /// Its type, as its bytes say.
    pub mime: String,
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: Arc<[u8]>,
}

impl std::fmt::Debug for InlineFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InlineFile").field("mime", &self.mime).field("bytes", &self.bytes.len()).finish_non_exhaustive()
    }
}

/// A button below a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Button {
    /// What comes back when it is tapped.
    pub id: String,
    /// The words on it, at most 20 characters.
    pub title: String,
}

/// A part of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// Its heading; needed if there are several sections.
    pub title: Option<String>,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// A row of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// What comes back when it is chosen.
    pub id: String,
    /// Its words, at most 24 characters.
    pub title: String,
    /// Its second line.
    pub description: Option<String>,
}

/// A use of an approved template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    /// Its name: lower-case letters, digits and `_`.
    pub name: String,
    /// Its language, such as `pt_BR`.
    pub language: String,
    /// What stands in the gaps of its body, in order.
    pub body: Vec<TemplateParameter>,
    /// What comes back when a quick-reply button is tapped, by the button's place.
    pub quick_replies: Vec<String>,
}

/// What stands in one gap of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateParameter {
    /// The gap's name; `None` if the template numbers its gaps. All of one template are named, or none.
    pub name: Option<String>,
    /// The words: one line.
    pub text: String,
}

#[cfg(test)]
#[path = "outbound_tests.rs"]
mod tests;
