//! Follow-ups: planned and cancelled here, written and sent by a job.

use balcao_domain::follow_up::{FollowUpType, MAX_PER_EPISODE};
use balcao_domain::span::plus_minutes;
use balcao_domain::{ContactId, FollowUpId, OrganizationId};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{Tx, messaging::conversation, scheduling::follow_up};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::context::app_context::{AppContext, Effect, organization};

/// What is to be planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowUpRequest {
    /// In how many minutes.
    pub delay_min: u32,
    /// The delays that the profile allows.
    pub allowed_delays_min: Vec<u32>,
    /// What it should say, for the model that writes it.
    pub hint: String,
    /// What it is for.
    pub kind: FollowUpType,
    /// Which episode of the conversation it belongs to.
    pub episode: u32,
}

/// A follow-up that was planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// Its id.
    pub id: FollowUpId,
    /// When it is due.
    pub send_at: Timestamp,
    /// The same in the organization's zone, `YYYY-MM-DDTHH:MM`.
    pub send_at_local: String,
}

/// Why none was planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "refusal", content = "details", rename_all = "snake_case")]
pub enum FollowUpRefusal {
    /// Three of this episode are open or sent.
    TooMany {
        /// How many there may be.
        limit: u32,
    },
    /// The profile does not allow that delay.
    Delay {
        /// Those it allows.
        allowed_min: Vec<u32>,
    },
    /// Nothing to say.
    EmptyHint,
    /// The contact asked for no messages on our own account.
    OptedOut,
}

/// Follow-ups that were cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cancelled {
    /// How many; 0 if none was open.
    pub cancelled: usize,
}

/// No refusal is possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Never {}

/// Plans and cancels.
#[derive(Debug, Clone)]
pub struct FollowUps {
    app: AppContext,
}

impl FollowUps {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// Plans a follow-up, at most three open or sent per contact and episode.
    ///
    /// # Errors
    /// [`UseCaseError`](crate::UseCaseError) if the database failed.
    pub async fn schedule(
        &self,
        id: OrganizationId,
        contact: ContactId,
        key: EffectKey,
        request: FollowUpRequest,
    ) -> Effect<Planned, FollowUpRefusal> {
        let plan = move |tx: &mut Tx<'_>, now: Timestamp| {
            if !request.allowed_delays_min.contains(&request.delay_min) {
                return Ok(Err(FollowUpRefusal::Delay { allowed_min: request.allowed_delays_min }));
            }
            if request.hint.trim().is_empty() {
                return Ok(Err(FollowUpRefusal::EmptyHint));
            }
            if conversation::opted_out(tx, id, contact)? {
                return Ok(Err(FollowUpRefusal::OptedOut));
            }
            if follow_up::count_of_episode(tx, id, contact, request.episode)? >= MAX_PER_EPISODE {
                return Ok(Err(FollowUpRefusal::TooMany { limit: MAX_PER_EPISODE }));
            }
            let (_, zone) = organization(tx, id)?;
            let send_at = plus_minutes(now, i64::from(request.delay_min));
            let new = follow_up::NewFollowUp {
                contact,
                kind: request.kind,
                hint: request.hint.trim().to_owned(),
                send_at,
                episode: request.episode,
            };
            let send_at_local = zone.to_datetime(send_at).strftime("%Y-%m-%dT%H:%M").to_string();
            Ok(Ok(Planned { id: follow_up::insert(tx, id, &new, now)?, send_at, send_at_local }))
        };
        self.app.effect(id, key, plan).await
    }

    /// Cancels the contact's open follow-ups, or one of them.
    ///
    /// # Errors
    /// [`UseCaseError`](crate::UseCaseError) if the database failed.
    pub async fn cancel(
        &self,
        id: OrganizationId,
        contact: ContactId,
        key: EffectKey,
        only: Option<FollowUpId>,
    ) -> Effect<Cancelled, Never> {
        let cancel = move |tx: &mut Tx<'_>, _now| {
            Ok(Ok(Cancelled { cancelled: follow_up::cancel_open(tx, id, contact, only)? }))
        };
        self.app.effect(id, key, cancel).await
    }
}
