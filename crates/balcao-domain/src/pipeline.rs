//! Pipelines and their stages.

use serde::{Deserialize, Serialize};

use crate::ids::{PipelineId, StageId};

/// A pipeline with its stages in order of position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pipeline {
    /// Its id.
    pub id: PipelineId,
    /// Its name.
    pub name: String,
    /// Its stages, first to last.
    pub stages: Vec<Stage>,
}

/// One stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    /// Its id.
    pub id: StageId,
    /// Its name.
    pub name: String,
    /// Its place in the pipeline, from 1.
    pub position: u32,
}
