//! Plans, edits of two editors, bookings and cancellations in random orders, compared with a model of a business: a plan is made as it was
//! shown, or refused.
//!
//! The model knows what `docs/GUIDE.md` promises of a plan and nothing of how the program makes one.

use std::collections::{BTreeMap, BTreeSet};

use balcao_app::admin::business::{Action, Business, BusinessPlan, BusinessRefusal, Edit, FieldEdit, Hit, Section};
use balcao_app::admin::seed::BusinessFile;
use balcao_app::scheduling::booking::{BookRequest, Booking, ServiceChoice};
use balcao_domain::AppointmentId;
use balcao_store::{OpenOptions, Store};
use balcao_testkit::postgres::Database;
use serde_json::{Value, json};

use crate::gates::scale;
use crate::world::{World, of_file};

const SHOP: &str = r#"
organization:
  name: Navalha
  slug: navalha
  timezone: America/Sao_Paulo
  currency: BRL
  hours: {tue: ["09:00-19:00"], wed: ["09:00-19:00"], thu: ["09:00-19:00"]}
services:
  - {name: Corte, price: "50.00", duration_minutes: 60}
professionals:
  - {name: Ana, hours: {thu: ["09:00-19:00"]}, services: [Corte]}
  - {name: Bento, hours: {wed: ["09:00-19:00"]}, services: [Corte]}
plans:
  - {name: Mensal, price: "120.00", period: month, covers: [Corte]}
pipelines:
  - {name: Vendas, stages: [Novo]}
tags: [Fiel]
staff:
  - {name: Rita, email: rita@navalha.example, role: owner}
  - {name: Davi, email: davi@navalha.example, role: attendant}
contacts:
  - name: Caio
    phone: "+5531988880001"
    tags: [Fiel]
    appointments:
      - {service: Corte, professional: Ana, starts: "2026-12-03T10:00"}
"#;
/// Has a booking to come.
const BOOKED: &str = "Ana";
const PHONE: &str = "+5531988880001";
/// When her booking starts.
const KEPT: &str = "2026-12-03 10:00";
/// Days on which Bento is booked or called off between a plan and its end, at ten o'clock.
const DAYS: [&str; 2] = ["2026-12-02", "2026-12-09"];

type Fields = BTreeMap<String, Value>;
/// The entries of a business by section and name.
type State = BTreeMap<(Section, String), Fields>;
/// What happens to entries, and the values before and after of each field that differs.
type Difference = BTreeMap<(Section, String), (Action, BTreeMap<String, (Value, Value)>)>;
/// When the bookings start that a change of an entry hits.
type Hits = BTreeMap<(Section, String), BTreeSet<String>>;

fn set(section: Section, name: &str, field: &str, value: Value) -> Edit {
    change(section, name, field, FieldEdit::Set(value))
}

fn change(section: Section, name: &str, field: &str, edit: FieldEdit) -> Edit {
    Edit::Change { section, name: name.to_owned(), fields: vec![(field.to_owned(), edit)] }
}

fn add(section: Section, fields: Value) -> Edit {
    Edit::Add { section, fields: fields.as_object().unwrap().clone() }
}

fn remove(section: Section, name: &str) -> Edit {
    Edit::Remove { section, name: name.to_owned() }
}

/// The edits that an editor may have in mind, of every section; some are refused, and some can never be made.
fn edits() -> Vec<Edit> {
    use FieldEdit::{Add, Take};
    use Section::{Knowledge, Media, Organization, Pipelines, Plans, Professionals, Services, Staff, Tags, Templates};
    let closed = |day: u8| json!({ "date": format!("2026-12-0{day}"), "periods": [] });
    let away = |day: u8| json!({ "from": format!("2027-01-0{day}T00:00"), "to": format!("2027-01-0{day}T12:00") });
    let (davi, bia) = ("davi@navalha.example", "bia@navalha.example");
    let mut all = vec![
        set(Organization, "", "hours.sun", Value::Null),
        add(Services, json!({ "name": "Luzes", "price": "180.00", "duration_minutes": 90 })),
        remove(Services, "Luzes"),
        set(Services, "Luzes", "active", json!(true)),
        add(Professionals, json!({ "name": "Nina", "hours": { "tue": ["13:00-19:00"] }, "services": ["Corte"] })),
        remove(Professionals, "Nina"),
        set(Professionals, "Nina", "active", json!(true)),
        remove(Professionals, BOOKED),
        add(Plans, json!({ "name": "Semanal", "price": "25.00", "period": "week", "covers": ["Corte"] })),
        remove(Plans, "Semanal"),
        add(Pipelines, json!({ "name": "Cursos", "stages": ["Interessado"] })),
        change(Pipelines, "Cursos", "stages", Add(json!("Matriculado"))),
        add(Tags, json!({ "name": "Novo" })),
        remove(Tags, "Fiel"),
        add(Staff, json!({ "name": "Bia", "email": bia, "role": "viewer" })),
        remove(Staff, bia),
        add(Knowledge, json!({ "title": "Pets", "content": "Pode trazer." })),
        remove(Knowledge, "Pets"),
        add(Templates, json!({ "name": "aviso", "category": "utility", "body": "Olá {{1}}" })),
        remove(Templates, "aviso"),
        add(Media, json!({ "key": "lista", "kind": "document", "path": "lista.pdf" })),
        remove(Media, "lista"),
    ];
    for first in [true, false] {
        let of = |one: &str, other: &str| json!(if first { one } else { other });
        let day = if first { 2 } else { 3 };
        all.extend([
            set(Organization, "", "hours.sun", json!([of("09:00-12:00", "10:00-13:00")])),
            set(Organization, "", "phone", of("+55 31 3222-0001", "+55 31 3222-0002")),
            set(Organization, "", "national_holidays", json!(first)),
            set(Organization, "", "scheduling.pending_minutes", json!(if first { 40 } else { 50 })),
            change(Organization, "", "exceptions", Add(closed(day))),
            change(Organization, "", "exceptions", Take(json!({ "date": closed(day)["date"] }))),
            set(Services, "Corte", "price", of("55.00", "60.00")),
            set(Services, "Corte", "aliases", json!([of("cabelo", "tesoura")])),
            set(Services, "Luzes", "price", of("190.00", "200.00")),
            set(Professionals, "Nina", "restrictions", of("só de manhã", "só à tarde")),
            change(Professionals, "Bento", "time_off", Add(away(day))),
            change(Professionals, "Bento", "time_off", Take(away(day))),
            set(Plans, "Mensal", "price", of("130.00", "140.00")),
            set(Plans, "Semanal", "price", of("30.00", "35.00")),
            set(Staff, davi, "on_duty", json!(first)),
            set(Knowledge, "Pets", "content", of("Na coleira.", "Só na varanda.")),
            set(Templates, "aviso", "body", of("Oi {{1}}", "Bom dia {{1}}")),
            set(Media, "lista", "path", of("nova.pdf", "antiga.pdf")),
        ]);
    }
    all
}

fn is_archived(section: Section) -> bool {
    matches!(section, Section::Services | Section::Professionals | Section::Plans | Section::Staff)
}

fn is_active(entry: &Fields) -> bool {
    entry.get("active") != Some(&json!(false))
}

/// The entries of a document in the form of a business file.
fn state_of(document: &Value) -> State {
    let mut state = State::new();
    for section in Section::ALL {
        let fields = |entry: &Value| -> Fields { serde_json::from_value(entry.clone()).unwrap() };
        match &document[section.as_str()] {
            Value::Array(entries) if section == Section::Tags => {
                let tag = |name: &Value| {
                    ((section, name.as_str().unwrap().to_owned()), Fields::from([("name".to_owned(), name.clone())]))
                };
                state.extend(entries.iter().map(tag));
            }
            Value::Array(entries) => state.extend(entries.iter().map(|entry| {
                let entry = fields(entry);
                ((section, name_of(section, &entry)), entry)
            })),
            Value::Null => {}
            entry @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_)) => {
                state.insert((section, section.as_str().to_owned()), fields(entry));
            }
        }
    }
    state
}

fn name_of(section: Section, entry: &Fields) -> String {
    let text = |field: &str| entry[field].as_str().unwrap().to_owned();
    if section == Section::Templates {
        return format!("{} ({})", text("name"), text("language"));
    }
    text(section.name_field().unwrap_or("name"))
}

/// What a document leaves out because it goes without saying.
fn is_usual(field: &str, value: &Value) -> bool {
    match field {
        "active" | "on_duty" => value == &json!(true),
        "national_holidays" => value == &json!(false),
        _ => value.is_null() || value == &json!([]) || value == &json!({}),
    }
}

/// The state that an edit wants; `None` if it does not fit.
fn wanted(state: &State, edit: &Edit) -> Option<State> {
    let mut wanted = state.clone();
    match edit {
        Edit::Add { section, fields } => {
            let mut entry: Fields = fields.clone().into_iter().collect();
            if *section == Section::Templates {
                entry.insert("language".to_owned(), json!("pt_BR"));
            }
            let key = (*section, name_of(*section, &entry));
            if wanted.insert(key, entry).is_some() {
                return None;
            }
        }
        Edit::Remove { section, name } if is_archived(*section) => {
            wanted.get_mut(&named(*section, name))?.insert("active".to_owned(), json!(false));
        }
        Edit::Remove { section, name } => drop(wanted.remove(&named(*section, name))?),
        Edit::Change { section, name, fields } => {
            let entry = wanted.get_mut(&named(*section, name))?;
            for (field, edit) in fields {
                let (outer, inner) = field.split_once('.').map_or((field.as_str(), None), |(a, b)| (a, Some(b)));
                let mut value = entry.remove(outer).unwrap_or(Value::Null);
                edited(&mut value, inner, edit)?;
                if !is_usual(outer, &value) {
                    entry.insert(outer.to_owned(), value);
                }
            }
        }
        Edit::Knowledge { .. } => return None,
    }
    Some(wanted)
}

/// The key of an entry by the name that an edit gives.
fn named(section: Section, name: &str) -> (Section, String) {
    if section == Section::Organization {
        return (section, section.as_str().to_owned());
    }
    (section, if section == Section::Templates { format!("{name} (pt_BR)") } else { name.to_owned() })
}

fn edited(value: &mut Value, inner: Option<&str>, edit: &FieldEdit) -> Option<()> {
    if let Some(inner) = inner {
        let mut fields = value.as_object().cloned().unwrap_or_default();
        let FieldEdit::Set(new) = edit else { return None };
        fields.remove(inner);
        if !new.is_null() {
            fields.insert(inner.to_owned(), new.clone());
        }
        *value = Value::Object(fields);
        return Some(());
    }
    let mut items = value.as_array().cloned().unwrap_or_default();
    match edit {
        FieldEdit::Set(new) => *value = new.clone(),
        FieldEdit::Add(item) if items.contains(item) => return None,
        FieldEdit::Add(item) => {
            items.push(item.clone());
            // Dates stand in their order; stages stay in the order in which they came.
            if item.is_object() {
                items.sort_by_key(ToString::to_string);
            }
            *value = Value::Array(items);
        }
        FieldEdit::Take(item) => {
            let fits = |one: &Value| item.as_object().unwrap().iter().all(|(key, value)| one.get(key) == Some(value));
            let before = items.len();
            items.retain(|one| !fits(one));
            if items.len() == before {
                return None;
            }
            *value = Value::Array(items);
        }
    }
    Some(())
}

/// What has to happen to a state for it to be as wanted. An archived entry that nothing wants makes no difference.
fn difference(state: &State, wanted: &State) -> Difference {
    let mut all = Difference::new();
    let nothing = Fields::new();
    for key in state.keys().chain(wanted.keys()) {
        let (before, after) = (state.get(key), wanted.get(key));
        let action = match (before, after) {
            (None, _) => Action::Added,
            (Some(before), Some(after)) if is_active(before) && !is_active(after) => Action::Archived,
            (Some(_), Some(_)) => Action::Changed,
            (Some(before), None) if is_archived(key.0) && !is_active(before) => continue,
            (Some(_), None) if is_archived(key.0) => Action::Archived,
            (Some(_), None) => Action::Removed,
        };
        // What a file leaves out is archived, and stays as it is.
        let stays = before.filter(|_| action == Action::Archived && after.is_none()).map(|entry| {
            let mut stays = entry.clone();
            stays.insert("active".to_owned(), Value::Bool(false));
            if key.0 == Section::Professionals {
                stays.remove("code");
            }
            stays
        });
        let (old, new) = (before.unwrap_or(&nothing), after.or(stays.as_ref()).unwrap_or(&nothing));
        let value = |entry: &Fields, field: &str| entry.get(field).cloned().unwrap_or(Value::Null);
        let fields: BTreeMap<String, (Value, Value)> = old
            .keys()
            .chain(new.keys())
            .map(|field| (field.clone(), (value(old, field), value(new, field))))
            .filter(|(_, (old, new))| old != new)
            .collect();
        if !fields.is_empty() {
            all.insert(key.clone(), (action, fields));
        }
    }
    all
}

/// Whether one of the changes can never be made: who has bookings stays, and so does the tag that a contact carries.
fn is_impossible(difference: &Difference) -> bool {
    difference.iter().any(|((section, name), (action, _))| {
        let leaves = *section == Section::Professionals && *action == Action::Archived && name == BOOKED;
        leaves || *section == Section::Tags && *action == Action::Removed && name == "Fiel"
    })
}

/// Whether the business is closed on a date by an exception.
fn is_closed(state: &State, date: &str) -> bool {
    let organization = &state[&(Section::Organization, "organization".to_owned())];
    let exceptions = organization.get("exceptions").and_then(Value::as_array);
    exceptions.into_iter().flatten().any(|one| one["date"] == date)
}

/// The bookings that the changes hit: all of a service that gets another price, those of who leaves, and those on a day that closes.
fn hits(state: &State, wanted: &State, booked: &BTreeSet<String>) -> Hits {
    let mut all = Hits::new();
    for (key, (action, fields)) in difference(state, wanted) {
        let closes = |start: &&String| {
            let date = start.split(' ').next().unwrap();
            is_closed(wanted, date) && !is_closed(state, date)
        };
        let hit: BTreeSet<String> = match (key.0, key.1.as_str()) {
            (Section::Services, "Corte") if fields.contains_key("price") => booked.clone(),
            (Section::Professionals, BOOKED) if action == Action::Archived => [KEPT.to_owned()].into(),
            (Section::Organization, _) => booked.iter().filter(closes).cloned().collect(),
            _ => BTreeSet::new(),
        };
        if !hit.is_empty() {
            all.insert(key, hit);
        }
    }
    all
}

fn shown_hits(plan: &BusinessPlan) -> Hits {
    let start = |hit: &Hit| match hit {
        Hit::Booking(hit) => hit.starts.clone(),
        Hit::Subscription(_) | Hit::Conversation(_) => panic!("nobody subscribes or has a conversation: {hit:?}"),
    };
    let all = plan.changes.iter().filter(|change| !change.hits.is_empty());
    all.map(|change| ((change.section, change.name.clone()), change.hits.iter().map(start).collect())).collect()
}

/// The state once a difference was made.
fn made(state: &State, wanted: &State) -> State {
    let mut after = wanted.clone();
    for (key, entry) in state.iter().filter(|(key, _)| is_archived(key.0) && !wanted.contains_key(*key)) {
        let archived = entry.clone().into_iter().chain([("active".to_owned(), json!(false))]);
        after.insert(key.clone(), archived.collect());
    }
    after
}

fn shown(plan: &BusinessPlan) -> Difference {
    let one = |change: &balcao_app::admin::business::Change| {
        let fields = change.fields.iter().map(|one| (one.field.clone(), (one.before.clone(), one.after.clone())));
        ((change.section, change.name.clone()), (change.action, fields.collect()))
    };
    plan.changes.iter().map(one).collect()
}

/// How a plan ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// Made as shown.
    Made,
    /// Nothing was left to do.
    Nothing,
    /// Refused, because the business has moved.
    Moved,
    /// Refused, because it can never be made.
    Impossible,
}

/// A shop and its model.
struct Shop {
    world: World,
    business: Business,
    state: State,
    /// The plans that were made: a plan of the same changes that is shown later is another one.
    hashes: Vec<String>,
    /// Bento's bookings by day.
    booked: BTreeMap<&'static str, AppointmentId>,
    /// How many plans were refused because they hit other bookings now, and for no other reason.
    moved_by_bookings: u32,
}

impl Shop {
    async fn open(store: Store) -> Self {
        let file = BusinessFile::read("shop.yaml", SHOP).unwrap_or_else(|problems| panic!("{problems:?}"));
        let world = of_file(store, file, "2026-11-23T09:00").await;
        let business = Business::new(world.app.clone());
        let state = state_of(&business.export(world.organization).await.unwrap());
        Self { world, business, state, hashes: Vec::new(), booked: BTreeMap::new(), moved_by_bookings: 0 }
    }

    /// When all bookings to come start.
    fn starts(&self) -> BTreeSet<String> {
        let of_bento = self.booked.keys().map(|day| format!("{day} 10:00"));
        of_bento.chain([KEPT.to_owned()]).collect()
    }

    /// Books a day of Bento's, or calls off what is booked on it. A day that is closed cannot be booked. Tells whether it did.
    async fn book_or_cancel(&mut self, day: &'static str) -> bool {
        let booking = Booking::new(self.world.app.clone());
        let (organization, contact) = (self.world.organization, self.world.contact(PHONE).await);
        if let Some(id) = self.booked.remove(day) {
            booking.cancel(organization, contact, self.world.key(), Some(id)).await.unwrap().value.unwrap();
            return true;
        }
        let request = BookRequest {
            professional: Some("Bento".to_owned().into()),
            service: Some(ServiceChoice::Name("Corte".to_owned())),
            date: day.parse().unwrap(),
            start_min: 10 * 60,
            attendee: None,
            pending: false,
            source: "console".to_owned(),
            price_agreed: true,
        };
        let booked = booking.book(organization, contact, self.world.key(), request).await.unwrap().value;
        assert_eq!(booked.is_err(), is_closed(&self.state, day), "{day}: {booked:?}");
        let is_booked = booked.is_ok();
        self.booked.extend(booked.map(|booked| (day, booked.appointment.id)));
        is_booked
    }

    /// Shows the plan of an edit, which has to be the model's; `None` where both refuse it.
    async fn show(&self, edit: &Edit) -> Option<(State, BusinessFile, BusinessPlan)> {
        let planned = self.business.plan_edit(self.world.organization, edit.clone()).await.unwrap();
        let expected = wanted(&self.state, edit);
        match (planned, expected) {
            (Ok((file, plan)), Some(wanted)) => {
                assert_eq!(shown(&plan), difference(&self.state, &wanted), "{edit:?}");
                assert_eq!(shown_hits(&plan), hits(&self.state, &wanted, &self.starts()), "{edit:?}");
                Some((wanted, file, plan))
            }
            (Err(BusinessRefusal::Edit(_) | BusinessRefusal::Invalid { .. }), None) => None,
            (planned, expected) => panic!("{edit:?}: {planned:?}, and the model: {expected:?}"),
        }
    }

    /// Makes what is wanted now under the plan that was shown, and compares.
    async fn apply(&mut self, editor: &str, now: (State, BusinessFile), plan: &BusinessPlan) -> End {
        let (wanted, file) = now;
        let agreed = (shown(plan), shown_hits(plan));
        let left = (difference(&self.state, &wanted), hits(&self.state, &wanted, &self.starts()));
        let expected = match (left == agreed, left.0.is_empty()) {
            (true, true) => End::Nothing,
            (true, false) if is_impossible(&left.0) => End::Impossible,
            // Made since it was shown, and changed back: its hash makes nothing again.
            (true, false) if self.hashes.contains(&plan.hash) => End::Moved,
            (true, false) => End::Made,
            (false, true) if self.hashes.contains(&plan.hash) => End::Nothing,
            (false, _) => End::Moved,
        };
        self.moved_by_bookings += u32::from(left.0 == agreed.0 && left.1 != agreed.1);
        let (organization, hash) = (self.world.organization, plan.hash.clone());
        let applied = self.business.apply(organization, file, hash, editor.to_owned()).await.unwrap();
        let end = match applied {
            Ok(done) if done.changes.is_empty() => End::Nothing,
            Ok(done) => {
                // Another edit may change what the business warns of, and not what this plan changes.
                let warnings = done.warnings.clone();
                assert_eq!(done, BusinessPlan { warnings, ..plan.clone() });
                self.state = made(&self.state, &wanted);
                self.hashes.push(plan.hash.clone());
                End::Made
            }
            Err(BusinessRefusal::Moved { now }) => {
                // What is shown instead is what would be made now.
                assert_eq!((shown(&now), shown_hits(&now)), left);
                End::Moved
            }
            Err(BusinessRefusal::Impossible { .. }) => End::Impossible,
            Err(refusal) => panic!("{refusal}"),
        };
        assert_eq!(end, expected, "{plan:?}");
        end
    }
}

/// What came of the interleavings.
#[derive(Debug, Default)]
struct Played {
    /// How the plans ended that were applied after the other side had changed something: these alone count.
    ends: BTreeMap<End, u32>,
    /// Plans that were applied although nothing had happened since they were shown.
    alone: u32,
    /// Plans that were not applied, because their edit fitted no longer.
    unfitting: u32,
    /// Plans that were refused for their bookings alone.
    moved_by_bookings: u32,
}

/// Plays so many interleavings in which both sides did something: a plan is shown, up to three edits of two editors, bookings and
/// cancellations come between, and the plan is applied, as an edit or as a file.
async fn interleave(store: Store, times: u32) -> Played {
    let mut shop = Shop::open(store).await;
    let mut state = 0x2545_f491_u32;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        usize::try_from(state >> 16).unwrap() % below
    };
    let edits = edits();
    let mut played = Played::default();
    while played.ends.values().sum::<u32>() < times {
        let edit = &edits[draw(edits.len())];
        let Some((then, file, plan)) = shop.show(edit).await else { continue };
        let mut is_interleaved = false;
        for _ in 0..draw(4) {
            if draw(4) == 0 {
                is_interleaved |= shop.book_or_cancel(DAYS[draw(2)]).await;
                continue;
            }
            // Sometimes the other editor has the same edit in mind.
            let other = match draw(4) {
                0 => edit,
                _ => &edits[draw(edits.len())],
            };
            if let Some((wanted, file, plan)) = shop.show(other).await {
                let end = shop.apply(["Rita", "Davi"][draw(2)], (wanted, file), &plan).await;
                is_interleaved |= end == End::Made;
            }
        }
        let now = match draw(2) {
            0 => Some((then, file)),
            _ => shop.show(edit).await.map(|(wanted, file, _)| (wanted, file)),
        };
        match now {
            Some(now) => {
                let end = shop.apply("Rita", now, &plan).await;
                *if is_interleaved { played.ends.entry(end).or_default() } else { &mut played.alone } += 1;
            }
            None => played.unfitting += 1,
        }
        let document = shop.business.export(shop.world.organization).await.unwrap();
        assert_eq!(state_of(&document), shop.state, "{played:?}: {edit:?}");
    }
    Played { moved_by_bookings: shop.moved_by_bookings, ..played }
}

#[tokio::test]
async fn plan_of_a_thousand_interleavings_is_made_as_it_was_shown_or_refused() {
    let played = interleave(Store::open_in_memory().unwrap(), 1_000).await;
    let often = |end| played.ends.get(&end).copied().unwrap_or_default();
    assert!(often(End::Made) > 200 && often(End::Moved) > 200, "{played:?}");
    assert!(often(End::Nothing) > 20 && often(End::Impossible) > 5 && played.moved_by_bookings > 2, "{played:?}");
}

/// Fifty of them; a thousand in the night (`make nightly`).
#[tokio::test]
async fn plan_of_interleavings_on_postgres_is_made_as_it_was_shown_or_refused() {
    let Some(server) = Database::migrated() else { return };
    let played = interleave(Store::connect(&server.url, OpenOptions::default()).unwrap(), 50 * scale()).await;
    assert!(played.ends.get(&End::Made).is_some_and(|made| *made > 10), "{played:?}");
}
