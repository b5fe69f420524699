//! Methods of endpoints, and the header under which one may be sent again.

use axum::http::HeaderName;
use axum::routing::MethodFilter;

/// The header that makes two calls one.
pub(super) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The methods in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Post,
    Patch,
}

impl Method {
    pub(super) const fn filter(self) -> MethodFilter {
        match self {
            Self::Get => MethodFilter::GET,
            Self::Post => MethodFilter::POST,
            Self::Patch => MethodFilter::PATCH,
        }
    }

    /// As a document of OpenAPI names it.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Post => "post",
            Self::Patch => "patch",
        }
    }

    /// Whether it changes nothing.
    pub(super) const fn only_reads(self) -> bool {
        matches!(self, Self::Get)
    }
}
