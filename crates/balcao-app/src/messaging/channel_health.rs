//! Whether each channel works from end to end: its provider is asked now and then, and what came in last is known.
//!
//! That a program is connected says little: a token can be revoked, a number disconnected, a webhook subscribed to another
//! address, and nothing fails here. What operators watch is in the metrics; what begins to fail is logged once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use balcao_channel::Channel;
use balcao_domain::OrganizationId;
use balcao_store::messaging::inbox;
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::metrics;

/// How often a provider is asked.
const EVERY: Duration = Duration::from_mins(5);
/// How long it may take to answer.
const WITHIN: Duration = Duration::from_secs(20);

/// What is known of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// The channel's name.
    pub channel: String,
    /// The account.
    pub account: String,
    /// Why the provider would send nothing; `None`: it would.
    pub trouble: Option<String>,
    /// When something last came in; `None`: nothing did, for as long as is looked back.
    pub last_inbound: Option<Timestamp>,
}

/// Looks after the channels of one organization.
#[derive(Debug)]
pub struct ChannelHealth {
    app: AppContext,
    organization: OrganizationId,
    channels: Vec<Arc<dyn Channel>>,
    /// Those that were in trouble when they were asked last.
    troubled: Mutex<BTreeMap<(String, String), String>>,
}

impl ChannelHealth {
    /// Over the organization's channels.
    #[must_use]
    pub fn new(app: AppContext, organization: OrganizationId, channels: Vec<Arc<dyn Channel>>) -> Self {
        Self { app, organization, channels, troubled: Mutex::default() }
    }

    /// Asks again and again until `stop` is cancelled.
    pub async fn run(&self, stop: CancellationToken) {
        loop {
            match stop.run_until_cancelled(self.look()).await {
                None => return,
                Some(Err(error)) => tracing::error!(%error, "what came in last cannot be read"),
                Some(Ok(_)) => {}
            }
            if stop.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_none() {
                return;
            }
        }
    }

    /// Asks every provider once; the gauges of [`metrics`] say the same afterwards.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn look(&self) -> Result<Vec<Health>, UseCaseError> {
        let mut all = Vec::new();
        for channel in &self.channels {
            let (kind, account) = (channel.kind(), channel.account().as_str().to_owned());
            let trouble = match tokio::time::timeout(WITHIN, channel.check()).await {
                Ok(answer) => answer.err().map(|error| error.to_string()),
                Err(_elapsed) => Some(format!("its provider did not answer within {} s", WITHIN.as_secs())),
            };
            let (organization, of) = (self.organization, account.clone());
            let last = self.app.look(move |tx, _now| Ok(inbox::last_received(tx, organization, kind, &of)?)).await?;
            metrics::channel(kind, &account, trouble.is_none(), last);
            self.log_change(kind, &account, trouble.as_deref());
            all.push(Health { channel: kind.to_owned(), account, trouble, last_inbound: last });
        }
        Ok(all)
    }

    /// Logs what is new.
    fn log_change(&self, channel: &str, account: &str, trouble: Option<&str>) {
        let mut troubled = self.troubled.lock().unwrap_or_else(PoisonError::into_inner);
        let name = (channel.to_owned(), account.to_owned());
        match trouble {
            Some(why) => {
                if troubled.insert(name, why.to_owned()).as_deref() != Some(why) {
                    tracing::error!(channel, account, why, "a channel cannot send");
                }
            }
            None => {
                if troubled.remove(&name).is_some() {
                    tracing::warn!(channel, account, "a channel can send again");
                }
            }
        }
    }
}
