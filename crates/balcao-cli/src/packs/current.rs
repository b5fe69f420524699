//! The packs that are in force: what webhooks are judged and read by. A changed pack takes the place of the last one as a whole.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use balcao_app::admin::delivery_commands::PackCommands;
use balcao_app::admin::pack_deliveries::{Arrived, Prepared, Reader};
use balcao_connector::{Delivery, Refused};
use balcao_pack::process::ProcessContext;
use balcao_tool::Tool;
use balcao_web::{Signed, Unfit};
use jiff::Timestamp;
use serde_json::Value;

use super::{OwnPack, OwnPacks, on_delivery};

/// The longest search of one delivery for secrets.
const STRIKE_LIMIT: Duration = Duration::from_secs(5);

/// The packs that are in force. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Current(Arc<RwLock<Arc<OwnPacks>>>);

impl Current {
    /// These, to begin with.
    pub(crate) fn new(own: OwnPacks) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(own))))
    }

    /// What is in force now, for as long as whoever asks holds it.
    pub(crate) fn get(&self) -> Arc<OwnPacks> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// From now on these are.
    pub(crate) fn set(&self, own: Arc<OwnPacks>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = own;
    }
}

impl Signed for Current {
    fn headers(&self, pack: &str) -> Vec<String> {
        let own = self.get();
        let found = own.get(pack).and_then(|one| one.deliveries.as_ref());
        found.into_iter().flat_map(|(deliveries, keys)| deliveries.headers(keys)).map(str::to_owned).collect()
    }

    fn judge(&self, pack: &str, header: &str, held: &str, body: &[u8]) -> Result<Arrived, Unfit> {
        let own = self.get();
        let found = own.get(pack).and_then(|one| one.deliveries.as_ref());
        let Some((deliveries, keys)) = found else { return Err(Unfit::Signature) };
        let delivery = deliveries.judge(keys, header, held, body).map_err(|refused| match refused {
            Refused::Unsigned | Refused::Forged => Unfit::Signature,
            Refused::Unreadable => Unfit::Body,
        })?;
        let Delivery { once, named, change, body } = delivery;
        Ok(Arrived { once, named, change, body })
    }
}

#[async_trait]
impl Reader for Current {
    async fn read(&self, pack: &str, body: Value, now: Timestamp) -> Result<Prepared, String> {
        let own = self.get();
        let one = own.get(pack).ok_or_else(|| format!("the pack `{pack}` is not there any more"))?;
        let Some((deliveries, _)) = &one.deliveries else { return Err(untaken(one)) };
        // What a service sends of our secrets goes no further: not to processors, nor to an endpoint, a command or a model.
        let body = struck(one, body).await.ok_or("the delivery was not searched for secrets in time")?;
        let said = match &deliveries.processor {
            Some(processor) => {
                let sandbox = one.pack.sandbox.as_deref();
                let context = ProcessContext { sandbox, now_ms: now.as_millisecond(), arguments: None };
                let read = one.pack.processors.run(processor, body, context).await;
                read.map_err(|error| crate::output::error_chain(&error))?
            }
            None => body,
        };
        let starts = on_delivery::start(one, &said)?;
        Ok(Prepared { said, starts })
    }
}

/// Why a delivery of a pack that takes none now is not read, and what to do. Without the secrets that are to be struck it goes nowhere.
fn untaken(own: &OwnPack) -> String {
    let pack = &own.pack.id;
    match &own.unconnected {
        Some(reason) => reason.clone(),
        None if own.changed.is_empty() => format!(
            "the pack `{pack}` takes no deliveries; expected `connection.deliveries` in it, and webhook_secrets or header_secrets of its account"
        ),
        None => format!("the pack `{pack}` changed since it was accepted; `balcao pack accept {pack}` accepts it"),
    }
}

/// A delivery without the secrets of its pack: those that it is called with, and those that deliveries prove themselves with.
async fn struck(own: &OwnPack, body: Value) -> Option<Value> {
    let body = match &own.keys_striker {
        Some(striker) => striker.value_within(body, STRIKE_LIMIT).await?,
        None => body,
    };
    let Some(link) = &own.link else { return Some(body) };
    let body = match &link.connected.http {
        Some(account) => account.strike_within(body, STRIKE_LIMIT).await?,
        None => body,
    };
    match &link.connected.mcp {
        Some(server) => server.strike_within(body, STRIKE_LIMIT).await,
        None => Some(body),
    }
}

impl PackCommands for Current {
    fn find(&self, pack: &str, command: &str) -> Result<Arc<Tool>, String> {
        let own = self.get();
        let one = own.get(pack).ok_or_else(|| format!("the pack `{pack}` is not there any more"))?;
        match &one.unconnected {
            Some(reason) => Err(reason.clone()),
            None => on_delivery::runnable(one, command),
        }
    }
}
