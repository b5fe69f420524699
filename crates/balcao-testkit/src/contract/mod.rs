//! One suite for all adapters of a contract.

use balcao_store::Store;

/// A named case.
pub type Case = (&'static str, fn(Store) -> std::pin::Pin<Box<dyn Future<Output = ()>>>);

macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        /// Every case with its name; each wants a fresh, migrated database.
        #[must_use]
        pub fn all() -> Vec<Case> {
            vec![$((stringify!($name), |store| Box::pin(async move { $name(&store).await }))),*]
        }
    };
}

pub mod agenda;
pub mod api;
pub mod attachments;
#[cfg(feature = "calendar")]
pub mod calendar;
pub mod calendar_claims;
pub mod calendar_conflicts;
pub mod channel;
pub mod chat;
pub mod deferred;
pub mod delivery;
pub mod edits;
pub mod feeds;
pub mod outbox;
pub mod outside_calendars;
pub mod pace;
pub mod packs;
pub mod quotes;
pub mod records;
pub mod reminders;
pub mod restored;
pub mod retention;
pub mod served;
pub mod store;
pub mod subscriptions;
pub mod talk;
pub mod versions;
pub mod visits;
pub mod watch;
