//! Pipelines, stages, and where contacts stand in them.

use std::collections::BTreeMap;

use balcao_domain::pipeline::{Pipeline, Stage};
use balcao_domain::{ContactId, OrganizationId, PipelineId, StageId};

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;

/// Adds a pipeline with its stages, the first at position 1.
///
/// # Errors
/// A unique violation if the pipeline's name, or a stage's name in it, is taken.
pub fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    name: &str,
    stages: &[String],
) -> Result<Pipeline, StoreError> {
    let id: PipelineId = tx.insert(
        "INSERT INTO pipeline (organization_id, name) VALUES (?1, ?2) RETURNING id",
        values![organization, name],
    )?;
    let mut added = Vec::with_capacity(stages.len());
    for (position, stage) in (1_u32..).zip(stages) {
        let stage_id: StageId = tx.insert(
            "INSERT INTO stage (organization_id, pipeline_id, name, position) VALUES (?1, ?2, ?3, ?4) RETURNING id",
            values![organization, id, stage, position],
        )?;
        added.push(Stage { id: stage_id, name: stage.clone(), position });
    }
    Ok(Pipeline { id, name: name.to_owned(), stages: added })
}

/// Adds a stage behind the others of a pipeline.
///
/// # Errors
/// A unique violation if the pipeline has a stage of that name.
pub fn add_stage(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    pipeline: PipelineId,
    name: &str,
) -> Result<StageId, StoreError> {
    tx.insert(
        "INSERT INTO stage (organization_id, pipeline_id, name, position)
         SELECT ?1, ?2, ?3, COALESCE(MAX(position), 0) + 1 FROM stage WHERE organization_id = ?1 AND pipeline_id = ?2
         RETURNING id",
        values![organization, pipeline, name],
    )
}

/// Every pipeline with its stages in order, in order of id.
///
/// # Errors
/// What the database said.
pub fn list(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<Pipeline>, StoreError> {
    let mut stages: BTreeMap<PipelineId, Vec<Stage>> = BTreeMap::new();
    let rows = tx.query_all(
        "SELECT pipeline_id, id, name, position FROM stage WHERE organization_id = ?1 ORDER BY pipeline_id, position",
        values![organization],
        |row| Ok((row.get(0)?, Stage { id: row.get(1)?, name: row.get(2)?, position: row.get(3)? })),
    )?;
    for (pipeline, stage) in rows {
        stages.entry(pipeline).or_default().push(stage);
    }
    tx.query_all("SELECT id, name FROM pipeline WHERE organization_id = ?1 ORDER BY id", values![organization], |row| {
        let id = row.get(0)?;
        Ok(Pipeline { id, name: row.get(1)?, stages: stages.remove(&id).unwrap_or_default() })
    })
}

/// Where a contact stands, in each pipeline it is in.
///
/// # Errors
/// What the database said.
pub fn stages_of(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
) -> Result<Vec<(PipelineId, StageId)>, StoreError> {
    tx.query_all(
        "SELECT pipeline_id, stage_id FROM contact_stage WHERE organization_id = ?1 AND contact_id = ?2 ORDER BY pipeline_id",
        values![organization, contact],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Puts a contact at a stage; tells whether it was in the pipeline before.
///
/// # Errors
/// What the database said.
pub fn place(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    pipeline: PipelineId,
    stage: StageId,
) -> Result<bool, StoreError> {
    let moved = tx.execute(
        "UPDATE contact_stage SET stage_id = ?4 WHERE organization_id = ?1 AND contact_id = ?2 AND pipeline_id = ?3",
        values![organization, contact, pipeline, stage],
    )?;
    if moved == 0 {
        tx.execute(
            "INSERT INTO contact_stage (organization_id, contact_id, pipeline_id, stage_id) VALUES (?1, ?2, ?3, ?4)",
            values![organization, contact, pipeline, stage],
        )?;
    }
    Ok(moved > 0)
}

/// How many contacts stand in a pipeline, and the first `limit` of them.
///
/// # Errors
/// What the database said.
pub fn contacts_in(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    pipeline: PipelineId,
    limit: u32,
) -> Result<(u64, Vec<ContactId>), StoreError> {
    let count: i64 = tx.query_one(
        "SELECT count(*) FROM contact_stage WHERE organization_id = ?1 AND pipeline_id = ?2",
        values![organization, pipeline],
        |row| row.get(0),
    )?;
    let first = tx.query_all(
        "SELECT contact_id FROM contact_stage WHERE organization_id = ?1 AND pipeline_id = ?2
         ORDER BY contact_id LIMIT ?3",
        values![organization, pipeline, limit],
        |row| row.get(0),
    )?;
    Ok((u64::try_from(count).unwrap_or_default(), first))
}

/// Removes a pipeline that no contact stands in, with its stages; tells whether it was removed.
///
/// # Errors
/// What the database said.
pub fn remove(tx: &mut Tx<'_>, organization: OrganizationId, pipeline: PipelineId) -> Result<bool, StoreError> {
    let removed = tx.execute(
        "DELETE FROM pipeline WHERE organization_id = ?1 AND id = ?2
             AND NOT EXISTS (SELECT 1 FROM contact_stage WHERE organization_id = ?1 AND pipeline_id = ?2)",
        values![organization, pipeline],
    )?;
    Ok(removed == 1)
}
