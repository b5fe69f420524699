//! What a business offers, as tools tell it.

use balcao_app::scheduling::catalog::Offer;
use serde_json::{Value, json};

/// The services with price and length.
pub(crate) fn services(offer: &Offer) -> Vec<Value> {
    offer
        .services
        .iter()
        .map(|service| {
            json!({
                "id": i64::from(service.id),
                "name": service.name,
                "price": service.price.to_string(),
                "duration_minutes": service.duration_min,
                "duration_display": display(service.duration_min),
            })
        })
        .collect()
}

/// Who works here, what they do, and on what terms of their own.
pub(crate) fn professionals(offer: &Offer) -> Vec<Value> {
    offer
        .professionals
        .iter()
        .map(|one| {
            // Prices and durations of their own, where the service's do not hold for them.
            let own = one.terms.iter().map(|terms| {
                json!({
                    "service": terms.service,
                    "price": terms.price.to_string(),
                    "duration_minutes": terms.duration_min,
                })
            });
            let own: Vec<_> = own.collect();
            json!({
                "name": one.name,
                "restrictions": one.restrictions,
                "services": one.services,
                "own_terms": own,
            })
        })
        .collect()
}

fn display(minutes: u32) -> String {
    match (minutes / 60, minutes % 60) {
        (0, rest) => format!("{rest} min"),
        (hours, 0) => format!("{hours}h"),
        (hours, rest) => format!("{hours}h{rest:02}"),
    }
}
