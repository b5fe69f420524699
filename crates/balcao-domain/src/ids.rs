//! Typed ids. Each is an integer from 1 to 2,147,483,647, because back ends with INT4 keys must be able to hold it.
//!
//! An id prints with a prefix (`apt_42`) and refuses another's prefix when read back, so that a contact can never be
//! passed where an appointment is meant. In JSON it is the bare integer, as the tools show it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Why a number or a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// The number is outside of 1 to 2,147,483,647.
    #[error("{value} is no {kind} id: ids are whole numbers from 1 to 2147483647")]
    OutOfRange {
        /// What the id would have named, such as `appointment`.
        kind: &'static str,
        /// The number as given.
        value: i64,
    },
    /// The text is not `prefix_number`.
    #[error(
        "invalid {kind} id `{text}`; expected `{prefix}_` and a whole number from 1 to 2147483647, such as `{prefix}_42`"
    )]
    Malformed {
        /// What the id would have named.
        kind: &'static str,
        /// The prefix that this kind of id carries.
        prefix: &'static str,
        /// The text as given.
        text: String,
    },
}

macro_rules! typed_ids {
    ($($(#[$doc:meta])* $name:ident, $prefix:literal, $kind:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "i64", into = "i64")]
        pub struct $name(i32);

        impl $name {
            /// The prefix that the id prints with.
            pub const PREFIX: &'static str = $prefix;

            /// The number, from 1 to 2,147,483,647.
            #[must_use]
            pub const fn get(self) -> i32 {
                self.0
            }
        }

        impl TryFrom<i64> for $name {
            type Error = IdError;

            fn try_from(value: i64) -> Result<Self, IdError> {
                match i32::try_from(value) {
                    Ok(number) if number >= 1 => Ok(Self(number)),
                    Ok(_) | Err(_) => Err(IdError::OutOfRange { kind: $kind, value }),
                }
            }
        }

        impl From<$name> for i64 {
            fn from(id: $name) -> i64 {
                i64::from(id.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "_{}"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                let digits = text.strip_prefix(concat!($prefix, "_"));
                // A sign or a leading zero would give one id two spellings.
                digits
                    .filter(|digits| digits.starts_with(|first: char| matches!(first, '1'..='9')))
                    .and_then(|digits| digits.parse::<i64>().ok())
                    .and_then(|number| Self::try_from(number).ok())
                    .ok_or_else(|| IdError::Malformed { kind: $kind, prefix: $prefix, text: text.to_owned() })
            }
        }
    )*};
}

typed_ids! {
    /// A business: the tenant that every row belongs to.
    OrganizationId, "org", "organization";
    /// A person we talk to or about.
    ContactId, "con", "contact";
    /// The person who is booked: a barber, a doctor.
    ProfessionalId, "pro", "professional";
    /// What is booked.
    ServiceId, "srv", "service";
    /// A booked span.
    AppointmentId, "apt", "appointment";
    /// A subscription plan.
    PlanId, "pln", "plan";
    /// A contact's subscription to a plan.
    SubscriberId, "sub", "subscriber";
    /// A sales or care pipeline.
    PipelineId, "pip", "pipeline";
    /// One stage of a pipeline.
    StageId, "stg", "stage";
    /// A tag that contacts can carry.
    TagId, "tag", "tag";
    /// An internal note.
    NoteId, "not", "note";
    /// An entry of the knowledge base.
    KnowledgeId, "kno", "knowledge entry";
    /// An approved or proposed message template.
    TemplateId, "tpl", "template";
    /// An item of the media library.
    MediaId, "med", "media item";
    /// A person who uses the console.
    StaffId, "stf", "staff";
    /// A planned follow-up message.
    FollowUpId, "fup", "follow-up";
    /// A planned reminder of an appointment.
    ReminderId, "rem", "reminder";
    /// A place on a waitlist.
    WaitlistId, "wai", "waitlist entry";
    /// A professional's time off.
    TimeOffId, "off", "time off";
    /// The lasting thread with a contact.
    ConversationId, "cnv", "conversation";
    /// One message of a conversation.
    MessageId, "msg", "message";
    /// From a customer's messages to our reply or handoff.
    TurnId, "trn", "turn";
    /// Something that came in by a channel.
    InboxId, "inb", "inbox row";
    /// A message that is to be sent, or was.
    OutboxId, "out", "outbox row";
    /// A file that a customer sent.
    AttachmentId, "att", "attachment";
    /// A key of the HTTP API.
    ApiKeyId, "key", "API key";
    /// An address under which a professional's agenda is read.
    FeedId, "fee", "feed";
}

#[cfg(test)]
#[path = "ids_tests.rs"]
mod tests;
