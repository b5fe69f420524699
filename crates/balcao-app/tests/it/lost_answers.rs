//! A commit whose answer was lost: the effect runs again under its key, and no result calls it undone while its outcome is unknown.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use balcao_app::crm::notes::Notes;
use balcao_store::{CommitOutcome, DriverError, FaultInjector, InlineDatabase, PostgresCause, StoreError};

use crate::world;

/// Decides about one transaction after the other; those after the last are committed.
#[derive(Debug, Default)]
pub(crate) struct Fates(pub(crate) Mutex<VecDeque<CommitOutcome>>);

#[async_trait]
impl FaultInjector for Fates {
    async fn enter(&self, _may_write: bool) -> CommitOutcome {
        self.0.lock().unwrap().pop_front().unwrap_or(CommitOutcome::Commit)
    }

    async fn leave(&self, _may_write: bool) {}
}

pub(crate) fn refused() -> CommitOutcome {
    let cause = PostgresCause { code: None, message: "no connection".to_owned() };
    CommitOutcome::Refuse(StoreError::Disconnected { source: Arc::new(DriverError::Postgres(cause)) })
}

/// Adds a note while transactions meet these fates; tells what came of it, in words, and how many notes there are.
async fn added(fates: impl IntoIterator<Item = CommitOutcome>) -> (&'static str, usize) {
    let gate = Arc::new(Fates::default());
    let store = InlineDatabase::new().unwrap().behind(gate.clone());
    let world = world::on(store, "barbearia-figueira.yaml", "2026-11-23T09:00").await;
    let (notes, caio) = (Notes::new(world.app.clone()), world.caio().await);
    let before = notes.list(world.organization, caio).await.unwrap().len();
    gate.0.lock().unwrap().extend(fates);
    let done = notes.add(world.organization, caio, world.key(), "agent".to_owned(), "pediu café".to_owned()).await;
    gate.0.lock().unwrap().clear();
    let said = match done {
        Ok(recorded) if recorded.repeated => "done before",
        Ok(_) => "done",
        Err(error) if error.is_unknown() => "unknown",
        Err(_) => "failed",
    };
    (said, notes.list(world.organization, caio).await.unwrap().len() - before)
}

#[tokio::test]
async fn f_09_f_72_an_effect_whose_answer_was_lost_is_looked_up_by_its_key() {
    assert_eq!(added([]).await, ("done", 1));
    assert_eq!(added([CommitOutcome::Unknown { committed: true }]).await, ("done before", 1));
    assert_eq!(added([CommitOutcome::Unknown { committed: false }]).await, ("done", 1));
}

#[tokio::test]
async fn a_failure_after_a_lost_answer_does_not_make_it_undone() {
    assert_eq!(added([CommitOutcome::Unknown { committed: true }, refused()]).await, ("unknown", 1));
    assert_eq!(added([CommitOutcome::Unknown { committed: false }, refused()]).await, ("unknown", 0));
    assert_eq!(added([refused()]).await, ("failed", 0));
}
