//! Two businesses in one database behind a real server, on a Tuesday morning; a model that says what it is told to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use balcao_agent::ProfileFile;
use balcao_app::AppContext;
use balcao_app::admin::keys::{ApiKeys, KeyRequest, Scope};
use balcao_app::admin::seed::BusinessFile;
use balcao_app::messaging::inbox::Inbox;
use balcao_app::messaging::inbox::calls::Calls;
use balcao_app::messaging::turn_completion::CompletionNotifier;
use balcao_app::turns::dispatcher::{Dispatcher, DispatcherSettings};
use balcao_app::turns::{Agent, TurnRunner};
use balcao_builtin_tools::Settings;
use balcao_domain::Clock as _;
use balcao_domain::burst::BurstRules;
use balcao_domain::outbox::OutboxState;
use balcao_domain::outside_event::ConflictKind;
use balcao_domain::{ManualClock, OrganizationId};
use balcao_llm::providers::scripted::{Line, Scripted};
use balcao_store::messaging::outbox::{self, NewOutbox};
use balcao_store::ops::audit::{self, AuditEntry};
use balcao_store::scheduling::calendar_conflict::{self, FoundConflict};
use balcao_store::scheduling::hours;
use balcao_store::{Store, StoreError, Tx};
use balcao_testkit::business_edits::ABSENT_TAG;
use balcao_web::{Api, Limits, Web, router};
use balcao_yaml::Document;
use jiff::Timestamp;
use reqwest::{Method, Response};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Nine in the morning in Belo Horizonte.
const NOW: &str = "2026-11-24T12:00:00Z";

pub(super) struct Shop {
    pub(super) store: Store,
    pub(super) app: AppContext,
    pub(super) clock: Arc<ManualClock>,
    pub(super) model: Scripted,
    pub(super) organization: OrganizationId,
    pub(super) rival: OrganizationId,
    pub(super) keys: ApiKeys,
    /// A key with every scope.
    pub(super) key: String,
    /// The other business' key with every scope.
    pub(super) rival_key: String,
    pub(super) document: Value,
    pub(super) address: String,
    dispatcher: Dispatcher,
    client: reqwest::Client,
    stop: CancellationToken,
    tasks: TaskTracker,
    made: std::sync::atomic::AtomicU8,
}

/// What was answered.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Value,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

async fn import(store: &Store, sample: &str) -> OrganizationId {
    let text = std::fs::read_to_string(root().join("samples").join(sample)).unwrap();
    let file = BusinessFile::read(sample, &text).unwrap();
    file.import(store, NOW.parse().unwrap()).await.unwrap().organization
}

/// A shop whose model has these lines, with turns running.
pub(super) async fn shop(script: impl IntoIterator<Item = Line>) -> Shop {
    let store = Store::open_in_memory().unwrap();
    store.migrate().await.unwrap();
    shop_in(store, script).await
}

/// The same with a database of one's own.
pub(super) async fn shop_in(store: Store, script: impl IntoIterator<Item = Line>) -> Shop {
    let shop = quiet_in(store, script, Duration::from_secs(60)).await;
    shop.open();
    shop
}

/// A shop where nothing is answered yet: see [`Shop::open`].
pub(super) async fn quiet(script: impl IntoIterator<Item = Line>, turn_wait: Duration) -> Shop {
    let store = Store::open_in_memory().unwrap();
    store.migrate().await.unwrap();
    quiet_in(store, script, turn_wait).await
}

async fn quiet_in(store: Store, script: impl IntoIterator<Item = Line>, turn_wait: Duration) -> Shop {
    let organization = import(&store, "barbearia-figueira.yaml").await;
    let rival = import(&store, "clinica-vereda.yaml").await;
    let clock = Arc::new(ManualClock::at(NOW.parse().unwrap()));
    let app = AppContext::new(store.clone(), clock.clone());
    let model = Scripted::new(script);
    let text = std::fs::read_to_string(root().join("agents/eli.yaml")).unwrap();
    let mut profile = Document::read("agents/eli.yaml", &text).unwrap().read_as::<ProfileFile>().unwrap().profile;
    profile.after_reply = balcao_agent::profile::AfterReply::default();
    profile.records.tags = vec![ABSENT_TAG.to_owned()];
    let settings = Settings {
        professional: None,
        allow_new_tags: profile.allow_new_tags,
        reminder_minutes: profile.reminder_minutes,
        followup_delays: profile.followup_delays.clone(),
    };
    let registry = balcao_builtin_tools::registry(&app, &settings).unwrap();
    let agent = Agent::new(profile, &registry, Arc::new(model.clone()));
    let front = Arc::new(TurnRunner::new(app.clone(), [agent]));
    let (wake, bell, stop) = (Arc::new(Notify::new()), CompletionNotifier::default(), CancellationToken::new());
    let dispatcher = Dispatcher::new(front, DispatcherSettings::new("eli", "tests"), Arc::clone(&wake), Arc::default())
        .with_completion_notifier(bell.clone());
    let api = Api::waiting(app.clone(), Calls::new(app.clone(), Arc::clone(&wake), bell), turn_wait).unwrap();
    let inbox = Inbox::new(app.clone(), [], BurstRules::default(), wake);
    let web = Web::new(app.clone(), inbox, None, stop.clone()).with_api(&api);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let tasks = TaskTracker::new();
    let limits = Limits::default();
    tasks.spawn(balcao_web::serve(listener, router(web, &limits), limits, stop.clone()));
    let keys = ApiKeys::new(app.clone());
    let mut shop = Shop {
        store,
        app,
        clock,
        model,
        organization,
        rival,
        keys,
        key: String::new(),
        rival_key: String::new(),
        document: api.document().clone(),
        address,
        dispatcher,
        client: balcao_http::builder().build().unwrap(),
        stop,
        tasks,
        made: 0.into(),
    };
    shop.key = shop.make_key(organization, &Scope::ALL).await;
    shop.rival_key = shop.make_key(rival, &Scope::ALL).await;
    shop
}

impl Drop for Shop {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Shop {
    /// A conflict: a person deleted the event of an appointment. Gives the id of the conflict.
    pub(super) async fn calendar_conflict(&self, appointment: &str) -> String {
        let found = FoundConflict {
            appointment: appointment.parse().unwrap(),
            kind: ConflictKind::Deleted,
            calendar: "davi@calendar.example".to_owned(),
            event: "e1".to_owned(),
            span: None,
            version: "2".to_owned(),
            moved_from: None,
        };
        let (organization, now) = (self.organization, self.clock.now());
        let record = move |tx: &mut balcao_store::Tx<'_>| calendar_conflict::record(tx, organization, &found, now);
        let recorded: Result<_, balcao_store::StoreError> = self.store.write(record).await;
        format!("conflict_{}", recorded.unwrap().id)
    }

    /// From now on turns run.
    pub(super) fn open(&self) {
        let (dispatcher, stop) = (self.dispatcher.clone(), self.stop.clone());
        self.tasks.spawn(async move { dispatcher.run(stop).await });
    }

    pub(super) async fn make_key(&self, organization: OrganizationId, scopes: &[Scope]) -> String {
        self.make_limited_key(organization, scopes, 100_000, None).await
    }

    pub(super) async fn make_limited_key(
        &self,
        organization: OrganizationId,
        scopes: &[Scope],
        per_minute: u32,
        expires_at: Option<Timestamp>,
    ) -> String {
        let random = [self.made.fetch_add(1, std::sync::atomic::Ordering::Relaxed); 32];
        let request = KeyRequest { name: "tests".to_owned(), scopes: scopes.to_vec(), expires_at, per_minute };
        let made = self.keys.create(organization, request, random).await.unwrap().unwrap();
        made.key.expose_secret().to_owned()
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, &self.key, None, None).await
    }

    pub(super) async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, &self.key, None, Some(body)).await
    }

    pub(super) async fn post_once(&self, path: &str, name: &str, body: Value) -> Answer {
        self.send(Method::POST, path, &self.key, Some(name), Some(body)).await
    }

    pub(super) async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PATCH, path, &self.key, None, Some(body)).await
    }

    /// The contact of this business that a search finds.
    pub(super) async fn contact(&self, search: &str) -> String {
        let found = self.get(&format!("/v1/contacts?search={search}")).await;
        found.body["items"][0]["id"].as_str().unwrap_or_else(|| panic!("{found:?}")).to_owned()
    }

    /// A message of a conversation that failed.
    pub(super) async fn failed_message(&self, conversation: &str, state: OutboxState, text: &str) -> String {
        let (organization, conversation) = (self.organization, conversation.parse().unwrap());
        let body = json!({ "content": { "kind": "text", "body": text } }).to_string();
        let now = NOW.parse().unwrap();
        let work = move |tx: &mut balcao_store::Tx<'_>| {
            let new = NewOutbox {
                conversation,
                turn: None,
                message: None,
                part: 1,
                kind: "reply",
                channel: "whatsapp",
                account: "7001",
                recipient: "{}",
                body: &body,
                correlation: &body,
                about: None,
                fallback: None,
            };
            let id = outbox::push(tx, organization, &new, now)?;
            let state = state.as_str();
            tx.execute(
                "UPDATE outbox SET state = ?1, failure = 'overloaded' WHERE id = ?2",
                &[state.into(), i64::from(id).into()],
            )?;
            Ok::<_, StoreError>(id.to_string())
        };
        self.store.write(work).await.unwrap()
    }

    pub(super) async fn count(&self, sql: &'static str) -> i64 {
        let count = self.store.read(move |tx| tx.query_one(sql, &[], |row| row.get(0))).await;
        count.map_err(|error: StoreError| error).unwrap()
    }

    /// The business is closed on a date.
    pub(super) async fn close_on(&self, date: &str) {
        let (organization, date) = (self.organization, date.parse().unwrap());
        let close = move |tx: &mut Tx<'_>| hours::set_holiday(tx, organization, date, "Luto");
        self.store.write(close).await.map_err(|error: StoreError| error).unwrap();
    }

    /// What the audit log holds of one subject.
    pub(super) async fn audit(&self, subject: &str) -> Vec<AuditEntry> {
        let (organization, subject) = (self.organization, subject.to_owned());
        let found = self.store.read(move |tx| audit::of_subject(tx, organization, &subject)).await;
        found.map_err(|error: StoreError| error).unwrap()
    }

    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        key: &str,
        name: Option<&str>,
        body: Option<Value>,
    ) -> Answer {
        let mut request = self.request(method, path).bearer_auth(key);
        if let Some(name) = name {
            request = request.header("idempotency-key", name);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        self.finish(request).await
    }

    pub(super) fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method, format!("{}{path}", self.address))
    }

    /// Asks for a file, and holds the answer against the document: headers and bytes.
    pub(super) async fn download(&self, path: &str, key: &str) -> (BTreeMap<String, String>, Vec<u8>) {
        let response = self.request(Method::GET, path).bearer_auth(key).send().await.unwrap();
        assert_eq!(response.status().as_u16(), 200, "{path}");
        let text = |value: &reqwest::header::HeaderValue| value.to_str().unwrap().to_owned();
        let headers: BTreeMap<String, String> =
            response.headers().iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
        let described = &self.operation("get", path).unwrap()["responses"]["200"];
        assert!(described["content"][&headers["content-type"]].is_object(), "{path} says nothing of {headers:?}");
        for name in described["headers"].as_object().unwrap().keys() {
            assert!(headers.contains_key(&name.to_lowercase()), "{path} lacks {name}");
        }
        (headers, response.bytes().await.unwrap().to_vec())
    }

    /// Adds a file to a conversation.
    pub(super) async fn upload(&self, conversation: &str, key: &str, name: &str, bytes: &[u8]) -> Answer {
        let path = format!("/v1/conversations/{conversation}/attachments?staff=davi@figueira.example&name={name}");
        let request = self.request(Method::POST, &path).bearer_auth(key);
        self.finish(request.header("content-type", "application/octet-stream").body(bytes.to_vec())).await
    }

    /// Sends a request, and holds the answer against the document.
    pub(super) async fn finish(&self, request: reqwest::RequestBuilder) -> Answer {
        let request = request.build().unwrap();
        let (method, path) = (request.method().as_str().to_lowercase(), request.url().path().to_owned());
        let answer = read(self.client.execute(request).await.unwrap()).await;
        for (name, value) in
            [("cache-control", "no-store"), ("x-content-type-options", "nosniff"), ("x-frame-options", "DENY")]
        {
            assert_eq!(answer.headers.get(name).map(String::as_str), Some(value), "{method} {path}");
        }
        self.holds(&method, &path, &answer);
        answer
    }

    fn holds(&self, method: &str, path: &str, answer: &Answer) {
        let kind = if answer.status < 400 { "application/json" } else { "application/problem+json" };
        assert_eq!(answer.headers.get("content-type").map(String::as_str), Some(kind), "{method} {path} {answer:?}");
        let Some(operation) = self.operation(method, path) else {
            assert!(matches!(answer.status, 404 | 405), "{method} {path} is not in the document: {answer:?}");
            return;
        };
        let described = &operation["responses"][answer.status.to_string()];
        let described = match described["$ref"].as_str() {
            Some(place) => self.document.pointer(place.trim_start_matches('#')).unwrap(),
            None => described,
        };
        let schema = &described["content"][kind]["schema"];
        assert!(schema.is_object(), "{method} {path} says nothing of {}: {answer:?}", answer.status);
        let problems = self.misfits(schema, &answer.body);
        assert!(problems.is_empty(), "{method} {path} {}: {problems:?} in {:#}", answer.status, answer.body);
        for name in described["headers"].as_object().into_iter().flatten().filter(|(_, one)| one["required"] == true) {
            assert!(answer.headers.contains_key(&name.0.to_lowercase()), "{method} {path} lacks {}", name.0);
        }
    }

    /// What of a value does not fit a schema of the document.
    pub(super) fn misfits(&self, schema: &Value, value: &Value) -> Vec<String> {
        let whole = json!({ "allOf": [schema], "components": self.document["components"] });
        let validator = jsonschema::options()
            .with_draft(jsonschema::Draft::Draft202012)
            .should_validate_formats(true)
            .build(&whole)
            .unwrap();
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
    }

    /// The operation of the document that a request is for.
    fn operation(&self, method: &str, path: &str) -> Option<&Value> {
        let fits = |template: &str| {
            let parts = (template.split('/').count(), path.split('/').count());
            parts.0 == parts.1
                && template.split('/').zip(path.split('/')).all(|(one, part)| one == "{id}" || one == part)
        };
        let paths = self.document["paths"].as_object().unwrap();
        paths.iter().find(|(template, _)| fits(template)).and_then(|(_, methods)| methods.get(method))
    }
}

async fn read(response: Response) -> Answer {
    let status = response.status().as_u16();
    let text = |value: &reqwest::header::HeaderValue| value.to_str().unwrap().to_owned();
    let headers = response.headers().iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
    let body = response.bytes().await.unwrap();
    let body = serde_json::from_slice(&body).unwrap_or_else(|error| panic!("{status}: {error}: {body:?}"));
    Answer { status, headers, body }
}

impl Answer {
    /// The status and the code of a problem.
    pub(super) fn problem(&self) -> (u16, &str) {
        (self.status, self.body["code"].as_str().unwrap_or_default())
    }

    /// The bad fields: pointer and problem.
    pub(super) fn fields(&self) -> Vec<(String, String)> {
        let text = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
        let all = self.body["errors"].as_array().into_iter().flatten();
        all.map(|one| (text(one, "pointer"), text(one, "problem"))).collect()
    }
}

/// Every operation of a document: method, path template, scope.
pub(super) fn operations(document: &Value) -> Vec<(Method, String, Option<String>)> {
    let mut all = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            all.push((method, path.clone(), operation["x-scope"].as_str().map(str::to_owned)));
        }
    }
    all
}
