//! `search_knowledge_base`: what the business knows about itself.

use async_trait::async_trait;
use balcao_app::knowledge::Knowledge;
use balcao_tool::{NativeTool, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{broke, name_error, organization};

/// Entries that are worth a model's attention.
const MAX_RESULTS: usize = 5;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    query: String,
    category: Option<String>,
}

pub(crate) struct SearchKnowledgeBase {
    pub(crate) knowledge: Knowledge,
}

#[async_trait]
impl NativeTool for SearchKnowledgeBase {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let found = self.knowledge.search(organization(cx)?, args.query, args.category).await.map_err(broke)?;
        let hits = found.map_err(|refusal| name_error(refusal, "category"))?;
        let results: Vec<_> = hits
            .iter()
            .take(MAX_RESULTS)
            .map(|hit| json!({"title": hit.title, "content": hit.content, "category": hit.category}))
            .collect();
        Ok(ToolOutput::success(json!({"count": results.len(), "results": results})))
    }
}
