//! Keeps what is measured, for Prometheus.

use std::{net::SocketAddr, time::Duration};

use balcao_app::{AppContext, context::metrics};
use metrics_exporter_prometheus::PrometheusBuilder;
use tokio::net::TcpListener;

use super::Measured;
use crate::output::{Failure, print_error};

/// How often samples are put into their ranges when nobody reads them: until then each takes memory.
const UPKEEP: Duration = Duration::from_secs(5);

/// Begins to measure.
pub(crate) async fn start(app: &AppContext, address: SocketAddr) -> Result<Measured, Failure> {
    let failed = |error: String| Failure::operation(format!("server.metrics_listen {address}: {error}"));
    let builder = PrometheusBuilder::new().set_buckets(&metrics::SECONDS).map_err(|error| failed(error.to_string()))?;
    let recorder = builder.build_recorder();
    let page = recorder.handle();
    ::metrics::set_global_recorder(recorder).map_err(|error| failed(error.to_string()))?;
    metrics::describe();
    let listener = TcpListener::bind(address).await.map_err(|error| failed(error.to_string()))?;
    let local = listener.local_addr().map_err(|error| failed(error.to_string()))?;
    print_error(&format!("metrics at http://{local}/metrics"));
    let kept = page.clone();
    let upkeep = Box::pin(async move {
        loop {
            tokio::time::sleep(UPKEEP).await;
            kept.run_upkeep();
        }
    });
    let router = balcao_web::metrics_router(app.clone(), move || page.render());
    Ok(Measured { listener, router, upkeep })
}
