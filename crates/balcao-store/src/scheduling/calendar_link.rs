//! Calendars of a service outside: whose time each takes, and how far our copy of it has come.
//!
//! Invariants: a professional has at most one calendar to write into, by a unique index. A reading holds a calendar under an epoch; a
//! reading that lost it writes nothing, so an old listing never overwrites a newer one.

use balcao_domain::calendar_push::MAX_CRASHES;
use balcao_domain::{OrganizationId, ProfessionalId};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, read_word, values};

/// What a calendar is linked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkAccess {
    /// Its events take the professional's time.
    Read,
    /// That, and the professional's appointments are written into it.
    Write,
}

impl LinkAccess {
    /// The word that is stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        [Self::Read, Self::Write].into_iter().find(|one| one.as_str() == word)
    }
}

/// A calendar of a professional.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarLink {
    /// The professional.
    pub professional: ProfessionalId,
    /// The calendar.
    pub calendar: String,
    /// What it is linked for.
    pub access: LinkAccess,
}

/// Why a reading or a push does not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CalendarFailure {
    /// The service does not answer.
    Unavailable,
    /// The service rejects our credentials.
    Disconnected,
    /// The service refuses the request, or does not know the calendar.
    Refused,
    /// So many events disappeared at once that a person has to say that it is true.
    Drop,
}

impl CalendarFailure {
    const ALL: [Self; 4] = [Self::Unavailable, Self::Disconnected, Self::Refused, Self::Drop];

    /// The word that is stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unavailable => "unavailable",
            Self::Disconnected => "disconnected",
            Self::Refused => "refused",
            Self::Drop => "drop",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == word)
    }
}

/// A failure of a calendar that lasts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastingFailure {
    /// Its kind.
    pub kind: CalendarFailure,
    /// For staff.
    pub reason: String,
    /// Since when.
    pub since: Timestamp,
    /// How many readings failed in a row.
    pub count: i64,
}

/// An external calendar, and how far our copy of it has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsideCalendar {
    /// Its id.
    pub calendar: String,
    /// Where the next listing of changes goes on.
    pub token: Option<String>,
    /// The copy holds what was there at this instant.
    pub synced_at: Option<Timestamp>,
    /// When it is to be read again.
    pub due_at: Timestamp,
    /// The number of the last claim.
    pub epoch: i64,
    /// The number of the last complete reading.
    pub generation: i64,
    /// Why the last reading failed.
    pub failure: Option<LastingFailure>,
    /// When its push channel ends, if it has one.
    pub channel_ends_at: Option<Timestamp>,
    /// Claims whose reading has not ended, the present one included: so often the program may have crashed at it.
    pub crashes: u32,
}

const CALENDAR: &str = "calendar_id, token, synced_at, due_at, epoch, generation, failure, failure_reason, failing_since, failures, \
                        channel_ends_at, crashes";

fn read(row: &Row<'_>) -> Result<OutsideCalendar, StoreError> {
    let failure = match row.get::<Option<String>>(6)? {
        None => None,
        Some(_) => Some(LastingFailure {
            kind: read_word(row, 6, CalendarFailure::from_word)?,
            reason: row.get(7)?,
            since: row.get(8)?,
            count: row.get(9)?,
        }),
    };
    Ok(OutsideCalendar {
        calendar: row.get(0)?,
        token: row.get(1)?,
        synced_at: row.get(2)?,
        due_at: row.get(3)?,
        epoch: row.get(4)?,
        generation: row.get(5)?,
        failure,
        channel_ends_at: row.get(10)?,
        crashes: row.get(11)?,
    })
}

/// Links a calendar to a professional, or gives the link another access. With a further professional, the calendar is read from the
/// beginning, because what it holds may lie on their appointments; a reading that is under way ends without a word.
///
/// # Errors
/// A unique violation if the professional has another calendar to write into.
pub fn link(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    link: &CalendarLink,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO outside_calendar (organization_id, calendar_id, due_at) VALUES (?1, ?2, ?3)
         ON CONFLICT (organization_id, calendar_id) DO NOTHING",
        values![organization, &link.calendar, now],
    )?;
    tx.execute(
        "UPDATE outside_calendar SET token = NULL, due_at = ?3, epoch = epoch + 1, claimed_until = 0
         WHERE organization_id = ?1 AND calendar_id = ?2
           AND EXISTS (SELECT 1 FROM calendar_link l WHERE l.organization_id = ?1 AND l.calendar_id = ?2)
           AND NOT EXISTS
           (SELECT 1 FROM calendar_link l WHERE l.organization_id = ?1 AND l.calendar_id = ?2 AND l.professional_id = ?4)",
        values![organization, &link.calendar, now, link.professional],
    )?;
    tx.execute(
        "INSERT INTO calendar_link (organization_id, professional_id, calendar_id, access, linked_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (organization_id, professional_id, calendar_id) DO UPDATE SET access = excluded.access",
        values![organization, link.professional, &link.calendar, link.access.as_str(), now],
    )?;
    Ok(())
}

/// Unlinks a calendar from a professional, and forgets our copy of a calendar without links; returns whether there was such a link.
///
/// # Errors
/// What the database said.
pub fn unlink(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    professional: ProfessionalId,
    calendar: &str,
) -> Result<bool, StoreError> {
    let removed = tx.execute(
        "DELETE FROM calendar_link WHERE organization_id = ?1 AND professional_id = ?2 AND calendar_id = ?3",
        values![organization, professional, calendar],
    )?;
    tx.execute(
        "DELETE FROM outside_calendar WHERE organization_id = ?1 AND calendar_id = ?2
           AND NOT EXISTS (SELECT 1 FROM calendar_link l WHERE l.organization_id = ?1 AND l.calendar_id = ?2)",
        values![organization, calendar],
    )?;
    Ok(removed == 1)
}

/// Every link of a business, in order of professional and calendar.
///
/// # Errors
/// What the database said.
pub fn list(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<CalendarLink>, StoreError> {
    tx.query_all(
        "SELECT professional_id, calendar_id, access FROM calendar_link WHERE organization_id = ?1
         ORDER BY professional_id, calendar_id",
        values![organization],
        |row| {
            let access = read_word(row, 2, LinkAccess::from_word)?;
            Ok(CalendarLink { professional: row.get(0)?, calendar: row.get(1)?, access })
        },
    )
}

/// The calendar into which a professional's appointments are written.
///
/// # Errors
/// What the database said.
pub fn find_write_calendar(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    professional: ProfessionalId,
) -> Result<Option<String>, StoreError> {
    tx.query_optional(
        "SELECT calendar_id FROM calendar_link WHERE organization_id = ?1 AND professional_id = ?2 AND access = 'write'",
        values![organization, professional],
        |row| row.get(0),
    )
}

/// The calendars of a business, in order of id.
///
/// # Errors
/// What the database said.
pub fn list_calendars(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<OutsideCalendar>, StoreError> {
    let sql = format!("SELECT {CALENDAR} FROM outside_calendar WHERE organization_id = ?1 ORDER BY calendar_id");
    tx.query_all(&sql, values![organization], read)
}

/// Claims a calendar for a reading, if our copy is from before `older_than` or from the future, or its last reading failed and is due again,
/// no other reading holds it, and the program did not crash at it [`MAX_CRASHES`] times. The claim counts as a crash until its reading ends.
///
/// # Errors
/// What the database said.
pub fn claim_reading(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    calendar: &str,
    older_than: Timestamp,
    (now, until): (Timestamp, Timestamp),
) -> Result<Option<OutsideCalendar>, StoreError> {
    let sql = format!(
        "UPDATE outside_calendar SET claimed_until = ?5, epoch = epoch + 1, crashes = crashes + 1
         WHERE organization_id = ?1 AND calendar_id = ?2 AND claimed_until <= ?4 AND crashes < ?6
           AND (synced_at IS NULL OR synced_at < ?3 OR synced_at > ?4 OR (failure IS NOT NULL AND due_at <= ?4))
         RETURNING {CALENDAR}"
    );
    tx.query_optional(&sql, values![organization, calendar, older_than, now, until, MAX_CRASHES], read)
}

/// Whether a calendar is not read any more, because the program crashed at it [`MAX_CRASHES`] times and no claim holds.
///
/// # Errors
/// What the database said.
pub fn is_set_aside(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    calendar: &str,
    now: Timestamp,
) -> Result<bool, StoreError> {
    tx.query_one(
        "SELECT EXISTS (SELECT 1 FROM outside_calendar
                        WHERE organization_id = ?1 AND calendar_id = ?2 AND crashes >= ?3 AND claimed_until <= ?4)",
        values![organization, calendar, MAX_CRASHES, now],
        |row| row.get(0),
    )
}

/// Whether a reading holds a calendar.
///
/// # Errors
/// What the database said.
pub fn is_held(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    calendar: &str,
    now: Timestamp,
) -> Result<bool, StoreError> {
    tx.query_one(
        "SELECT EXISTS (SELECT 1 FROM outside_calendar
                        WHERE organization_id = ?1 AND calendar_id = ?2 AND claimed_until > ?3)",
        values![organization, calendar, now],
        |row| row.get(0),
    )
}

/// Locks a calendar for a write of the reading of that epoch until the transaction ends; returns whether the reading still holds it.
///
/// # Errors
/// What the database said.
pub fn lock_reading(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    claimed: &OutsideCalendar,
) -> Result<bool, StoreError> {
    let sql =
        "UPDATE outside_calendar SET epoch = epoch WHERE organization_id = ?1 AND calendar_id = ?2 AND epoch = ?3";
    Ok(tx.execute(sql, values![organization, &claimed.calendar, claimed.epoch])? == 1)
}

/// Ends a reading that judged single events: how new the copy is stays as it was.
///
/// # Errors
/// What the database said.
pub fn release_reading(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    claimed: &OutsideCalendar,
) -> Result<bool, StoreError> {
    let sql = "UPDATE outside_calendar SET claimed_until = 0, crashes = 0
               WHERE organization_id = ?1 AND calendar_id = ?2 AND epoch = ?3";
    Ok(tx.execute(sql, values![organization, &claimed.calendar, claimed.epoch])? == 1)
}

/// Begins a complete reading: the token is forgotten, the rows of the copy stay. Returns the number of the reading.
///
/// # Errors
/// [`StoreError::NoRow`] if the reading lost the calendar.
pub fn begin_complete(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    claimed: &OutsideCalendar,
) -> Result<i64, StoreError> {
    tx.insert_returning(
        "UPDATE outside_calendar SET token = NULL, generation = generation + 1
         WHERE organization_id = ?1 AND calendar_id = ?2 AND epoch = ?3 RETURNING generation",
        values![organization, &claimed.calendar, claimed.epoch],
        |row| row.get(0),
    )
}

/// Ends a reading: the copy holds what was there at `as_of`.
///
/// # Errors
/// What the database said.
pub fn record_reading(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    claimed: &OutsideCalendar,
    token: &str,
    (as_of, due): (Timestamp, Timestamp),
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE outside_calendar SET token = ?4, synced_at = ?5, due_at = ?6, claimed_until = 0, failure = NULL,
             failure_reason = NULL, failing_since = NULL, failures = 0, crashes = 0
         WHERE organization_id = ?1 AND calendar_id = ?2 AND epoch = ?3",
        values![organization, &claimed.calendar, claimed.epoch, token, as_of, due],
    )?;
    Ok(changed == 1)
}

/// Ends a reading that failed, and says when the next one is due.
///
/// # Errors
/// What the database said.
pub fn record_failure(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    claimed: &OutsideCalendar,
    (kind, reason): (CalendarFailure, &str),
    (now, due): (Timestamp, Timestamp),
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE outside_calendar SET claimed_until = 0, failure = ?4, failure_reason = ?5, failures = failures + 1, crashes = 0,
             failing_since = COALESCE(failing_since, CAST(?6 AS BIGINT)), due_at = ?7
         WHERE organization_id = ?1 AND calendar_id = ?2 AND epoch = ?3",
        values![organization, &claimed.calendar, claimed.epoch, kind.as_str(), reason, now, due],
    )?;
    Ok(changed == 1)
}

/// The calendars that are to be read, the one that waits longest first, at most `limit`. A copy from the future, after a clock was set back,
/// is to be read again.
///
/// # Errors
/// What the database said.
pub fn list_due(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<String>, StoreError> {
    tx.query_all(
        "SELECT calendar_id FROM outside_calendar
         WHERE organization_id = ?1 AND (due_at <= ?2 OR (synced_at > ?2 AND failure IS NULL)) AND claimed_until <= ?2 AND crashes < ?4
         ORDER BY due_at, calendar_id LIMIT ?3",
        values![organization, now, limit, MAX_CRASHES],
        |row| row.get(0),
    )
}

/// Notes that a calendar is to be read at once; returns whether the business has it.
///
/// # Errors
/// What the database said.
pub fn set_due(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    calendar: &str,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let sql = "UPDATE outside_calendar SET due_at = ?3 WHERE organization_id = ?1 AND calendar_id = ?2";
    Ok(tx.execute(sql, values![organization, calendar, now])? == 1)
}

/// A push channel of a calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredChannel {
    /// Our id of it.
    pub id: String,
    /// SHA-256 of its secret, in hexadecimal.
    pub hash: String,
    /// The service's id of what is watched.
    pub resource: String,
    /// When it ends by itself.
    pub ends_at: Timestamp,
}

/// Gives a calendar another push channel, or none; returns the one that it had.
///
/// # Errors
/// What the database said.
pub fn replace_channel(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    calendar: &str,
    channel: Option<&StoredChannel>,
) -> Result<Option<StoredChannel>, StoreError> {
    let before = tx.query_optional(
        "SELECT channel_id, channel_hash, channel_resource, channel_ends_at FROM outside_calendar
         WHERE organization_id = ?1 AND calendar_id = ?2 AND channel_id IS NOT NULL",
        values![organization, calendar],
        |row| Ok(StoredChannel { id: row.get(0)?, hash: row.get(1)?, resource: row.get(2)?, ends_at: row.get(3)? }),
    )?;
    tx.execute(
        "UPDATE outside_calendar SET channel_id = ?3, channel_hash = ?4, channel_resource = ?5, channel_ends_at = ?6
         WHERE organization_id = ?1 AND calendar_id = ?2",
        values![
            organization,
            calendar,
            channel.map(|one| one.id.as_str()),
            channel.map(|one| one.hash.as_str()),
            channel.map(|one| one.resource.as_str()),
            channel.map(|one| one.ends_at)
        ],
    )?;
    Ok(before)
}

/// A calendar that a push channel watches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedCalendar {
    /// The business.
    pub organization: OrganizationId,
    /// The calendar.
    pub calendar: String,
    /// The channel.
    pub channel: StoredChannel,
}

/// Finds the calendar of a push channel, in any business, because a call does not name one.
///
/// # Errors
/// What the database said.
pub fn find_by_channel(tx: &mut Tx<'_>, channel: &str) -> Result<Option<WatchedCalendar>, StoreError> {
    tx.across_organizations();
    tx.query_optional(
        "SELECT organization_id, calendar_id, channel_id, channel_hash, channel_resource, channel_ends_at
         FROM outside_calendar WHERE channel_id = ?1",
        values![channel],
        |row| {
            let channel =
                StoredChannel { id: row.get(2)?, hash: row.get(3)?, resource: row.get(4)?, ends_at: row.get(5)? };
            Ok(WatchedCalendar { organization: row.get(0)?, calendar: row.get(1)?, channel })
        },
    )
}
