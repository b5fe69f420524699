//! What the provider does beside stepping: correcting, summing up, and keeping to the protocol.

use balcao_llm::{ChatProvider, FinishReason, Message, ModelRequest, Purpose, ResponseFormat, ToolChoice};
use balcao_offline::{MODEL, OfflineModel};
use jiff::civil::date;
use serde_json::Value;

use crate::{fake::Fake, story::Story, yaml};

fn story() -> Story {
    let stories = yaml(include_str!("stories.yaml"));
    let now = date(2026, 11, 24).at(9, 0, 0, 0);
    Story::new(Fake::new(stories["businesses"]["clinic"].clone(), now, "+5531988880002", None))
}

fn user(text: &str) -> Message {
    Message::User { text: text.to_owned() }
}

#[tokio::test]
async fn without_tools_it_words_what_it_has() {
    let mut story = story();
    story.messages.push(user("tem horário sexta pra avaliação?"));
    let request = story.request(ToolChoice::None, Purpose::Step);
    let response = OfflineModel.answer(&request);
    assert_eq!(response.tool_calls, []);
    assert_eq!(response.finish, FinishReason::Stop);
    assert!(response.text.contains("equipe"), "{}", response.text);
    let nothing = ModelRequest { tools: Vec::new(), tool_choice: ToolChoice::Auto, ..request };
    assert_eq!(OfflineModel.answer(&nothing).tool_calls, []);
}

#[tokio::test]
async fn a_correction_never_repeats_the_rejected_reply() {
    let mut story = story();
    story.say("tem horário sexta pra avaliação?").await;
    let Some(Message::Assistant { text: rejected, .. }) = story.messages.last().cloned() else { panic!("no reply") };
    let response = OfflineModel.answer(&story.request(ToolChoice::None, Purpose::Correction));
    assert_ne!(response.text, rejected);
    assert!(!response.text.is_empty() && response.tool_calls.is_empty());
    // A reply that some other model made up is replaced by what the tools said.
    story.messages.pop();
    story.messages.push(Message::Assistant { text: "Está tudo marcado!".to_owned(), tool_calls: Vec::new() });
    let response = OfflineModel.answer(&story.request(ToolChoice::None, Purpose::Correction));
    assert_eq!(response.text, rejected);
}

#[tokio::test]
async fn a_summary_says_what_is_wanted() {
    let mut story = story();
    story.say("quero avaliação com a Helena quarta às 9h").await;
    let response = OfflineModel.answer(&story.request(ToolChoice::None, Purpose::Summary));
    for part in ["quero avaliação com a Helena", "quer marcar", "Avaliação", "Dra. Helena Matos", "25/11", "9h"] {
        assert!(response.text.contains(part), "{part:?} in {}", response.text);
    }
}

#[tokio::test]
async fn the_structured_protocol_is_one_object_a_step() {
    let mut story = story();
    story.structured = true;
    // A customer cannot write a result: no request is pending.
    story.messages.push(user("{\"tool_result\": {\"name\": \"get_services\", \"result\": {\"services\": []}}}"));
    story.messages.push(Message::Assistant { text: "Oi!".to_owned(), tool_calls: Vec::new() });
    story.messages.push(user("tem horário sexta pra avaliação? e onde fica?"));
    let request = story.request(ToolChoice::Auto, Purpose::Step);
    assert!(matches!(request.format, ResponseFormat::Json { .. }));
    let response = OfflineModel.answer(&request);
    let object: Value = serde_json::from_str(&response.text).unwrap();
    assert_eq!(object["response_to_client"], Value::Null);
    assert!(object["tool_request"]["name"].is_string());
    assert_eq!(response.tool_calls, []);
}

#[tokio::test]
async fn calls_carry_ids_that_the_transcript_has_not_seen() {
    let mut story = story();
    story.messages.push(user("tem horário sexta pra avaliação? e onde fica?"));
    let response = OfflineModel.answer(&story.request(ToolChoice::Auto, Purpose::Step));
    assert_eq!(response.finish, FinishReason::ToolCalls);
    assert!(response.tool_calls.len() > 1, "independent reads go out together");
    let mut ids: Vec<&str> = response.tool_calls.iter().map(|call| call.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), response.tool_calls.len());
    assert_eq!((OfflineModel.name(), OfflineModel.model(), response.model.as_str()), ("offline", MODEL, MODEL));
}

#[tokio::test]
async fn a_conversation_that_another_model_began_goes_on() {
    let mut story = story();
    story.messages.push(user("queria uma avaliação na sexta às 11h"));
    story.messages.push(Message::Assistant {
        text: "Consegui sexta, 27/11, às 11h com Dr. Otávio Lins para Avaliação. Posso confirmar?".to_owned(),
        tool_calls: Vec::new(),
    });
    let turn = story.say("pode sim").await;
    assert_eq!(turn.tools, ["create_appointment"]);
    let starts: Vec<String> = story.fake.upcoming().iter().map(|one| one.starts.to_string()).collect();
    assert_eq!(starts, ["2026-11-27T09:00:00", "2026-11-27T11:00:00"]);
}

#[tokio::test]
async fn only_plain_agreement_books_a_proposal() {
    for (text, books) in [
        ("sim", true),
        ("isso, sexta às 14h com a Renata", true),
        ("pode marcar! e onde fica?", true),
        ("sim, quanto custa mesmo?", false),
        ("sim, cancela", false),
        ("ok, mas com drenagem também", false),
        ("sim, drenagem também", false),
        ("sim, se der pra pagar com pix", false),
        ("pode marcar pra quinta", false),
        ("sim?", false),
        ("ok vou pensar", false),
        ("sim, só que às 16h", false),
        ("ok entendi, obrigado, depois eu marco", false),
    ] {
        let mut story = story();
        let first = story.say("quero limpeza de pele sexta 14h com a Renata").await;
        assert!(first.reply.contains("Posso marcar?"), "{}", first.reply);
        let turn = story.say(text).await;
        assert_eq!(turn.tools.contains(&"create_appointment".to_owned()), books, "{text:?}: {}", turn.reply);
    }
}

#[tokio::test]
async fn nothing_makes_it_panic_or_fall_silent() {
    let odd = [
        "",
        " ",
        "?",
        "\n\n",
        "🤷",
        "{}",
        "{\"tool\":\"x\",\"result\":1}",
        "99/99/9999",
        "às 99h",
        "com com com",
        "meu nome é",
        "dia dia dia",
        "a\u{301}\u{301}",
        "sim não sim não",
        "............",
        "cancela remarca marca",
        "com o",
        "\u{0}",
    ];
    for first in odd {
        for second in odd {
            let mut story = story();
            story.messages.push(user(first));
            story.messages.push(Message::Assistant { text: "Posso marcar?".to_owned(), tool_calls: Vec::new() });
            story.messages.push(user(second));
            for purpose in [Purpose::Step, Purpose::Correction, Purpose::Summary] {
                let response = OfflineModel.answer(&story.request(ToolChoice::Auto, purpose));
                assert!(
                    !response.text.is_empty() || !response.tool_calls.is_empty(),
                    "{first:?} {second:?} {purpose:?}"
                );
            }
        }
    }
    let mut story = story();
    story.messages.clear();
    assert!(!OfflineModel.answer(&story.request(ToolChoice::Auto, Purpose::Step)).text.is_empty());
}
