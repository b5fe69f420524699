//! The real turn with a scripted model, small tools and a recording journal, in virtual time.

use std::sync::{Arc, LazyLock, Mutex};

use async_trait::async_trait;
use balcao_agent::{
    Ending, Profile, Turn, TurnInput, TurnSetup, TurnState,
    breaker::Breaker,
    driver::{self, Interrupted, Journal},
    guardrails::GuardInput,
    history::{self, EarlierTurn, History},
    memory::WorkingMemory,
    profile::Protocol,
    reply_checks::sanitise::{Sanitiser, SanitiserConfig},
    turn::{ContactCard, PendingConfirmation, ToolSelection},
};
use balcao_llm::{
    ChatProvider, FinishReason, Message, ModelRequest, ModelResponse, TurnFacts, Usage,
    providers::scripted::{self, Line, Scripted},
};
use balcao_tool::Principal;
use jiff::Zoned;
use serde_json::{Value, json};

use crate::tools::{self, Act, Execution, INTERNAL, Stage};

/// Runs a future in virtual time: what sleeps costs nothing.
pub(crate) fn in_virtual_time<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(future)
}

/// Compiling it takes longer than a turn.
static SANITISER: LazyLock<Arc<Sanitiser>> = LazyLock::new(|| {
    let names = tools::registry(&Arc::default()).iter().map(|tool| tool.spec.name.clone()).collect();
    Arc::new(Sanitiser::new(SanitiserConfig { tool_names: names, max_chars: 2_000, ..SanitiserConfig::default() }))
});

/// A front desk before a message.
pub(crate) struct World {
    pub(crate) protocol: Protocol,
    pub(crate) stage: Arc<Mutex<Stage>>,
    profile: Value,
    pub(crate) turn: i64,
    pub(crate) now: Zoned,
    pub(crate) breaker: Breaker,
    pub(crate) memory: WorkingMemory,
    pub(crate) held: Option<PendingConfirmation>,
    pub(crate) guard: GuardInput,
    pub(crate) history: Vec<Message>,
    /// How many messages of the history are older than the last change of the business.
    pub(crate) outdated: usize,
    pub(crate) contact: ContactCard,
    pub(crate) notification: Option<String>,
    pub(crate) is_overtaken: bool,
    pub(crate) team_returns_at: Option<String>,
}

/// A turn that is over.
pub(crate) struct Ran {
    pub(crate) ending: Ending,
    pub(crate) state: TurnState,
    pub(crate) requests: Vec<ModelRequest>,
    pub(crate) saves: Vec<String>,
    pub(crate) executions: Vec<Execution>,
    pub(crate) events: Vec<String>,
}

impl World {
    pub(crate) fn new(protocol: Protocol) -> Self {
        let word = match protocol {
            Protocol::Native => "native",
            Protocol::Structured => "structured",
        };
        Self {
            protocol,
            stage: Arc::default(),
            profile: json!({"id": "t", "name": "Eli", "packs": ["test"], "protocol": word}),
            turn: 41,
            now: "2026-11-24T09:00[America/Sao_Paulo]".parse().unwrap(),
            breaker: Breaker::default(),
            memory: WorkingMemory::default(),
            held: None,
            guard: GuardInput { open_now: true, messages_last_minute: 1, ..GuardInput::default() },
            history: Vec::new(),
            outdated: 0,
            contact: ContactCard { name: Some("Ana Prado".to_owned()), phone: Some("+5531996401177".to_owned()) },
            notification: None,
            is_overtaken: false,
            team_returns_at: None,
        }
    }

    /// The same with other words in its profile.
    pub(crate) fn with(mut self, more: Value) -> Self {
        self.profile.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self
    }

    /// The same where a tool (or `preview`) does this next.
    pub(crate) fn tool(self, name: &str, acts: impl IntoIterator<Item = Act>) -> Self {
        self.stage.lock().unwrap().next.entry(name.to_owned()).or_default().extend(acts);
        self
    }

    /// The same where the guardrails see something else.
    pub(crate) fn guarded(mut self, change: impl FnOnce(&mut GuardInput)) -> Self {
        change(&mut self.guard);
        self
    }

    pub(crate) fn profile(&self) -> Profile {
        serde_json::from_value(self.profile.clone()).unwrap()
    }

    pub(crate) fn setup(&self) -> TurnSetup {
        let profile = self.profile();
        let toolbox = Arc::new(profile.toolbox(&tools::registry(&self.stage)));
        TurnSetup {
            facts: TurnFacts {
                now: self.now.clone(),
                locale: profile.language.tag().to_owned(),
                organization: "Barbearia de Teste".to_owned(),
                address: None,
                opens: None,
                contact_name: self.contact.name.clone(),
                appointment: None,
                written: None,
                outdated: self.outdated,
            },
            profile: Arc::new(profile),
            toolbox,
            sanitiser: Arc::clone(&SANITISER),
            system: "Você atende uma barbearia.\n\n".to_owned(),
            proof: None,
            history: History { messages: self.history.clone(), outdated: self.outdated },
            contact: self.contact.clone(),
            notification: self.notification.clone(),
            is_overtaken: self.is_overtaken,
            team_returns_at: self.team_returns_at.clone(),
        }
    }

    pub(crate) fn opening(&self, inbound: &str) -> TurnInput {
        TurnInput {
            principal: Principal {
                organization: 1,
                contact: 2,
                conversation: 3,
                turn: self.turn,
                staff_facing: false,
                locale: self.profile().language,
            },
            now: self.now.clone(),
            service_messages: Vec::new(),
            inbound: inbound.to_owned(),
            breaker: self.breaker.clone(),
            memory: self.memory.clone(),
            pending_confirmation: self.held.clone(),
            selection: ToolSelection::default(),
            guard: self.guard.clone(),
        }
    }

    pub(crate) fn begin(&self, inbound: &str) -> Turn {
        Turn::begin(self.setup(), self.opening(inbound))
    }

    /// Drives a whole turn and holds it against what every turn must keep to. The script must be used up.
    pub(crate) fn run(&self, inbound: &str, script: impl IntoIterator<Item = Line>) -> Ran {
        let model = Scripted::new(script);
        let ran = self.run_on(inbound, &model, &model);
        model.finish().unwrap();
        ran
    }

    /// The same with another provider in front of the script.
    pub(crate) fn run_on(&self, inbound: &str, model: &dyn ChatProvider, script: &Scripted) -> Ran {
        let mut turn = self.begin(inbound);
        let journal = Saves::default();
        let ending = in_virtual_time(driver::drive(&mut turn, model, &journal, None)).unwrap();
        let ran = self.ran(ending, turn.state().clone(), script, journal.taken());
        ran.holds();
        ran
    }

    pub(crate) fn ran(&self, ending: Ending, state: TurnState, script: &Scripted, saves: Vec<String>) -> Ran {
        let stage = self.stage.lock().unwrap();
        Ran {
            ending,
            state,
            requests: script.requests(),
            saves,
            executions: stage.executions.clone(),
            events: stage.events.clone(),
        }
    }

    /// The same front desk before the customer's next message, an hour of wall time later or as `later` says.
    pub(crate) fn after(mut self, ran: &Ran) -> Self {
        self.turn += 1;
        self.breaker = ran.state.breaker.clone();
        self.memory = ran.state.memory.clone();
        self.held = ran.state.pending_confirmation.clone();
        let turns = [&self.history, &ran.state.transcript];
        let turns = turns.map(|messages| EarlierTurn { messages: messages.clone(), is_current: true });
        self.history = history::fit(&turns, 100_000).messages;
        *self.stage.lock().unwrap() = Stage::default();
        self
    }

    /// The same some hours later.
    pub(crate) fn later(mut self, hours: i64) -> Self {
        self.now = self.now.checked_add(jiff::SignedDuration::from_hours(hours)).unwrap();
        self
    }

    /// The model speaks to the customer.
    pub(crate) fn says(&self, text: &str) -> Line {
        match self.protocol {
            Protocol::Native => scripted::says(text),
            Protocol::Structured => {
                scripted::says(&json!({"response_to_client": text, "tool_request": null}).to_string())
            }
        }
    }

    /// The model asks for one tool.
    pub(crate) fn calls(&self, name: &str, args: Value) -> Line {
        match self.protocol {
            Protocol::Native => scripted::calls(name, &args),
            Protocol::Structured => scripted::says(
                &json!({"response_to_client": null, "tool_request": {"name": name, "params": args}}).to_string(),
            ),
        }
    }

    /// The model says nothing at all.
    pub(crate) fn nothing(&self) -> Line {
        match self.protocol {
            Protocol::Native => scripted::says(""),
            Protocol::Structured => {
                scripted::says(&json!({"response_to_client": null, "tool_request": null}).to_string())
            }
        }
    }

    /// The model speaks, and this is what the call used up.
    pub(crate) fn says_using(&self, text: &str, usage: Usage) -> Line {
        self.says(text).using(usage)
    }
}

/// An answer whose calls carry these ids.
pub(crate) fn calls_with_ids(calls: &[(&str, &str, &str)]) -> Line {
    let calls = calls.iter().map(|(id, name, arguments)| balcao_llm::ToolCallRequest {
        id: (*id).to_owned(),
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
        vendor: None,
    });
    scripted::answers(ModelResponse {
        text: String::new(),
        tool_calls: calls.collect(),
        finish: FinishReason::ToolCalls,
        usage: Usage::default(),
        model: "scripted".to_owned(),
        mended: Vec::new(),
    })
}

impl Ran {
    /// What holds for every turn, whatever happened in it.
    pub(crate) fn holds(&self) {
        assert!(self.state.rounds <= 5, "more than five rounds");
        let (mut asked, mut answered) = (Vec::new(), Vec::new());
        for message in &self.state.transcript {
            match message {
                Message::Assistant { tool_calls, .. } => asked.extend(tool_calls.iter().map(|call| &call.id)),
                Message::ToolResult { call_id, .. } => answered.push(call_id),
                Message::User { .. } => {}
            }
        }
        assert_eq!(asked, answered, "one result per call, in the order of the calls");
        assert_eq!(asked.len(), self.state.calls.len(), "one record per call");
        for request in &self.requests {
            let told = serde_json::to_string(request).unwrap();
            assert!(!told.contains(INTERNAL), "internal text reached the model: {told}");
        }
        if let Some(reply) = self.ending.reply() {
            assert!(!reply.as_str().contains(INTERNAL), "internal text reached the customer");
            assert!(!reply.as_str().trim().is_empty(), "the customer was sent nothing");
        }
    }

    pub(crate) fn replied(&self) -> &str {
        match &self.ending {
            Ending::Reply { reply } => reply.as_str(),
            other => panic!("no reply: {other:?}"),
        }
    }

    pub(crate) fn silent(&self) -> &str {
        match &self.ending {
            Ending::Silence { reason } => reason,
            other => panic!("not silent: {other:?}"),
        }
    }

    /// The code of the handoff's reason.
    pub(crate) fn handed_off(&self) -> &'static str {
        match &self.ending {
            Ending::Handoff { reason, .. } => reason.code(),
            other => panic!("no handoff: {other:?}"),
        }
    }

    /// The handoff's reason as staff read it.
    pub(crate) fn why(&self) -> String {
        match &self.ending {
            Ending::Handoff { reason, .. } => reason.for_staff(),
            other => panic!("no handoff: {other:?}"),
        }
    }

    /// What the customer was told, however the turn ended.
    pub(crate) fn told_customer(&self) -> &str {
        self.ending.reply().unwrap().as_str()
    }

    pub(crate) fn note(&self) -> &str {
        match &self.ending {
            Ending::Handoff { note, .. } => note,
            other => panic!("no handoff: {other:?}"),
        }
    }

    /// The error codes of all calls, in order; empty for a call without an error.
    pub(crate) fn codes(&self) -> Vec<&str> {
        self.state.calls.iter().map(|call| call.result.code.map_or("", |code| code.as_str())).collect()
    }

    /// The names of the tools that were executed, in the order of their beginning.
    pub(crate) fn executed(&self) -> Vec<&str> {
        self.executions.iter().map(|one| one.tool.as_str()).collect()
    }

    /// The results as the model was told them, in order.
    pub(crate) fn told(&self) -> Vec<Value> {
        let results = self.state.transcript.iter().filter_map(|message| match message {
            Message::ToolResult { content, .. } => Some(serde_json::from_str(content).unwrap()),
            Message::User { .. } | Message::Assistant { .. } => None,
        });
        results.collect()
    }

    /// Everything that the model read in its n-th call, as one text.
    pub(crate) fn read(&self, n: usize) -> String {
        let request = &self.requests[n];
        let texts = request.messages.iter().map(|message| match message {
            Message::User { text } | Message::Assistant { text, .. } => text.as_str(),
            Message::ToolResult { content, .. } => content.as_str(),
        });
        std::iter::once(request.system.as_str()).chain(texts).collect::<Vec<_>>().join("\n")
    }

    /// Whether a tool was on offer in the model's n-th call.
    pub(crate) fn offered(&self, n: usize, name: &str) -> bool {
        let request = &self.requests[n];
        request.tools.iter().any(|tool| tool.name == name)
            || request.system.contains(&format!("{{\"name\":\"{name}\",\"description\""))
    }
}

/// Keeps what it is given; after `at_most` saves it keeps the next and then fails, like a machine that dies.
#[derive(Debug, Default)]
pub(crate) struct Saves {
    states: Mutex<Vec<String>>,
    at_most: Option<usize>,
}

impl Saves {
    pub(crate) fn failing_after(saves: usize) -> Self {
        Self { at_most: Some(saves), ..Self::default() }
    }

    pub(crate) fn taken(&self) -> Vec<String> {
        self.states.lock().unwrap().clone()
    }
}

#[async_trait]
impl Journal for Saves {
    async fn save(&self, state: &TurnState) -> Result<(), Interrupted> {
        let mut states = self.states.lock().unwrap();
        states.push(serde_json::to_string(state).unwrap());
        let dies = self.at_most.is_some_and(|most| states.len() > most);
        if dies { Err(Interrupted::NotSaved("the disk is full".to_owned())) } else { Ok(()) }
    }
}

/// Drives a turn that dies after its save number `cut` (from 0) and goes on from that save.
pub(crate) fn interrupted(world: &World, inbound: &str, script: Vec<Line>, cut: usize) -> Ran {
    let model = Scripted::new(script);
    let mut turn = world.begin(inbound);
    let journal = Saves::failing_after(cut);
    let died: Result<Ending, Interrupted> = in_virtual_time(driver::drive(&mut turn, &model, &journal, None));
    assert!(died.is_err(), "the turn was over before save {cut}");
    drop(turn);
    let saved = journal.taken().pop().unwrap();
    let mut turn = Turn::resume(world.setup(), serde_json::from_str(&saved).unwrap()).unwrap();
    let ending = in_virtual_time(driver::drive(&mut turn, &model, &Saves::default(), None)).unwrap();
    model.finish().unwrap();
    world.ran(ending, turn.state().clone(), &model, Vec::new())
}
