//! A program that was built without the feature `telemetry` measures nothing, and refuses a configuration that wants it.

use std::net::SocketAddr;

use balcao_app::AppContext;

use super::Measured;
use crate::output::Failure;

/// Refuses.
#[expect(clippy::unused_async, reason = "the interface of what is built in by the feature")]
pub(crate) async fn start(_desk: &AppContext, _address: SocketAddr) -> Result<Measured, Failure> {
    Err(Failure::usage(super::absent("server.metrics_listen")))
}
