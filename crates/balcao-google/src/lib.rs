//! Google Calendar (API v3) behind [`CalendarService`](balcao_app::context::calendar_service::CalendarService), and the consent by which an
//! operator connects it.
//!
//! Decisions and acts are separate. `draft`, `event`, `answer`, `verdict` and `consent` decide without I/O; `transport`, `tokens` and
//! `service` act.
//!
//! Invariants: no write sends a message to guests (`sendUpdates=none`). A write whose answer was lost is never sent again. An unreadable
//! event does not stop the other events. No `Debug`, error or log contains a secret. Requests go only to Google's public addresses, unless
//! the operator names a stand-in.

mod addresses;
mod answer;
mod checkup;
mod consent;
mod credentials;
mod draft;
mod event;
mod limits;
mod oauth;
mod service;
mod tokens;
mod transport;
mod verdict;

pub use addresses::{AddressError, Addresses};
pub use checkup::{Finding, Severity, UsedCalendar};
pub use consent::{Consent, ConsentError, GrantedCode, missing_scopes, scopes};
pub use credentials::{Credential, Credentials, Grant};
pub use limits::Limits;
pub use oauth::{OAuth, OAuthError, OAuthGrant};
pub use service::GoogleCalendar;
