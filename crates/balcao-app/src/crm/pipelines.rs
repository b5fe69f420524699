//! Where a contact stands in the business's pipelines.

use balcao_domain::{ContactId, OrganizationId};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{Tx, crm::pipeline};
use serde::{Deserialize, Serialize};

use crate::context::app_context::{AppContext, Effect, UseCaseError};
use crate::context::names::{NameRefusal, find};

/// A pipeline as a contact stands in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PipelineView {
    /// Its name.
    pub name: String,
    /// Its stages, first to last.
    pub stages: Vec<PipelineStage>,
}

/// One of its stages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PipelineStage {
    /// Its name.
    pub name: String,
    /// Its place, from 1.
    pub position: u32,
    /// Whether the contact is there.
    pub current: bool,
}

/// A contact that was moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// The pipeline.
    pub pipeline: String,
    /// The stage.
    pub stage: String,
    /// Whether the contact was in the pipeline before.
    pub was_in_pipeline: bool,
}

/// Why a contact was not moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "refusal", content = "details", rename_all = "snake_case")]
pub enum MoveRefusal {
    /// The pipeline's name.
    Pipeline(NameRefusal),
    /// No stage is called so.
    UnknownStage {
        /// The name as given.
        query: String,
        /// The one that is spelt most alike.
        nearest: Option<String>,
        /// Every stage, with its pipeline.
        available: Vec<crate::crm::contacts::StageView>,
    },
    /// Stages of several pipelines, or several of one, could be meant.
    Ambiguous {
        /// Those.
        candidates: Vec<crate::crm::contacts::StageView>,
    },
}

/// Lists and moves.
#[derive(Debug, Clone)]
pub struct Pipelines {
    app: AppContext,
}

impl Pipelines {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// Every pipeline with its stages, and where the contact stands.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn list(&self, organization: OrganizationId, who: ContactId) -> Result<Vec<PipelineView>, UseCaseError> {
        self.app
            .look(move |tx, _now| {
                let places = pipeline::stages_of(tx, organization, who)?;
                let stage = |one: balcao_domain::pipeline::Stage| PipelineStage {
                    current: places.iter().any(|(_, stage)| *stage == one.id),
                    name: one.name,
                    position: one.position,
                };
                let pipelines = pipeline::list(tx, organization)?.into_iter();
                let view = |one: balcao_domain::pipeline::Pipeline| PipelineView {
                    name: one.name,
                    stages: one.stages.into_iter().map(stage).collect(),
                };
                Ok(pipelines.map(view).collect())
            })
            .await
    }

    /// Puts a contact at a stage, of the pipeline named or of the only one that has a stage of that name.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn place(
        &self,
        organization: OrganizationId,
        who: ContactId,
        key: EffectKey,
        stage: String,
        pipeline_name: Option<String>,
    ) -> Effect<Moved, MoveRefusal> {
        let place = move |tx: &mut Tx<'_>, _now| place(tx, organization, who, &stage, pipeline_name.as_deref());
        self.app.effect(organization, key, place).await
    }
}

fn place(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    who: ContactId,
    stage: &str,
    pipeline_name: Option<&str>,
) -> Result<Result<Moved, MoveRefusal>, UseCaseError> {
    let mut pipelines = pipeline::list(tx, organization)?;
    if let Some(name) = pipeline_name {
        match find(name, pipelines.iter().map(|one| (&one.name, [].as_slice()))) {
            Ok(found) => pipelines = pipelines.into_iter().skip(found.index).take(1).collect(),
            Err(refusal) => return Ok(Err(MoveRefusal::Pipeline(refusal))),
        }
    }
    let stages: Vec<_> = pipelines.iter().flat_map(|one| one.stages.iter().map(move |stage| (one, stage))).collect();
    let shown = |(pipeline, stage): &(&balcao_domain::pipeline::Pipeline, &balcao_domain::pipeline::Stage)| {
        crate::crm::contacts::StageView { pipeline: pipeline.name.clone(), stage: stage.name.clone() }
    };
    let (pipeline, found) = match find(stage, stages.iter().map(|(_, stage)| (&stage.name, [].as_slice()))) {
        Ok(found) => match stages.get(found.index) {
            Some((pipeline, stage)) => (*pipeline, *stage),
            None => return Ok(Err(MoveRefusal::Ambiguous { candidates: Vec::new() })),
        },
        Err(NameRefusal::Ambiguous { candidates, .. }) => {
            let meant = stages.iter().filter(|(_, stage)| candidates.contains(&stage.name));
            return Ok(Err(MoveRefusal::Ambiguous { candidates: meant.map(shown).collect() }));
        }
        Err(NameRefusal::NotFound { query, nearest, .. }) => {
            let available = stages.iter().map(shown).collect();
            return Ok(Err(MoveRefusal::UnknownStage { query, nearest, available }));
        }
    };
    let was_in_pipeline = pipeline::place(tx, organization, who, pipeline.id, found.id)?;
    Ok(Ok(Moved { pipeline: pipeline.name.clone(), stage: found.name.clone(), was_in_pipeline }))
}
