//! The scripted model is strict, and remembers.

use std::panic::{AssertUnwindSafe, catch_unwind};

use balcao_llm::{
    FinishReason, Message, ModelErrorKind,
    providers::scripted::{Scripted, calls, calls_raw, never_answers, says, with},
};
use serde_json::json;

use crate::support::{ask, assistant, question, request, result, user};

#[tokio::test]
async fn a_story_goes_as_it_is_written() {
    let model = Scripted::new([
        calls_raw("um momento", &[("find_slots", r#"{"day": "amanhã",}"#)]),
        with(|request| match request.messages.last() {
            Some(Message::ToolResult { content, .. }) => says(&format!("Tem {content}")),
            _ => says("?"),
        }),
    ]);
    let (first, seen) = ask(&model, &question()).await;
    let first = first.unwrap();
    assert_eq!((first.finish, seen.text.as_str()), (FinishReason::ToolCalls, "um momento"));
    assert_eq!(first.tool_calls[0].arguments, r#"{"day": "amanhã",}"#, "as written");
    let id = first.tool_calls[0].id.clone();
    let next = request(vec![
        user("Tem horário?"),
        Message::Assistant { text: first.text, tool_calls: first.tool_calls },
        result(&id, "find_slots", "[10]"),
    ]);
    assert_eq!(ask(&model, &next).await.0.unwrap().text, "Tem [10]");
    assert_eq!(model.requests(), [question(), next]);
    assert_eq!(model.finish(), Ok(()));
}

#[tokio::test]
async fn ids_are_fresh_in_the_request_that_will_carry_them() {
    let model = Scripted::new([calls("book", &json!({}))]);
    let story = vec![user("a"), assistant("", &[("call_2", "book", "{}")]), result("call_2", "book", "{}")];
    let answer = ask(&model, &request(story)).await.0.unwrap();
    assert_eq!(answer.tool_calls[0].id, "call_3");
}

#[tokio::test]
async fn a_request_that_is_not_well_formed_fails_the_test() {
    let model = Scripted::new([says("oi")]);
    let orphan = request(vec![user("a"), assistant("", &[("1", "book", "{}")])]);
    let error = ask(&model, &orphan).await.0.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Rejected);
    let problems = model.finish().unwrap_err().0;
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert!(problems[0].contains("own"), "{problems:?}");
    assert!(problems[1].contains("has no result"), "{problems:?}");
    assert!(problems[2].contains("unused line"), "{problems:?}");
}

#[tokio::test]
async fn a_missing_line_fails_the_test() {
    let model = Scripted::new([]);
    assert!(ask(&model, &question()).await.0.is_err());
    assert!(model.finish().unwrap_err().to_string().contains("no more lines"));
}

#[test]
fn an_unused_line_fails_the_test_when_the_model_is_dropped() {
    let model = Scripted::new([says("nobody asks")]);
    let handle = model.clone();
    drop(model);
    let caught = catch_unwind(AssertUnwindSafe(|| drop(handle))).unwrap_err();
    assert!(caught.downcast_ref::<String>().unwrap().contains("nobody asks"));
}

#[tokio::test(start_paused = true)]
async fn a_line_that_never_comes_can_be_given_up() {
    let model = Scripted::new([never_answers()]);
    let asks = question();
    let given_up = tokio::time::timeout(std::time::Duration::from_secs(30), ask(&model, &asks)).await;
    assert!(given_up.is_err());
    assert_eq!(model.finish(), Ok(()));
}
