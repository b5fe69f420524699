//! Pages of what is listed.

/// Cuts a page to its size. Gives its last row if there was more: the next page begins behind it.
pub(crate) fn cut<T>(found: &mut Vec<T>, limit: u32) -> Option<&T> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = found.len() > limit;
    found.truncate(limit);
    found.last().filter(|_| more)
}
