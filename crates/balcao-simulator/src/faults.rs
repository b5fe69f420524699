//! What stands between a process and the database: time, refusals, lost answers, partitions, death.

use std::sync::Arc;

use async_trait::async_trait;
use balcao_store::Lease;
use balcao_store::{CommitOutcome, DriverError, FaultInjector, PostgresCause, StoreError};

use crate::world::Process;

/// A process's way to the database.
#[derive(Debug)]
pub(crate) struct Faulty(pub(crate) Arc<Process>);

#[async_trait]
impl FaultInjector for Faulty {
    async fn enter(&self, may_write: bool) -> CommitOutcome {
        let Self(process) = self;
        let (world, faults) = (&process.world, &process.world.plan.faults);
        process.pass().await;
        let (least, most) = if world.strikes(faults.slow) { (500, 8_000) } else { (0, 4) };
        world.linger(least, most).await;
        process.pass().await;
        if process.is_cut_off() || world.strikes(faults.refused) {
            return CommitOutcome::Refuse(StoreError::Disconnected { source: cause("it could not be reached") });
        }
        if may_write && world.strikes_as("commits cut short by a death", faults.cut_short) {
            let committed = world.draw(|rng| rng.bool());
            process.kill("in the middle of a commit");
            return CommitOutcome::Unknown { committed };
        }
        if may_write && world.strikes(faults.unknown) {
            return CommitOutcome::Unknown { committed: world.draw(|rng| rng.bool()) };
        }
        CommitOutcome::Commit
    }

    async fn leave(&self, _may_write: bool) {
        let Self(process) = self;
        process.world.linger(0, 2).await;
        process.pass().await;
    }

    fn committed(&self, leases: &[Lease]) {
        self.0.world.outside().epochs.committed(leases);
    }
}

fn cause(message: &str) -> Arc<DriverError> {
    Arc::new(DriverError::Postgres(PostgresCause { code: None, message: message.to_owned() }))
}
