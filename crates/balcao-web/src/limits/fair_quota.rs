//! What all addresses share, and no address and no network has more than its part of: connections, streams, webhooks, the bytes of bodies.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::limits::caller::{ClientKey, Counted};

/// Parts are counted in sixteenths ([`crate::limits::caller::Width::sixteenths`]).
const PARTS: usize = 16;

/// Something of which there is so much. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct FairQuota(Arc<Places>);

#[derive(Debug)]
struct Places {
    all: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    in_all: usize,
    by: HashMap<String, usize>,
}

/// Why there is nothing left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuotaExceeded {
    /// This client, by its address or its network, has its full share.
    PerClient,
    /// All clients together have used the quota.
    Total,
}

/// A part of the quota, held until it is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    places: Arc<Places>,
    /// The client that it is counted for; without one only the total counts.
    of: ClientKey,
    amount: usize,
}

impl FairQuota {
    /// So much in all, and a part of it, one at least, for each address and each network.
    pub(crate) fn with_total(all: usize) -> Self {
        Self(Arc::new(Places { all, taken: Mutex::default() }))
    }

    /// Takes one.
    pub(crate) fn take(&self, of: &ClientKey) -> Result<Permit, QuotaExceeded> {
        let mut share = self.nothing_yet(of);
        share.grow(1)?;
        Ok(share)
    }

    /// A share that is to grow.
    pub(crate) fn nothing_yet(&self, of: &ClientKey) -> Permit {
        Permit { places: Arc::clone(&self.0), of: of.clone(), amount: 0 }
    }
}

impl Places {
    fn part(&self, of: &Counted) -> usize {
        (self.all.saturating_mul(of.width.sixteenths()) / PARTS).max(1)
    }
}

impl Permit {
    /// Takes so much more; nothing is taken if that is too much.
    pub(crate) fn grow(&mut self, by: usize) -> Result<(), QuotaExceeded> {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.in_all.saturating_add(by) > self.places.all {
            return Err(QuotaExceeded::Total);
        }
        let has = |of: &Counted| taken.by.get(&of.name).copied().unwrap_or(0).saturating_add(by);
        if self.of.names().iter().any(|of| has(of) > self.places.part(of)) {
            return Err(QuotaExceeded::PerClient);
        }
        for of in self.of.names() {
            *taken.by.entry(of.name.clone()).or_default() += by;
        }
        taken.in_all += by;
        self.amount += by;
        Ok(())
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.in_all -= self.amount;
        for of in self.of.names() {
            if let Some(has) = taken.by.get_mut(&of.name) {
                *has -= self.amount;
                if *has == 0 {
                    taken.by.remove(&of.name);
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "fair_quota_tests.rs"]
mod tests;
