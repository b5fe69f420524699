//! Subscriptions: what staff do to them, and what they pay for.

use balcao_app::admin::business::{Business, Hit, Section};
use balcao_app::admin::seed::BusinessFile;
use balcao_app::context::names::NameRefusal;
use balcao_app::context::staff_email::Actor;
use balcao_app::crm::subscriptions::{
    PaymentRequest, StartRequest, SubscriptionChange, SubscriptionFilter, SubscriptionRefusal, Subscriptions,
};
use balcao_app::scheduling::booking::{BookRequest, Booked, Booking, RescheduleRequest, ServiceChoice};
use balcao_app::scheduling::visits::Visits;
use balcao_domain::appointment::visit::VisitEnd;
use balcao_domain::hours::parse_minute;
use balcao_domain::subscription::act::SubscriptionAct;
use balcao_domain::subscription::payment::AmountKind;
use balcao_domain::subscription::{NotCovered, PlanPeriod, SubscriberStatus};
use balcao_domain::{Appointment, AppointmentId, AppointmentStatus, ContactId, Currency, SubscriberId};
use balcao_store::{Store, StoreError, ops::audit, scheduling::appointment};
use jiff::SignedDuration;
use jiff::civil::Date;
use proptest::prelude::*;

use crate::world::{World, edited, figueira};

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

fn davi() -> Actor {
    Actor::Staff("davi@figueira.example".to_owned())
}

/// The sample barbershop on that local time, with Lívia's plan Raiz (two cuts a month) paid until 31 December.
async fn paid(local: &str) -> (World, ContactId, SubscriberId) {
    let store = Store::open_in_memory().unwrap();
    let change = |text: String| {
        let text = text.replace("plan: Raiz, status: overdue, due: 2026-11-08", "plan: Raiz, due: 2026-12-31");
        text.replace("maximum_open_appointments: 4", "maximum_open_appointments: 20")
    };
    let world = edited(store, "barbearia-figueira.yaml", local, change).await;
    let livia = world.livia().await;
    let id = only(&world, livia).await;
    (world, livia, id)
}

async fn only(world: &World, contact: ContactId) -> SubscriberId {
    let filter = SubscriptionFilter { contact: Some(contact), status: None };
    let page = Subscriptions::new(world.app.clone()).page(world.organization, filter, None, 10).await.unwrap();
    page.items[0].view.id
}

async fn act(world: &World, id: SubscriberId, act: SubscriptionAct) -> Result<SubscriptionChange, SubscriptionRefusal> {
    Subscriptions::new(world.app.clone()).change(world.organization, id, act, davi()).await.unwrap()
}

async fn pay(
    world: &World,
    id: SubscriberId,
    reference: &str,
    amount_cents: Option<i64>,
) -> Result<SubscriptionChange, SubscriptionRefusal> {
    let request = PaymentRequest { reference: reference.to_owned(), amount_cents, kind: AmountKind::Price };
    Subscriptions::new(world.app.clone()).note_payment(world.organization, id, request, davi()).await.unwrap()
}

async fn start(
    world: &World,
    contact: ContactId,
    plan: &str,
    dates: (Option<&str>, Option<&str>),
) -> Result<SubscriptionChange, SubscriptionRefusal> {
    let request = StartRequest { contact, plan: plan.to_owned(), started: dates.0.map(day), due: dates.1.map(day) };
    Subscriptions::new(world.app.clone()).start(world.organization, request, davi()).await.unwrap()
}

fn cut(date: Date, start: &str) -> BookRequest {
    BookRequest {
        professional: None,
        service: Some(ServiceChoice::Name("Corte na máquina".to_owned())),
        date,
        start_min: parse_minute(start).unwrap(),
        attendee: None,
        pending: false,
        source: "test".to_owned(),
        price_agreed: true,
    }
}

async fn book(world: &World, who: ContactId, date: &str, start: &str) -> Booked {
    let booking = Booking::new(world.app.clone());
    booking.book(world.organization, who, world.key(), cut(day(date), start)).await.unwrap().value.unwrap()
}

fn told(booked: &Booked) -> (Option<&str>, i64, Option<NotCovered>) {
    let reason = booked.plan_notice.as_ref().map(|notice| notice.reason);
    (booked.plan_name.as_deref(), booked.appointment.price.cents, reason)
}

#[tokio::test]
async fn plan_pays_as_long_as_it_is_active_and_the_answer_says_why_not() {
    let (world, livia, id) = paid("2026-11-23T09:00").await;
    assert_eq!(told(&book(&world, livia, "2026-11-24", "10:00").await), (Some("Raiz"), 0, None));
    act(&world, id, SubscriptionAct::Pause).await.unwrap();
    let full = |reason| (None, 5_000, Some(reason));
    assert_eq!(told(&book(&world, livia, "2026-11-25", "10:00").await), full(NotCovered::Paused));
    act(&world, id, SubscriptionAct::Resume).await.unwrap();
    world.set_local("2027-01-01T09:00");
    let due = day("2026-12-31");
    assert_eq!(told(&book(&world, livia, "2027-01-05", "10:00").await), full(NotCovered::Overdue { due }));
    pay(&world, id, "PIX-1", None).await.unwrap();
    assert_eq!(told(&book(&world, livia, "2027-01-06", "10:00").await), (Some("Raiz"), 0, None));
    // The plan pays for visits before its end, and for none from then on.
    act(&world, id, SubscriptionAct::End { on: Some(day("2027-01-08")), gives_up_paid: true }).await.unwrap();
    assert_eq!(told(&book(&world, livia, "2027-01-07", "10:00").await), (Some("Raiz"), 0, None));
    let on = day("2027-01-08");
    assert_eq!(told(&book(&world, livia, "2027-01-08", "12:00").await), full(NotCovered::Ended { on }));
    world.set_local("2027-01-09T09:00");
    assert_eq!(told(&book(&world, livia, "2027-01-12", "10:00").await), full(NotCovered::Ended { on }));
}

#[tokio::test]
async fn business_gives_days_of_grace() {
    let store = Store::open_in_memory().unwrap();
    let change = |text: String| text.replace("unmarked_visits: ask", "plan_grace_days: 15");
    let world = edited(store, "barbearia-figueira.yaml", "2026-11-23T09:00", move |text| {
        change(text).replace("plan: Raiz, status: overdue", "plan: Raiz")
    })
    .await;
    let livia = world.livia().await;
    assert_eq!(told(&book(&world, livia, "2026-11-24", "10:00").await).0, Some("Raiz"));
    world.set_local("2026-11-24T09:00");
    let due = day("2026-11-08");
    let late = book(&world, livia, "2026-11-25", "10:00").await;
    assert_eq!(told(&late), (None, 5_000, Some(NotCovered::Overdue { due })));
}

#[tokio::test]
async fn quota_is_given_back_by_a_cancellation_and_counts_in_the_period_of_a_move() {
    let (world, livia, _) = paid("2026-11-23T09:00").await;
    let booking = Booking::new(world.app.clone());
    let (first, second) =
        (book(&world, livia, "2026-11-24", "10:00").await, book(&world, livia, "2026-11-25", "10:00").await);
    assert_eq!((first.plan_name.as_deref(), second.plan_name.as_deref()), (Some("Raiz"), Some("Raiz")));
    let used_up = NotCovered::QuotaUsed { quota: 2, period: PlanPeriod::Month };
    let third = book(&world, livia, "2026-11-26", "10:00").await;
    assert_eq!(told(&third), (None, 5_000, Some(used_up)));
    // December has a quota of its own.
    assert_eq!(told(&book(&world, livia, "2026-12-01", "10:00").await).0, Some("Raiz"));
    let cancelled = booking.cancel(world.organization, livia, world.key(), Some(first.appointment.id)).await;
    cancelled.unwrap().value.unwrap();
    let move_to = |id: AppointmentId, date: &str| {
        let request = RescheduleRequest {
            appointment: Some(id),
            date: day(date),
            start_min: parse_minute("14:00").unwrap(),
            professional: None,
            service: None,
            source: "test".to_owned(),
            price_agreed: true,
        };
        booking.reschedule(world.organization, livia, world.key(), request)
    };
    // The one at full price moves within November, where a place is free again.
    let moved = move_to(third.appointment.id, "2026-11-27").await.unwrap().value.unwrap().new;
    assert_eq!(told(&moved), (Some("Raiz"), 0, None));
    let moved = move_to(second.appointment.id, "2026-12-02").await.unwrap().value.unwrap().new;
    assert_eq!(told(&moved), (Some("Raiz"), 0, None));
    let moved = move_to(moved.appointment.id, "2026-12-03").await.unwrap().value.unwrap().new;
    assert_eq!(told(&moved).0, Some("Raiz"), "its own place is free for it");
}

#[tokio::test]
async fn visit_that_comes_back_after_its_place_was_taken_has_its_full_price() {
    let (world, livia, _) = paid("2026-11-23T09:00").await;
    let first = book(&world, livia, "2026-11-24", "10:00").await.appointment;
    book(&world, livia, "2026-11-25", "10:00").await;
    world.set_local("2026-11-24T10:30");
    let visits = Visits::new(world.app.clone());
    let marked = visits.mark_visit(world.organization, first.id, VisitEnd::Cancelled, davi()).await;
    marked.unwrap().unwrap();
    assert_eq!(told(&book(&world, livia, "2026-11-26", "10:00").await).0, Some("Raiz"));
    let undone = visits.undo_visit_mark(world.organization, first.id, davi()).await.unwrap().unwrap();
    assert_eq!(undone.appointment.price.cents, 5_000);
    assert!(is_within_quota(&world, livia).await);
}

#[tokio::test]
async fn two_bookings_at_once_share_the_last_place_of_a_quota() {
    let (world, livia, _) = paid("2026-11-23T09:00").await;
    book(&world, livia, "2026-11-24", "10:00").await;
    let (one, other) =
        tokio::join!(book(&world, livia, "2026-11-25", "10:00"), book(&world, livia, "2026-11-26", "10:00"));
    let mut prices = [one.appointment.price.cents, other.appointment.price.cents];
    prices.sort_unstable();
    assert_eq!(prices, [0, 5_000]);
}

#[tokio::test]
async fn each_act_has_its_row_in_the_audit_log() {
    let world = figueira().await;
    let livia = world.livia().await;
    let id = only(&world, livia).await;
    assert_eq!(
        pay(&world, id, " PIX-1 ", Some(8_900)).await.unwrap().subscription.view.dates.due,
        Some(day("2026-12-08"))
    );
    let again = pay(&world, id, "PIX-1", Some(8_900)).await.unwrap();
    assert_eq!((again.changed, again.subscription.view.dates.due), (false, Some(day("2026-12-08"))));
    act(&world, id, SubscriptionAct::Renew { due: day("2026-12-08") }).await.unwrap();
    assert!(!act(&world, id, SubscriptionAct::Renew { due: day("2026-12-08") }).await.unwrap().changed);
    act(&world, id, SubscriptionAct::Pause).await.unwrap();
    world.clock.advance(SignedDuration::from_hours(48));
    let resumed = act(&world, id, SubscriptionAct::Resume).await.unwrap().subscription.view;
    assert_eq!((resumed.status, resumed.dates.due), (SubscriberStatus::Active, Some(day("2027-01-10"))));
    act(&world, id, SubscriptionAct::End { on: None, gives_up_paid: true }).await.unwrap();
    assert!(!act(&world, id, SubscriptionAct::End { on: None, gives_up_paid: true }).await.unwrap().changed);
    let restarted = start(&world, livia, "raiz", (None, None)).await.unwrap().subscription.view;
    assert_eq!((restarted.id, restarted.dates.due), (id, Some(day("2026-11-25"))));
    let (organization, subject) = (world.organization, id.to_string());
    let log = world.app.store.read(move |tx| audit::of_subject(tx, organization, &subject)).await;
    let log = log.map_err(|error: StoreError| error).unwrap();
    let acts: Vec<&str> = log.iter().map(|one| one.action.trim_start_matches("subscription.")).collect();
    assert_eq!(acts, ["pay", "renew", "pause", "resume", "end", "start"]);
    assert!(log.iter().all(|one| one.actor == "davi@figueira.example"));
    let value = |text: &Option<String>| serde_json::from_str::<serde_json::Value>(text.as_deref().unwrap()).unwrap();
    let (before, after) = (value(&log[0].before), value(&log[0].after));
    assert_eq!((&before["due"], &before["status"]), (&"2026-11-08".into(), &"overdue".into()));
    assert_eq!(
        (&after["due"], &after["status"], &after["payment"]["reference"]),
        (&"2026-12-08".into(), &"active".into(), &"PIX-1".into())
    );
    let (_, payments) = Subscriptions::new(world.app.clone()).find(organization, id).await.unwrap().unwrap();
    assert_eq!((payments.len(), payments[0].amount.cents, payments[0].due_from), (1, 8_900, Some(day("2026-11-08"))));
}

#[tokio::test]
async fn what_does_not_fit_is_refused_and_changes_nothing() {
    let (world, livia, id) = paid("2026-11-23T09:00").await;
    let stranger = ContactId::try_from(999_999).unwrap();
    let refused = start(&world, livia, "Raiz", (None, None)).await.unwrap_err();
    assert!(matches!(refused, SubscriptionRefusal::AlreadySubscribed { id: known, .. } if known == id), "{refused}");
    let refused = start(&world, livia, "Ouro", (None, None)).await.unwrap_err();
    assert!(matches!(refused, SubscriptionRefusal::Plan(NameRefusal::NotFound { .. })), "{refused}");
    let refused = start(&world, stranger, "Copa", (None, None)).await.unwrap_err();
    assert_eq!(refused, SubscriptionRefusal::NoContact { id: stranger });
    let refused = start(&world, livia, "Copa", (Some("2026-11-24"), None)).await.unwrap_err();
    assert_eq!(refused, SubscriptionRefusal::StartsLater { today: day("2026-11-23") });
    let refused = start(&world, livia, "Copa", (Some("2026-11-20"), Some("2026-11-19"))).await.unwrap_err();
    assert_eq!(refused, SubscriptionRefusal::DueBeforeStart { started: day("2026-11-20") });
    for cents in [0, -1, i64::MIN] {
        let refused = pay(&world, id, "PIX-1", Some(cents)).await.unwrap_err();
        assert!(matches!(refused, SubscriptionRefusal::Amount { .. }), "{refused}");
    }
    for reference in ["", "  ", "a\nb", &"x".repeat(101)] {
        assert_eq!(pay(&world, id, reference, None).await.unwrap_err(), SubscriptionRefusal::Reference);
    }
    let refused = act(&world, id, SubscriptionAct::Renew { due: day("2026-10-31") }).await.unwrap_err();
    assert_eq!(refused, SubscriptionRefusal::OtherDue { due: Some(day("2026-12-31")) });
    let unknown = SubscriberId::try_from(999).unwrap();
    assert_eq!(pay(&world, unknown, "PIX-1", None).await.unwrap_err(), SubscriptionRefusal::NotFound { id: unknown });
    let request = PaymentRequest { reference: "PIX-1".to_owned(), amount_cents: None, kind: AmountKind::Price };
    let by = Actor::Staff("ninguem@figueira.example".to_owned());
    let refused = Subscriptions::new(world.app.clone()).note_payment(world.organization, id, request, by).await;
    assert!(matches!(refused.unwrap().unwrap_err(), SubscriptionRefusal::UnknownStaff(_)));
    let (one, payments) = Subscriptions::new(world.app.clone()).find(world.organization, id).await.unwrap().unwrap();
    assert_eq!((one.view.dates.due, payments.len()), (Some(day("2026-12-31")), 0));
    pay(&world, id, "PIX-1", None).await.unwrap();
    let refused = pay(&world, id, "PIX-1", Some(200)).await.unwrap_err();
    assert!(matches!(refused, SubscriptionRefusal::ReferenceUsed { amount } if amount.cents == 8_900), "{refused}");
    act(&world, id, SubscriptionAct::End { on: None, gives_up_paid: true }).await.unwrap();
    assert_eq!(pay(&world, id, "PIX-2", None).await.unwrap_err(), SubscriptionRefusal::Ended { on: day("2026-11-23") });
    start(&world, livia, "Copa", (Some("2026-11-20"), Some("9999-12-31"))).await.unwrap();
    let copa = SubscriptionFilter { contact: Some(livia), status: Some(SubscriberStatus::Active) };
    let page = Subscriptions::new(world.app.clone()).page(world.organization, copa, None, 10).await.unwrap();
    let copa = page.items[0].view.id;
    assert_eq!(pay(&world, copa, "PIX-3", None).await.unwrap_err(), SubscriptionRefusal::BeyondCalendar);
    let early =
        act(&world, copa, SubscriptionAct::End { on: Some(day("2026-11-19")), gives_up_paid: true }).await.unwrap_err();
    assert_eq!(early, SubscriptionRefusal::EndsBeforeStart { started: day("2026-11-20") });
}

#[tokio::test]
async fn payment_of_another_amount_has_to_be_said_and_can_be_taken_back() {
    let (world, _, id) = paid("2026-11-23T09:00").await;
    let subscriptions = Subscriptions::new(world.app.clone());
    let note = |reference: &str, cents: i64, kind: AmountKind| {
        let request = PaymentRequest { reference: reference.to_owned(), amount_cents: Some(cents), kind };
        subscriptions.note_payment(world.organization, id, request, davi())
    };
    let (half, double) = (4_450, 17_800);
    for (cents, kind, expected) in [
        (half, AmountKind::Price, "expected R$ 89,00, the price of the plan; `--partial`"),
        (double, AmountKind::Price, "expected R$ 89,00, the price of the plan; `--more`"),
        (8_900, AmountKind::Partial, "expected less than R$ 89,00"),
        (half, AmountKind::More, "expected a multiple of R$ 89,00"),
        (double + 1, AmountKind::More, "such as R$ 178,00"),
    ] {
        let refused = note("PIX-1", cents, kind).await.unwrap().unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
    }
    let due = |change: &SubscriptionChange| change.subscription.view.dates.due.unwrap();
    let partial = note("PIX-1", half, AmountKind::Partial).await.unwrap().unwrap();
    assert_eq!((partial.changed, due(&partial)), (true, day("2026-12-31")));
    let full = note("PIX-2", 8_900, AmountKind::Price).await.unwrap().unwrap();
    assert_eq!(due(&full), day("2027-01-31"));
    let more = note("PIX-3", double, AmountKind::More).await.unwrap().unwrap();
    assert_eq!((due(&more), more.periods), (day("2027-03-31"), 2));
    let take_back =
        |reference: &str| subscriptions.take_back_payment(world.organization, id, reference.to_owned(), davi());
    // What moved the due date last is taken back first.
    let early = take_back("PIX-2").await.unwrap().unwrap_err();
    assert_eq!(early, SubscriptionRefusal::DueMovedSince { due: Some(day("2027-03-31")) });
    for (reference, then) in [("PIX-3", "2027-01-31"), ("PIX-2", "2026-12-31"), ("PIX-1", "2026-12-31")] {
        let taken = take_back(reference).await.unwrap().unwrap();
        assert_eq!((taken.changed, due(&taken)), (true, day(then)), "{reference}");
        assert!(!take_back(reference).await.unwrap().unwrap().changed);
    }
    assert!(matches!(take_back("PIX-9").await.unwrap().unwrap_err(), SubscriptionRefusal::NoPayment { .. }));
    // A reference that was taken back may be used again, and a day later nothing is taken back.
    let again = note("PIX-2", 8_900, AmountKind::Price).await.unwrap().unwrap();
    assert_eq!((again.changed, due(&again)), (true, day("2027-01-31")));
    world.clock.advance(SignedDuration::from_hours(24));
    assert!(matches!(take_back("PIX-2").await.unwrap().unwrap_err(), SubscriptionRefusal::PaymentTooOld { .. }));
    let (_, payments) = subscriptions.find(world.organization, id).await.unwrap().unwrap();
    let stand: Vec<_> =
        payments.iter().filter(|one| one.taken_back_by.is_none()).map(|one| one.reference.as_str()).collect();
    assert_eq!((payments.len(), stand), (3, vec!["PIX-2"]));
}

#[tokio::test]
async fn change_of_a_plan_lists_its_subscriptions() {
    let (world, _, id) = paid("2026-11-23T09:00").await;
    let hits = |edit: &dyn Fn(&str) -> String| {
        let text = std::fs::read_to_string(crate::world::root().join("samples/barbearia-figueira.yaml")).unwrap();
        let (world, file) = (&world, BusinessFile::read("shop.yaml", &edit(&text)).unwrap());
        async move {
            let plan = Business::new(world.app.clone()).plan(world.organization, file).await.unwrap().unwrap();
            let change = plan.changes.into_iter().find(|one| one.section == Section::Plans).unwrap();
            change.hits.iter().map(|hit| hit.id().to_owned()).collect::<Vec<_>>()
        }
    };
    let id = id.to_string();
    assert_eq!(
        hits(&|text| text.replace(r#"{name: Raiz, price: "89.00""#, r#"{name: Raiz, price: "99.00""#)).await,
        [id.as_str()]
    );
    assert_eq!(
        hits(&|text| text.replace("[Corte na máquina], quota: 2", "[Corte na máquina], quota: 3")).await,
        [id.as_str()]
    );
    let raiz = r#"  - {name: Raiz, price: "89.00", period: month, covers: [Corte na máquina], quota: 2, benefits: ["2 cortes na máquina por mês"]}"#;
    let subscribed = "    subscription: {plan: Raiz, status: overdue, due: 2026-11-08}\n";
    let edit = |text: &str| text.replace(raiz, "").replace(subscribed, "");
    assert_eq!(hits(&edit).await, [id.as_str()], "archived");
    assert!(
        hits(&|text| text.replace("2 cortes na máquina por mês", "dois cortes por mês")).await.is_empty(),
        "words alone hit nobody"
    );
}

#[tokio::test]
async fn new_price_says_what_a_visit_that_a_plan_pays_for_keeps() {
    let (world, livia, _) = paid("2026-11-23T09:00").await;
    let on_plan = book(&world, livia, "2026-11-24", "10:00").await.appointment.id;
    book(&world, livia, "2026-11-25", "10:00").await;
    let at_full_price = book(&world, livia, "2026-11-26", "10:00").await.appointment.id;
    let text = std::fs::read_to_string(crate::world::root().join("samples/barbearia-figueira.yaml")).unwrap();
    let dearer = text.replace(r#"degradê, corte curto], price: "50.00""#, r#"degradê, corte curto], price: "60.00""#);
    let file = BusinessFile::read("shop.yaml", &dearer).unwrap();
    let plan = Business::new(world.app.clone()).plan(world.organization, file).await.unwrap().unwrap();
    let change = plan.changes.into_iter().find(|one| one.section == Section::Services).unwrap();
    for (appointment, expected) in [(on_plan, "its plan pays for it"), (at_full_price, "it keeps the price")] {
        let hit = change.hits.iter().find(|hit| hit.id() == appointment.to_string());
        let Some(Hit::Booking(hit)) = hit else { panic!("{change:?}") };
        assert!(hit.why.starts_with(expected), "{}", hit.why);
    }
}

#[tokio::test]
async fn two_payments_with_one_reference_at_once_count_once() {
    let (world, _, id) = paid("2026-11-23T09:00").await;
    let (one, other) = tokio::join!(pay(&world, id, "PIX-1", None), pay(&world, id, "PIX-1", None));
    let changed = [one.unwrap().changed, other.unwrap().changed];
    assert!(changed == [true, false] || changed == [false, true], "{changed:?}");
    let (one, payments) = Subscriptions::new(world.app.clone()).find(world.organization, id).await.unwrap().unwrap();
    assert_eq!((one.view.dates.due, payments.len()), (Some(day("2027-01-31")), 1));
}

async fn all(world: &World, who: ContactId) -> Vec<Appointment> {
    let organization = world.organization;
    let read = world.app.store.read(move |tx| appointment::of_contact(tx, organization, who, Currency::BRL)).await;
    read.map_err(|error: StoreError| error).unwrap()
}

/// Whether at most two appointments of each month are on a plan. A hold that expired takes no place.
async fn is_within_quota(world: &World, who: ContactId) -> bool {
    let zone = jiff::tz::TimeZone::get("America/Sao_Paulo").unwrap();
    let (all, now) = (all(world, who).await, world.app.clock.now());
    let month = |one: &Appointment| zone.to_datetime(one.span.start).date().first_of_month();
    let counts = |one: &&Appointment| {
        let is_open = one.status != AppointmentStatus::Pending || one.holds_until.is_some_and(|until| now < until);
        one.plan.is_some() && one.status.holds_slot() && is_open
    };
    let on_plan: Vec<Date> = all.iter().filter(counts).map(month).collect();
    on_plan.iter().all(|month| on_plan.iter().filter(|other| *other == month).count() <= 2)
}

/// What a customer or staff do next. Numbers choose a day, an hour and an appointment.
#[derive(Debug, Clone, Copy)]
enum Step {
    Book { day: i64, hour: u16 },
    Hold { day: i64, hour: u16 },
    Cancel { which: usize },
    Move { which: usize, day: i64, hour: u16 },
    MarkCancelled { which: usize },
    UndoMark { which: usize },
    Wait { hours: i64 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (day, hour, which) = (0_i64..20, 9_u16..18, 0_usize..8);
    let step = prop_oneof![
        4 => (day.clone(), hour.clone()).prop_map(|(day, hour)| Step::Book { day, hour }),
        1 => (day.clone(), hour.clone()).prop_map(|(day, hour)| Step::Hold { day, hour }),
        2 => which.clone().prop_map(|which| Step::Cancel { which }),
        2 => (which.clone(), day, hour).prop_map(|(which, day, hour)| Step::Move { which, day, hour }),
        1 => which.clone().prop_map(|which| Step::MarkCancelled { which }),
        1 => which.prop_map(|which| Step::UndoMark { which }),
        1 => (0_i64..40).prop_map(|hours| Step::Wait { hours }),
    ];
    prop::collection::vec(step, 1..24)
}

/// Takes a step; what the rules refuse changes nothing.
async fn take(world: &World, who: ContactId, step: Step) {
    let (booking, visits) = (Booking::new(world.app.clone()), Visits::new(world.app.clone()));
    let all = all(world, who).await;
    let chosen = |which: usize| all.get(which % all.len().max(1)).map(|one| one.id);
    let date = |days: i64| day("2026-11-23").checked_add(jiff::Span::new().days(days)).unwrap();
    let start = |hour: u16| format!("{hour:02}:00");
    match step {
        Step::Book { day, hour } => {
            drop(booking.book(world.organization, who, world.key(), cut(date(day), &start(hour))).await.unwrap());
        }
        Step::Hold { day, hour } => {
            let hold = BookRequest { pending: true, ..cut(date(day), &start(hour)) };
            drop(booking.book(world.organization, who, world.key(), hold).await.unwrap());
        }
        Step::Cancel { which } => {
            drop(booking.cancel(world.organization, who, world.key(), chosen(which)).await.unwrap());
        }
        Step::Move { which, day, hour } => {
            let request = RescheduleRequest {
                appointment: chosen(which),
                date: date(day),
                start_min: hour * 60,
                professional: None,
                service: None,
                source: "test".to_owned(),
                price_agreed: true,
            };
            drop(booking.reschedule(world.organization, who, world.key(), request).await.unwrap());
        }
        Step::MarkCancelled { which } => {
            let Some(id) = chosen(which) else { return };
            drop(visits.mark_visit(world.organization, id, VisitEnd::Cancelled, davi()).await.unwrap());
        }
        Step::UndoMark { which } => {
            let Some(id) = chosen(which) else { return };
            drop(visits.undo_visit_mark(world.organization, id, davi()).await.unwrap());
        }
        Step::Wait { hours } => world.clock.advance(SignedDuration::from_hours(hours)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is booked, held, moved, cancelled and undone in whatever order: no month has more visits on the plan than its quota.
    #[test]
    fn no_order_of_acts_exceeds_a_quota(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let broken = runtime.block_on(async {
            let (world, livia, _) = paid("2026-11-23T09:00").await;
            for (done, step) in steps.iter().enumerate() {
                take(&world, livia, *step).await;
                if !is_within_quota(&world, livia).await {
                    return Some(done);
                }
            }
            None
        });
        prop_assert_eq!(broken, None);
    }
}

#[tokio::test]
async fn staff_who_do_not_answer_customers_change_no_subscription() {
    let (world, _, id) = paid("2026-11-23T09:00").await;
    let subscriptions = Subscriptions::new(world.app.clone());
    let iris = || Actor::Staff("iris@figueira.example".to_owned());
    let request = PaymentRequest { reference: "PIX-9".to_owned(), amount_cents: None, kind: AmountKind::Price };
    let refused = subscriptions.note_payment(world.organization, id, request, iris()).await.unwrap().unwrap_err();
    assert!(refused.to_string().contains("has the role `professional`"), "{refused}");
    let end = SubscriptionAct::Pause;
    let refused = subscriptions.change(world.organization, id, end, iris()).await.unwrap().unwrap_err();
    assert!(matches!(refused, SubscriptionRefusal::NotAllowed { .. }), "{refused}");
}
