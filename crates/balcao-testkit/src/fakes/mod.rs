//! Services on 127.0.0.1 that stand in for real ones.

#[cfg(feature = "calendar")]
pub mod calendar;
#[cfg(feature = "calendar")]
pub mod calendar_service;
pub mod clickup;
pub mod embedding;
pub mod endpoint;
pub mod evolution;
pub mod google;
pub mod graph;
mod http;
pub mod local_model;
pub mod model;
mod multipart;
#[cfg(feature = "otlp")]
pub mod otlp;
pub mod smtp;
pub mod transcription;
