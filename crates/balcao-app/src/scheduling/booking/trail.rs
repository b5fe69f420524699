//! Who booked, moved or cancelled an appointment on a contact's behalf, for the audit log.

use balcao_domain::{AppointmentId, OrganizationId};
use balcao_store::ops::audit::{self, AuditEntry};
use balcao_store::{StoreError, Tx};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::notifications::professionals::NotificationKind;
use crate::scheduling::appointments::AppointmentView;

/// An appointment as the log shows it. Who comes is not among it: the log is not deleted by age.
pub(crate) fn shown(one: &AppointmentView) -> Value {
    json!({ "id": one.id.to_string(), "date": one.date.to_string(), "start": one.start, "professional": one.professional,
            "service": one.service, "status": one.status })
}

/// Writes down an act on an appointment, with the appointment before and after.
pub(crate) fn write_act(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    (actor, action, subject): (&str, &str, AppointmentId),
    (before, after): (Option<Value>, Value),
    now: Timestamp,
) -> Result<(), StoreError> {
    let entry = AuditEntry {
        at: now,
        actor: actor.to_owned(),
        action: action.to_owned(),
        subject: subject.to_string(),
        before: before.map(|value| value.to_string()),
        after: Some(after.to_string()),
    };
    audit::append(tx, organization, &entry)
}

/// Writes down what was done, and how the appointment was before and is now.
pub(super) fn write_down(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    actor: &str,
    what: NotificationKind,
    values: (Option<Value>, Value),
    now: Timestamp,
) -> Result<(), StoreError> {
    let (action, subject) = match what {
        NotificationKind::Booked(id) => ("appointment.book", id),
        NotificationKind::Moved(old, _new) => ("appointment.reschedule", old),
        NotificationKind::Cancelled(id) => ("appointment.cancel", id),
    };
    write_act(tx, organization, (actor, action, subject), values, now)
}
