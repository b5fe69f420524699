//! Calls HTTP services as YAML describes them.
//!
//! A [`Connection`] describes a service and its conventions, and an [`HttpCommand`] describes how arguments become one of its requests.
//! Both are data, and reading them reports all mistakes at once. [`HttpCommand::compile`] checks a command against the schema of its
//! arguments; [`Account::open`] binds a connection to an organization's [`Settings`]; [`Account::call`] does the rest: limits, repeats,
//! pages, lists.
//!
//! Decisions and acts are separate: `request`, `answer`, `page`, `rate` and `retry` decide without I/O, and `account` acts.
//!
//! Invariants: no `Debug`, error or trace contains a secret. No template sets the host, and the connector connects only to addresses that
//! the operator permits. A write that got no answer is [`Outcome::Unknown`] and is never sent again, unless its author states that a second
//! call changes nothing more, or the service recognises repeats by a key.

mod account;
mod aside;
mod auth;
mod clock;
mod command;
mod connection;
mod error;
mod fan_out;
mod fields;
mod handler;
mod held;
#[cfg(feature = "pack")]
mod kind;
mod limits;
mod lookup;
mod method_override;
mod pagination;
mod problem;
mod rate;
mod request;
mod response;
mod retry;
mod settings;
mod ssrf_guard;
mod strike;
mod template;
mod transport;
mod webhook;

pub use account::Account;
pub use auth::{RefreshKeeper, ServiceAccountKey, Statement};
pub use clock::{Clock, TokioClock};
pub use command::{Encoding, ForEach, HttpCommand, Operation, Response, Verb};
pub use connection::{
    Auth, BasicAuth, Connection, Errors, HeaderAuth, LimitHeaders, OAuth2Refresh, RateLimit, ResetIn, Retry,
    ServiceAccount,
};
pub use error::{CallError, FailureKind, Outcome};
pub use handler::HttpTool;
#[cfg(feature = "pack")]
pub use kind::{Http, unknown_settings};
pub use lookup::Find;
pub use pagination::{PageStyle, Pagination};
pub use problem::Problem;
pub use request::{Body, Part, Request};
pub use settings::Settings;
pub use ssrf_guard::{Egress, Lookup, SystemLookup};
pub use strike::Striker;
pub use webhook::{Deliveries, Delivery, Keys, Refused};
