//! Room for connections among the files that the system lets this program open.
//!
//! Invariant: connections leave files for the rest of the program, so the server can accept a connection that asks for health while
//! strangers hold all others.

/// Files beside the connections: the database, helpers of packs, services outside, and the connections that may ask for health alone.
const OTHER_FILES: u64 = 256;

/// Connections that the server may hold, `wanted` at most. Raises the program's limit of open files up to the one that the system permits,
/// where `wanted` connections need that.
pub(crate) fn connections(wanted: u32) -> usize {
    #[cfg(unix)]
    let room = room(u64::from(wanted), raised_limit(u64::from(wanted).saturating_add(OTHER_FILES)));
    #[cfg(not(unix))]
    let room = u64::from(wanted);
    if room < u64::from(wanted) {
        tracing::warn!(
            connections = room,
            wanted,
            "the limit of open files is low, so the server holds fewer connections; expected `ulimit -n` of {} or more",
            u64::from(wanted).saturating_add(OTHER_FILES)
        );
    }
    usize::try_from(room).unwrap_or(usize::MAX)
}

/// Connections that a limit of open files leaves room for: half of the files where the limit is very low, one at least.
#[cfg_attr(not(unix), expect(dead_code, reason = "only Unix limits open files"))]
fn room(wanted: u64, limit: Option<u64>) -> u64 {
    let Some(limit) = limit else { return wanted };
    let room = limit.saturating_sub(OTHER_FILES).max(limit / 2);
    wanted.min(room).max(1)
}

/// The limit of open files, raised to `needed` if it is lower and the system permits that; `None` without a limit.
#[cfg(unix)]
fn raised_limit(needed: u64) -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let current = current?;
    let raised = maximum.map_or(needed, |maximum| needed.min(maximum));
    if current >= raised {
        return Some(current);
    }
    let set = setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum });
    Some(if set.is_ok() { raised } else { current })
}

#[cfg(test)]
mod tests {
    use super::room;

    #[test]
    fn connections_leave_files_for_the_rest() {
        assert_eq!((room(1_024, None), room(1_024, Some(20_000))), (1_024, 1_024));
        assert_eq!((room(1_024, Some(1_024)), room(64, Some(1_024))), (768, 64));
        assert_eq!((room(1_024, Some(256)), room(1_024, Some(0))), (128, 1));
    }
}
