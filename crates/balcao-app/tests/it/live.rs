//! The assistant's reply, seen while it is written: what stands in it comes at once, what may not stand never.

use std::sync::{Arc, Mutex};

use balcao_agent::streaming::ReplySink;
use balcao_app::admin::staff_access::StaffAccess;
use balcao_app::turns::{Agent, ContactRef, TurnRequest, TurnRunner};
use balcao_builtin_tools::Settings;
use balcao_llm::providers::scripted::{Line, Scripted, calls, says};
use balcao_yaml::Document;
use serde_json::json;

use crate::world::{World, figueira, root};

#[derive(Debug, Clone, PartialEq, Eq)]
enum Seen {
    Piece(String),
    Void,
}

#[derive(Default)]
struct Watcher(Mutex<Vec<Seen>>);

impl ReplySink for Watcher {
    fn delta(&self, piece: &str) {
        self.0.lock().unwrap().push(Seen::Piece(piece.to_owned()));
    }

    fn retract(&self) {
        self.0.lock().unwrap().push(Seen::Void);
    }
}

/// The barbershop's assistant, with this model.
pub(crate) async fn assistant(model: &Scripted) -> (World, TurnRunner) {
    let world: World = figueira().await;
    world.set_local("2026-11-24T10:00");
    let text = std::fs::read_to_string(root().join("agents/odys-assistant.yaml")).unwrap();
    let file = Document::read("agents/odys-assistant.yaml", &text).unwrap().read_as::<balcao_agent::ProfileFile>();
    let settings =
        Settings { professional: None, allow_new_tags: false, reminder_minutes: 60, followup_delays: vec![30] };
    let registry = balcao_builtin_tools::registry(&world.app, &settings).unwrap();
    let agent = Agent::new(file.unwrap().profile, &registry, Arc::new(model.clone()));
    let front = TurnRunner::new(world.app.clone(), [agent]);
    (world, front)
}

/// A question of its owner.
pub(crate) async fn owner_asks(world: &World, text: &str) -> TurnRequest {
    let people = StaffAccess::new(world.app.clone());
    let owner = people.contact_of(world.organization, "renata@figueira.example".to_owned()).await.unwrap().unwrap();
    TurnRequest {
        organization: world.organization,
        channel: "assistant".to_owned(),
        from: ContactRef::Contact(owner),
        name: None,
        texts: vec![text.to_owned()],
    }
}

/// What was seen of an answer, the reply, and whether every line of the script was needed.
async fn asked(lines: impl IntoIterator<Item = Line>) -> (Vec<Seen>, String, bool) {
    let model = Scripted::new(lines);
    let (world, front) = assistant(&model).await;
    let inbound = owner_asks(&world, "como foi o mês?").await;
    let watcher = Watcher::default();
    let answered = front.answer_live("odys-assistant", inbound, None, Some(&watcher)).await.unwrap();
    let seen = watcher.0.into_inner().unwrap();
    (seen, answered.ending.reply().unwrap().as_str().to_owned(), model.finish().is_ok())
}

fn pieces(of: &[&str]) -> Line {
    says("").in_pieces(of)
}

/// What was seen since the last void.
fn standing(seen: &[Seen]) -> String {
    let from = seen.iter().rposition(|one| *one == Seen::Void).map_or(0, |place| place + 1);
    seen[from..].iter().map(|one| if let Seen::Piece(text) = one { text.as_str() } else { "" }).collect()
}

#[tokio::test]
async fn sentences_are_seen_as_they_come_and_begin_the_reply() {
    let answer = ["Foi um mês ", "tranquilo. Houve ", "poucas faltas. E a agenda ", "de dezembro enche."];
    let (seen, reply, needed) = asked([pieces(&answer)]).await;
    assert!(needed);
    assert_eq!(reply, "Foi um mês tranquilo. Houve poucas faltas. E a agenda de dezembro enche.");
    let want = ["Foi um mês tranquilo.", " Houve poucas faltas."].map(|text| Seen::Piece(text.to_owned()));
    assert_eq!(seen, want);
}

#[tokio::test]
async fn what_stands_beside_a_call_is_void() {
    let opening = calls("get_stats", &json!({"months": 1})).in_pieces(&["Deixe-me ver. ", "Um instante. ", "Já vem."]);
    let (seen, reply, _) = asked([opening, pieces(&["Foi tranquilo. ", "Só isso mesmo."])]).await;
    assert!(seen.contains(&Seen::Void), "{seen:?}");
    assert!(reply.starts_with(&standing(&seen)), "{reply} {seen:?}");
}

/// Whatever the sanitiser or the claim check would take out is at no moment seen.
#[tokio::test]
async fn what_may_not_stand_is_never_seen() {
    let leaks = [
        "Foi bom. <think>o dono é chato</think> Pronto. Fim.",
        "Foi bom. ```json {\"tool\": \"get_stats\"} ``` Pronto. Fim.",
        "Foi bom. [TOOL_CALLS] get_stats {\"months\": 1} Pronto. Fim.",
        "Foi bom. A receita foi de R$ 987,65 no total. Pronto. Fim.",
        "Foi bom. Cancelei o horário da Lívia. Pronto. Fim.",
    ];
    for leak in leaks {
        for size in [1, 5, 40] {
            let letters: Vec<char> = leak.chars().collect();
            let parts: Vec<String> = letters.chunks(size).map(|part| part.iter().collect()).collect();
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            // What is taken back is asked for again: the second answer is plain.
            let again = balcao_llm::providers::scripted::with(|_| says("Foi bom. Pronto."));
            let (seen, reply, _) = asked([pieces(&parts), again]).await;
            let all: String =
                seen.iter().map(|one| if let Seen::Piece(text) = one { text.as_str() } else { "|" }).collect();
            for bad in ["chato", "think", "```", "get_stats", "TOOL", "987", "Cancelei"] {
                assert!(!all.contains(bad), "{bad} was seen of {leak:?} in pieces of {size}: {seen:?}");
            }
            assert!(reply.starts_with(&standing(&seen)), "{reply:?} does not begin with {seen:?}");
        }
    }
}
