//! Offers: what a tool found that the customer may choose, as data.
//!
//! A channel that can shows them as buttons or a list below the reply; the others have the reply's words. An offer promises
//! nothing: whatever is chosen is checked again when it is booked.

use jiff::civil::{Date, Time};
use serde::{Deserialize, Serialize};

/// A time that can be booked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Offer {
    /// The civil day in the organization's zone.
    pub day: Date,
    /// The local start time.
    pub start: Time,
    /// The professional.
    pub professional: String,
    /// For what, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
}
