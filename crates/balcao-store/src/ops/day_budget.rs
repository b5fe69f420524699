//! What was used of what a day may take, over all programs: bytes of files, tokens, money. How much that is, is the caller's.
//!
//! Invariants: one row is one name on one day of a business; it grows by atomic updates, so that of two programs neither forgets what the
//! other counted; what is taken never exceeds the most, what was spent already is counted whole.

use balcao_domain::OrganizationId;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, values};

/// What a business counts for everybody together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DayCounter {
    /// Tokens of strangers of the web chat.
    StrangersTokens,
    /// Money for them, in millionths of a US dollar.
    StrangersCost,
    /// Bytes of files of visitors of the web chat.
    Files,
}

impl DayCounter {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::StrangersTokens, Self::StrangersCost, Self::Files];

    /// The word that is stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::StrangersTokens => "strangers_tokens",
            Self::StrangersCost => "strangers_cost",
            Self::Files => "files",
        }
    }
}

/// A day of a business, by its own clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    /// Its date.
    pub date: Date,
    /// When it ends.
    pub ends_at: Timestamp,
}

impl Day {
    /// The budget of this name on this day.
    #[must_use]
    pub const fn budget(self, name: &str) -> DayBudget<'_> {
        DayBudget { name, day: self }
    }
}

/// What a name may use on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayBudget<'a> {
    /// Who or what uses it: a [`DayCounter`], a contact, ….
    pub name: &'a str,
    /// The day.
    pub day: Day,
}

/// How much was used of how much.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    /// What was used.
    pub used: i64,
    /// What may be.
    pub most: i64,
}

impl Used {
    /// How much of it, in hundredths; 0 of nothing.
    #[must_use]
    pub fn percent(self) -> u64 {
        let hundredths = self.used.saturating_mul(100).checked_div(self.most).unwrap_or(0);
        u64::try_from(hundredths).unwrap_or(0)
    }
}

/// Takes so much more of a budget, if it stays within `most`; tells whether it was taken. Of two at once that fit one by one alone,
/// one is refused.
///
/// # Errors
/// What the database said.
pub fn take(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    of: DayBudget<'_>,
    by: i64,
    most: i64,
    now: Timestamp,
) -> Result<bool, StoreError> {
    if by > most {
        return Ok(false);
    }
    // Tries twice, because another process may have inserted the row between the two statements.
    for _ in 0..2 {
        let grown = tx.execute(
            "UPDATE day_budget SET used = used + ?4, most = ?5
             WHERE organization_id = ?1 AND name = ?2 AND day = ?3 AND used + ?4 <= ?5",
            values![organization, of.name, of.day.date, by, most],
        )?;
        if grown == 1 || begin(tx, organization, of, by, most, now)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Counts what was used already of a budget, also beyond `most`.
///
/// # Errors
/// What the database said.
pub fn spend(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    of: DayBudget<'_>,
    by: i64,
    most: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    if !begin(tx, organization, of, by, most, now)? {
        tx.execute(
            "UPDATE day_budget SET used = used + ?4, most = ?5 WHERE organization_id = ?1 AND name = ?2 AND day = ?3",
            values![organization, of.name, of.day.date, by, most],
        )?;
    }
    Ok(())
}

/// Inserts the row for the first use of a name on a day and returns whether it did. The process that inserts the row also deletes old
/// rows.
fn begin(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    of: DayBudget<'_>,
    by: i64,
    most: i64,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let begun = tx.execute(
        "INSERT INTO day_budget (organization_id, name, day, used, most, ends_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (organization_id, name, day) DO NOTHING",
        values![organization, of.name, of.day.date, by, most, of.day.ends_at],
    )?;
    if begun == 1 {
        tx.execute("DELETE FROM day_budget WHERE organization_id = ?1 AND ends_at <= ?2", values![organization, now])?;
    }
    Ok(begun == 1)
}

/// Gives back what was taken and not used.
///
/// # Errors
/// What the database said.
pub fn give_back(tx: &mut Tx<'_>, organization: OrganizationId, of: DayBudget<'_>, by: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE day_budget SET used = used - ?4 WHERE organization_id = ?1 AND name = ?2 AND day = ?3 AND used >= ?4",
        values![organization, of.name, of.day.date, by],
    )?;
    Ok(())
}

/// What was used of a budget.
///
/// # Errors
/// What the database said.
pub fn used(tx: &mut Tx<'_>, organization: OrganizationId, of: DayBudget<'_>) -> Result<i64, StoreError> {
    let sql = "SELECT used FROM day_budget WHERE organization_id = ?1 AND name = ?2 AND day = ?3";
    Ok(tx.query_optional(sql, values![organization, of.name, of.day.date], |row| row.get(0))?.unwrap_or(0))
}

/// What is used now of what the businesses that a handle serves count for everybody: of several, the one that has used most of its own.
///
/// # Errors
/// What the database said.
pub fn of_today(tx: &mut Tx<'_>, now: Timestamp) -> Result<[(DayCounter, Used); 3], StoreError> {
    let served = tx.served();
    let sql = "SELECT name, used, most FROM day_budget WHERE ends_at > ?2 AND name IN ('strangers_tokens', 'strangers_cost', 'files')
                 AND (organization_id = ?1 OR ?1 IS NULL)";
    let read = |row: &Row<'_>| Ok((row.get::<String>(0)?, Used { used: row.get(1)?, most: row.get(2)? }));
    let rows = tx.query_all(sql, values![served, now], read)?;
    let worst = |counted: DayCounter| {
        let own = rows.iter().filter(|(name, _)| name == counted.as_str()).map(|(_, used)| *used);
        (counted, own.max_by_key(|used| used.percent()).unwrap_or_default())
    };
    Ok(DayCounter::ALL.map(worst))
}
