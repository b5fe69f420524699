//! Acting on a calendar: a lost answer is looked up before anything is tried again; what was changed meanwhile is read again.

use balcao_store::turns::ledger::EffectKey;

use super::{Act, Calendar, CalendarError, Done, Entry, EntryId, Outcome, Owner, Refusal, Version};
use crate::scheduling::booking::{BookRequest, RescheduleRequest};

/// Books for the owner, once.
///
/// # Errors
/// [`CalendarError`]. After [`CalendarError::Unknown`] the outcome stays unknown, even to a lookup.
pub async fn book(calendar: &dyn Calendar, owner: Owner, key: EffectKey, request: BookRequest) -> Outcome {
    settled(calendar, owner, &key, &Wanted::Book(request)).await
}

/// Cancels the owner's entry, once. If it was changed since it was read, but is still the same visit, the change is none that
/// the owner would want to know of, and it is cancelled all the same.
///
/// # Errors
/// As [`book`].
pub async fn cancel(calendar: &dyn Calendar, owner: Owner, key: EffectKey, id: &EntryId) -> Outcome {
    on_entry(calendar, owner, &key, id, None).await
}

/// Moves the owner's entry, once; as [`cancel`] where it was changed meanwhile.
///
/// # Errors
/// As [`book`].
pub async fn reschedule(
    calendar: &dyn Calendar,
    owner: Owner,
    key: EffectKey,
    id: &EntryId,
    request: RescheduleRequest,
) -> Outcome {
    on_entry(calendar, owner, &key, id, Some(request)).await
}

impl Done {
    /// An act that left this entry.
    #[must_use]
    pub const fn from_entry(entry: Entry) -> Self {
        Self { entry, before: None, already: false, near_name: false, plan_notice: None }
    }
}

/// One act, ready to be run.
enum Wanted {
    Book(BookRequest),
    Cancel { id: EntryId, seen: Version },
    Reschedule { id: EntryId, seen: Version, request: RescheduleRequest },
}

impl Wanted {
    const fn act(&self) -> Act {
        match self {
            Self::Book(_) => Act::Book,
            Self::Cancel { .. } => Act::Cancel,
            Self::Reschedule { .. } => Act::Reschedule,
        }
    }

    async fn run(&self, calendar: &dyn Calendar, owner: Owner, key: &EffectKey) -> Outcome {
        let key = key.clone();
        match self {
            Self::Book(request) => calendar.book(owner, key, request.clone()).await,
            Self::Cancel { id, seen } => calendar.cancel(owner, key, id, seen).await,
            Self::Reschedule { id, seen, request } => calendar.reschedule(owner, key, id, seen, request.clone()).await,
        }
    }
}

/// Runs an act. If its answer is lost, it is looked up; if it was not done, it is run once more, under the same key.
async fn settled(calendar: &dyn Calendar, owner: Owner, key: &EffectKey, wanted: &Wanted) -> Outcome {
    let mut lost: Option<CalendarError> = None;
    for _attempt in 0..2 {
        match wanted.run(calendar, owner, key).await {
            Err(error) if error.is_unknown() => {
                match calendar.came_of(owner, key, wanted.act()).await {
                    Ok(Some(answer)) => return Ok(answer),
                    Ok(None) => lost = Some(error),
                    // The outcome stays unknown, so the act is not tried again.
                    Err(_silent) => return Err(error),
                }
            }
            // A failure tells of its own attempt alone: the one before it may have been done.
            Err(error) => return Err(lost.unwrap_or(error)),
            Ok(answer) => return Ok(answer),
        }
    }
    Err(lost.unwrap_or(CalendarError::Unknown { calendar: calendar.name(), reason: "no answer".to_owned() }))
}

/// Cancels or moves the entry as it is now, and tries once more if it was changed meanwhile in nothing that matters.
async fn on_entry(
    calendar: &dyn Calendar,
    owner: Owner,
    key: &EffectKey,
    id: &EntryId,
    request: Option<RescheduleRequest>,
) -> Outcome {
    let Some(entry) = calendar.find(owner, id).await?.value else { return Ok(Err(missing(calendar, owner).await?)) };
    let wanted = |seen: Version| match request.clone() {
        Some(request) => Wanted::Reschedule { id: id.clone(), seen, request },
        None => Wanted::Cancel { id: id.clone(), seen },
    };
    match settled(calendar, owner, key, &wanted(entry.version.clone())).await? {
        Err(Refusal::Changed { now }) if same(&entry, &now) => {
            settled(calendar, owner, key, &wanted(now.version)).await
        }
        answer => Ok(answer),
    }
}

/// Whether two states of an entry are the same visit.
fn same(one: &Entry, other: &Entry) -> bool {
    let (one, other) = (&one.visit, &other.visit);
    let when = (one.date, &one.start, &one.finish) == (other.date, &other.start, &other.finish);
    when && (&one.parts, one.status) == (&other.parts, other.status)
}

/// Returns the refusal of an entry that the owner does not have. It gives no information about entries of other contacts.
pub(super) async fn missing(calendar: &dyn Calendar, owner: Owner) -> Result<Refusal, CalendarError> {
    let (from, to) = (jiff::civil::Date::MIN, jiff::civil::Date::MAX);
    Ok(Refusal::NotFound { upcoming: calendar.list(owner, from, to).await?.value })
}
