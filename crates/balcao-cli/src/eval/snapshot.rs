//! What the database holds, as far as expectations speak of it.

use std::{collections::BTreeMap, fmt};

use balcao_app::{AppContext, UseCaseError, crm::contacts::Contacts, scheduling::appointments::Appointments};
use balcao_domain::{AppointmentStatus, ContactId, OrganizationId, Phone};
use balcao_store::{crm::contact, crm::note, crm::staff, messaging::conversation};
use jiff::civil::DateTime;

/// One contact with everything that belongs to it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ContactSnapshot {
    pub(crate) name: Option<String>,
    pub(crate) email: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) stages: Vec<String>,
    pub(crate) upcoming: Vec<AppointmentSnapshot>,
    pub(crate) notes: Vec<String>,
    pub(crate) state: Option<String>,
    pub(crate) assigned: Option<String>,
}

/// One upcoming appointment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AppointmentSnapshot {
    pub(crate) professional: String,
    pub(crate) service: String,
    pub(crate) starts: DateTime,
    pub(crate) status: String,
}

impl fmt::Display for AppointmentSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let starts = self.starts.strftime("%Y-%m-%d %H:%M");
        write!(f, "{} with {} at {starts} ({})", self.service, self.professional, self.status)
    }
}

/// All contacts of a business, by the identity of their phone.
pub(crate) type Snapshot = BTreeMap<String, ContactSnapshot>;

/// Looks at everything.
pub(crate) async fn take(app: &AppContext, organization: OrganizationId) -> Result<Snapshot, UseCaseError> {
    let ids: Vec<(ContactId, Option<Phone>)> = app
        .store
        .read(move |tx| {
            let all = contact::list(tx, organization, None, 10_000)?;
            Ok::<_, UseCaseError>(all.into_iter().map(|one| (one.id, one.phone)).collect())
        })
        .await?;
    let mut snapshot = Snapshot::new();
    for (id, phone) in ids {
        let key = phone.as_ref().map_or_else(|| id.to_string(), |phone| phone.identity().as_str().to_owned());
        snapshot.insert(key, one(app, organization, id).await?);
    }
    Ok(snapshot)
}

async fn one(app: &AppContext, organization: OrganizationId, id: ContactId) -> Result<ContactSnapshot, UseCaseError> {
    let info = Contacts::new(app.clone()).info(organization, id).await?;
    let history = Appointments::new(app.clone()).history(organization, id).await?;
    let (notes, conversation, staff) = app
        .store
        .read(move |tx| {
            let notes = note::of_contact(tx, organization, id)?;
            let conversation = conversation::of_contact(tx, organization, id)?.into_iter().next();
            Ok::<_, UseCaseError>((notes, conversation, staff::list(tx, organization)?))
        })
        .await?;
    let upcoming = history.upcoming.iter().filter(|one| one.status != AppointmentStatus::Cancelled);
    Ok(ContactSnapshot {
        name: info.name,
        email: info.email,
        tags: info.tags,
        stages: info.pipeline_stages.into_iter().map(|at| at.stage).collect(),
        upcoming: upcoming
            .filter_map(|one| {
                Some(AppointmentSnapshot {
                    professional: one.professional.clone(),
                    service: one.service.clone(),
                    starts: one.date.to_datetime(one.start.parse().ok()?),
                    status: one.status.as_str().to_owned(),
                })
            })
            .collect(),
        notes: notes.into_iter().map(|note| note.content).collect(),
        assigned: conversation
            .as_ref()
            .and_then(|one| one.assigned_staff)
            .and_then(|wanted| staff.into_iter().find(|one| one.id == wanted))
            .map(|one| one.name),
        state: conversation.map(|one| one.state.as_str().to_owned()),
    })
}
