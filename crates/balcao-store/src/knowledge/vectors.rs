//! What a model makes of entries, kept so that it is asked once for each.
//!
//! An entry has at most one vector. If the model or the text changes, a new vector replaces the old one.

use balcao_domain::{KnowledgeId, OrganizationId};

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;

/// An entry's vector.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryVector {
    /// Whose.
    pub entry: KnowledgeId,
    /// SHA-256 of the text that it was made of.
    pub digest: Vec<u8>,
    /// Its numbers.
    pub numbers: Vec<f32>,
}

/// The vectors that this model made, in order of their entries.
///
/// # Errors
/// What the database said.
pub fn list(tx: &mut Tx<'_>, organization: OrganizationId, model: &str) -> Result<Vec<EntryVector>, StoreError> {
    tx.query_all(
        "SELECT knowledge_id, digest, vector FROM knowledge_vector WHERE organization_id = ?1 AND model = ?2
         ORDER BY knowledge_id",
        values![organization, model],
        |row| {
            let bytes: Vec<u8> = row.get(2)?;
            let numbers = bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
            Ok(EntryVector { entry: row.get(0)?, digest: row.get(1)?, numbers })
        },
    )
}

/// Keeps vectors of this model, each in the place of what its entry had. One whose entry is gone, or another organization's, is left out.
///
/// # Errors
/// What the database said.
pub fn store_vectors(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    model: &str,
    vectors: &[EntryVector],
) -> Result<(), StoreError> {
    for vector in vectors {
        let bytes: Vec<u8> = vector.numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        tx.execute(
            "INSERT INTO knowledge_vector (knowledge_id, organization_id, model, digest, vector)
             SELECT id, organization_id, ?3, ?4, ?5 FROM knowledge_entry WHERE organization_id = ?1 AND id = ?2
             ON CONFLICT (knowledge_id) DO UPDATE
             SET model = excluded.model, digest = excluded.digest, vector = excluded.vector",
            values![organization, vector.entry, model, vector.digest.as_slice(), bytes.as_slice()],
        )?;
    }
    Ok(())
}
