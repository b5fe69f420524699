//! The first import of a business, which is its first version, too.

use balcao_store::{Store, Tx};
use jiff::Timestamp;

use super::record_version;
use crate::admin::seed::{self, BusinessFile, Imported, SeedError};

/// The author of the first version, and of every change that a command makes.
const OPERATOR: &str = "operator";

impl BusinessFile {
    /// Imports it in one transaction, as of `now`, and records it as the first version.
    ///
    /// # Errors
    /// [`SeedError`]; nothing is imported then.
    pub async fn import(self, store: &Store, now: Timestamp) -> Result<Imported, SeedError> {
        let work = move |tx: &mut Tx<'_>| {
            let imported = seed::import(tx, &self, now)?;
            record_version(tx, imported.organization, OPERATOR, now)?;
            Ok(imported)
        };
        store.write(work).await
    }
}
