//! Services on 127.0.0.1 that stand in for real ones.

pub mod endpoint;
pub mod graph;
mod http;
pub mod otlp;
