//! What is booked.

use serde::{Deserialize, Serialize};

use crate::ids::ServiceId;
use crate::money::Money;

/// A service with its price and its scheduling rules. Durations and buffers are multiples of five minutes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Service {
    /// Its id.
    pub id: ServiceId,
    /// Its name as customers read it.
    pub name: String,
    /// Other names that customers use.
    pub aliases: Vec<String>,
    /// What it is, for customers.
    pub description: Option<String>,
    /// Its price, unless the professional has one of their own.
    pub price: Money,
    /// How long it takes, unless the professional has a duration of their own.
    pub duration_min: u32,
    /// Kept free before it.
    pub buffer_before_min: u32,
    /// Kept free after it.
    pub buffer_after_min: u32,
    /// Minimum notice, where it differs from the business's.
    pub notice_min: Option<u32>,
    /// Maximum advance, where it differs from the business's.
    pub advance_days: Option<u32>,
    /// Cancellation notice, where it differs from the business's.
    pub cancellation_notice_min: Option<u32>,
    /// Whether it can be booked.
    pub active: bool,
}

/// A service as one professional offers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedService {
    /// The service.
    pub service: ServiceId,
    /// The professional's own duration.
    pub duration_min: Option<u32>,
    /// The professional's own price, in cents of the organization's currency.
    pub price_cents: Option<i64>,
}
