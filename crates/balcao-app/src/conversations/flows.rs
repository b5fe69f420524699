//! Automations that a conversation starts. Running them is a job; here the run is put on record.

use balcao_domain::{ContactId, OrganizationId};
use balcao_store::turns::flow_run;
use balcao_store::turns::ledger::EffectKey;
use serde_json::Value;

use crate::context::app_context::{AppContext, UseCaseError};

/// Starts flows.
#[derive(Debug, Clone)]
pub struct Flows {
    desk: AppContext,
}

impl Flows {
    /// Over a desk.
    #[must_use]
    pub fn new(desk: AppContext) -> Self {
        Self { desk }
    }

    /// Queues a run of a flow for a contact and gives its number. Whether the flow may be started is the caller's to check.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn trigger(
        &self,
        organization: OrganizationId,
        contact: ContactId,
        key: EffectKey,
        flow: String,
        input: Value,
    ) -> Result<i64, UseCaseError> {
        let queue = move |tx: &mut balcao_store::Tx<'_>, now| {
            Ok(Ok::<i64, ()>(flow_run::insert(tx, organization, contact, &flow, &input.to_string(), now)?))
        };
        let done = self.desk.effect(organization, key, queue).await?;
        Ok(done.value.unwrap_or_default())
    }
}
