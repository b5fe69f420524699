//! The standard booking turn at zero model latency, everything durable: three model calls, then
//! `check_availability` and `create_appointment`, on a SQLite file with `synchronous=FULL`. Prints wall and CPU time a turn.
//!
//! Target: ≤ 3 × a hand-written turn without a framework, about 0.5 ms of CPU on the machine of `docs/PERFORMANCE.md`; and the
//! same turn by structured answers costs no more than by native calls. `cargo bench --bench turn -- structured` measures that
//! protocol alone, `native` the other; without a word both are measured, one after the other. Then once more with the body made that
//! OpenAI's protocol wants for each model call (`wire`): tools are printed there for the one protocol, and in the prompt for the other.
//!
//! `cargo bench --bench turn -- long` measures the judgement of consent alone: four messages of 4,000 characters in a conversation, and
//! eight calls that each want to book.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::as_conversions, reason = "a bench")]

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use async_trait::async_trait;
use balcao_agent::{Ending, ProfileFile, profile::Protocol};
use balcao_app::{
    AppContext,
    admin::seed::BusinessFile,
    turns::{Agent, ContactRef, TurnRequest, TurnRunner},
};
use balcao_builtin_tools::{Settings, registry};
use balcao_domain::{ManualClock, Phone};
use balcao_llm::{
    ChatProvider, EventSink, FinishReason, Message, ModelError, ModelRequest, ModelResponse, ToolCallRequest, Usage,
    http::{Clocks, Sizes},
    providers::{
        Service,
        openai::{Dialect, OpenAi},
    },
};
use balcao_store::{OpenOptions, Store};
use jiff::{Timestamp, ToSpan, civil::Date};

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Answers at once: availability, then the booking, then a sentence.
#[derive(Debug)]
struct Instantly {
    calls: AtomicUsize,
    protocol: Protocol,
    /// What makes the body of each request, if it is to be made.
    wire: Option<OpenAi>,
}

impl Instantly {
    fn calls(&self, name: &str, arguments: String) -> ModelResponse {
        match self.protocol {
            Protocol::Native => ModelResponse {
                text: String::new(),
                tool_calls: vec![ToolCallRequest {
                    id: "a".to_owned(),
                    name: name.to_owned(),
                    arguments,
                    vendor: None,
                }],
                finish: FinishReason::ToolCalls,
                ..plain(String::new())
            },
            Protocol::Structured => plain(format!(
                r#"{{"response_to_client":null,"tool_request":{{"name":"{name}","params":{arguments}}}}}"#
            )),
        }
    }

    fn says(&self, text: &str) -> ModelResponse {
        match self.protocol {
            Protocol::Native => plain(text.to_owned()),
            Protocol::Structured => plain(format!(r#"{{"response_to_client":"{text}","tool_request":null}}"#)),
        }
    }
}

fn plain(text: String) -> ModelResponse {
    ModelResponse {
        mended: Vec::new(),
        text,
        tool_calls: Vec::new(),
        finish: FinishReason::Stop,
        usage: Usage::default(),
        model: "instant".to_owned(),
    }
}

/// Free starts: Tuesday to Saturday over many weeks, one professional.
fn slot(number: usize) -> (Date, String) {
    let week = (number / 100) as i64;
    let day = (number % 100) / 20;
    let at = number % 20;
    let date = Date::constant(2026, 11, 24).checked_add((week * 7 + day as i64).days()).unwrap();
    (date, format!("{:02}:{:02}", 9 + at / 2, (at % 2) * 30))
}

#[async_trait]
impl ChatProvider for Instantly {
    fn name(&self) -> &str {
        "instant"
    }

    fn model(&self) -> &str {
        "instant"
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        _on_event: &mut EventSink<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let body = self.wire.as_ref().map(|wire| serde_json::to_vec(&wire.request_body(request)).unwrap());
        std::hint::black_box(body);
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        let (date, start) = slot(number / 3);
        Ok(match number % 3 {
            0 => self.calls(
                "check_availability",
                format!(r#"{{"date":"{date}","barber_name":"Ana","service_name":"Corte"}}"#),
            ),
            1 => self.calls(
                "create_appointment",
                format!(r#"{{"date":"{date}","start_hour":"{start}","barber_name":"Ana","service_name":"Corte"}}"#),
            ),
            _ => self.says("Prontinho, está marcado!"),
        })
    }
}

/// Offers a time, and once the contact has written four times wants to book eight times over.
#[derive(Debug)]
struct Eager;

#[async_trait]
impl ChatProvider for Eager {
    fn name(&self) -> &str {
        "eager"
    }

    fn model(&self) -> &str {
        "eager"
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        _on_event: &mut EventSink<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let written = request.messages.iter().filter(|message| matches!(message, Message::User { .. })).count();
        if written < 4 || !matches!(request.messages.last(), Some(Message::User { .. })) {
            return Ok(plain("Qual horário fica melhor?".to_owned()));
        }
        let call = |hour: i32| ToolCallRequest {
            id: hour.to_string(),
            name: "create_appointment".to_owned(),
            arguments: format!(
                r#"{{"date":"2026-12-03","start_hour":"{hour:02}:00","barber_name":"Ana","service_name":"Corte"}}"#
            ),
            vendor: None,
        };
        Ok(ModelResponse {
            tool_calls: (9..17).map(call).collect(),
            finish: FinishReason::ToolCalls,
            ..plain(String::new())
        })
    }
}

const BUSINESS: &str = r#"
organization:
  name: Bancada
  slug: bancada
  timezone: America/Sao_Paulo
  locale: pt-BR
  currency: BRL
  hours: {tue: ["09:00-19:00"], wed: ["09:00-19:00"], thu: ["09:00-19:00"], fri: ["09:00-19:00"], sat: ["09:00-19:00"]}
  scheduling: {slot_step_minutes: 30, minimum_notice_minutes: 0, maximum_advance_days: 900, cancellation_notice_minutes: 0, maximum_open_appointments: 1000}
services:
  - {name: Corte, price: "45.00", duration_minutes: 30}
  - {name: Barba, price: "35.00", duration_minutes: 30}
professionals:
  - {name: Ana Prado, aliases: [Ana], hours: {tue: ["09:00-19:00"], wed: ["09:00-19:00"], thu: ["09:00-19:00"], fri: ["09:00-19:00"], sat: ["09:00-19:00"]}, services: [Corte, Barba]}
  - {name: Bia Melo, aliases: [Bia], hours: {tue: ["09:00-19:00"], fri: ["09:00-19:00"]}, services: [Corte]}
"#;

/// CPU time of the whole process so far, in milliseconds.
fn cpu_ms() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    let ticks: u64 = fields.get(11).unwrap().parse::<u64>().unwrap() + fields.get(12).unwrap().parse::<u64>().unwrap();
    ticks as f64 * 10.0
}

/// OpenAI's protocol, of which nothing is sent.
fn openai() -> OpenAi {
    let service = Service {
        name: "instant".to_owned(),
        base_url: "http://127.0.0.1:9/v1".to_owned(),
        model: "instant".to_owned(),
        key: None,
        price: None,
        clocks: Clocks::default(),
        sizes: Sizes::default(),
    };
    OpenAi::new(service, Dialect::OPENAI).unwrap()
}

async fn app(
    path: &Path,
    protocol: Protocol,
    model: Arc<dyn ChatProvider>,
) -> (TurnRunner, balcao_domain::OrganizationId) {
    let now: Timestamp = "2026-11-24T03:00:00Z".parse().unwrap();
    let store = Store::open(path, OpenOptions::default()).unwrap();
    store.migrate().await.unwrap();
    let imported =
        BusinessFile::read("bench", BUSINESS).expect("the bench's business").import(&store, now).await.unwrap();
    let app = AppContext::new(store, Arc::new(ManualClock::at(now)));
    let text = include_str!("../../../agents/eli.yaml");
    let mut profile = balcao_yaml::Document::read("eli", text).unwrap().read_as::<ProfileFile>().unwrap().profile;
    profile.protocol = protocol;
    profile.guardrails.max_messages_per_day = 0;
    profile.guardrails.flood_per_minute = 0;
    let settings =
        Settings { professional: None, allow_new_tags: false, reminder_minutes: 60, followup_delays: vec![30] };
    let registry = registry(&app, &settings).expect("the shipped packs");
    (TurnRunner::new(app, [Agent::new(profile, &registry, model)]), imported.organization)
}

fn main() {
    let turns: usize = std::env::args().filter_map(|one| one.parse().ok()).next().unwrap_or(2_000);
    let wanted = |name: &str| std::env::args().any(|one| one == name);
    if wanted("long") {
        return measure_long_messages();
    }
    let both = !wanted("native") && !wanted("structured");
    for wire in [false, true] {
        for (name, protocol) in [("native", Protocol::Native), ("structured", Protocol::Structured)] {
            if (both || wanted(name)) && (wire || !wanted("wire")) {
                measure(name, protocol, wire, turns);
            }
        }
    }
}

fn measure(name: &str, protocol: Protocol, wire: bool, turns: usize) {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let instantly = Instantly { calls: AtomicUsize::default(), protocol, wire: wire.then(openai) };
        let (front, organization) = app(&folder.path().join("bench.db"), protocol, Arc::new(instantly)).await;
        let mut walls = Vec::with_capacity(turns);
        let (mut cpu, mut measured) = (cpu_ms(), 0);
        for number in 0..turns {
            // A contact writes four times, so histories of 0 to 24 messages occur.
            let phone = Phone::parse(&format!("+55119{:08}", 10_000_000 + number / 4)).unwrap();
            let (date, start) = slot(number);
            let texts = vec![format!("quero um Corte com a Ana em {date} às {start}")];
            let from = ContactRef::Phone(phone);
            let inbound = TurnRequest { organization, channel: "bench".to_owned(), from, name: None, texts };
            let started = Instant::now();
            let answered = front.answer("eli", inbound, None).await.unwrap();
            walls.push(started.elapsed().as_secs_f64() * 1_000.0);
            assert!(
                matches!(answered.ending, Ending::Reply { .. }),
                "{:?} {:?}",
                answered.ending,
                answered.state.calls
            );
            measured += 1;
            if number == turns / 10 {
                // The first tenth warms caches and statements.
                (cpu, measured) = (cpu_ms(), 0);
                walls.clear();
            }
        }
        let spent = (cpu_ms() - cpu) / f64::from(u32::try_from(measured).unwrap());
        walls.sort_by(f64::total_cmp);
        let at = |share: f64| walls.get((walls.len() as f64 * share) as usize).copied().unwrap_or_default();
        println!(
            "{name}{}: {} turns: CPU {spent:.3} ms a turn; wall p50 {:.3} ms, p99 {:.3} ms",
            if wire { ", bodies made" } else { "" },
            walls.len(),
            at(0.5),
            at(0.99)
        );
    });
}

fn measure_long_messages() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    for words in
        ["15h ", "amanhã ", "quinta 15h ", "sim ", "quero ", "pode marcar ", "minha mãe quer ", "não ", "\"", "?"]
    {
        let folder = tempfile::tempdir().unwrap();
        runtime.block_on(async {
            let model = Arc::new(Eager);
            let (front, organization) = app(&folder.path().join("bench.db"), Protocol::Native, model).await;
            let text: String = words.chars().cycle().take(4_000).collect();
            let (mut took, mut calls) = (std::time::Duration::ZERO, 0);
            for _ in 0..4 {
                let from = ContactRef::Phone(Phone::parse("+5511910000000").unwrap());
                let texts = vec![text.clone()];
                let inbound = TurnRequest { organization, channel: "bench".to_owned(), from, name: None, texts };
                let started = Instant::now();
                let answered = front.answer("eli", inbound, None).await.unwrap();
                (took, calls) = (started.elapsed(), answered.state.calls.len());
            }
            println!("{words:?}: {:.1} ms, {calls} calls", took.as_secs_f64() * 1_000.0);
        });
    }
}
