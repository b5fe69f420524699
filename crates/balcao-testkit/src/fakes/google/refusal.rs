//! What the API says when it refuses.

use serde_json::json;

/// A refusal in the form of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) reason: String,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(status: u16, reason: &str, message: impl Into<String>) -> Self {
        Self { status, reason: reason.to_owned(), message: message.into() }
    }

    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(400, "invalid", message)
    }

    pub(super) fn not_found() -> Self {
        Self::new(404, "notFound", "Not Found")
    }

    pub(super) fn body(&self) -> Vec<u8> {
        let domain = match self.reason.as_str() {
            "rateLimitExceeded" | "userRateLimitExceeded" | "quotaExceeded" | "accessNotConfigured" => "usageLimits",
            "fullSyncRequired" => "calendar",
            _ => "global",
        };
        let one = json!({ "domain": domain, "reason": self.reason, "message": self.message });
        json!({ "error": { "code": self.status, "message": self.message, "errors": [one] } }).to_string().into_bytes()
    }
}
