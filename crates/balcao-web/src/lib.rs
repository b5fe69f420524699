//! The HTTP server: webhooks of channels, the API, the web chat, health.
//!
//! [`router()`] maps paths to handlers, and [`serve`] holds the connections. A handler verifies, calls one use case and shapes the answer.
//! Every error is `application/problem+json` ([`Problem`]) in words for the caller, and never contains what only staff may see. Every size,
//! number and time has a limit ([`Limits`]).
//!
//! Not here: TLS (a proxy before the server), the meaning of a webhook (`balcao-channel`), and its effects (`balcao-app`).

mod agenda;
mod api;
pub mod chat;
mod download;
mod health;
mod limits;
pub mod pages;
mod problem;
mod readiness;
mod reading;
mod request_metrics;
mod router;
mod security_headers;
mod server;
mod web;
mod webhooks;

pub use api::Api;
pub use limits::Limits;
pub use problem::Problem;
pub use request_metrics::metrics_router;
pub use router::{router, router_with};
pub use server::{serve, serve_behind};
pub use web::{Web, WhatsAppWebhook};
pub use webhooks::calendar::router as calendar_router;
pub use webhooks::evolution::{EvolutionWebhook, router as evolution_router};
pub use webhooks::packs::{MAX_BODY as MAX_PACK_DELIVERY, PackWebhooks, Signed, Unfit, router as packs_router};
