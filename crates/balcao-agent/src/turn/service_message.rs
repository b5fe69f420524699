//! How a turn reads messages of services: as the result of a call that the program wrote, because results are data and never words of the
//! customer.

use balcao_llm::{Message, SERVICE_MESSAGE, ToolCallRequest};
use balcao_tool::Principal;
use serde_json::json;

use crate::prompt;

/// The beginning of the transcript of a turn that answers services.
pub(super) fn transcript(service_messages: &[String], principal: &Principal) -> Vec<Message> {
    // No other turn of the conversation has this id.
    let id = format!("{SERVICE_MESSAGE}_{}", principal.turn);
    let call =
        ToolCallRequest { id: id.clone(), name: SERVICE_MESSAGE.to_owned(), arguments: "{}".to_owned(), vendor: None };
    vec![
        Message::User { text: prompt::service_message(principal.locale).to_owned() },
        Message::Assistant { text: String::new(), tool_calls: vec![call] },
        Message::ToolResult {
            call_id: id,
            name: SERVICE_MESSAGE.to_owned(),
            content: json!({ "messages": service_messages }).to_string(),
            is_error: false,
        },
    ]
}
