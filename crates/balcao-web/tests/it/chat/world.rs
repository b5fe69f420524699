//! The sample barbershop with a web chat: everything real but the model and the clock.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, BodyDataStream, to_bytes};
use axum::http::{Request, Response};
use balcao_agent::profile::Degraded;
use balcao_agent::{Profile, ProfileFile};
use balcao_app::AppContext;
use balcao_app::admin::backlog::BacklogMonitor;
use balcao_app::admin::seed::BusinessFile;
use balcao_app::context::budgets::{FileBudgets, StrangerBudgets};
use balcao_app::conversations::Conversations;
use balcao_app::messaging::inbox::Inbox;
use balcao_app::messaging::outbound::send_policy::SendPolicy;
use balcao_app::messaging::outbound::sender::{Sender, SenderSettings};
use balcao_app::messaging::web_chat::{ACCOUNT, ChatMailbox, Hub, WebChats};
use balcao_app::timers::{TimerSettings, Timers};
use balcao_app::turns::dispatcher::{Dispatcher, DispatcherSettings};
use balcao_app::turns::{Agent, TurnRunner};
use balcao_builtin_tools::Settings;
use balcao_channel::channels::web::WebChat;
use balcao_channel::{AccountId, Channel};
use balcao_domain::burst::BurstRules;
use balcao_domain::{ConversationId, ManualClock, OrganizationId};
use balcao_llm::providers::scripted::Scripted;
pub(super) use balcao_llm::providers::scripted::{Line, calls, says, with};
use balcao_store::{Store, StoreError, Tx};
use balcao_web::chat::{ChatLimits, ChatServer, Origins, Tokens};
use balcao_web::pages::demo::{Demo, DemoSettings, router as demo_router};
use balcao_web::{Limits, Web, router_with};
use balcao_yaml::Document;
use futures::StreamExt;
use jiff::SignedDuration;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

pub(super) const ORIGIN: &str = "https://shop.example";
pub(super) const STAFF: &str = "renata@figueira.example";
pub(super) const STAFF_TOKEN: &str = "the page's token";

pub(super) struct Shop {
    pub(super) store: Store,
    pub(super) clock: Arc<ManualClock>,
    pub(super) organization: OrganizationId,
    pub(super) staff: Conversations,
    pub(super) chats: WebChats,
    pub(super) model: Scripted,
    pub(super) sender: Sender,
    pub(super) stop: CancellationToken,
    /// Contacts that the sample has.
    pub(super) people: i64,
    pub(super) watch: BacklogMonitor,
    dispatcher: Dispatcher,
    timers: Timers,
    pub(super) router: Router,
}

/// Somebody with a page of the chat.
pub(super) struct Visit {
    pub(super) token: String,
}

/// An open stream of a visitor.
pub(super) struct Events {
    body: BodyDataStream,
    rest: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Event {
    pub(super) kind: String,
    pub(super) id: Option<String>,
    pub(super) data: Value,
}

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn eli() -> Profile {
    let text = std::fs::read_to_string(root().join("agents/eli.yaml")).unwrap();
    let mut profile = Document::read("agents/eli.yaml", &text).unwrap().read_as::<ProfileFile>().unwrap().profile;
    profile.after_reply = balcao_agent::profile::AfterReply::default();
    profile
}

/// The barbershop on a Tuesday morning.
pub(super) async fn shop(script: impl IntoIterator<Item = Line>) -> Shop {
    shop_with(script, ChatLimits { poll: Duration::from_millis(20), ..ChatLimits::default() }).await
}

pub(super) async fn shop_with(script: impl IntoIterator<Item = Line>, limits: ChatLimits) -> Shop {
    shop_behind(script, limits, &[]).await
}

/// The same behind proxies that say who asks.
pub(super) async fn shop_behind(script: impl IntoIterator<Item = Line>, limits: ChatLimits, proxies: &[&str]) -> Shop {
    shop_under(Limits::default(), script, limits, proxies).await
}

/// The same under these limits of the whole server.
pub(super) async fn shop_under(
    whole: Limits,
    script: impl IntoIterator<Item = Line>,
    limits: ChatLimits,
    proxies: &[&str],
) -> Shop {
    shop_within(Ceilings::default(), whole, script, limits, proxies).await
}

/// What a day may take.
#[derive(Default)]
pub(super) struct Ceilings {
    pub(super) files: FileBudgets,
    pub(super) strangers: StrangerBudgets,
    /// What answers strangers once their day is used up; without it a person.
    pub(super) instead: Option<Scripted>,
}

/// The same where a day may take so much.
pub(super) async fn shop_within(
    ceilings: Ceilings,
    whole: Limits,
    script: impl IntoIterator<Item = Line>,
    limits: ChatLimits,
    proxies: &[&str],
) -> Shop {
    let text = std::fs::read_to_string(root().join("samples/barbearia-figueira.yaml")).unwrap();
    let file = BusinessFile::read("the sample", &text).unwrap();
    let store = Store::open_in_memory().unwrap();
    store.migrate().await.unwrap();
    let now = "2026-11-24T10:00:00-03:00".parse().unwrap();
    let organization = file.import(&store, now).await.unwrap().organization;
    let clock = Arc::new(ManualClock::at(now));
    let app = AppContext::new(store.clone(), Arc::<ManualClock>::clone(&clock));
    let mut profile = eli();
    if ceilings.instead.is_none() {
        profile.model.degraded = Degraded::Handoff;
    }
    let settings = Settings {
        professional: None,
        allow_new_tags: profile.allow_new_tags,
        reminder_minutes: profile.reminder_minutes,
        followup_delays: profile.followup_delays.clone(),
    };
    let registry = balcao_builtin_tools::registry(&app, &settings).unwrap();
    let model = Scripted::new(script);
    let agent = Agent::new(profile, &registry, Arc::new(model.clone()));
    let instead = Arc::new(ceilings.instead.unwrap_or_else(|| Scripted::new([])));
    let front = Arc::new(TurnRunner::new(app.clone(), [agent]).with_strangers(ceilings.strangers, instead));
    let (wake, outgoing) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let hub = Hub::default();
    let inbox = Inbox::new(app.clone(), [WebChats::account(organization)], BurstRules::default(), Arc::clone(&wake));
    let dispatcher =
        Dispatcher::new(Arc::clone(&front), DispatcherSettings::new("eli", "a test"), wake, Arc::clone(&outgoing));
    let dispatcher = dispatcher.with_draft_pages(hub.clone());
    let mailbox = Arc::new(ChatMailbox::new(app.clone(), hub.clone(), organization));
    let channel: Arc<dyn Channel> = Arc::new(WebChat::new(AccountId::new(ACCOUNT), mailbox));
    let (terms, at) = (SendPolicy::default(), TimerSettings::default());
    let timers = Timers::new(front, "eli", [Arc::clone(&channel)], terms, at, Arc::clone(&outgoing));
    let sender = Sender::new(app.clone(), [channel], SenderSettings::default(), outgoing);
    let chats = WebChats::new(app.clone(), inbox.clone(), hub, organization).with_file_budgets(ceilings.files);
    let (tokens, stop) = (Tokens::new(&"a secret of a test, long enough!".into()).unwrap(), CancellationToken::new());
    let origins = Origins::new([ORIGIN.to_owned()]).unwrap();
    let name = "Barbearia Figueira".to_owned();
    let served = ChatServer::new(chats.clone(), name.clone(), tokens, origins, limits, stop.clone());
    let demo = DemoSettings {
        shop: name,
        model: "scripted".to_owned(),
        suggestions: vec!["Oi".to_owned()],
        staff: STAFF.to_owned(),
        token: STAFF_TOKEN.into(),
        port: 7411,
    };
    let demo = demo_router(Demo::new(demo, chats.clone(), stop.clone()));
    let proxies = proxies.iter().map(|network| network.parse().unwrap()).collect();
    let watch = BacklogMonitor::default();
    let web = Web::new(app.clone(), inbox, None, stop.clone()).watched(watch.clone(), proxies).with_chat(served);
    let router = router_with(web, &whole, demo);
    let staff = Conversations::new(app);
    let mut shop = Shop {
        store,
        clock,
        organization,
        staff,
        chats,
        model,
        sender,
        stop,
        people: 0,
        watch,
        dispatcher,
        timers,
        router,
    };
    shop.people = shop.count("contact").await;
    shop
}

/// Waits for the database in a model's line: it answers on a thread of its own.
pub(super) fn wait<T: Send>(work: impl Future<Output = T> + Send) -> T {
    std::thread::scope(|scope| {
        let wait = || tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(work);
        scope.spawn(wait).join().unwrap()
    })
}

pub(super) async fn body_of(response: Response<Body>) -> Value {
    let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    serde_json::from_slice(&bytes).unwrap_or(Value::Null)
}

impl Shop {
    pub(super) async fn answers(&self, request: Request<Body>) -> Response<Body> {
        self.router.clone().oneshot(request).await.unwrap()
    }

    pub(super) async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Response<Body> {
        let request = headers.iter().fold(Request::get(path), |request, (name, value)| request.header(*name, *value));
        self.answers(request.body(Body::empty()).unwrap()).await
    }

    /// A request to the chat as a page sends it.
    pub(super) async fn asks(
        &self,
        method: &str,
        path: &str,
        visitor: Option<&Visit>,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Response<Body> {
        let mut request = Request::builder().method(method).uri(format!("/chat/v1/{path}"));
        if let Some(visitor) = visitor {
            request = request.header("authorization", format!("Bearer {}", visitor.token));
        }
        if !headers.iter().any(|(name, _)| *name == "content-type") {
            request = request.header("content-type", "application/json");
        }
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        self.answers(request.body(Body::from(body.to_owned())).unwrap()).await
    }

    pub(super) async fn visitor(&self) -> Visit {
        let answer = self.asks("POST", "session", None, &[("origin", ORIGIN)], "").await;
        assert_eq!(answer.status().as_u16(), 201);
        Visit { token: body_of(answer).await["token"].as_str().unwrap().to_owned() }
    }

    pub(super) async fn comes_back(&self, visitor: &Visit) -> Visit {
        let answer = body_of(self.asks("POST", "session", Some(visitor), &[], "").await).await;
        Visit { token: answer["token"].as_str().unwrap().to_owned() }
    }

    pub(super) async fn writes(&self, visitor: &Visit, id: &str, text: &str) -> (u16, Value) {
        let body = json!({ "id": id, "text": text }).to_string();
        let answer = self.asks("POST", "messages", Some(visitor), &[("origin", ORIGIN)], &body).await;
        (answer.status().as_u16(), body_of(answer).await)
    }

    pub(super) async fn opens(&self, visitor: &Visit, after: Option<&str>) -> Response<Body> {
        let after: Vec<_> = after.map(|after| ("last-event-id", after)).into_iter().collect();
        self.asks("GET", "events", Some(visitor), &after, "").await
    }

    pub(super) async fn listens(&self, visitor: &Visit, after: Option<&str>) -> Events {
        let answer = self.opens(visitor, after).await;
        assert_eq!(answer.status().as_u16(), 200);
        assert_eq!(answer.headers().get("content-type").unwrap(), "text/event-stream");
        Events { body: answer.into_body().into_data_stream(), rest: String::new() }
    }

    /// What a page that opens now shows: everything before who answers is told.
    pub(super) async fn reads(&self, visitor: &Visit, after: Option<&str>) -> Vec<String> {
        let mut events = self.listens(visitor, after).await;
        let mut shown = Vec::new();
        loop {
            let event = events.next().await.unwrap();
            if event.kind == "state" {
                return shown;
            }
            shown.push(words(&event));
        }
    }

    pub(super) fn pass(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
    }

    pub(super) fn pass_days(&self, days: i64) {
        self.clock.advance(SignedDuration::from_hours(24 * days));
    }

    /// The burst ripens and turns run; nothing leaves yet.
    pub(super) async fn thinks(&self) {
        self.pass(3);
        self.dispatcher.work_off().await.unwrap();
    }

    pub(super) async fn sends(&self) {
        self.sender.work_off().await.unwrap();
    }

    pub(super) async fn works(&self) {
        self.thinks().await;
        self.sends().await;
    }

    /// Follow-ups and reminders that are due fire, and leave.
    pub(super) async fn fires(&self) -> usize {
        let fired = self.timers.work_off().await.unwrap();
        self.sends().await;
        fired
    }

    pub(super) async fn conversation(&self) -> ConversationId {
        self.chats.latest().await.unwrap().unwrap().0
    }

    pub(super) async fn look<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> T {
        self.store.write(work).await.unwrap()
    }

    pub(super) async fn count(&self, what: &str) -> i64 {
        let sql = format!("SELECT COUNT(*) FROM {what}");
        self.look(move |tx| tx.query_one(&sql, &[], |row| row.get(0))).await
    }
}

/// "agent: Oi!"
pub(super) fn words(event: &Event) -> String {
    let part = |name: &str| event.data[name].as_str().unwrap().to_owned();
    format!("{}: {}", part("author"), part("text"))
}

impl Events {
    pub(super) fn of(response: Response<Body>) -> Self {
        Self { body: response.into_body().into_data_stream(), rest: String::new() }
    }

    /// The next event; `None` when the stream ended.
    pub(super) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((event, rest)) = self.rest.split_once("\n\n") {
                let event = read(event);
                self.rest = rest.to_owned();
                if event.is_some() {
                    return event;
                }
                continue;
            }
            let bytes = self.body.next().await?;
            self.rest.push_str(std::str::from_utf8(&bytes.unwrap()).unwrap());
        }
    }

    /// Whether nothing comes any more but signs of life, however long that takes.
    pub(super) async fn stays_silent_to_its_end(mut self) -> bool {
        while let Some(bytes) = self.body.next().await {
            self.rest.push_str(std::str::from_utf8(&bytes.unwrap()).unwrap());
        }
        self.rest.split("\n\n").all(|event| event.is_empty() || event.starts_with(':'))
    }

    /// The next one of a kind.
    pub(super) async fn next_of(&mut self, kind: &str) -> Event {
        loop {
            let event = self.next().await.unwrap();
            if event.kind == kind {
                return event;
            }
        }
    }
}

fn read(text: &str) -> Option<Event> {
    let field = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        lines.next().map(str::to_owned)
    };
    let data = serde_json::from_str(&field("data")?).unwrap();
    Some(Event { kind: field("event").unwrap(), id: field("id"), data })
}
