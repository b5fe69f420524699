//! Rows that a process had in hand when it died: any of them may be what it died at.
//!
//! Invariant: a suspect is claimed alone. So only the row that is to blame counts further deaths, and its neighbours come through.

use crate::database::error::StoreError;

/// The condition of a command of a delivery that a program has in hand, or died at: a claim forgets why the attempt before failed, and an attempt that
/// ends without an effect says why. A command whose service never answered has an attempt without a known end as well, but no death.
pub(crate) const BEGUN_WITHOUT_END: &str = "state = 'waiting' AND begun > 0 AND failure IS NULL";

/// Claims one suspect, or, if none is due, up to `limit` rows that are none.
///
/// `is_suspect` is the condition of a suspect, never null. `claim` claims due rows that satisfy a condition, so many at most.
pub(crate) fn claim_suspect_or_batch<T>(
    is_suspect: &str,
    limit: u32,
    mut claim: impl FnMut(&str, u32) -> Result<Vec<T>, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let suspect = claim(is_suspect, limit.min(1))?;
    if suspect.is_empty() { claim(&format!("NOT ({is_suspect})"), limit) } else { Ok(suspect) }
}
