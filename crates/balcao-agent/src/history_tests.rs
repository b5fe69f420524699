use balcao_llm::ToolCallRequest;
use proptest::prelude::*;

use super::*;

fn call(id: &str) -> ToolCallRequest {
    ToolCallRequest { id: id.into(), name: "t".into(), arguments: "{}".into(), vendor: None }
}

fn result(id: &str) -> Message {
    Message::ToolResult { call_id: id.into(), name: "t".into(), content: "{}".into(), is_error: false }
}

fn turn(n: u8) -> Vec<Message> {
    vec![
        Message::User { text: format!("pergunta {n}") },
        Message::Assistant { text: String::new(), tool_calls: vec![call(&format!("{n}a")), call(&format!("{n}b"))] },
        result(&format!("{n}a")),
        result(&format!("{n}b")),
        Message::Assistant { text: format!("resposta {n}"), tool_calls: vec![] },
    ]
}

#[test]
fn history_is_cut_at_whole_turns_oldest_first() {
    let turns = [1, 2, 3].map(|n| EarlierTurn { messages: turn(n), is_current: n > 2 });
    let cost: usize = turn(1).iter().map(tokens).sum();
    let history = |messages: Vec<Message>, outdated| History { messages, outdated };
    assert_eq!(fit(&turns, cost * 3), history([turn(1), turn(2), turn(3)].concat(), 10));
    assert_eq!(fit(&turns, cost * 2 + 1), history([turn(2), turn(3)].concat(), 5));
    assert_eq!(fit(&turns, cost), history(turn(3), 0));
    assert_eq!(fit(&turns, 0), history(Vec::new(), 0));
}

fn any_message() -> impl Strategy<Value = Message> {
    let ids = prop::collection::vec(0..6u8, 0..3);
    prop_oneof![
        "[a-z]{0,4}".prop_map(|text| Message::User { text: format!("u{text}") }),
        ("[a-z]{0,3}", ids).prop_map(|(text, ids)| {
            let ids: BTreeSet<u8> = ids.into_iter().collect();
            Message::Assistant { text, tool_calls: ids.into_iter().map(|id| call(&id.to_string())).collect() }
        }),
        (0..6u8).prop_map(|id| result(&id.to_string())),
    ]
}

fn well_formed(messages: &[Message]) -> bool {
    let mut open: Vec<&str> = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        match message {
            Message::ToolResult { call_id, .. } => {
                if open.first() != Some(&call_id.as_str()) {
                    return false;
                }
                open.remove(0);
            }
            Message::User { .. } | Message::Assistant { .. } if !open.is_empty() => return false,
            Message::User { .. } => {}
            Message::Assistant { text, tool_calls } => {
                if place == 0 || (text.is_empty() && tool_calls.is_empty()) {
                    return false;
                }
                open = tool_calls.iter().map(|call| call.id.as_str()).collect();
            }
        }
    }
    open.is_empty()
}

proptest! {
    #[test]
    fn any_prefix_of_any_history_can_be_sent(messages in prop::collection::vec(any_message(), 0..14), cut in 0usize..14) {
        let prefix: Vec<Message> = messages.into_iter().take(cut).collect();
        let repaired = repair(prefix);
        prop_assert!(well_formed(&repaired), "{repaired:?}");
        prop_assert_eq!(repair(repaired.clone()), repaired);
    }

    #[test]
    fn a_well_formed_history_is_left_alone(count in 0u8..5) {
        let whole: Vec<Message> = (0..count).flat_map(turn).collect();
        prop_assert_eq!(repair(whole.clone()), whole);
    }
}
