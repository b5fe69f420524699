//! Bookings outside of working time: listed at any time, and moved, cancelled or kept once a person chose.

use balcao_app::admin::business::{Business, Edit, FieldEdit, Section};
use balcao_app::context::staff_email::Actor;
use balcao_app::messaging::outbound::message_templates::{Purpose, TemplateVariable};
use balcao_app::messaging::outbound::reach::{AccountPolicies, Reach, Unreachable};
use balcao_app::messaging::outbound::send_policy::SendPolicy;
use balcao_app::scheduling::booking::{BookRequest, Booking, ServiceChoice};
use balcao_app::scheduling::ways_out::{ResolveRefusal, Resolved, Way, WaysOut, WaysOutView};
use balcao_domain::conflict::ConflictReason;
use balcao_domain::outbox::OutboxState;
use balcao_domain::{AppointmentId, AppointmentStatus, ContactId};
use balcao_llm::providers::scripted::says;
use balcao_store::messaging::conversation;
use balcao_store::ops::audit;
use balcao_store::scheduling::appointment;
use balcao_testkit::fakes::graph::{ACCOUNT, Template};
use serde_json::{Value, json};

use crate::messaging_harness::{MessagingHarness, start_harness, terms};
use crate::timers::remind_automatically;

const DAVI: &str = "davi@figueira.example";
const MOVED: &str = "Precisamos mudar o seu horário de Corte na máquina: era quarta, 25/11 às 15h com Wesley Moura, e agora é \
                     quinta, 26/11 às 16h com Wesley Moura. Se não der para você, responda aqui.";
const CANCELLED: &str = "Infelizmente precisamos cancelar o seu horário de Corte na máquina com Wesley Moura, quarta, 25/11 às \
                         15h. Responda aqui para marcar outro.";
const KEPT: &str = "O seu horário de Corte na máquina com Wesley Moura, quarta, 25/11 às 15h, está mantido.";

struct Scene {
    shop: MessagingHarness,
    joao: ContactId,
    id: AppointmentId,
}

/// João wrote on Tuesday at ten and is booked with Wesley on Wednesday at three. Then Wesley takes that afternoon off.
async fn away() -> Scene {
    let shop = start_harness([says("Olá! Como posso ajudar?")]).await;
    remind_automatically(&shop, Vec::new()).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
    let joao = shop.conversation().await.contact;
    let id = book(&shop, joao).await;
    take_off(&shop, json!([{ "from": "2026-11-25T13:00", "to": "2026-11-25T22:00" }])).await;
    Scene { shop, joao, id }
}

async fn book(shop: &MessagingHarness, contact: ContactId) -> AppointmentId {
    let request = BookRequest {
        professional: Some("Wesley".to_owned().into()),
        service: Some(ServiceChoice::Name("Corte na máquina".to_owned())),
        date: "2026-11-25".parse().unwrap(),
        start_min: 15 * 60,
        attendee: None,
        pending: false,
        source: "test".to_owned(),
        price_agreed: true,
    };
    let booking = Booking::new(shop.world.app.clone());
    let booked = booking.book(shop.world.organization, contact, shop.world.key(), request).await.unwrap();
    booked.value.unwrap().appointment.id
}

async fn take_off(shop: &MessagingHarness, time_off: Value) {
    edit(shop, Section::Professionals, "Wesley Moura", "time_off", time_off).await;
}

async fn edit(shop: &MessagingHarness, section: Section, name: &str, field: &str, value: Value) {
    let (business, organization) = (Business::new(shop.world.app.clone()), shop.world.organization);
    let fields = vec![(field.to_owned(), FieldEdit::Set(value))];
    let edit = Edit::Change { section, name: name.to_owned(), fields };
    let (file, plan) = business.plan_edit(organization, edit).await.unwrap().unwrap();
    business.apply(organization, file, plan.hash, "Renata".to_owned()).await.unwrap().unwrap();
}

fn to(date: &str, start_min: u16) -> Way {
    Way::Move { date: date.parse().unwrap(), start_min, professional: None }
}

/// The terms of the shop with a template for each change.
fn policies() -> AccountPolicies {
    AccountPolicies([(ACCOUNT.to_owned(), with_templates())].into())
}

fn with_templates() -> SendPolicy {
    let mut policy = terms();
    let approved = policy.templates.get(&Purpose::Reopen).unwrap().clone();
    for (purpose, name) in [(Purpose::AppointmentMoved, "mudanca"), (Purpose::AppointmentCancelled, "cancelamento")] {
        let parameters = vec![(Some("texto".to_owned()), TemplateVariable::Text)];
        let template = balcao_app::messaging::outbound::message_templates::ApprovedTemplate {
            name: name.to_owned(),
            parameters,
            ..approved.clone()
        };
        policy.templates.insert(purpose, template);
    }
    policy
}

impl Scene {
    fn ways(&self) -> WaysOut {
        WaysOut::new(self.shop.world.app.clone(), policies())
    }

    async fn conflicts(&self) -> Vec<(AppointmentId, ConflictReason)> {
        let found = self.ways().conflicts(self.shop.world.organization, 10).await.unwrap();
        found.items.iter().map(|one| (one.appointment.id, one.reason)).collect()
    }

    async fn find(&self) -> WaysOutView {
        self.ways().find(self.shop.world.organization, self.id).await.unwrap().unwrap()
    }

    async fn resolve(&self, way: Way, notify: Option<bool>) -> Result<Resolved, ResolveRefusal> {
        let by = Actor::Staff(DAVI.to_owned());
        self.ways().resolve(self.shop.world.organization, self.id, way, notify, by).await.unwrap()
    }

    /// What left for João beside the greeting, on the shop's terms.
    async fn sent(&self) -> Vec<String> {
        self.shop.sends(with_templates()).await;
        self.shop.texts().into_iter().skip(1).collect()
    }

    async fn audited(&self) -> Vec<(String, String)> {
        let (organization, id) = (self.shop.world.organization, self.id.to_string());
        let all = self.shop.in_transaction(move |tx| audit::of_subject(tx, organization, &id)).await;
        all.into_iter().map(|one| (one.actor, one.action)).collect()
    }

    async fn opts_out(&self) {
        let (organization, mut found) = (self.shop.world.organization, self.shop.conversation().await);
        found.opted_out_at = Some(jiff::Timestamp::UNIX_EPOCH);
        self.shop.in_transaction(move |tx| conversation::update(tx, organization, &found)).await;
    }
}

#[tokio::test]
async fn booking_in_a_time_off_shows_its_ways_out_and_changes_nothing() {
    let scene = away().await;
    assert_eq!(scene.conflicts().await, [(scene.id, ConflictReason::TimeOff)]);
    let found = scene.find().await;
    assert_eq!((found.reason, found.is_kept, found.contact), (Some(ConflictReason::TimeOff), false, scene.joao));
    let moves: Vec<_> = found.ways.iter().filter(|one| one.way == "move").collect();
    let with =
        |one: &&&balcao_app::scheduling::ways_out::WayOut| one.to.as_ref().unwrap().professional == "Wesley Moura";
    assert_eq!((moves.iter().filter(with).count(), moves.len()), (3, 6), "{moves:?}");
    assert!(moves[..3].iter().all(|one| one.to.as_ref().unwrap().professional == "Wesley Moura"), "{moves:?}");
    assert!(moves.iter().all(|one| one.text.contains(&one.to.as_ref().unwrap().professional)), "{moves:?}");
    let texts: Vec<&str> = found.ways[6..].iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts, [CANCELLED, KEPT]);
    assert!(found.ways.iter().all(|one| one.reach == Reach::Message { price_micros: Some(0) }), "{:?}", found.ways);
    assert_eq!(scene.sent().await, [""; 0], "nobody chose yet");
    // The times that are proposed can be had.
    let first = moves[0].to.clone().unwrap();
    let way = Way::Move {
        date: first.date,
        start_min: balcao_domain::hours::parse_minute(&first.start).unwrap(),
        professional: None,
    };
    let done = scene.resolve(way, None).await.unwrap();
    assert_eq!(done.notice.unwrap().text, moves[0].text, "the customer reads what was shown");
}

#[tokio::test]
async fn chosen_move_is_done_once_told_and_audited() {
    let scene = away().await;
    let done = scene.resolve(to("2026-11-26", 16 * 60), None).await.unwrap();
    assert!(done.changed && done.appointment.id != scene.id);
    assert_eq!(
        (done.appointment.date.to_string(), done.appointment.start.as_str()),
        ("2026-11-26".to_owned(), "16:00")
    );
    let again = scene.resolve(to("2026-11-26", 16 * 60), None).await.unwrap();
    assert_eq!((again.changed, again.appointment.id, again.notice), (false, done.appointment.id, None));
    assert_eq!(scene.sent().await, [MOVED]);
    assert_eq!(scene.audited().await, [(DAVI.to_owned(), "appointment.reschedule".to_owned())]);
    assert_eq!(scene.conflicts().await, []);
    let other = scene.resolve(to("2026-11-27", 16 * 60), None).await;
    assert_eq!(other, Err(ResolveRefusal::Moved { id: scene.id, to: done.appointment.id }));
}

#[tokio::test]
async fn chosen_cancellation_is_done_once_in_spite_of_the_notice() {
    let scene = away().await;
    edit(&scene.shop, Section::Organization, "organization", "scheduling.cancellation_notice_minutes", json!(2880))
        .await;
    let done = scene.resolve(Way::Cancel, None).await.unwrap();
    assert_eq!((done.changed, done.appointment.status), (true, AppointmentStatus::Cancelled));
    let again = scene.resolve(Way::Cancel, None).await.unwrap();
    assert_eq!((again.changed, again.notice), (false, None));
    assert_eq!(scene.sent().await, [CANCELLED]);
    assert_eq!(scene.audited().await, [(DAVI.to_owned(), "appointment.cancel".to_owned())]);
    assert!(matches!(scene.resolve(Way::Keep, None).await, Err(ResolveRefusal::Ended { .. })));
}

#[tokio::test]
async fn kept_booking_comes_back_with_a_time_off_that_was_not_known_when_it_was_kept() {
    let scene = away().await;
    scene.resolve(Way::Keep, None).await.unwrap();
    assert_eq!(scene.conflicts().await, []);
    // Wesley's afternoon is off the calendar again; later he takes off another day that holds the booking.
    take_off(&scene.shop, json!([])).await;
    take_off(&scene.shop, json!([{ "from": "2026-11-25T00:00", "to": "2026-12-05T00:00" }])).await;
    assert_eq!(scene.conflicts().await, [(scene.id, ConflictReason::TimeOff)]);
}

#[tokio::test]
async fn kept_booking_comes_back_when_the_business_closes_as_well() {
    let scene = away().await;
    scene.resolve(Way::Keep, None).await.unwrap();
    edit(
        &scene.shop,
        Section::Organization,
        "organization",
        "exceptions",
        json!([{ "date": "2026-11-25", "periods": [] }]),
    )
    .await;
    assert_eq!(scene.conflicts().await, [(scene.id, ConflictReason::BusinessClosed)]);
}

#[tokio::test]
async fn kept_booking_leaves_the_list_until_another_reason_comes() {
    let scene = away().await;
    let done = scene.resolve(Way::Keep, None).await.unwrap();
    assert_eq!((done.changed, done.notice), (true, None));
    assert_eq!(scene.conflicts().await, []);
    assert!(scene.find().await.is_kept);
    assert!(!scene.resolve(Way::Keep, Some(true)).await.unwrap().changed);
    assert_eq!(scene.sent().await, [""; 0]);
    assert_eq!(scene.audited().await, [(DAVI.to_owned(), "appointment.keep".to_owned())]);
    // Wesley works again, and the business closes on that day.
    take_off(&scene.shop, json!([])).await;
    let closed = json!([{ "date": "2026-11-25", "periods": [], "note": "Reforma" }]);
    edit(&scene.shop, Section::Organization, "organization", "exceptions", closed).await;
    assert_eq!(scene.conflicts().await, [(scene.id, ConflictReason::BusinessClosed)]);
    let told = scene.resolve(Way::Keep, Some(true)).await.unwrap();
    assert_eq!(told.notice.unwrap().text, KEPT);
    assert_eq!(scene.sent().await, [KEPT]);
    edit(&scene.shop, Section::Organization, "organization", "exceptions", json!([])).await;
    assert_eq!(scene.resolve(Way::Keep, None).await, Err(ResolveRefusal::NoConflict { id: scene.id }));
}

#[tokio::test]
async fn closed_window_shows_the_template_and_its_price() {
    let scene = away().await;
    scene.shop.graph.keep_template(Template::new("mudanca", "{{texto}}"));
    // João wrote on Tuesday at ten.
    scene.shop.world.set_local("2026-11-25T10:30");
    let reach = |found: &WaysOutView, way: &str| found.ways.iter().find(|one| one.way == way).unwrap().reach.clone();
    let found = scene.find().await;
    let template = |name: &str| Reach::Template { name: name.to_owned(), price_micros: Some(40_000) };
    assert_eq!((reach(&found, "move"), reach(&found, "cancel")), (template("mudanca"), template("cancelamento")));
    assert_eq!(reach(&found, "keep"), Reach::Nothing { reason: Unreachable::NoTemplate });
    let done = scene.resolve(to("2026-11-26", 16 * 60), None).await.unwrap();
    assert_eq!(done.notice.unwrap().reach, template("mudanca"));
    scene.shop.sends(with_templates()).await;
    let sent = scene.shop.graph.accepted().pop().unwrap();
    assert_eq!(sent["template"]["name"], "mudanca", "{sent}");
    assert_eq!(sent["template"]["components"][0]["parameters"][0]["text"], MOVED);
}

#[tokio::test]
async fn p_05_opted_out_customer_is_not_told_before_or_after_the_choice() {
    let scene = away().await;
    scene.opts_out().await;
    let nothing = Reach::Nothing { reason: Unreachable::OptedOut };
    assert!(scene.find().await.ways.iter().all(|one| one.reach == nothing));
    let done = scene.resolve(Way::Cancel, None).await.unwrap();
    assert_eq!((done.changed, done.notice.unwrap().reach), (true, nothing));
    assert_eq!(scene.sent().await, [""; 0]);

    let scene = away().await;
    scene.resolve(Way::Cancel, None).await.unwrap();
    scene.opts_out().await;
    assert_eq!(scene.sent().await, [""; 0], "the sender looks once more");
    assert_eq!(scene.shop.outbox_states().await.pop(), Some(OutboxState::Dead));
}

#[tokio::test]
async fn message_of_a_move_that_was_undone_does_not_leave() {
    let scene = away().await;
    let done = scene.resolve(to("2026-11-26", 16 * 60), None).await.unwrap();
    let booking = Booking::new(scene.shop.world.app.clone());
    let (organization, key) = (scene.shop.world.organization, scene.shop.world.key());
    booking.cancel(organization, scene.joao, key, Some(done.appointment.id)).await.unwrap().value.unwrap();
    assert_eq!(scene.sent().await, [""; 0]);
    let last = scene.shop.outbox().await.pop().unwrap();
    assert!(last.failure.unwrap().contains("changed meanwhile"));
}

#[tokio::test]
async fn what_cannot_be_done_changes_nothing() {
    let scene = away().await;
    // In the time off itself.
    let refused = scene.resolve(to("2026-11-25", 16 * 60), None).await.unwrap_err();
    assert!(refused.to_string().contains("free are: "), "{refused}");
    let organization = scene.shop.world.organization;
    let ways = scene.ways();
    let nobody = Actor::Staff("ninguem@figueira.example".to_owned());
    let unknown = ways.resolve(organization, scene.id, Way::Cancel, None, nobody).await.unwrap().unwrap_err();
    assert!(unknown.to_string().contains(DAVI), "{unknown}");
    let missing = AppointmentId::try_from(999).unwrap();
    let missing = ways.find(organization, missing).await.unwrap().unwrap_err();
    assert!(missing.to_string().contains("apt_999"), "{missing}");
    let id = scene.id;
    let found = scene
        .shop
        .in_transaction(move |tx| appointment::find(tx, organization, id, balcao_domain::Currency::BRL))
        .await;
    assert_eq!(found.unwrap().status, AppointmentStatus::Confirmed);
    assert_eq!((scene.sent().await, scene.audited().await), (vec![], vec![]));
    scene.shop.world.set_local("2026-11-25T15:00");
    assert!(matches!(scene.resolve(Way::Cancel, None).await, Err(ResolveRefusal::Begun { .. })));
}

#[tokio::test]
async fn resolving_is_done_once_per_key() {
    let scene = away().await;
    let (organization, key) = (scene.shop.world.organization, scene.shop.world.key());
    let by = || Actor::Program("api:crm".to_owned());
    let once = async || {
        scene.ways().once(key.clone()).resolve(organization, scene.id, to("2026-11-26", 960), None, by()).await.unwrap()
    };
    let first = once().await.unwrap();
    assert_eq!(once().await.unwrap(), first, "the same answer, and no second message");
    assert_eq!(scene.sent().await, [MOVED]);
}

#[tokio::test]
async fn move_to_the_same_time_changes_nothing_and_tells_nobody() {
    let scene = away().await;
    let done = scene.resolve(to("2026-11-25", 15 * 60), None).await.unwrap();
    assert_eq!((done.changed, done.appointment.id, done.notice), (false, scene.id, None));
    assert_eq!(scene.sent().await, [""; 0]);
}

#[tokio::test]
async fn move_to_another_professional_costs_what_its_message_says() {
    let scene = away().await;
    edit(&scene.shop, Section::Services, "Corte na máquina", "price", json!("65.00")).await;
    let found = scene.find().await;
    let moves: Vec<_> = found.ways.iter().filter_map(|one| Some((one.to.clone()?, &one.text))).collect();
    let costs = |text: &str| text.contains("O valor passa a ser R$ 65,00.");
    assert!(moves.iter().all(|(to, text)| costs(text) == (to.professional != "Wesley Moura")), "{moves:?}");
    let (to, text) = moves.into_iter().find(|(to, _)| to.professional == "Otávio Prado").unwrap();
    let start_min = balcao_domain::hours::parse_minute(&to.start).unwrap();
    let way = Way::Move { date: to.date, start_min, professional: Some("Otávio".to_owned()) };
    let done = scene.resolve(way, None).await.unwrap();
    assert_eq!((done.appointment.professional.as_str(), done.appointment.price.cents), ("Otávio Prado", 6_500));
    assert_eq!(&done.notice.unwrap().text, text, "the customer reads what was shown");
    let (organization, id) = (scene.shop.world.organization, done.appointment.id);
    let stored = scene
        .shop
        .in_transaction(move |tx| appointment::find(tx, organization, id, balcao_domain::Currency::BRL))
        .await;
    assert_eq!(stored.unwrap().price.cents, 6_500);
}

#[tokio::test]
async fn staff_without_a_right_to_a_booking_choose_no_way_out_of_it() {
    let scene = away().await;
    // Íris is booked herself, and this is Wesley's customer.
    for way in [Way::Cancel, Way::Keep, to("2026-11-26", 16 * 60)] {
        let iris = Actor::Staff("iris@figueira.example".to_owned());
        let refused = scene.ways().resolve(scene.shop.world.organization, scene.id, way, None, iris).await.unwrap();
        assert!(matches!(refused, Err(ResolveRefusal::NotAllowed { .. })), "{refused:?}");
    }
    assert_eq!(scene.conflicts().await, [(scene.id, ConflictReason::TimeOff)]);
}
