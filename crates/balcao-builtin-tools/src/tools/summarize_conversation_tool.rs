//! `summarizeConversationTool`: writes down what a conversation was about. No model calls it: it runs after a handoff.

use async_trait::async_trait;
use balcao_app::turns::summaries::Summaries;
use balcao_store::turns::ledger::EffectKey;
use balcao_tool::{NativeTool, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{broke, conversation, in_locale, key, organization};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

pub(crate) struct SummarizeConversationTool {
    pub(crate) summaries: Summaries,
}

#[async_trait]
impl NativeTool for SummarizeConversationTool {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, _args: Args) -> ToolResult<ToolOutput> {
        // The turn is over by then: it is none of its effects.
        let key = EffectKey { turn: None, ..key(cx, "summarizeConversationTool") };
        let locale = cx.principal.locale;
        let kept =
            self.summaries.store_summary(organization(cx)?, conversation(cx)?, key, locale).await.map_err(broke)?;
        Ok(match kept.value {
            Ok(_summary) => {
                let message = in_locale(cx, "Resumo salvo com sucesso.", "The summary was saved.");
                ToolOutput::success(json!({"success": true, "message": message}))
            }
            Err(_nothing_said) => {
                let error =
                    in_locale(cx, "O cliente ainda não escreveu nada.", "The customer has written nothing yet.");
                ToolOutput::refusal(json!({"success": false, "reason": "NOTHING_SAID", "error": error}))
            }
        })
    }
}
