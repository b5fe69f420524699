//! Several providers in the order of preference: the next is asked when one has failed for good.
//!
//! Which one is asked is told by [`StreamEvent::Asking`], so that the turn record can name the provider that answered.

use std::sync::Arc;

use async_trait::async_trait;

use crate::{
    error::ModelError,
    message::ModelResponse,
    provider::{ChatProvider, EventSink, ModelRequest, StreamEvent},
    retry::watched,
    usage::Usage,
};

/// Providers in the order in which they are tried. Each brings its own retrying.
#[derive(Debug, Clone)]
pub struct Fallback {
    first: Arc<dyn ChatProvider>,
    others: Vec<Arc<dyn ChatProvider>>,
}

impl Fallback {
    /// `first`, then `others` in their order.
    #[must_use]
    pub fn new(first: Arc<dyn ChatProvider>, others: Vec<Arc<dyn ChatProvider>>) -> Self {
        Self { first, others }
    }
}

#[async_trait]
impl ChatProvider for Fallback {
    /// The first provider's name: what is configured, not what answers.
    fn name(&self) -> &str {
        self.first.name()
    }

    fn model(&self) -> &str {
        self.first.model()
    }

    /// Every failure of one is a reason to ask the next: even a request that one refuses may be right for another.
    ///
    /// # Errors
    /// The last provider's error, if all failed; the others' are logged.
    async fn complete(
        &self,
        request: &ModelRequest,
        on_event: &mut EventSink<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let mut current = &self.first;
        let mut others = self.others.iter();
        let mut lost = Usage::default();
        loop {
            on_event(StreamEvent::Asking { provider: current.name(), model: current.model() });
            let mut seen = false;
            let mut error = match current.complete(request, &mut watched(&mut seen, on_event)).await {
                Ok(mut response) => {
                    response.usage.add(lost);
                    return Ok(response);
                }
                Err(error) => error,
            };
            lost.add(error.usage);
            let Some(next) = others.next() else {
                error.usage = lost;
                return Err(error);
            };
            tracing::warn!(provider = current.name(), kind = ?error.kind, next = next.name(), %error, "provider failed, asking the next");
            if seen {
                on_event(StreamEvent::Restarted);
            }
            current = next;
        }
    }
}
