//! Ways out for bookings outside of working time: move, cancel or keep.
//!
//! Staff may enter a time off, a holiday or new hours although customers are already booked then. [`WaysOut::conflicts`] lists those
//! bookings at any time, [`WaysOut::find`] shows what staff may do with one of them and what its customer would read, and
//! [`WaysOut::resolve`] does it. Before a person chooses, nothing changes and nothing is sent. The rule is a pure function
//! ([`balcao_domain::conflict`]). An act, its row of the audit log, the notice of the professional and the message to the customer commit
//! together.

mod conflicts;
mod proposals;
mod refusal;
mod resolve;

use balcao_domain::conflict::ConflictReason;
use balcao_domain::{AppointmentId, ContactId, OrganizationId};
use balcao_store::Tx;
use balcao_store::turns::ledger::{self, EffectKey};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::staff_email::Actor;
use crate::messaging::outbound::reach::{AccountPolicies, Reach};
use crate::scheduling::appointments::AppointmentView;
use crate::scheduling::availability::Slot;
use crate::scheduling::booking::freshness::{self, Whose};
use crate::scheduling::booking::remote_move;
pub(crate) use conflicts::forget_ended;
pub(crate) use proposals::list_near_times;
pub use refusal::ResolveRefusal;
pub(crate) use resolve::{Act, StaffAct, begin, refuse_taken, resolve};

/// A booking to come that lies outside of working time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// The appointment in local terms.
    pub appointment: AppointmentView,
    /// Whose it is.
    pub contact: ContactId,
    /// Their name, where it is known.
    pub contact_name: Option<String>,
    /// Why.
    pub reason: ConflictReason,
}

/// The first conflicts in order of start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conflicts {
    /// At most as many as were asked for.
    pub items: Vec<Conflict>,
    /// How many there are besides.
    pub more: usize,
}

/// What staff can do with a booking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "way", rename_all = "snake_case")]
pub enum Way {
    /// Move it to another time.
    Move {
        /// The new local date.
        date: Date,
        /// The new local time, in minutes since midnight.
        start_min: u16,
        /// The professional by name; as before, if absent.
        professional: Option<String>,
    },
    /// Cancel it.
    Cancel,
    /// Keep it: the professional works all the same.
    Keep,
}

/// A way out, with what the customer would read and how it would reach them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WayOut {
    /// `move`, `cancel` or `keep`.
    pub way: &'static str,
    /// Of a move, the new time.
    pub to: Option<Slot>,
    /// The message to the customer, in the language of the organization.
    pub text: String,
    /// How this message would reach them now.
    pub reach: Reach,
}

/// A booking with its ways out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WaysOutView {
    /// The appointment in local terms.
    pub appointment: AppointmentView,
    /// Whose it is.
    pub contact: ContactId,
    /// Why it lies outside of working time; `None` if it does not.
    pub reason: Option<ConflictReason>,
    /// Whether staff keep it in spite of that reason.
    pub is_kept: bool,
    /// Moves to the next free times, those of the same professional first; cancelling; keeping, where there is a reason to.
    pub ways: Vec<WayOut>,
}

/// What was written to the customer, or why nothing was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeNotice {
    /// The message.
    pub text: String,
    /// How it reaches them; with [`Reach::Nothing`] nothing was written.
    pub reach: Reach,
}

/// A booking after a way out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolved {
    /// The appointment as it is now; of a move, the new one.
    pub appointment: AppointmentView,
    /// Whose it is.
    pub contact: ContactId,
    /// Whether anything changed: the same way a second time changes nothing.
    pub changed: bool,
    /// The message to the customer; `None` if nothing changed or the person did not want one.
    pub notice: Option<ChangeNotice>,
}

/// Shows and takes ways out.
#[derive(Debug, Clone)]
pub struct WaysOut {
    app: AppContext,
    policies: AccountPolicies,
    key: Option<EffectKey>,
}

impl WaysOut {
    /// Over the application context, with the policies on which messages leave.
    #[must_use]
    pub fn new(app: AppContext, policies: AccountPolicies) -> Self {
        Self { app, policies, key: None }
    }

    /// Returns the use case with an effect key, so that an act happens once under this key.
    #[must_use]
    pub fn once(self, key: EffectKey) -> Self {
        Self { key: Some(key), ..self }
    }

    /// The bookings to come outside of working time that staff do not keep, in order of start, at most `limit`.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn conflicts(&self, organization: OrganizationId, limit: usize) -> Result<Conflicts, UseCaseError> {
        self.app.look(move |tx, now| conflicts::list(tx, organization, limit, now)).await
    }

    /// The ways out of one booking to come. Nothing changes.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed, or if an external calendar does not answer and its copy is too old; inside, why there are none.
    pub async fn find(
        &self,
        organization: OrganizationId,
        id: AppointmentId,
    ) -> Result<Result<WaysOutView, ResolveRefusal>, UseCaseError> {
        freshness::freshen_before(&self.app, organization, Whose::Everybody).await?;
        let policies = self.policies.clone();
        self.app.rehearse(move |tx, now| proposals::find(tx, organization, id, &policies, now)).await
    }

    /// Takes one way out of a booking to come. The customer gets the message if `notify` says so; without it of a move and of a
    /// cancellation, and not of a booking that is kept.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed, or if an external calendar does not answer and its copy is too old; inside, why nothing was done.
    pub async fn resolve(
        &self,
        organization: OrganizationId,
        id: AppointmentId,
        way: Way,
        notify: Option<bool>,
        by: Actor,
    ) -> Result<Result<Resolved, ResolveRefusal>, UseCaseError> {
        let notify = notify.unwrap_or(way != Way::Keep);
        if !self.is_answered(organization).await? {
            freshen_before(&self.app, organization, id, &way).await?;
        }
        let (accounts, policies) = (std::sync::Arc::clone(&self.app.notices), self.policies.clone());
        let act = Act { organization, id, known: None, way: Some(way), notify, by };
        if matches!(act.way, Some(Way::Move { .. })) {
            let wanted = StaffAct { act, policies };
            return remote_move::move_by_staff(&self.app, self.key.clone(), wanted).await;
        }
        let work = move |tx: &mut Tx<'_>, now| resolve(tx, &act, &accounts, &policies, now);
        self.app.act(organization, self.key.clone(), work).await
    }

    /// Whether the act under this key has its answer, so that it is given again without the service.
    async fn is_answered(&self, organization: OrganizationId) -> Result<bool, UseCaseError> {
        let Some(key) = self.key.clone() else { return Ok(false) };
        let find = move |tx: &mut Tx<'_>, _now| {
            Ok(ledger::find::<Result<Resolved, ResolveRefusal>>(tx, organization, &key)?.is_some())
        };
        self.app.look(find).await
    }
}

/// Reads the external calendars that a way out needs, before its transaction. A booking that is kept takes no other time.
///
/// # Errors
/// [`UseCaseError`] if the database failed, or if a calendar does not answer and its copy is too old.
pub(crate) async fn freshen_before(
    app: &AppContext,
    organization: OrganizationId,
    id: AppointmentId,
    way: &Way,
) -> Result<(), UseCaseError> {
    let whose = match way {
        Way::Keep => return Ok(()),
        Way::Move { professional: Some(_), .. } => Whose::Everybody,
        Way::Move { professional: None, .. } | Way::Cancel => Whose::OfAppointment(id),
    };
    freshness::freshen_before(app, organization, whose).await
}
