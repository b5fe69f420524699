//! Which installation this database is of: a random id that the migration makes once. It keeps what two installations write into one
//! external calendar apart.

use crate::database::error::StoreError;
use crate::database::tx::Tx;

/// The id of this installation, in hexadecimal.
///
/// # Errors
/// What the database said.
pub fn find_id(tx: &mut Tx<'_>) -> Result<String, StoreError> {
    tx.query_one("SELECT random_id FROM installation WHERE id = 1", &[], |row| row.get(0))
}
