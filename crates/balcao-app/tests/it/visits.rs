//! Visits end: marks of staff, their undo, what the server does about unmarked visits, and the figures that follow.

use balcao_app::admin::staff_access::StaffPermissions;
use balcao_app::context::notification_accounts::{HandoffAlerts, NotificationAccounts};
use balcao_app::context::staff_email::Actor;
use balcao_app::messaging::outbound::reach::AccountPolicies;
use balcao_app::reports::analytics::Analytics;
use balcao_app::scheduling::appointments::{AppointmentFilter, Appointments, History};
use balcao_app::scheduling::booking::{BookRequest, Booking, BookingRefusal, RescheduleRequest, ServiceChoice};
use balcao_app::scheduling::visits::{VisitRefusal, VisitView, Visits};
use balcao_app::scheduling::ways_out::{ResolveRefusal, Way, WaysOut};
use balcao_domain::appointment::visit::{MarkAuthor, VisitEnd};
use balcao_domain::hours::parse_minute;
use balcao_domain::outbox::OutboxState;
use balcao_domain::{AppointmentId, AppointmentStatus, ContactId};
use balcao_store::messaging::outbox::{self, Outbox};
use balcao_store::ops::audit::{self, AuditEntry};
use balcao_store::turns::event;
use balcao_store::{Store, StoreError};

use crate::messaging_harness::{eli, start_in_world, terms};
use crate::world::{World, edited, figueira, on};

const DAVI: &str = "davi@figueira.example";

/// Books with a professional on Tuesday, 24 November, or another day.
async fn book_on(world: &World, who: ContactId, professional: &str, service: &str, at: (&str, &str)) -> AppointmentId {
    let request = BookRequest {
        professional: Some(professional.to_owned().into()),
        service: Some(ServiceChoice::Name(service.to_owned())),
        date: at.0.parse().unwrap(),
        start_min: parse_minute(at.1).unwrap(),
        attendee: None,
        pending: false,
        source: "console".to_owned(),
        price_agreed: true,
    };
    let booked = Booking::new(world.app.clone()).book(world.organization, who, world.key(), request).await.unwrap();
    booked.value.unwrap().appointment.id
}

async fn book(world: &World, who: ContactId, professional: &str, start: &str) -> AppointmentId {
    book_on(world, who, professional, "Corte na máquina", ("2026-11-24", start)).await
}

fn staff(email: &str) -> Actor {
    Actor::Staff(email.to_owned())
}

async fn mark(world: &World, id: AppointmentId, end: VisitEnd, by: Actor) -> Result<VisitView, VisitRefusal> {
    Visits::new(world.app.clone()).mark_visit(world.organization, id, end, by).await.unwrap()
}

async fn undo(world: &World, id: AppointmentId, by: Actor) -> Result<VisitView, VisitRefusal> {
    Visits::new(world.app.clone()).undo_visit_mark(world.organization, id, by).await.unwrap()
}

async fn history(world: &World, who: ContactId) -> History {
    Appointments::new(world.app.clone()).history(world.organization, who).await.unwrap()
}

async fn status(world: &World, id: AppointmentId) -> AppointmentStatus {
    let found = Appointments::new(world.app.clone()).find(world.organization, id).await.unwrap();
    found.unwrap().view.status
}

async fn acts(world: &World, id: AppointmentId) -> Vec<AuditEntry> {
    let organization = world.organization;
    let read = world.app.store.read(move |tx| audit::of_subject(tx, organization, &id.to_string()));
    read.await.map_err(|error: StoreError| error).unwrap()
}

/// The kinds of the events about an appointment.
async fn events(world: &World, id: AppointmentId) -> Vec<String> {
    let all = world.app.store.read(|tx| event::waiting(tx, 500)).await.map_err(|error: StoreError| error).unwrap();
    all.into_iter().filter(|one| one.subject == id.to_string()).map(|one| one.kind).collect()
}

async fn review(world: &World) -> usize {
    Visits::new(world.app.clone()).review_unmarked(world.organization).await.unwrap()
}

#[tokio::test]
async fn moved_visit_names_the_one_in_its_place_whatever_is_done_to_it() {
    let world = figueira().await;
    let caio = world.caio().await;
    let (old, booking) = (book(&world, caio, "Otávio", "10:00").await, Booking::new(world.app.clone()));
    let to = |hour: u16| RescheduleRequest {
        appointment: Some(old),
        date: "2026-11-24".parse().unwrap(),
        start_min: hour * 60,
        professional: None,
        service: None,
        source: "console".to_owned(),
        price_agreed: true,
    };
    let moved = booking.reschedule(world.organization, caio, world.key(), to(11)).await.unwrap().value.unwrap();
    let new = moved.new.appointment.id;
    assert_eq!((moved.old.moved_to, moved.old.standing()), (Some(new), format!("moved to {new}")));
    let found = Appointments::new(world.app.clone()).find(world.organization, old).await.unwrap().unwrap();
    assert_eq!((found.view.moved_to, found.view.status), (Some(new), AppointmentStatus::Cancelled));
    let again = booking.reschedule(world.organization, caio, world.key(), to(14)).await.unwrap().value;
    assert_eq!(again.unwrap_err(), BookingRefusal::Moved { to: new });
    let cancelled = booking.cancel(world.organization, caio, world.key(), Some(old)).await.unwrap().value;
    assert_eq!(cancelled.unwrap_err(), BookingRefusal::Moved { to: new });
    let ways = WaysOut::new(world.app.clone(), AccountPolicies::default());
    let resolved = ways.resolve(world.organization, old, Way::Cancel, None, staff(DAVI)).await.unwrap();
    assert_eq!(resolved.unwrap_err(), ResolveRefusal::Moved { id: old, to: new });
    world.set_local("2026-11-24T12:00");
    let told = format!("{old} was moved to {new}; expected {new}, which stands in its place");
    for end in VisitEnd::ALL {
        assert_eq!(mark(&world, old, end, staff(DAVI)).await.unwrap_err().to_string(), told);
    }
    assert_eq!(undo(&world, old, staff(DAVI)).await.unwrap_err().to_string(), told);
    assert!(mark(&world, new, VisitEnd::Completed, staff(DAVI)).await.unwrap().changed);
}

/// Whatever stands in the way of a mark: its text offers an undo exactly if the undo is done.
#[tokio::test]
async fn refused_mark_offers_an_undo_only_where_it_can_be_undone() {
    let world = figueira().await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    let called_off = book(&world, caio, "Otávio", "10:00").await;
    let marked = book(&world, livia, "Otávio", "11:00").await;
    let booking = Booking::new(world.app.clone());
    booking.cancel(world.organization, caio, world.key(), Some(called_off)).await.unwrap().value.unwrap();
    world.set_local("2026-11-24T11:40");
    mark(&world, marked, VisitEnd::NoShow, staff(DAVI)).await.unwrap();
    let of_file = history(&world, caio).await.last.first().unwrap().id;
    for (hour, id, can_undo) in [
        ("2026-11-24T12:00", called_off, false),
        ("2026-11-24T12:00", of_file, false),
        ("2026-11-26T12:00", marked, false),
        ("2026-11-24T12:00", marked, true),
    ] {
        world.set_local(hour);
        let other = if status(&world, id).await == AppointmentStatus::Completed {
            VisitEnd::NoShow
        } else {
            VisitEnd::Completed
        };
        let told = mark(&world, id, other, staff(DAVI)).await.unwrap_err().to_string();
        assert_eq!(told.contains(&format!("`balcao appointments undo {id}` undoes that mark")), can_undo, "{told}");
        match undo(&world, id, staff(DAVI)).await {
            Ok(_) => assert!(can_undo, "{id}"),
            Err(refusal) => assert!(told.ends_with(&refusal.to_string()), "{told} / {refusal}"),
        }
    }
}

#[tokio::test]
async fn marks_of_staff_are_what_figures_and_history_count() {
    let world = figueira().await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    let missed = book(&world, caio, "Otávio", "10:00").await;
    let kept = book_on(&world, livia, "Otávio", "combo", ("2026-11-24", "11:00")).await;
    let forgotten = book(&world, livia, "Wesley", "14:00").await;
    world.set_local("2026-11-24T15:00");
    let marked = mark(&world, missed, VisitEnd::NoShow, staff("DAVI@figueira.example ")).await.unwrap();
    assert!(marked.changed);
    assert_eq!(
        (marked.appointment.status, marked.marked_by.as_deref()),
        (AppointmentStatus::NoShow, Some("Davi Lopes"))
    );
    mark(&world, kept, VisitEnd::Completed, Actor::Program("api:key_1".to_owned())).await.unwrap();
    assert_eq!(status(&world, forgotten).await, AppointmentStatus::Confirmed);

    let analytics = Analytics::new(world.app.clone());
    let stats = analytics.stats(world.organization, StaffPermissions::ALL, 1).await.unwrap();
    assert_eq!((stats.from.to_string(), stats.to.to_string()), ("2026-11-01".to_owned(), "2026-11-30".to_owned()));
    let november = stats.summary;
    assert_eq!((november.total, november.completed, november.no_shows, november.unmarked), (4, 2, 1, 1));
    assert_eq!(november.revenue.map(|money| money.cents), Some(9500 + 9500));
    let ranking = analytics.no_show_clients(world.organization, StaffPermissions::ALL, 6, 5).await.unwrap();
    assert_eq!((ranking.from.to_string(), ranking.to.to_string()), ("2026-06-01".to_owned(), "2026-11-24".to_owned()));
    let told: Vec<_> = ranking.clients.iter().map(|one| (one.contact, one.no_shows, one.total_sessions)).collect();
    assert_eq!(told, [(livia, 1, 2), (caio, 1, 3)]);
    let of_livia = history(&world, livia).await;
    assert_eq!((of_livia.total_visits, of_livia.preferred_professional.as_deref()), (1, Some("Otávio Prado")));
    assert_eq!(of_livia.from.map(|date| date.to_string()).as_deref(), Some("2026-11-24"));
    assert_eq!((history(&world, caio).await.no_shows, of_livia.to.to_string()), (1, "2026-11-24".to_owned()));

    let log = acts(&world, missed).await;
    let last = log.last().unwrap();
    assert_eq!((last.actor.as_str(), last.action.as_str()), (DAVI, "appointment.no_show"));
    assert!(last.before.as_deref().unwrap().contains(r#""status":"confirmed""#), "{last:?}");
    assert!(last.after.as_deref().unwrap().contains(r#""status":"no_show""#), "{last:?}");
    assert_eq!(events(&world, missed).await, ["appointment_booked", "appointment_no_show"]);
    assert_eq!(events(&world, kept).await.last().map(String::as_str), Some("appointment_completed"));
}

#[tokio::test]
async fn second_mark_is_told_of_the_first_and_an_undo_makes_room() {
    let world = figueira().await;
    let visit = book(&world, world.caio().await, "Otávio", "10:00").await;
    world.set_local("2026-11-24T10:05");
    mark(&world, visit, VisitEnd::NoShow, staff(DAVI)).await.unwrap();
    world.set_local("2026-11-24T10:20");
    let same = mark(&world, visit, VisitEnd::NoShow, staff("renata@figueira.example")).await.unwrap();
    assert_eq!((same.changed, same.marked_by.as_deref()), (false, Some("Davi Lopes")));
    let other = mark(&world, visit, VisitEnd::Completed, staff("renata@figueira.example")).await.unwrap_err();
    let VisitRefusal::MarkedBefore { end: VisitEnd::NoShow, mark: Some(given), .. } = &other else {
        panic!("{other:?}")
    };
    assert_eq!((given.name.as_str(), given.at_local.as_str()), ("Davi Lopes", "2026-11-24T10:05"));
    assert!(other.to_string().contains("by Davi Lopes at 2026-11-24T10:05; `balcao appointments undo apt_"), "{other}");
    let undone = undo(&world, visit, staff("renata@figueira.example")).await.unwrap();
    assert_eq!((undone.appointment.status, undone.appointment.mark), (AppointmentStatus::Confirmed, None));
    assert_eq!(undo(&world, visit, staff(DAVI)).await, Err(VisitRefusal::NotMarked { id: visit }));
    mark(&world, visit, VisitEnd::Completed, staff("renata@figueira.example")).await.unwrap();
    let actions: Vec<_> = acts(&world, visit).await.into_iter().map(|one| (one.actor, one.action)).collect();
    let expected = [
        (DAVI, "appointment.no_show"),
        ("renata@figueira.example", "appointment.undo_mark"),
        ("renata@figueira.example", "appointment.complete"),
    ];
    assert_eq!(actions, expected.map(|(actor, action)| (actor.to_owned(), action.to_owned())));
    // A day and no more.
    world.set_local("2026-11-25T10:19");
    undo(&world, visit, staff(DAVI)).await.unwrap();
    mark(&world, visit, VisitEnd::Completed, staff(DAVI)).await.unwrap();
    world.set_local("2026-11-26T10:19");
    let late = undo(&world, visit, staff(DAVI)).await.unwrap_err();
    assert!(matches!(late, VisitRefusal::TooLate { .. }), "{late:?}");
    assert_eq!(status(&world, visit).await, AppointmentStatus::Completed);
}

#[tokio::test]
async fn two_people_at_once_leave_one_mark() {
    let world = figueira().await;
    let visit = book(&world, world.caio().await, "Otávio", "10:00").await;
    world.set_local("2026-11-24T10:30");
    let (one, other) = tokio::join!(
        mark(&world, visit, VisitEnd::NoShow, staff(DAVI)),
        mark(&world, visit, VisitEnd::Completed, staff("renata@figueira.example")),
    );
    assert_eq!([&one, &other].iter().filter(|answer| answer.is_ok()).count(), 1, "{one:?} {other:?}");
    assert_eq!(acts(&world, visit).await.len(), 1);
    // The same call again, under its key, is one act.
    let visits = Visits::new(world.app.clone()).once(world.key());
    let undo = || visits.undo_visit_mark(world.organization, visit, staff(DAVI));
    let first = undo().await.unwrap().unwrap();
    assert_eq!(undo().await.unwrap().unwrap(), first);
    assert_eq!(acts(&world, visit).await.len(), 2);
}

#[tokio::test]
async fn what_cannot_be_marked_is_refused_and_stays() {
    let world = figueira().await;
    let caio = world.caio().await;
    let visit = book(&world, caio, "Otávio", "10:00").await;
    world.set_local("2026-11-24T09:59");
    for end in VisitEnd::ALL {
        let early = mark(&world, visit, end, staff(DAVI)).await.unwrap_err();
        let VisitRefusal::NotBegun { starts_at_local, .. } = &early else { panic!("{early:?}") };
        assert_eq!(starts_at_local, "2026-11-24T10:00");
    }
    let (today, date) = ("2026-11-24".parse().unwrap(), "2026-11-25".parse().unwrap());
    let whole = Visits::new(world.app.clone()).complete_day(world.organization, date, staff(DAVI)).await.unwrap();
    assert_eq!(whole, Err(VisitRefusal::DayToCome { date, today }));
    world.set_local("2026-11-24T10:00");
    let unknown = AppointmentId::try_from(9_999).unwrap();
    let refused = mark(&world, unknown, VisitEnd::NoShow, staff(DAVI)).await;
    assert_eq!(refused, Err(VisitRefusal::NotFound { id: unknown }));
    let nobody = mark(&world, visit, VisitEnd::NoShow, staff("ninguem@figueira.example")).await.unwrap_err();
    assert!(nobody.to_string().contains(DAVI), "{nobody}");
    // Another business, over the same database, has no such appointment.
    let theirs = on(world.app.store.clone(), "clinica-vereda.yaml", "2026-11-24T10:00").await;
    for refused in
        [mark(&theirs, visit, VisitEnd::NoShow, Actor::Operator).await, undo(&theirs, visit, Actor::Operator).await]
    {
        assert_eq!(refused, Err(VisitRefusal::NotFound { id: visit }));
    }
    assert_eq!(status(&world, visit).await, AppointmentStatus::Confirmed);
    // What came with the business file has no record, and what was cancelled in time belongs to no list any more.
    let seeded = history(&world, caio).await.last.into_iter().find(|one| one.status == AppointmentStatus::Completed);
    let seeded = seeded.unwrap().id;
    let refused = mark(&world, seeded, VisitEnd::NoShow, staff(DAVI)).await.unwrap_err();
    assert!(matches!(refused, VisitRefusal::MarkedBefore { mark: None, .. }), "{refused:?}");
    assert_eq!(undo(&world, seeded, staff(DAVI)).await, Err(VisitRefusal::NoRecord { id: seeded }));
    let cancelled = book(&world, caio, "Otávio", "18:00").await;
    let booking = Booking::new(world.app.clone());
    let done = booking.cancel(world.organization, caio, world.key(), Some(cancelled)).await.unwrap().value.unwrap();
    assert_eq!(done.mark.map(|mark| mark.by), Some(MarkAuthor::Customer));
    world.set_local("2026-11-24T18:30");
    assert_eq!(undo(&world, cancelled, staff(DAVI)).await, Err(VisitRefusal::CancelledBefore { id: cancelled }));
    let refused = mark(&world, cancelled, VisitEnd::Completed, staff(DAVI)).await.unwrap_err();
    assert!(refused.to_string().contains("marked as cancelled already, by customer at"), "{refused}");
}

#[tokio::test]
async fn visit_marked_as_cancelled_comes_back_with_its_time() {
    let world = figueira().await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    let visit = book_on(&world, caio, "Otávio", "combo", ("2026-11-24", "10:00")).await;
    world.set_local("2026-11-24T10:00");
    mark(&world, visit, VisitEnd::Cancelled, staff(DAVI)).await.unwrap();
    assert_eq!(status(&world, visit).await, AppointmentStatus::Cancelled);
    undo(&world, visit, staff(DAVI)).await.unwrap();
    assert_eq!(status(&world, visit).await, AppointmentStatus::Confirmed);
    mark(&world, visit, VisitEnd::Cancelled, staff(DAVI)).await.unwrap();
    let instead = book(&world, livia, "Otávio", "10:30").await;
    assert_eq!(undo(&world, visit, staff(DAVI)).await, Err(VisitRefusal::SlotTaken { id: visit }));
    assert_eq!(status(&world, instead).await, AppointmentStatus::Confirmed);
}

async fn outbox(world: &World) -> Vec<Outbox> {
    let organization = world.organization;
    let read = world.app.store.read(move |tx| {
        let mut all = outbox::list(tx, organization, OutboxState::Pending, 100)?;
        all.retain(|one| one.kind == "notice_visits");
        Ok::<_, StoreError>(all)
    });
    read.await.unwrap()
}

/// The sample, whose staff get e-mail.
async fn mailing() -> World {
    let mut world = figueira().await;
    let accounts = NotificationAccounts {
        email: Some("agenda@figueira.example".to_owned()),
        handoffs: HandoffAlerts { email: true, whatsapp: false },
        ..NotificationAccounts::default()
    };
    world.app = world.app.clone().with_notices(accounts);
    world
}

#[tokio::test]
async fn i_18_staff_are_asked_once_about_visits_that_nobody_marked() {
    let world = mailing().await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    let marked = book_on(&world, caio, "Otávio", "Corte na máquina", ("2026-11-25", "10:00")).await;
    let of_otavio = book_on(&world, livia, "Otávio", "Corte na máquina", ("2026-11-25", "11:00")).await;
    let of_iris = book_on(&world, caio, "Íris", "Corte de menino", ("2026-11-25", "16:00")).await;
    world.set_local("2026-11-25T12:40");
    mark(&world, marked, VisitEnd::Completed, staff(DAVI)).await.unwrap();
    assert_eq!(review(&world).await, 0, "the day is not over");
    world.set_local("2026-11-25T17:29");
    assert_eq!(review(&world).await, 0, "an hour after the last visit");
    world.set_local("2026-11-25T17:30");
    assert_eq!(review(&world).await, 2);
    assert_eq!(review(&world).await, 0);
    let questions = outbox(&world).await;
    let told: Vec<_> = questions
        .iter()
        .map(|one| {
            let names = [marked, of_otavio, of_iris].map(|id| one.body.contains(&format!("{id}\\n")));
            (["renata", "davi", "iris"].iter().position(|name| one.recipient.contains(name)).unwrap(), names)
        })
        .collect();
    assert_eq!(told, [(0, [false, true, true]), (1, [false, true, true]), (2, [false, false, true])]);
    let text = &questions.first().unwrap().body;
    assert!(text.contains("2 atendimentos sem marcação") && text.contains("Lívia Campos, Corte na máquina"), "{text}");
    assert_eq!(events(&world, of_otavio).await, ["appointment_booked", "appointment_unmarked"]);
    // The list stays until they are marked, and what is undone is not asked about again.
    let list = async || {
        let filter = AppointmentFilter { unmarked: true, ..AppointmentFilter::default() };
        let page = Appointments::new(world.app.clone()).page(world.organization, filter, None, 10).await.unwrap();
        page.items.into_iter().map(|one| one.view.id).collect::<Vec<_>>()
    };
    assert_eq!(list().await, [of_otavio, of_iris]);
    mark(&world, of_otavio, VisitEnd::NoShow, staff(DAVI)).await.unwrap();
    let visits = Visits::new(world.app.clone());
    let day = "2026-11-25".parse().unwrap();
    let rest = visits.complete_day(world.organization, day, staff("iris@figueira.example")).await.unwrap();
    assert_eq!(rest, Ok(1));
    assert!(list().await.is_empty());
    assert_eq!(
        (status(&world, of_otavio).await, status(&world, of_iris).await),
        (AppointmentStatus::NoShow, AppointmentStatus::Completed)
    );
    undo(&world, of_iris, staff(DAVI)).await.unwrap();
    world.set_local("2026-11-26T23:00");
    assert_eq!((review(&world).await, outbox(&world).await.len()), (0, 3));
}

#[tokio::test]
async fn visits_of_weeks_ago_are_not_asked_about() {
    let world = mailing().await;
    let old = book(&world, world.caio().await, "Otávio", "10:00").await;
    world.set_local("2026-12-02T10:00");
    assert_eq!(review(&world).await, 1);
    assert!(outbox(&world).await.is_empty());
    assert_eq!(events(&world, old).await, ["appointment_booked"]);
}

#[tokio::test]
async fn business_that_chose_so_has_its_visits_completed_by_the_server() {
    let store = Store::open_in_memory().unwrap();
    let world = edited(store, "barbearia-figueira.yaml", "2026-11-23T09:00", |text| {
        text.replace("unmarked_visits: ask", "unmarked_visits: complete")
    })
    .await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    let (came, missed) = (book(&world, caio, "Otávio", "10:00").await, book(&world, livia, "Otávio", "11:00").await);
    world.set_local("2026-11-24T11:29");
    assert_eq!(review(&world).await, 0);
    world.set_local("2026-11-24T12:30");
    assert_eq!((review(&world).await, review(&world).await), (2, 0));
    let log = acts(&world, came).await;
    assert_eq!(log.last().map(|one| (one.actor.as_str(), one.action.as_str())), Some(("job", "appointment.complete")));
    assert_eq!(events(&world, came).await.last().map(String::as_str), Some("appointment_completed"));
    // Staff know better, and their word needs no undo of an assumption.
    let marked = mark(&world, missed, VisitEnd::NoShow, staff(DAVI)).await.unwrap();
    assert_eq!((marked.changed, marked.appointment.status), (true, AppointmentStatus::NoShow));
    undo(&world, missed, staff(DAVI)).await.unwrap();
    undo(&world, came, staff(DAVI)).await.unwrap();
    assert_eq!(review(&world).await, 0, "the server takes up a visit once");
    assert_eq!(
        (status(&world, came).await, status(&world, missed).await),
        (AppointmentStatus::Confirmed, AppointmentStatus::Confirmed)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn timers_of_the_server_take_up_visits() {
    let world = mailing().await;
    let visit = book(&world, world.livia().await, "Otávio", "10:00").await;
    let shop = start_in_world(world, eli(), []);
    shop.world.set_local("2026-11-24T11:30");
    shop.fires(terms()).await;
    shop.fires(terms()).await;
    assert_eq!(events(&shop.world, visit).await, ["appointment_booked", "appointment_unmarked"]);
    assert_eq!(outbox(&shop.world).await.len(), 2, "renata and davi");
}

#[tokio::test]
async fn a_professional_marks_their_own_visits_and_who_looks_on_marks_none() {
    const IRIS: &str = "iris@figueira.example";
    const VIEWER: &str = "vera@figueira.example";
    let text = |text: String| {
        text.replace("staff:\n", &format!("staff:\n  - {{name: Vera, email: {VIEWER}, role: viewer}}\n"))
    };
    let world = edited(Store::open_in_memory().unwrap(), "barbearia-figueira.yaml", "2026-11-23T09:00", text).await;
    let caio = world.caio().await;
    let hers = book_on(&world, caio, "Íris Valente", "Corte de menino", ("2026-11-26", "10:00")).await;
    let his = book(&world, caio, "Wesley Moura", "10:00").await;
    let other = book_on(&world, caio, "Wesley Moura", "Corte na máquina", ("2026-11-26", "15:00")).await;
    world.set_local("2026-11-27T09:00");
    let refused = async |id, by| mark(&world, id, VisitEnd::NoShow, staff(by)).await.unwrap_err().to_string();
    assert!(refused(his, IRIS).await.contains("is a visit of another professional"));
    assert!(refused(hers, VIEWER).await.contains("has the role `viewer`, which may not mark visits"));
    mark(&world, hers, VisitEnd::NoShow, staff(IRIS)).await.unwrap();
    mark(&world, his, VisitEnd::Completed, staff(DAVI)).await.unwrap();
    assert!(matches!(undo(&world, his, staff(IRIS)).await, Err(VisitRefusal::OfAnother { .. })));
    undo(&world, hers, staff(IRIS)).await.unwrap();
    let day = "2026-11-26".parse().unwrap();
    let whole = Visits::new(world.app.clone()).complete_day(world.organization, day, staff(IRIS)).await.unwrap();
    assert_eq!(whole, Ok(1), "her own");
    assert_eq!(status(&world, hers).await, AppointmentStatus::Completed);
    assert_eq!(status(&world, other).await, AppointmentStatus::Confirmed);
}
