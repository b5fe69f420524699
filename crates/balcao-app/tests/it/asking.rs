//! A staff member asks the agent, and no turn ends in a handoff.

use balcao_app::turns::TurnOutcome;
use balcao_domain::conversation::ConversationState;
use balcao_llm::ModelErrorKind;
use balcao_llm::providers::scripted::{Line, Scripted, calls, fails, says};
use balcao_store::messaging::conversation::Conversation;
use balcao_store::{messaging::conversation, messaging::handoff};
use serde_json::json;

use crate::live::{assistant, owner_asks};
use crate::world::World;

const NOT_ANSWERED: &str = "Não consegui responder a isso. Pergunte de outro jeito, ou tente de novo mais tarde.";

fn queries(count: u32) -> impl Iterator<Item = Line> {
    (0..count).map(|number| calls("run_query", &json!({ "query": format!("appointments | where nada == {number}") })))
}

async fn stored(world: &World, answered: &TurnOutcome) -> (Conversation, bool) {
    let (organization, id) = (world.organization, answered.conversation);
    let work = move |tx: &mut balcao_store::Tx<'_>| {
        Ok((conversation::get(tx, organization, id)?, handoff::open_of(tx, organization, id)?.is_some()))
    };
    world.app.store.read(work).await.map_err(|error: balcao_store::StoreError| error).unwrap()
}

#[tokio::test]
async fn after_a_question_that_nobody_could_answer_the_next_one_is_answered() {
    let model = Scripted::new(queries(4));
    let (world, front) = assistant(&model).await;
    let answered = front.answer("odys-assistant", owner_asks(&world, "e o cruzamento?").await, None).await.unwrap();
    assert_eq!(answered.ending.outcome(), "reply");
    assert_eq!(answered.ending.reply().unwrap().as_str(), NOT_ANSWERED);
    let (conversation, handed_over) = stored(&world, &answered).await;
    assert_eq!((conversation.state, handed_over), (ConversationState::Ai, false));
    assert_eq!(conversation.assigned_staff, None);

    model.script([calls("get_stats", &json!({ "months": 1 })), says("Foi um mês tranquilo.")]);
    let answered = front.answer("odys-assistant", owner_asks(&world, "como foi o mês?").await, None).await.unwrap();
    assert_eq!(answered.ending.reply().unwrap().as_str(), "Foi um mês tranquilo.");
    // What the model reads of before is what was said, not that the team was called.
    let read = format!("{:?}", model.last_request().unwrap().messages);
    assert!(read.contains("Pergunte de outro jeito") && !read.contains("nossa equipe"), "{read}");
}

#[tokio::test]
async fn a_model_that_fails_silences_nothing_either() {
    let model = Scripted::new([]);
    let (world, front) = assistant(&model).await;
    for _ in 0..2 {
        model.script([fails(ModelErrorKind::Denied)]);
        let answered = front.answer("odys-assistant", owner_asks(&world, "como foi o mês?").await, None).await.unwrap();
        assert_eq!(answered.ending.reply().unwrap().as_str(), NOT_ANSWERED);
        assert_eq!(stored(&world, &answered).await.0.state, ConversationState::Ai);
    }
}
