//! How a message to a customer travels, in words: as what, and at what price.

use balcao_app::messaging::outbound::reach::{Reach, Unreachable};

/// "free of charge", "as the template `moved`, for 0.0400", or why nothing reaches the customer.
pub(crate) fn carried(reach: &Reach) -> String {
    match reach {
        Reach::Message { price_micros: Some(0) } => "free of charge".to_owned(),
        Reach::Message { price_micros } => format!("as a message{}", price(*price_micros)),
        Reach::Template { name, price_micros } => format!("as the template `{name}`{}", price(*price_micros)),
        Reach::Nothing { reason } => match reason {
            Unreachable::OptedOut => "because they want no such messages",
            Unreachable::NoChannel => "because no channel leads to them",
            Unreachable::NoTemplate => "because their window is closed and no template has this purpose",
            Unreachable::MonthlyCap => "because the monthly limit is reached",
        }
        .to_owned(),
    }
}

/// ", 0.0400 each" in the currency of the business; nothing where the price is unknown.
fn price(micros: Option<u64>) -> String {
    micros.map_or_else(String::new, |micros| format!(", for {}.{:04}", micros / 1_000_000, micros % 1_000_000 / 100))
}
