//! What all addresses share, and no address has more than its part of: connections, streams, webhooks, the bytes of bodies.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// An eighth of everything is what one address may have.
const PART: usize = 8;

/// Something of which there is so much. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Shares(Arc<Places>);

#[derive(Debug)]
struct Places {
    all: usize,
    of_one: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    in_all: usize,
    by: HashMap<String, usize>,
}

/// Why there is nothing left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NothingLeft {
    /// For this address.
    OfOne,
    /// For anybody.
    OfAll,
}

/// What somebody has taken, until it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    places: Arc<Places>,
    /// The address; `None` if it is not told apart from others, and then only the whole counts.
    of: Option<String>,
    amount: usize,
}

impl Shares {
    /// So much in all, and an eighth of it, one at least, for each address.
    pub(crate) fn of(all: usize) -> Self {
        Self(Arc::new(Places { all, of_one: (all / PART).max(1), taken: Mutex::default() }))
    }

    /// Takes one.
    pub(crate) fn take(&self, of: Option<&str>) -> Result<Share, NothingLeft> {
        let mut share = self.nothing_yet(of);
        share.grow(1)?;
        Ok(share)
    }

    /// A share that is to grow.
    pub(crate) fn nothing_yet(&self, of: Option<&str>) -> Share {
        Share { places: Arc::clone(&self.0), of: of.map(str::to_owned), amount: 0 }
    }
}

impl Share {
    /// Takes so much more; nothing is taken if that is too much.
    pub(crate) fn grow(&mut self, by: usize) -> Result<(), NothingLeft> {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.in_all.saturating_add(by) > self.places.all {
            return Err(NothingLeft::OfAll);
        }
        if let Some(of) = &self.of {
            let has = taken.by.get(of).copied().unwrap_or(0).saturating_add(by);
            if has > self.places.of_one {
                return Err(NothingLeft::OfOne);
            }
            taken.by.insert(of.clone(), has);
        }
        taken.in_all += by;
        self.amount += by;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.in_all -= self.amount;
        if let Some(of) = &self.of
            && let Some(has) = taken.by.get_mut(of)
        {
            *has -= self.amount;
            if *has == 0 {
                taken.by.remove(of);
            }
        }
    }
}

#[cfg(test)]
#[path = "shares_tests.rs"]
mod tests;
