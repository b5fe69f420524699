//! A sample business in a fresh database, the shipped tools over it, and calls as a turn makes them.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use balcao_app::AppContext;
use balcao_app::admin::business::Business;
use balcao_app::admin::seed::BusinessFile;
use balcao_app::context::calendar_service::CalendarService;
use balcao_builtin_tools::{Settings, registry};
use balcao_domain::{Clock, ContactId, ConversationId, ManualClock, OrganizationId, Phone};
use balcao_store::{Store, StoreError, crm::contact, messaging::conversation};
use balcao_tool::validate_call::{CallDecision, validate_call};
use balcao_tool::{Agreed, RunMode};
use balcao_tool::{CallResult, EffectKey, Locale, Principal, ReceiptKind, ResultClass, ToolContext, Toolbox};
use jiff::tz::TimeZone;
use serde_json::{Value, json};

pub(crate) struct World {
    pub(crate) app: AppContext,
    pub(crate) organization: OrganizationId,
    pub(crate) clock: Arc<ManualClock>,
    zone: TimeZone,
    toolbox: Toolbox,
    calls: AtomicU32,
}

/// Pointers and problems that a call should be answered with, in order.
pub(crate) type Problems = &'static [(&'static str, &'static str)];

/// Somebody who writes, and how they are answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Who {
    pub(crate) contact: ContactId,
    pub(crate) conversation: ConversationId,
    pub(crate) locale: Locale,
    pub(crate) staff_facing: bool,
}

impl Who {
    pub(crate) fn in_english(self) -> Self {
        Self { locale: Locale::En, ..self }
    }

    pub(crate) fn of_staff(self) -> Self {
        Self { staff_facing: true, ..self }
    }
}

/// What a profile decides, as in `agents/eli.yaml`, with two flows.
pub(crate) fn settings() -> Settings {
    Settings { professional: None, allow_new_tags: false, reminder_minutes: 60, followup_delays: vec![30, 1440, 4320] }
}

/// The sample barbershop on a Tuesday morning, open.
pub(crate) async fn figueira() -> World {
    world("barbearia-figueira.yaml", "2026-11-24T10:00", &settings(), |text| text).await
}

/// The sample clinic on a Monday, before it opens.
pub(crate) async fn vereda() -> World {
    world("clinica-vereda.yaml", "2026-11-30T07:00", &settings(), |text| text).await
}

pub(crate) async fn world(sample: &str, local: &str, settings: &Settings, edited: impl Fn(String) -> String) -> World {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(sample);
    let text = edited(std::fs::read_to_string(path).unwrap());
    let file = BusinessFile::read(sample, &text).unwrap();
    let zone = TimeZone::get(file.timezone()).unwrap();
    let now = zone.to_timestamp(local.parse().unwrap()).unwrap();
    let store = Store::open_in_memory().unwrap();
    store.migrate().await.unwrap();
    let organization = file.import(&store, now).await.unwrap().organization;
    let clock = Arc::new(ManualClock::at(now));
    let app = AppContext::new(store, clock.clone());
    let toolbox = registry(&app, settings).unwrap().toolbox(|_| true);
    World { app, organization, clock, zone, toolbox, calls: 0.into() }
}

impl World {
    /// The same business with a calendar service outside.
    pub(crate) fn with_calendar(self, service: Arc<dyn CalendarService>) -> Self {
        let app = self.app.with_remote_calendar(Some(service));
        let toolbox = registry(&app, &settings()).unwrap().toolbox(|_| true);
        Self { app, toolbox, ..self }
    }

    /// Applies the sample barbershop with a change to the business.
    pub(crate) async fn change_business(&self, change: impl Fn(String) -> String) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/barbearia-figueira.yaml");
        let file = BusinessFile::read("shop.yaml", &change(std::fs::read_to_string(path).unwrap())).unwrap();
        let business = Business::new(self.app.clone());
        let plan = business.plan(self.organization, file.clone()).await.unwrap().unwrap();
        business.apply(self.organization, file, plan.hash, "Renata".to_owned()).await.unwrap().unwrap();
    }

    pub(crate) fn set_local(&self, local: &str) {
        self.clock.set(self.zone.to_timestamp(local.parse().unwrap()).unwrap());
    }

    /// Whoever has this phone or this id of the web chat.
    pub(crate) async fn who(&self, phone: &str) -> Who {
        let (organization, phone, now) = (self.organization, phone.to_owned(), self.clock.now());
        let found: Result<_, StoreError> = self
            .app
            .store
            .write(move |tx| {
                let found = match Phone::parse(&phone) {
                    Ok(phone) => contact::find_by_phone(tx, organization, &phone)?,
                    Err(_) => contact::find_by_channel_user(tx, organization, &phone)?,
                };
                let contact = found.unwrap().id;
                Ok((contact, conversation::find_or_begin(tx, organization, contact, "terminal", now)?.id))
            })
            .await;
        let (contact, conversation) = found.unwrap();
        Who { contact, conversation, locale: Locale::PtBr, staff_facing: false }
    }

    /// Subscribes to the plan Copa; has visited twice and comes on 3 December.
    pub(crate) async fn caio(&self) -> Who {
        self.who("31 99640-1177").await
    }

    /// Is overdue with the plan Raiz; comes on 4 December.
    pub(crate) async fn livia(&self) -> Who {
        self.who("31 98432-7788").await
    }

    /// A visitor of the web site: neither phone nor history.
    pub(crate) async fn visitor(&self) -> Who {
        self.who("web:1f0c").await
    }

    /// Somebody of staff, who writes to the assistant.
    pub(crate) async fn staff(&self, email: &str) -> Who {
        let people = balcao_app::admin::staff_access::StaffAccess::new(self.app.clone());
        let contact = people.contact_of(self.organization, email.to_owned()).await.unwrap().unwrap();
        let (organization, now) = (self.organization, self.clock.now());
        let begun = self.app.store.write(move |tx| {
            Ok::<_, StoreError>(conversation::find_or_begin(tx, organization, contact, "assistant", now)?.id)
        });
        Who { contact, conversation: begun.await.unwrap(), locale: Locale::PtBr, staff_facing: true }
    }

    /// A call with a key of its own, after the customer's yes to its question.
    pub(crate) async fn call(&self, who: Who, tool: &str, args: Value) -> CallResult {
        let place = self.calls.fetch_add(1, Ordering::Relaxed);
        self.call_at(who, place, tool, args, RunMode::Execute).await
    }

    /// A call that the customer's own words asked for, so that no question was put to them.
    pub(crate) async fn call_unasked(&self, who: Who, tool: &str, args: Value) -> CallResult {
        let place = self.calls.fetch_add(1, Ordering::Relaxed);
        self.run(who, tool, args, (place, RunMode::Execute, None)).await
    }

    /// What the customer would be asked before the call.
    pub(crate) async fn ask(&self, who: Who, tool: &str, args: Value) -> CallResult {
        self.call_at(who, 0, tool, args, RunMode::Ask).await
    }

    /// The same call twice under one key, as when a turn is replayed: whatever the first answered, the second answers.
    pub(crate) async fn twice(&self, who: Who, tool: &str, args: Value) -> CallResult {
        let place = self.calls.fetch_add(1, Ordering::Relaxed);
        let first = self.call_at(who, place, tool, args.clone(), RunMode::Execute).await;
        let again = self.call_at(who, place, tool, args, RunMode::Execute).await;
        assert_eq!(
            (&first.value, first.class, &first.receipts),
            (&again.value, again.class, &again.receipts),
            "{tool} replayed"
        );
        first
    }

    /// What a tool outside of a turn runs with.
    pub(crate) fn context(&self, who: Who) -> ToolContext {
        let args_hash = balcao_tool::canonical::hash(&json!({}));
        let place = self.calls.fetch_add(1, Ordering::Relaxed);
        self.context_at(who, EffectKey::derive(1, 2, place, "outside", &args_hash), args_hash)
    }

    fn context_at(&self, who: Who, key: EffectKey, args_hash: String) -> ToolContext {
        ToolContext {
            principal: Principal {
                organization: self.organization.into(),
                contact: who.contact.into(),
                conversation: who.conversation.into(),
                turn: 1,
                staff_facing: who.staff_facing,
                locale: who.locale,
            },
            key,
            args_hash,
            now: self.clock.now().to_zoned(self.zone.clone()),
            agreed: None,
            told_prices: Vec::new(),
        }
    }

    /// The question of a call, with the customer's yes.
    async fn agreed(&self, who: Who, place: u32, tool: &str, args: Value) -> Agreed {
        let asked = self.run(who, tool, args, (place, RunMode::Ask, None)).await;
        Agreed { question: asked.confirm.unwrap_or_else(|| "Posso?".to_owned()), asked_at: self.clock.now() }
    }

    /// A call after the customer's yes to an earlier question.
    pub(crate) async fn call_agreed(&self, who: Who, tool: &str, args: Value, question: String) -> CallResult {
        let place = self.calls.fetch_add(1, Ordering::Relaxed);
        let agreed = Agreed { question, asked_at: self.clock.now() };
        self.run(who, tool, args, (place, RunMode::Execute, Some(agreed))).await
    }

    /// Somebody of whom nothing but the number is known.
    pub(crate) async fn nameless(&self, phone: &str) -> Who {
        let (organization, now) = (self.organization, self.clock.now());
        let new = contact::NewContact { phone: Phone::parse(phone).ok(), ..contact::NewContact::default() };
        let added: Result<_, StoreError> =
            self.app.store.write(move |tx| contact::insert(tx, organization, &new, now)).await;
        added.unwrap();
        self.who(phone).await
    }

    async fn call_at(&self, who: Who, place: u32, tool: &str, args: Value, mode: RunMode) -> CallResult {
        let agreed = match mode {
            RunMode::Execute => Some(self.agreed(who, place, tool, args.clone()).await),
            RunMode::Ask | RunMode::Recover => None,
        };
        self.run(who, tool, args, (place, mode, agreed)).await
    }

    async fn run(
        &self,
        who: Who,
        tool: &str,
        args: Value,
        (place, mode, agreed): (u32, RunMode, Option<Agreed>),
    ) -> CallResult {
        let planned = match validate_call(&self.toolbox, tool, &args.to_string(), who.locale) {
            CallDecision::Run(planned) => planned,
            CallDecision::Answer(result) => return result,
        };
        let key = EffectKey::derive(1, 1, place, tool, &planned.args_hash);
        let cx = ToolContext { agreed, ..self.context_at(who, key, planned.args_hash.clone()) };
        self.toolbox.get(tool).unwrap().execute(&cx, planned.args, mode).await
    }

    pub(crate) fn tools(&self) -> &Toolbox {
        &self.toolbox
    }

    /// The value of a success, which has what the specification lists, and whose output schema demands all of it.
    pub(crate) fn listed(&self, tool: &str, result: &CallResult, fields: &[&str]) -> Value {
        assert_eq!((result.class, result.code), (ResultClass::Success, None), "{tool}: {}", result.value);
        self.demanded(tool, &result.value, fields);
        result.value.clone()
    }

    /// Each of these fields, by JSON pointer, is there, and the output schema demands it.
    pub(crate) fn demanded(&self, tool: &str, value: &Value, fields: &[&str]) {
        let schema = &self.toolbox.get(tool).unwrap().output;
        for field in fields {
            let pointer = format!("/{field}");
            assert!(value.pointer(&pointer).is_some(), "{tool} lacks {field}: {value}");
            let mut without = value.clone();
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            without.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(name);
            assert!(!schema.is_valid(&without), "the output schema of {tool} does not demand {field}");
        }
    }
}

/// The value of a correct "no": no error, with the reason, and nothing that a reply could state.
pub(crate) fn no(result: &CallResult) -> Value {
    assert_eq!((result.class, result.code), (ResultClass::Refusal, None), "{}", result.value);
    assert!(result.value.get("error").is_none());
    result.value.clone()
}

/// The details of an error with this code; its `_context` says what to do, and nothing internal is in it.
pub(crate) fn error(result: &CallResult, code: &str) -> Value {
    let value = &result.value;
    assert_eq!((result.class, &value["code"]), (ResultClass::Correction, &json!(code)), "{value}");
    assert_eq!(value["retryable"], false);
    assert!(value["error"].as_str().is_some_and(|text| !text.is_empty()), "{value}");
    assert!(value["_context"].as_str().is_some_and(|text| !text.is_empty()), "{value}");
    assert!(value.get("_internal").is_none() && result.receipts.is_empty(), "{value}");
    value["details"].clone()
}

/// Pointer and problem of every bad field, in order of the pointer.
pub(crate) fn bad(result: &CallResult) -> Vec<(String, String)> {
    let details = error(result, "invalid_arguments");
    let fields = details["fields"].as_array().unwrap();
    let text = |field: &Value, key: &str| field[key].as_str().unwrap().to_owned();
    for field in fields {
        assert!(!text(field, "expected").is_empty(), "{field}");
    }
    let mut rows: Vec<_> = fields.iter().map(|field| (text(field, "pointer"), text(field, "problem"))).collect();
    rows.sort();
    rows
}

/// The kinds of what a reply may now state.
pub(crate) fn proven(result: &CallResult) -> Vec<ReceiptKind> {
    result.receipts.iter().map(|receipt| receipt.kind).collect()
}
