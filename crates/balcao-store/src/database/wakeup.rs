//! Words between the programs over one database that there is something to do.
//!
//! Hints only: one that is lost costs the time until the next look, and one too many costs a look in vain. Nothing is right
//! because of them, and everything is right without. On PostgreSQL they are notifications, sent by the commit of the
//! transaction that made the work; a SQLite file has one program, which needs none.

/// What there is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wakeup {
    /// A conversation waits for a turn.
    Turn,
    /// A message waits to be sent.
    Outbox,
}

impl Wakeup {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Outbox => "outbox",
        }
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        [Self::Turn, Self::Outbox].into_iter().find(|one| one.as_str() == word)
    }
}
