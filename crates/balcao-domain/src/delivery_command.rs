//! What follows an attempt to run the command that a delivery of a pack started.

use jiff::SignedDuration;

/// The pauses between attempts that had no effect. After the last one the command is set aside.
pub const PAUSES: [SignedDuration; 4] = [
    SignedDuration::from_secs(5),
    SignedDuration::from_mins(1),
    SignedDuration::from_mins(10),
    SignedDuration::from_hours(1),
];

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The command took effect.
    Done,
    /// The service, or a check of the pack, answered no. The same call would get the same answer.
    Refused,
    /// The command certainly had no effect, and the obstacle may pass: no connection, too many requests, a contract that waits for
    /// acceptance.
    NotDone,
    /// The command may have had its effect, and the service recognises a repeat of the call.
    Repeatable,
    /// The command may have had its effect, and only people can find out.
    Unknown,
}

/// What happens with the command next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep {
    /// It is done.
    Finish,
    /// The same call runs again after this pause.
    RetryAfter(SignedDuration),
    /// It never runs again; staff see it.
    SetAside,
}

/// Says what follows an attempt. `attempts` counts the earlier attempts that had no effect.
#[must_use]
pub fn next_step(outcome: AttemptOutcome, attempts: u32) -> NextStep {
    match outcome {
        AttemptOutcome::Done => NextStep::Finish,
        AttemptOutcome::Refused | AttemptOutcome::Unknown => NextStep::SetAside,
        AttemptOutcome::NotDone | AttemptOutcome::Repeatable => {
            let pause = usize::try_from(attempts).ok().and_then(|made| PAUSES.get(made));
            pause.map_or(NextStep::SetAside, |pause| NextStep::RetryAfter(*pause))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_call_that_is_safe_to_repeat_runs_again_and_five_attempts_are_enough() {
        let after = |attempts| next_step(AttemptOutcome::NotDone, attempts);
        let pauses: Vec<NextStep> = (0..4).map(after).collect();
        assert_eq!(pauses, PAUSES.map(NextStep::RetryAfter));
        assert_eq!((after(4), after(u32::MAX)), (NextStep::SetAside, NextStep::SetAside));
        for attempts in [0, 4, 9] {
            assert_eq!(next_step(AttemptOutcome::Repeatable, attempts), after(attempts));
            assert_eq!(next_step(AttemptOutcome::Done, attempts), NextStep::Finish);
            assert_eq!(next_step(AttemptOutcome::Refused, attempts), NextStep::SetAside);
            assert_eq!(next_step(AttemptOutcome::Unknown, attempts), NextStep::SetAside);
        }
    }
}
