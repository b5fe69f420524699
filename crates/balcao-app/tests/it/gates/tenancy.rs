//! G-10: what one organization has reaches no tool, prompt, message or row of another, whatever a model asks for.
//!
//! Two organizations lie in one database. What the second has holds a canary; the first one's model asks every tool for
//! what is the second's, by name and by number: for a customer, and for the owner, who may see all that is their own.

use balcao_app::AppContext;
use balcao_app::admin::seed::BusinessFile;
use balcao_app::admin::staff_access::{StaffAccess, StaffAccessRefusal};
use balcao_app::scheduling::booking::{BookRequest, Booking, ServiceChoice};
use balcao_builtin_tools::Settings;
use balcao_domain::staff::Role;
use balcao_domain::{Clock, ContactId, OrganizationId};
use balcao_llm::Message;
use balcao_store::crm::staff::Staff;
use balcao_store::{
    OpenOptions, Store, StoreError, Tx, Value, crm::contact, crm::staff, messaging::conversation, turns::ledger,
};
use balcao_testkit::postgres::Database;
use balcao_tool::context::{EffectKey, Principal, ToolContext};
use balcao_tool::{CallResult, Locale, Registry, ResultClass, RunMode, Tool};
use jiff::tz::TimeZone;
use serde_json::json;

use super::shop::{Act, NOW, Shop, filled, open};

/// A word that only the data of the other organization contains, so the caller does not know it. The caller's search word, "Quetzal",
/// is the other's too, and may come back only as an echo.
const CANARY: &str = "Harpia";

/// What the owner asks in the query language.
const QUESTIONS: [&str; 6] = [
    "appointments",
    "appointments | summarize n = count()",
    "appointments | summarize count(), sum(price), min(starts_at), max(price) by professional",
    "appointments | summarize count(), distinct(service) by client",
    r#"appointments | where status == "no_show" | summarize missed = count() by client | sort missed desc | take 10"#,
    r#"appointments | where client contains "Quetzal" or professional contains "Quetzal" | select client, service, price"#,
];
/// What is the other's, however a price is written.
const FORBIDDEN: [&str; 4] = [CANARY, "777,77", "777.77", "777777"];
const OWNER: &str = "clara@figueira.example";

const OTHER: &str = r#"
organization:
  name: Clínica Harpia
  slug: quetzal
  timezone: America/Sao_Paulo
  locale: pt-BR
  currency: BRL
  address: Rua Harpia, 1
  hours: {tue: ["09:00-19:00"], wed: ["09:00-19:00"], thu: ["09:00-19:00"], fri: ["09:00-19:00"], sat: ["09:00-19:00"]}
services:
  - {name: Corte Harpia, aliases: [Corte Quetzal], price: "7777.77", duration_minutes: 30}
professionals:
  - {name: Ana Harpia, aliases: [Quetzalina, Ana Quetzal], hours: {tue: ["09:00-19:00"], wed: ["09:00-19:00"]}, services: [Corte Harpia]}
pipelines:
  - {name: Funil Harpia, stages: [Etapa Quetzal]}
tags: [Etiqueta Quetzal]
contacts:
  - name: Cliente Harpia
    phone: "+55 11 90000-0001"
    tags: [Etiqueta Quetzal]
    notes: [Nota Harpia]
    appointments:
      - {service: Corte Harpia, professional: Ana Harpia, starts: "2026-12-01T10:00"}
      - {service: Corte Harpia, professional: Ana Harpia, starts: "2026-11-10T10:00", status: no_show}
      - {service: Corte Harpia, professional: Ana Harpia, starts: "2026-11-11T10:00", status: completed}
staff:
  - {name: Dona Harpia, email: dona@quetzal.example, role: owner}
knowledge:
  - {title: Estacionamento Quetzal, content: "Há vagas na Rua Harpia."}
"#;

/// Everything that an organization has, row by row.
async fn rows_of(store: &Store, organization: OrganizationId) -> Vec<String> {
    const TABLES: [(&str, &str); 12] = [
        ("contact", "COALESCE(name, '')"),
        ("appointment", "status || ' ' || CAST(starts_at AS TEXT)"),
        ("note", "content"),
        ("tag", "name"),
        ("contact_tag", "CAST(tag_id AS TEXT)"),
        ("contact_stage", "CAST(stage_id AS TEXT)"),
        ("knowledge_entry", "content"),
        ("waitlist", "state"),
        ("follow_up", "state"),
        ("reminder", "state"),
        ("conversation", "state"),
        ("handoff", "reason"),
    ];
    let read = move |tx: &mut Tx<'_>| {
        let mut all = Vec::new();
        for (table, shown) in TABLES {
            let sql = format!("SELECT {shown} FROM {table} WHERE organization_id = ?1 ORDER BY 1");
            let found = tx.query_all(&sql, &[Value::from(organization)], |row| row.get::<String>(0))?;
            all.extend(found.into_iter().map(|row| format!("{table}: {row}")));
        }
        Ok::<_, StoreError>(all)
    };
    store.read(read).await.unwrap()
}

/// What a hostile model asks a tool for: the other's names in every text, the other's numbers in every id.
fn hostile(schema: &serde_json::Value) -> Vec<serde_json::Value> {
    let texts = [
        "Ana Quetzal",
        "Quetzalina",
        "Corte Quetzal",
        "Etiqueta Quetzal",
        "Etapa Quetzal",
        "+55 11 90000-0001",
        "Quetzal",
    ];
    let empty = serde_json::Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    let mut all = vec![json!({})];
    for (place, text) in texts.iter().enumerate() {
        let value = |(name, property): (&String, &serde_json::Value)| {
            let value = match (property["type"].as_str(), property["enum"].get(0), name.as_str()) {
                (_, Some(first), _) => first.clone(),
                (_, _, "date" | "new_date") => json!("2026-12-01"),
                (_, _, "start_hour" | "new_start_hour") => json!("10:00"),
                (_, _, "delay_minutes") => json!(30),
                (Some("integer"), ..) => json!(place + 1),
                (Some("object"), ..) => json!({ "x": "y" }),
                _ => json!(text),
            };
            (name.clone(), value)
        };
        all.push(serde_json::Value::Object(properties.iter().map(value).collect()));
        // One argument alone, so that no other stops the call before it.
        all.extend(properties.iter().map(|one| {
            let (name, value) = value(one);
            json!({ name: value })
        }));
    }
    all
}

async fn gate(store: Store, database: &str) {
    let other = BusinessFile::read("quetzal", OTHER).unwrap_or_else(|problems| panic!("{problems:?}"));
    let other = other.import(&store, NOW.parse().unwrap()).await.unwrap().organization;
    let script: &[(&str, &[Act])] = &[
        ("oi", &[Act::Calls(&[("get_contact_info", "{}")]), Act::Says("Olá!")]),
        (
            "quero marcar",
            &[
                Act::Calls(&[
                    ("get_services", "{}"),
                    ("get_barbers", "{}"),
                    ("search_knowledge_base", r#"{"query":"estacionamento"}"#),
                ]),
                Act::Says("Pois não?"),
            ],
        ),
    ];
    let script: &'static [(&str, &[Act])] = Box::leak(script.to_vec().into_boxed_slice());
    let shop = open(&store, "figueira", script).await;
    let before = rows_of(&store, other).await;
    assert!(before.len() >= 6 && before.iter().any(|row| row.contains(CANARY)), "{before:?}");
    for (place, (words, _)) in script.iter().enumerate() {
        let body = shop.text(1, &format!("wamid.{place}"), &filled(words, 1));
        shop.serves(1, &[body]).await;
    }
    // What a model was shown, and what left.
    let seen = shop.asked();
    assert!(seen.len() >= 4);
    for request in &seen {
        let mut shown = vec![request.system.clone()];
        shown.extend(request.messages.iter().map(|message| match message {
            Message::User { text } | Message::Assistant { text, .. } => text.clone(),
            Message::ToolResult { content, .. } => content.clone(),
        }));
        shown.extend(request.tools.iter().map(|tool| format!("{} {}", tool.description, tool.input_schema)));
        assert!(shown.iter().all(|text| !text.contains(CANARY)), "a prompt shows {CANARY}");
    }
    assert!(!shop.seen_of(1).await.contains(CANARY));
    // Every tool, bound to the first organization's customer, and to its owner.
    let app = AppContext::new(store.clone(), shop.clock.clone());
    let settings =
        Settings { professional: None, allow_new_tags: false, reminder_minutes: 60, followup_delays: vec![30] };
    let registry = balcao_builtin_tools::registry(&app, &settings).unwrap();
    let own = shop.organization;
    let customer = store.read(move |tx: &mut Tx<'_>| contact::find_by_channel_user(tx, own, "BR.1"));
    let customer = customer.await.map_err(|error: StoreError| error).unwrap().unwrap().id;
    let owner = owner(&app, own).await;
    book(&app, own, customer).await;
    own_figures_alone(&shop, &registry, principal(&shop, owner, true).await).await;
    let (tools, calls) = hostile_to_all(&shop, &registry, principal(&shop, customer, false).await).await;
    assert_eq!(hostile_to_all(&shop, &registry, principal(&shop, owner, true).await).await, (tools, calls));
    assert_eq!(rows_of(&store, other).await, before, "a tool changed what is another's");
    assert!(tools >= 24);
    eprintln!(
        "G-10 on {database}: {tools} tools, {calls} calls twice, {} prompts, {} rows watched, 0 crossings",
        seen.len(),
        before.len()
    );
}

/// Returns the contact of the first organization's owner; the first organization knows no staff of the other.
async fn owner(app: &AppContext, own: OrganizationId) -> ContactId {
    let clara = Staff {
        id: 1.try_into().unwrap(),
        name: "Clara".to_owned(),
        email: OWNER.to_owned(),
        role: Role::Owner,
        phone: None,
        on_duty: false,
        professional: None,
        active: true,
    };
    app.store.write(move |tx: &mut Tx<'_>| staff::insert(tx, own, &clara)).await.map_err(|e: StoreError| e).unwrap();
    let people = StaffAccess::new(app.clone());
    let strange = people.contact_of(own, "dona@quetzal.example".to_owned()).await.unwrap();
    let Err(StaffAccessRefusal::UnknownStaff(unknown)) = strange else { panic!("{strange:?}") };
    assert_eq!(unknown.known, [OWNER]);
    people.contact_of(own, OWNER.to_owned()).await.unwrap().unwrap()
}

/// The one appointment of the first organization.
async fn book(app: &AppContext, own: OrganizationId, customer: ContactId) {
    let wish = BookRequest {
        professional: None,
        service: Some(ServiceChoice::Name("Corte".to_owned())),
        date: jiff::civil::date(2026, 11, 25),
        start_min: 10 * 60,
        attendee: None,
        pending: false,
        source: "gate".to_owned(),
        price_agreed: true,
    };
    let key =
        ledger::EffectKey { key: "gate".to_owned(), args_hash: String::new(), turn: None, tool: "gate".to_owned() };
    Booking::new(app.clone()).book(own, customer, key, wish).await.unwrap().value.unwrap();
}

/// Returns the principal of a contact who asks, in a conversation of their own.
async fn principal(shop: &Shop, who: ContactId, staff_facing: bool) -> Principal {
    let (own, now) = (shop.organization, shop.clock.now());
    let begun = shop.store.write(move |tx: &mut Tx<'_>| {
        let known = conversation::of_contact(tx, own, who)?.into_iter().next().map(|one| one.id);
        Ok::<_, StoreError>(match known {
            Some(known) => known,
            None => conversation::find_or_begin(tx, own, who, "assistant", now)?.id,
        })
    });
    Principal {
        organization: own.into(),
        contact: who.into(),
        conversation: begun.await.unwrap().into(),
        turn: if staff_facing { 999_998 } else { 999_999 },
        staff_facing,
        locale: Locale::PtBr,
    }
}

/// What a tool answers; `place` tells a call of this principal from their others.
async fn answer(shop: &Shop, tool: &Tool, principal: Principal, place: u32, args: serde_json::Value) -> CallResult {
    let key = EffectKey::derive(principal.turn, 0, place, &tool.spec.name, "hash");
    let now = shop.clock.now().to_zoned(TimeZone::get("America/Sao_Paulo").unwrap());
    let cx = ToolContext { principal, key, args_hash: "hash".to_owned(), now, agreed: None, told_prices: Vec::new() };
    let result = tool.execute(&cx, args.clone(), RunMode::Execute).await;
    // The result may repeat the question, but it may not reveal facts about it.
    let mut told = result.value.to_string();
    for asked in texts_of(&args) {
        told = told.replace(&asked, "");
    }
    assert!(FORBIDDEN.iter().all(|word| !told.contains(word)), "{} {args}: {told}", tool.spec.name);
    result
}

/// Asks every tool for what is another's; gives how many tools were asked, and how often.
async fn hostile_to_all(shop: &Shop, registry: &Registry, principal: Principal) -> (usize, u32) {
    let (mut tools, mut calls) = (0, 0_u32);
    for tool in registry.iter() {
        tools += 1;
        for args in hostile(&tool.spec.input_schema) {
            calls += 1;
            answer(shop, tool, principal, calls, args).await;
        }
    }
    (tools, calls)
}

/// The owner's reports show only their one appointment; the other organization's, with a no-show and revenue, stays hidden.
async fn own_figures_alone(shop: &Shop, registry: &Registry, principal: Principal) {
    let reports = [
        ("get_stats", json!({"months": 6})),
        ("get_upcoming", json!({"days": 60})),
        ("get_no_show_clients", json!({"months": 6})),
    ];
    let asked = QUESTIONS.map(|question| ("run_query", json!({ "query": question })));
    let mut told = Vec::new();
    for (name, args) in reports.into_iter().chain(asked) {
        let place = 1_000_000 + u32::try_from(told.len()).unwrap();
        let result = answer(shop, registry.get(name).unwrap(), principal, place, args).await;
        assert_eq!(result.class, ResultClass::Success, "{name}: {}", result.value);
        told.push(result.value);
    }
    let [stats, upcoming, missed, all, counted, .., theirs] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!((&stats["summary"]["total"], &stats["summary"]["revenue"]), (&json!(1), &json!("R$ 0,00")), "{stats}");
    assert_eq!(upcoming["appointments"].as_array().unwrap().len(), 1, "{upcoming}");
    assert_eq!(missed["clients"], json!([]), "{missed}");
    assert_eq!(all["rows"].as_array().unwrap().len(), 1, "{all}");
    assert_eq!((&counted["rows"], &theirs["rows"]), (&json!([[1]]), &json!([])));
}

fn texts_of(value: &serde_json::Value) -> Vec<String> {
    match value {
        serde_json::Value::String(text) => vec![text.clone()],
        serde_json::Value::Array(all) => all.iter().flat_map(texts_of).collect(),
        serde_json::Value::Object(all) => all.values().flat_map(texts_of).collect(),
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => Vec::new(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn g_10_no_tool_and_no_prompt_crosses_over_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("balcao.db"), OpenOptions::default()).unwrap();
    store.migrate().await.unwrap();
    gate(store, "SQLite").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn g_10_no_tool_and_no_prompt_crosses_over_postgres() {
    let Some(database) = Database::migrated() else { return };
    gate(Store::connect(&database.url, OpenOptions::default()).unwrap(), "PostgreSQL").await;
}
