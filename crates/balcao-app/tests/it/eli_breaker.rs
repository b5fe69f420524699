//! The story ELI-02: when the AI cannot do it, a person does. AC1 to AC6 with the shipped profile, the shipped tools and a
//! real database; only the model, the clock and the faults are scripted.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use balcao_agent::{Ending, Profile, ProfileFile};
use balcao_app::context::staff_email::Actor;
use balcao_app::conversations::Conversations;
use balcao_app::turns::{Agent, ContactRef, TurnOutcome, TurnRequest, TurnRunner};
use balcao_builtin_tools::{PACKS, Settings, tools};
use balcao_domain::{Phone, conversation::ConversationState};
use balcao_llm::providers::scripted::{Line, Scripted, calls, calls_all, says, with};
use balcao_store::{
    StoreError, crm::contact, crm::note, messaging::conversation, messaging::message, scheduling::follow_up,
};
use balcao_tool::{
    ErrorCode, Found, Internal, Preview, Registry, ToolContext, ToolError, ToolHandler, ToolOutput, ToolResult,
};
use balcao_yaml::Document;
use serde_json::{Value, json};

use crate::world::{World, figueira, root};

const FALLBACK: &str =
    "Estou com dificuldade para concluir essa ação no momento. Vou encaminhar para nossa equipe te ajudar diretamente!";
/// What the system behind the tools says: for staff only.
const UPSTREAM: &str = "HTTP 502 from agenda-07.internal";
/// The number of Caio, a contact in the sample business.
const CAIO: &str = "31 99640-1177";
const SORRY: &str = "Não consegui agora, desculpe.";

/// How often each tool still fails.
type Faults = Arc<Mutex<BTreeMap<String, u32>>>;

/// A shipped tool whose system can be out of order.
struct Breakable {
    name: String,
    real: Arc<dyn ToolHandler>,
    faults: Faults,
}

#[async_trait]
impl ToolHandler for Breakable {
    async fn call(&self, cx: &ToolContext, args: Value) -> ToolResult<ToolOutput> {
        let down = {
            let mut faults = self.faults.lock().unwrap();
            let left = faults.entry(self.name.clone()).or_default();
            let down = *left > 0;
            *left = left.saturating_sub(1);
            down
        };
        if down {
            let error = ToolError::new(ErrorCode::Unavailable, "the system behind this tool does not answer now");
            return Err(error.internal(Internal::note(UPSTREAM)).into());
        }
        self.real.call(cx, args).await
    }

    async fn preview(&self, cx: &ToolContext, args: Value) -> ToolResult<Preview> {
        self.real.preview(cx, args).await
    }

    async fn find(&self, cx: &ToolContext, args: Value) -> ToolResult<Found> {
        self.real.find(cx, args).await
    }

    fn confirmable(&self) -> bool {
        self.real.confirmable()
    }

    fn args_schema(&self) -> Value {
        self.real.args_schema()
    }
}

/// The barbershop with *Eli* at its front desk.
struct Shop {
    world: World,
    front: TurnRunner,
    model: Scripted,
    faults: Faults,
}

fn eli() -> Profile {
    let path = root().join("agents/eli.yaml");
    let text = std::fs::read_to_string(path).unwrap();
    Document::read("agents/eli.yaml", &text).unwrap().read_as::<ProfileFile>().unwrap().profile
}

fn registry(world: &World, profile: &Profile, faults: &Faults) -> Registry {
    let settings = Settings {
        professional: None,
        allow_new_tags: profile.allow_new_tags,
        reminder_minutes: profile.reminder_minutes,
        followup_delays: profile.followup_delays.clone(),
    };
    let mut handlers = tools::handlers(&world.app, &settings);
    for (name, handler) in &mut handlers {
        let (name, real, faults) = (name.to_string(), Arc::clone(handler), Arc::clone(faults));
        *handler = Arc::new(Breakable { name, real, faults });
    }
    let mut registry = Registry::default();
    for (file, text) in PACKS {
        for tool in balcao_pack::load(file, text, &handlers).unwrap().tools {
            registry.add(tool).unwrap();
        }
    }
    registry
}

async fn shop() -> Shop {
    shop_of(eli()).await
}

async fn shop_of(profile: Profile) -> Shop {
    let world = figueira().await;
    world.set_local("2026-11-24T10:00"); // a Tuesday, open
    open_again(world, profile, Faults::default())
}

/// The program starts (again) over the same database.
fn open_again(world: World, profile: Profile, faults: Faults) -> Shop {
    let model = Scripted::new([]);
    let registry = registry(&world, &profile, &faults);
    let front = TurnRunner::new(world.app.clone(), [Agent::new(profile, &registry, Arc::new(model.clone()))]);
    Shop { world, front, model, faults }
}

impl Shop {
    /// From now on the tool fails this often.
    fn breaks(&self, tool: &str, times: u32) {
        self.faults.lock().unwrap().insert(tool.to_owned(), times);
    }

    async fn caio_says(&self, text: &str, script: impl IntoIterator<Item = Line>) -> TurnOutcome {
        self.model.script(script);
        let inbound = TurnRequest {
            organization: self.world.organization,
            channel: "terminal".to_owned(),
            from: ContactRef::Phone(Phone::parse(CAIO).unwrap()),
            name: None,
            texts: vec![text.to_owned()],
        };
        let answered = self.front.answer("eli", inbound, None).await.unwrap();
        self.model.finish().unwrap();
        answered
    }

    /// What Caio has been sent, in order, and what was kept from him, marked by its author.
    async fn thread(&self, answered: &TurnOutcome) -> Vec<(message::Author, String)> {
        let (organization, id) = (self.world.organization, answered.conversation);
        let all: Result<_, StoreError> =
            self.world.app.store.read(move |tx| message::last(tx, organization, id, 50)).await;
        all.unwrap().into_iter().map(|message| (message.author, message.text)).collect()
    }

    async fn sent(&self, answered: &TurnOutcome) -> Vec<String> {
        let thread = self.thread(answered).await;
        thread.into_iter().filter(|(author, _)| *author == message::Author::Agent).map(|(_, text)| text).collect()
    }

    async fn notes(&self) -> Vec<String> {
        let (organization, caio) = (self.world.organization, self.world.caio().await);
        let all: Result<_, StoreError> =
            self.world.app.store.read(move |tx| note::of_contact(tx, organization, caio)).await;
        // The sample business has a note of its own on him.
        all.unwrap()
            .into_iter()
            .map(|note| note.content)
            .filter(|text| text.contains("passado para a equipe"))
            .collect()
    }

    async fn conversation(&self, answered: &TurnOutcome) -> conversation::Conversation {
        let (organization, id) = (self.world.organization, answered.conversation);
        let found: Result<_, StoreError> =
            self.world.app.store.read(move |tx| conversation::get(tx, organization, id)).await;
        found.unwrap()
    }

    async fn open_follow_ups(&self) -> usize {
        let (organization, caio) = (self.world.organization, self.world.caio().await);
        let all: Result<_, StoreError> =
            self.world.app.store.read(move |tx| follow_up::open_of_contact(tx, organization, caio)).await;
        all.unwrap().len()
    }
}

fn reason(answered: &TurnOutcome) -> &'static str {
    match &answered.ending {
        Ending::Handoff { reason, .. } => reason.code(),
        Ending::Reply { .. } | Ending::Silence { .. } => answered.ending.outcome(),
    }
}

fn told(answered: &TurnOutcome) -> &str {
    answered.ending.reply().unwrap().as_str()
}

fn booking(start_hour: &str) -> Line {
    calls(
        "create_appointment",
        &json!({"barber_name": "Otávio", "date": "2026-11-26", "start_hour": start_hour, "service_name": "Barba desenhada"}),
    )
}

/// Three failures of two tools.
async fn three_failures(shop: &Shop) -> TurnOutcome {
    shop.breaks("create_appointment", 2);
    shop.breaks("get_services", 1);
    let script = [booking("15:00"), calls("get_services", &json!({})), booking("15:00")];
    shop.caio_says("marca barba desenhada com o Otávio quinta às 15h", script).await
}

/// The model's line, said after a person took the conversation.
fn after_a_person_took_over(world: &World, caio: balcao_domain::ContactId, line: Line) -> Line {
    let (store, organization) = (world.app.store.clone(), world.organization);
    with(move |_| {
        let work = store.write(move |tx| {
            let mut open = conversation::of_contact(tx, organization, caio)?.remove(0);
            open.state = ConversationState::Human;
            conversation::update(tx, organization, &open)
        });
        // The database answers on a thread of its own, so another runtime may wait for it here.
        let done: Result<(), StoreError> = std::thread::scope(|scope| {
            let wait = || tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work);
            scope.spawn(wait).join().unwrap()
        });
        done.unwrap();
        line
    })
}

#[tokio::test]
async fn ac1_every_error_counts_and_the_count_is_the_conversations() {
    let shop = shop().await;
    shop.breaks("get_services", 1);
    let faulty = shop.caio_says("quais serviços?", [calls("get_services", &json!({})), says(SORRY)]).await;
    assert_eq!(faulty.state.breaker.failures(), 1);
    let wrong = calls("check_availability", &json!({"date": "2026-11-26", "barber_name": "Zzyzx"}));
    let unknown = shop.caio_says("e o Zzyzx?", [wrong, says("Esse nome eu não conheço.")]).await;
    assert_eq!(unknown.state.breaker.failures(), 2, "a not_found has an `error`, too");
}

#[tokio::test]
async fn ac1_a_refusal_is_no_failure() {
    let shop = shop().await;
    // No professional works at night, so each request gets a correct refusal.
    let script =
        [booking("22:00"), booking("22:30"), booking("23:00"), says("A essa hora já fechamos. Serve à tarde?")];
    let answered = shop.caio_says("marca quinta à noite, qualquer horário", script).await;
    assert!(answered.state.calls.iter().all(|call| call.result.value["success"] == false));
    assert_eq!((reason(&answered), answered.state.breaker.failures()), ("reply", 0));
}

#[tokio::test]
async fn ac1_a_success_resets_the_count() {
    let shop = shop().await;
    shop.breaks("create_appointment", 1);
    shop.breaks("check_availability", 1);
    let free = json!({"date": "2026-11-26", "barber_name": "Otávio"});
    let script = [booking("15:00"), calls("check_availability", &free), calls("get_services", &json!({})), says(SORRY)];
    let answered = shop.caio_says("marca barba desenhada quinta, qualquer horário", script).await;
    assert_eq!((reason(&answered), answered.state.breaker.failures()), ("reply", 0));
    shop.breaks("get_barbers", 2);
    let script = [calls("get_barbers", &json!({})), says(SORRY)];
    let next = shop.caio_says("quem trabalha?", script).await;
    assert_eq!((reason(&next), next.state.breaker.failures()), ("reply", 1));
}

#[tokio::test]
async fn ac2_three_failures_in_a_row_hand_over_without_the_model() {
    let shop = shop().await;
    let answered = three_failures(&shop).await;
    assert_eq!((reason(&answered), shop.model.requests().len()), ("breaker", 3));
    let conversation = shop.conversation(&answered).await;
    assert_eq!(conversation.state, ConversationState::WaitingHuman);
    assert!(conversation.assigned_staff.is_some(), "nobody was assigned");
    let later = shop.caio_says("oi?", []).await;
    assert_eq!(later.ending.outcome(), "silence");
}

#[tokio::test]
async fn ac2_the_rest_of_a_step_does_not_run_after_the_third_failure() {
    let shop = shop().await;
    shop.breaks("create_appointment", 3);
    let args = |hour: &str| json!({"barber_name": "Otávio", "date": "2026-11-26", "start_hour": hour, "service_name": "Barba desenhada"});
    let step = ["15:00", "15:30", "16:00", "16:30"].map(|hour| ("create_appointment", args(hour)));
    let answered = shop.caio_says("marca barba desenhada quinta, qualquer horário", [calls_all(&step)]).await;
    assert_eq!((reason(&answered), answered.state.calls.len()), ("breaker", 4));
    assert!(answered.state.calls.iter().all(|call| call.result.is_error()), "the fourth call booked something");
}

#[tokio::test]
async fn ac3_a_tool_that_fails_twice_is_withdrawn_and_the_model_is_told() {
    let shop = shop().await;
    shop.breaks("create_appointment", 9);
    let blocked = with(|request| {
        assert!(!request.tools.iter().any(|tool| tool.name == "create_appointment"), "it is still offered");
        assert!(request.system.contains("não podem mais ser chamadas nesta conversa: create_appointment."));
        says(SORRY)
    });
    let answered = shop
        .caio_says("marca barba desenhada quinta, qualquer horário", [booking("15:00"), booking("15:30"), blocked])
        .await;
    assert_eq!((reason(&answered), told(&answered)), ("reply", SORRY));
    assert_eq!(shop.faults.lock().unwrap()["create_appointment"], 7, "it ran more than twice");
}

#[tokio::test]
async fn ac3_a_withdrawn_tool_is_answered_without_running() {
    let shop = shop().await;
    shop.breaks("create_appointment", 9);
    let script = [booking("15:00"), booking("15:30"), booking("16:00")];
    let answered = shop.caio_says("marca barba desenhada quinta, qualquer horário", script).await;
    assert_eq!(answered.state.calls[2].result.code, Some(ErrorCode::Blocked));
    assert_eq!(shop.faults.lock().unwrap()["create_appointment"], 7);
    assert_eq!(reason(&answered), "breaker", "every error counts for Eli: the third ends the turn");
}

#[tokio::test]
async fn ac4_the_customer_reads_exactly_the_standard_message_once() {
    let shop = shop().await;
    let answered = three_failures(&shop).await;
    assert_eq!(told(&answered), FALLBACK);
    assert_eq!(shop.sent(&answered).await, [FALLBACK]);
}

#[tokio::test]
async fn ac4_the_message_is_the_profiles_where_it_has_one() {
    let shop = shop_of(Profile { fallback_message: Some("A Renata já fala com você!".to_owned()), ..eli() }).await;
    assert_eq!(told(&three_failures(&shop).await), "A Renata já fala com você!");
}

#[tokio::test]
async fn ac5_the_note_holds_everything_that_staff_need() {
    let shop = shop().await;
    let answered = three_failures(&shop).await;
    let notes = shop.notes().await;
    let [note] = notes.as_slice() else { panic!("one note, not {notes:?}") };
    for fact in [
        "Cliente: Caio Brandão",
        "Telefone: +5531996401177",
        "Serviço: Barba desenhada",
        "2026-11-26 15:00",
        "Profissional: Otávio",
        "falharam: 3",
        "Motivo: breaker",
        "create_appointment",
        "get_services",
        "unavailable",
        UPSTREAM,
        "marca barba desenhada com o Otávio quinta às 15h",
    ] {
        assert!(note.contains(fact), "{fact} is missing in\n{note}");
    }
    assert!(note.contains(&format!("Turno: {}", i64::from(answered.turn))));
}

#[tokio::test]
async fn ac5_the_customer_and_the_model_never_see_the_internal_error() {
    let shop = shop().await;
    let answered = three_failures(&shop).await;
    let requests = serde_json::to_string(&shop.model.requests()).unwrap();
    assert!(!requests.contains("502") && !requests.contains("agenda-07"), "{requests}");
    assert!(shop.sent(&answered).await.iter().all(|text| !text.contains("502")));
    let transcript = serde_json::to_string(&answered.state.transcript).unwrap();
    assert!(!transcript.contains("agenda-07"), "the next turn's history would hold it");
}

#[tokio::test]
async fn ac6_the_count_survives_a_restart() {
    let shop = shop().await;
    shop.breaks("create_appointment", 9);
    shop.breaks("get_services", 9);
    let script = [booking("15:00"), calls("get_services", &json!({})), says(SORRY)];
    assert_eq!(
        shop.caio_says("marca barba desenhada quinta, qualquer horário", script).await.state.breaker.failures(),
        2
    );
    let restarted = open_again(shop.world, eli(), shop.faults);
    let answered = restarted.caio_says("marca barba desenhada quinta às 15h", [booking("15:00")]).await;
    assert_eq!((reason(&answered), told(&answered)), ("breaker", FALLBACK));
}

#[tokio::test]
async fn a_withdrawn_tool_stays_withdrawn_after_a_restart_and_comes_back_with_the_conversation() {
    let shop = shop().await;
    shop.breaks("create_appointment", 3);
    shop.breaks("get_services", 1);
    shop.caio_says("marca barba desenhada quinta, qualquer horário", [booking("15:00"), booking("15:30"), says(SORRY)])
        .await;
    let shop = open_again(shop.world, eli(), shop.faults);
    let answered = shop.caio_says("e agora?", [calls("get_services", &json!({}))]).await;
    let request = shop.model.requests().remove(0);
    assert!(!request.tools.iter().any(|tool| tool.name == "create_appointment"));
    assert_eq!(reason(&answered), "breaker");
    Conversations::new(shop.world.app.clone())
        .give_back(shop.world.organization, answered.conversation, Actor::Operator)
        .await
        .unwrap()
        .unwrap();
    let back = shop.caio_says("voltei", [says("Oi de novo, Caio.")]).await;
    assert_eq!((back.ending.outcome(), back.state.breaker.failures()), ("reply", 0));
    assert!(shop.model.last_request().unwrap().tools.iter().any(|tool| tool.name == "create_appointment"));
}

#[tokio::test]
async fn nothing_follows_after_a_failure_handoff() {
    let shop = shop().await;
    // The same talk, once with an answer and once with a handoff: only the first plans a follow-up.
    let free = calls(
        "check_availability",
        &json!({"date": "2026-11-26", "barber_name": "Otávio", "service_name": "Barba desenhada"}),
    );
    let answered = shop.caio_says("tem vaga para barba?", [free, says("Quinta serve?")]).await;
    shop.front.after_reply("eli", &answered, shop.world.organization).await;
    assert_eq!((answered.ending.outcome(), shop.open_follow_ups().await), ("reply", 1));
    let before = shop.model.requests().len();
    let handed = three_failures(&shop).await;
    shop.front.after_reply("eli", &handed, shop.world.organization).await;
    assert_eq!((reason(&handed), shop.open_follow_ups().await), ("breaker", 0));
    assert_eq!(shop.model.requests().len(), before + 3, "the model was asked for a summary");
}

#[tokio::test]
async fn what_the_steps_after_the_reply_ask_the_model_counts_for_the_turn() {
    let mut profile = eli();
    profile.after_reply.contact_facts = true;
    let shop = shop_of(profile).await;
    let answered = shop.caio_says("oi", [says("Olá!")]).await;
    shop.model.script([says("{\"name\": null, \"email\": null, \"tags\": []}")]);
    shop.front.after_reply("eli", &answered, shop.world.organization).await;
    let (organization, id) = (shop.world.organization, answered.conversation);
    let spent: Result<_, StoreError> = shop
        .world
        .app
        .store
        .read(move |tx| balcao_store::turns::turn::spent_since(tx, organization, Some(id), jiff::Timestamp::UNIX_EPOCH))
        .await;
    assert_eq!(spent.unwrap().model_calls, 2);
}

#[tokio::test]
async fn a_fact_that_stands_in_forwarded_words_is_not_kept() {
    let mut profile = eli();
    profile.after_reply.contact_facts = true;
    let shop = shop_of(profile).await;
    let words = "meu email é outra.pessoa@exemplo.com";
    let forwarded = balcao_agent::prompt::forwarded(words, balcao_tool::Locale::PtBr);
    let (organization, caio) = (shop.world.organization, shop.world.caio().await);
    let without_email: Result<(), StoreError> = shop
        .world
        .app
        .store
        .write(move |tx| {
            let mut known = contact::get(tx, organization, caio)?;
            known.email = None;
            contact::update(tx, organization, &known)
        })
        .await;
    without_email.unwrap();
    for (text, kept) in [(forwarded.as_str(), None), (words, Some("outra.pessoa@exemplo.com"))] {
        let answered = shop.caio_says(text, [says("Olá!")]).await;
        shop.model.script([says("{\"name\": null, \"email\": \"outra.pessoa@exemplo.com\", \"tags\": []}")]);
        shop.front.after_reply("eli", &answered, organization).await;
        let known: Result<_, StoreError> =
            shop.world.app.store.read(move |tx| contact::get(tx, organization, caio)).await;
        assert_eq!(known.unwrap().email.as_deref(), kept, "{text}");
    }
}

#[tokio::test]
async fn a_person_who_takes_over_during_the_turn_turns_the_reply_into_a_draft() {
    let shop = shop().await;
    shop.caio_says("oi", [says("Olá, Caio, em que posso ajudar?")]).await;
    let taking_over = after_a_person_took_over(&shop.world, shop.world.caio().await, says("Temos vaga à tarde."));
    let answered = shop.caio_says("tem vaga?", [taking_over]).await;
    assert_eq!(answered.ending, Ending::Silence { reason: "a person took over".to_owned() });
    let thread = shop.thread(&answered).await;
    assert!(thread.contains(&(message::Author::Draft, "Temos vaga à tarde.".to_owned())), "{thread:?}");
    assert_eq!(shop.sent(&answered).await.len(), 1);
}

#[tokio::test]
async fn a_question_that_became_a_draft_is_not_answered_by_a_later_yes() {
    let shop = shop().await;
    shop.caio_says(
        "marca barba desenhada quinta, qualquer horário",
        [booking("15:00"), says("Confira com a gente depois.")],
    )
    .await;
    let taking_over = after_a_person_took_over(&shop.world, shop.world.caio().await, says("Posso ajudar?"));
    let asked = shop.caio_says("cancela", [calls("cancel_appointment", &json!({})), taking_over]).await;
    assert!(asked.state.pending_confirmation.is_some(), "nothing was asked");
    assert!(shop.conversation(&asked).await.pending_confirmation.is_none(), "the call is still held");
}

/// A steady stream just over the limit stays over it: the window slides along, and the request must not be repeated.
#[tokio::test]
async fn f_132_a_steady_flood_is_slowed_down_once_then_silence_with_one_note_and_then_answered_again() {
    let mut profile = eli();
    profile.guardrails.flood_per_minute = 3;
    let shop = shop_of(profile).await;
    let mut endings = Vec::new();
    for second in [0, 15, 30, 45, 59, 74, 89, 104] {
        shop.world.set_local(&format!("2026-11-24T10:{:02}:{:02}", second / 60, second % 60));
        let script: Vec<Line> = if endings.len() < 3 { vec![says("Oi!")] } else { Vec::new() };
        let answered = shop.caio_says("oi", script).await;
        endings.push((answered.ending.outcome(), answered.state.effects.len()));
    }
    let silent = ("silence", 0);
    let expected = [("reply", 0), ("reply", 0), ("reply", 0), ("reply", 0), ("silence", 1), silent, silent, silent];
    assert_eq!(endings, expected);
    shop.world.set_local("2026-11-24T10:04:00");
    assert_eq!(shop.caio_says("oi", [says("Diga!")]).await.ending.outcome(), "reply");
}
