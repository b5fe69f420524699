//! What follows from a move by staff once it stands: its professional, its customer and the audit log learn of it.

use balcao_domain::{AppointmentId, OrganizationId};
use balcao_store::Tx;
use balcao_store::ops::audit::{self, AuditEntry};
use balcao_store::scheduling::calendar_conflict;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Rescheduled, change, trail};
use crate::context::app_context::UseCaseError;
use crate::context::notification_accounts::NotificationAccounts;
use crate::notifications::professionals::{self, NotificationKind};
use crate::scheduling::appointments::AppointmentView;
use crate::scheduling::change_message::ChangeMessage;

/// A move by staff.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StaffMove {
    /// Its author in the audit log.
    pub(crate) by: String,
    /// The appointment before it was moved.
    pub(crate) before: AppointmentView,
    /// The one in its place.
    pub(crate) after: AppointmentView,
    /// What its customer reads, if anything reaches them.
    pub(crate) message: Option<ChangeMessage>,
    /// The conflict with an external calendar that the move resolved.
    pub(crate) conflict: Option<ResolvedByMove>,
}

/// A conflict with an external calendar that a move resolved.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ResolvedByMove {
    /// Its number.
    pub(crate) number: i64,
    /// Whether the move writes the event that the conflict is about.
    pub(crate) is_about_ours: bool,
    /// What was found, for the audit log.
    pub(crate) found: String,
    /// How it ended, for the audit log.
    pub(crate) resolution: String,
}

impl ResolvedByMove {
    /// The row of the audit log.
    pub(crate) fn entry(&self, by: &str, which: AppointmentId, now: Timestamp) -> AuditEntry {
        AuditEntry {
            at: now,
            actor: by.to_owned(),
            action: "calendar.resolve".to_owned(),
            subject: which.to_string(),
            before: Some(self.found.clone()),
            after: Some(self.resolution.clone()),
        }
    }
}

impl StaffMove {
    /// Announces the move, in the transaction that makes it certain.
    pub(super) fn announce(
        &self,
        tx: &mut Tx<'_>,
        id: OrganizationId,
        accounts: &NotificationAccounts,
        moved: &Rescheduled,
        now: Timestamp,
    ) -> Result<(), UseCaseError> {
        let (old, new) = (moved.old.id, moved.new.appointment.id);
        change::announce_move(tx, id, moved, now)?;
        professionals::enqueue(tx, accounts, id, NotificationKind::Moved(old, new), now)?;
        let values = (Some(trail::shown(&self.before)), trail::shown(&self.after));
        trail::write_act(tx, id, (&self.by, "appointment.reschedule", old), values, now)?;
        if let Some(message) = &self.message {
            message.enqueue(tx, id, now)?;
        }
        if let Some(conflict) = &self.conflict {
            audit::append(tx, id, &conflict.entry(&self.by, old, now))?;
        }
        Ok(())
    }

    /// Opens the conflict again, because the move was taken back.
    pub(super) fn take_back(&self, tx: &mut Tx<'_>, id: OrganizationId) -> Result<(), UseCaseError> {
        if let Some(conflict) = &self.conflict {
            calendar_conflict::reopen(tx, id, conflict.number, conflict.is_about_ours)?;
        }
        Ok(())
    }
}
