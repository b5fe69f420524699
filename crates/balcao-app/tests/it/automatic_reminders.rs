//! Automatic reminders: planned with a booking, moved and ended with it, answered with a yes.

use balcao_app::admin::business::{Business, Edit, FieldEdit, Section};
use balcao_app::context::staff_email::Actor;
use balcao_app::scheduling::appointments::Appointments;
use balcao_app::scheduling::booking::{BookRequest, Booking, RescheduleRequest, ServiceChoice};
use balcao_app::scheduling::reminders::Reminders;
use balcao_app::scheduling::visits::Visits;
use balcao_domain::appointment::visit::VisitEnd;
use balcao_domain::reminder::ReminderOrigin;
use balcao_domain::{AppointmentId, ContactId};
use balcao_llm::providers::scripted::says;
use balcao_store::scheduling::reminder::{self, ReminderState};
use balcao_store::{scheduling::appointment, turns::event};
use serde_json::{Value, json};

use crate::messaging_harness::{MessagingHarness, start_harness, terms};
use crate::timers::remind_automatically;

/// João has written; the counter is open on Tuesday, 24 November at ten.
async fn shop() -> (MessagingHarness, ContactId) {
    let shop = start_harness([says("Olá! Como posso ajudar?")]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
    let joao = shop.conversation().await.contact;
    (shop, joao)
}

async fn book(shop: &MessagingHarness, contact: ContactId, date: &str, start_min: u16) -> AppointmentId {
    let request = BookRequest {
        professional: Some("Wesley".to_owned().into()),
        service: Some(ServiceChoice::Name("Corte na máquina".to_owned())),
        date: date.parse().unwrap(),
        start_min,
        attendee: None,
        pending: false,
        source: "test".to_owned(),
        price_agreed: true,
    };
    let booking = Booking::new(shop.world.app.clone());
    let booked = booking.book(shop.world.organization, contact, shop.world.key(), request).await.unwrap();
    booked.value.unwrap().appointment.id
}

async fn move_to(
    shop: &MessagingHarness,
    contact: ContactId,
    id: AppointmentId,
    date: &str,
    start_min: u16,
) -> AppointmentId {
    let request = RescheduleRequest {
        appointment: Some(id),
        date: date.parse().unwrap(),
        start_min,
        professional: None,
        service: None,
        source: "test".to_owned(),
        price_agreed: true,
    };
    let booking = Booking::new(shop.world.app.clone());
    let moved = booking.reschedule(shop.world.organization, contact, shop.world.key(), request).await.unwrap();
    moved.value.unwrap().new.appointment.id
}

/// The local times of an appointment's reminders that are in this state, with who wanted them.
async fn reminders(shop: &MessagingHarness, id: AppointmentId, state: ReminderState) -> Vec<(String, ReminderOrigin)> {
    let organization = shop.world.organization;
    let all = shop.in_transaction(move |tx| reminder::list_of(tx, organization, id)).await;
    let zone = jiff::tz::TimeZone::get("America/Sao_Paulo").unwrap();
    let local = |at| zone.to_datetime(at).strftime("%m-%d %H:%M").to_string();
    let found = all.iter().filter(|one| one.state == state);
    found.map(|one| (local(one.planned.remind_at), one.origin)).collect()
}

fn automatic(times: &[&str]) -> Vec<(String, ReminderOrigin)> {
    times.iter().map(|time| ((*time).to_owned(), ReminderOrigin::Automatic)).collect()
}

#[tokio::test]
async fn booking_plans_reminders_that_are_not_past() {
    let (shop, joao) = shop().await;
    let tomorrow = book(&shop, joao, "2026-11-25", 15 * 60).await;
    assert_eq!(reminders(&shop, tomorrow, ReminderState::Open).await, automatic(&["11-24 15:00", "11-25 14:00"]));
    let in_five_hours = book(&shop, joao, "2026-11-24", 15 * 60).await;
    assert_eq!(reminders(&shop, in_five_hours, ReminderState::Open).await, automatic(&["11-24 14:00"]));
    let soon = book(&shop, joao, "2026-11-24", 10 * 60 + 45).await;
    assert_eq!(reminders(&shop, soon, ReminderState::Open).await, []);
}

#[tokio::test]
async fn business_chooses_its_reminders() {
    let (shop, joao) = shop().await;
    remind_automatically(&shop, Vec::new()).await;
    let silent = book(&shop, joao, "2026-11-26", 15 * 60).await;
    assert_eq!(reminders(&shop, silent, ReminderState::Open).await, [], "an empty list is no reminders");
    remind_automatically(&shop, vec![30, 2880]).await;
    let own = book(&shop, joao, "2026-11-27", 15 * 60).await;
    assert_eq!(reminders(&shop, own, ReminderState::Open).await, automatic(&["11-25 15:00", "11-27 14:30"]));
}

#[tokio::test]
async fn reminder_asked_for_at_an_automatic_minute_is_one() {
    let (shop, joao) = shop().await;
    let id = book(&shop, joao, "2026-11-25", 15 * 60).await;
    let ask = async |minutes| {
        let reminders = Reminders::new(shop.world.app.clone());
        let planned =
            reminders.schedule(shop.world.organization, joao, shop.world.key(), None, Some(minutes), 60).await;
        planned.unwrap().value.unwrap()
    };
    ask(60).await;
    ask(60).await;
    ask(120).await;
    let open = reminders(&shop, id, ReminderState::Open).await;
    let asked = |time: &str| (time.to_owned(), ReminderOrigin::Asked);
    assert_eq!(open, [automatic(&["11-24 15:00"]).remove(0), asked("11-25 13:00"), asked("11-25 14:00")]);
    // What they asked for moves with the appointment, whatever the business changes meanwhile.
    remind_automatically(&shop, vec![30]).await;
    let moved = move_to(&shop, joao, id, "2026-11-26", 16 * 60).await;
    let open = reminders(&shop, moved, ReminderState::Open).await;
    assert_eq!(open, [asked("11-26 14:00"), asked("11-26 15:00"), automatic(&["11-26 15:30"]).remove(0)]);
}

#[tokio::test]
async fn i_18_move_plans_reminders_of_the_new_start() {
    let (shop, joao) = shop().await;
    let id = book(&shop, joao, "2026-11-25", 15 * 60).await;
    shop.world.set_local("2026-11-24T15:00");
    assert_eq!(shop.fires(terms()).await, 1);
    assert_eq!(reminders(&shop, id, ReminderState::Sent).await, automatic(&["11-24 15:00"]));
    // The day-before reminder was sent for the old start; the new start gets one of its own.
    let moved = move_to(&shop, joao, id, "2026-11-27", 11 * 60).await;
    assert_eq!(reminders(&shop, id, ReminderState::Open).await, []);
    assert_eq!(reminders(&shop, id, ReminderState::Cancelled).await, automatic(&["11-25 14:00"]));
    assert_eq!(reminders(&shop, moved, ReminderState::Open).await, automatic(&["11-26 11:00", "11-27 10:00"]));
    // Back at the old start: the day before is past, and is not sent a second time.
    let back = move_to(&shop, joao, moved, "2026-11-25", 15 * 60).await;
    assert_eq!(reminders(&shop, back, ReminderState::Open).await, automatic(&["11-25 14:00"]));
    shop.world.set_local("2026-11-25T14:00");
    assert_eq!(shop.fires(terms()).await, 1);
    assert_eq!(shop.graph.accepted().len(), 3, "the greeting and two reminders");
}

#[tokio::test]
async fn imported_appointment_gets_its_reminders_when_it_moves() {
    let (shop, _) = shop().await;
    let livia = shop.world.livia().await;
    let history = Appointments::new(shop.world.app.clone()).history(shop.world.organization, livia).await.unwrap();
    let [imported] = history.upcoming.as_slice() else { panic!("{history:?}") };
    assert_eq!(reminders(&shop, imported.id, ReminderState::Open).await, []);
    let moved = move_to(&shop, livia, imported.id, "2026-12-05", 10 * 60).await;
    assert_eq!(reminders(&shop, moved, ReminderState::Open).await, automatic(&["12-04 10:00", "12-05 09:00"]));
}

#[tokio::test]
async fn reminder_that_quiet_hours_moved_stays_for_the_same_start() {
    let (shop, joao) = shop().await;
    remind_automatically(&shop, vec![17 * 60]).await;
    let id = book(&shop, joao, "2026-11-25", 15 * 60).await;
    shop.world.set_local("2026-11-24T22:00");
    assert_eq!(shop.fires(terms()).await, 0);
    assert_eq!(reminders(&shop, id, ReminderState::Open).await, automatic(&["11-25 08:00"]));
    let request = RescheduleRequest {
        appointment: Some(id),
        date: "2026-11-25".parse().unwrap(),
        start_min: 15 * 60,
        professional: Some("Otávio".to_owned()),
        service: None,
        source: "test".to_owned(),
        price_agreed: true,
    };
    let booking = Booking::new(shop.world.app.clone());
    let moved = booking.reschedule(shop.world.organization, joao, shop.world.key(), request).await.unwrap();
    let moved = moved.value.unwrap().new.appointment.id;
    assert_eq!(reminders(&shop, moved, ReminderState::Open).await, automatic(&["11-25 08:00"]));
}

#[tokio::test]
async fn cancelling_and_marking_end_the_reminders() {
    let (shop, joao) = shop().await;
    let (organization, app) = (shop.world.organization, shop.world.app.clone());
    let cancelled = book(&shop, joao, "2026-11-26", 15 * 60).await;
    let booking = Booking::new(app.clone());
    booking.cancel(organization, joao, shop.world.key(), Some(cancelled)).await.unwrap().value.unwrap();
    assert_eq!(reminders(&shop, cancelled, ReminderState::Cancelled).await, automatic(&["11-25 15:00", "11-26 14:00"]));
    let id = book(&shop, joao, "2026-11-25", 15 * 60).await;
    // The visit began, and the reminders could not be sent meanwhile.
    shop.world.set_local("2026-11-25T15:01");
    Visits::new(app).mark_visit(organization, id, VisitEnd::NoShow, Actor::Operator).await.unwrap().unwrap();
    assert_eq!(reminders(&shop, id, ReminderState::Open).await, []);
    assert_eq!(shop.fires(terms()).await, 0);
}

#[tokio::test]
async fn p_05_opted_out_contact_gets_no_automatic_reminder() {
    let (shop, joao) = shop().await;
    let id = book(&shop, joao, "2026-11-25", 15 * 60).await;
    shop.joao_writes("wamid.2", "pare").await;
    shop.run_until_idle().await;
    let sent = shop.graph.accepted().len();
    shop.world.set_local("2026-11-24T15:00");
    shop.fires(terms()).await;
    assert_eq!(shop.graph.accepted().len(), sent);
    assert_eq!(reminders(&shop, id, ReminderState::Skipped).await, automatic(&["11-24 15:00"]));
}

/// What João reads after a yes to the reminder.
const CONFIRMED: &str = "Presença confirmada: Corte na máquina com Wesley Moura, quarta, 25/11 às 15h. Até lá!";

/// How many events say that an appointment is confirmed.
async fn confirmations(shop: &MessagingHarness, id: AppointmentId) -> usize {
    let events = shop.in_transaction(|tx| event::waiting(tx, 100)).await;
    events.iter().filter(|one| one.kind == "appointment_confirmed" && one.subject == id.to_string()).count()
}

#[tokio::test]
async fn button_yes_confirms_the_appointment_once() {
    let (shop, joao) = shop().await;
    let id = book(&shop, joao, "2026-11-25", 15 * 60).await;
    shop.world.set_local("2026-11-24T15:00");
    assert_eq!(shop.fires(terms()).await, 1);
    let buttons = shop.graph.accepted().pop().unwrap()["interactive"]["action"]["buttons"].clone();
    assert_eq!((&buttons[0]["reply"]["title"], &buttons[1]["reply"]["title"]), (&json!("Sim"), &json!("Remarcar")));
    let tap = |place: usize| json!({ "type": "interactive", "interactive": { "type": "button_reply", "button_reply": buttons[place]["reply"].clone() } });
    shop.model.script([says("Claro! Para quando?")]);
    let asked = shop.model.requests().len();
    shop.joao_sends("wamid.2", tap(0)).await;
    shop.run_until_idle().await;
    assert_eq!(confirmations(&shop, id).await, 1);
    assert_eq!(shop.texts().last().map(String::as_str), Some(CONFIRMED));
    shop.joao_sends("wamid.3", tap(0)).await;
    shop.run_until_idle().await;
    assert_eq!(confirmations(&shop, id).await, 1, "the same answer again is no news");
    assert_eq!((shop.texts().last().map(String::as_str), shop.model.requests().len()), (Some(CONFIRMED), asked));
    shop.joao_sends("wamid.4", tap(1)).await;
    shop.run_until_idle().await;
    assert_eq!(shop.asked(), "Quero remarcar meu horário de Corte na máquina com Wesley Moura, quarta, 25/11 às 15h.");
}

#[tokio::test]
async fn written_yes_confirms_and_anything_else_does_not() {
    for (text, confirmed) in
        [("sim", 1), ("Sim, pode confirmar!", 1), ("sim, mas queria mais tarde", 0), ("não", 0), ("quanto custa?", 0)]
    {
        let (shop, joao) = shop().await;
        let id = book(&shop, joao, "2026-11-25", 15 * 60).await;
        shop.world.set_local("2026-11-24T15:00");
        assert_eq!(shop.fires(terms()).await, 1);
        if confirmed == 0 {
            shop.model.script([says("Certo!")]);
        }
        shop.joao_writes("wamid.2", text).await;
        shop.run_until_idle().await;
        assert_eq!(confirmations(&shop, id).await, confirmed, "{text}");
        // A yes is answered with what is confirmed; what asks for more is the model's to answer.
        let expected = if confirmed == 1 { CONFIRMED } else { "Certo!" };
        assert_eq!(shop.texts().last().map(String::as_str), Some(expected), "{text}");
    }
}

#[tokio::test]
async fn yes_to_a_reminder_is_in_own_words_that_answer_no_other_message() {
    let text = |body: &str, context: Value| json!({ "type": "text", "text": { "body": body }, "context": context });
    let forwarded = json!({ "forwarded": true });
    let another = json!({ "from": "1", "id": "wamid.of.another" });
    for (own, sent, confirmed) in [
        (Some("sim"), text("que frio hoje", forwarded.clone()), 1),
        (None, text("sim", forwarded), 0),
        (None, text("sim", another), 0),
    ] {
        let (shop, joao) = shop().await;
        let id = book(&shop, joao, "2026-11-25", 15 * 60).await;
        shop.world.set_local("2026-11-24T15:00");
        assert_eq!(shop.fires(terms()).await, 1);
        if confirmed == 0 {
            shop.model.script([says("Certo!")]);
        }
        if let Some(own) = own {
            shop.joao_writes("wamid.2", own).await;
        }
        shop.joao_sends("wamid.3", sent.clone()).await;
        shop.run_until_idle().await;
        assert_eq!(confirmations(&shop, id).await, confirmed, "{sent}");
    }
}

#[tokio::test]
async fn yes_to_a_reminder_counts_beside_an_answer_to_another_message() {
    for (own, quoting, confirmed) in [
        ("sim", "adorei esse corte", 1),
        ("sim", "não", 1),
        ("sim", "quanto custa?", 1),
        ("vou pensar", "sim", 0),
        ("ok", "não vou poder ir", 0),
        ("ok", "não vou conseguir", 0),
        ("ok", "cancela", 0),
        ("ok", "quero cancelar esse", 0),
        ("ok", "dá pra remarcar?", 0),
        ("ok", "tenho que desmarcar", 0),
        ("ok", "prefiro outro dia", 0),
        ("ok", "can't make it", 0),
    ] {
        let (shop, joao) = shop().await;
        let id = book(&shop, joao, "2026-11-25", 15 * 60).await;
        shop.world.set_local("2026-11-24T15:00");
        assert_eq!(shop.fires(terms()).await, 1);
        shop.model.script([says("Certo!")]);
        let context = json!({ "from": "1", "id": "wamid.of.another" });
        shop.joao_writes("wamid.2", own).await;
        let answer = json!({ "type": "text", "text": { "body": quoting }, "context": context });
        shop.joao_sends("wamid.3", answer).await;
        shop.run_until_idle().await;
        assert_eq!(confirmations(&shop, id).await, confirmed, "{own}, {quoting}");
        // What answers another message is the model's to answer.
        assert_eq!(shop.texts().last().map(String::as_str), Some("Certo!"), "{own}, {quoting}");
    }
}

#[tokio::test]
async fn yes_to_a_reminder_keeps_a_hold() {
    let (shop, joao) = shop().await;
    let id = book(&shop, joao, "2026-11-25", 15 * 60).await;
    shop.in_transaction(move |tx| {
        let until = "2026-11-25T12:00:00Z".parse::<jiff::Timestamp>().unwrap();
        tx.execute(
            "UPDATE appointment SET status = 'pending', expires_at = ?1 WHERE id = ?2",
            &[until.into(), id.into()],
        )
    })
    .await;
    shop.world.set_local("2026-11-24T15:00");
    assert_eq!(shop.fires(terms()).await, 1);
    shop.joao_writes("wamid.2", "sim").await;
    shop.run_until_idle().await;
    let organization = shop.world.organization;
    let found = shop
        .in_transaction(move |tx| appointment::find(tx, organization, id, balcao_domain::Currency::BRL))
        .await
        .unwrap();
    assert_eq!((found.status, found.holds_until), (balcao_domain::AppointmentStatus::Confirmed, None));
}

#[tokio::test]
async fn planned_reminders_are_listed_in_order_page_by_page() {
    let (shop, joao) = shop().await;
    book(&shop, joao, "2026-11-26", 15 * 60).await;
    book(&shop, joao, "2026-11-25", 15 * 60).await;
    let reminders = Reminders::new(shop.world.app.clone());
    let first = reminders.page(shop.world.organization, None, 3).await.unwrap();
    let times = |page: &balcao_app::scheduling::reminders::ReminderPage| {
        page.items.iter().map(|one| one.remind_at_local.clone()).collect::<Vec<_>>()
    };
    assert_eq!(times(&first), ["2026-11-24T15:00", "2026-11-25T14:00", "2026-11-25T15:00"]);
    assert_eq!(first.items[0].contact, joao);
    let second = reminders.page(shop.world.organization, first.next, 3).await.unwrap();
    assert_eq!((times(&second), second.next), (vec!["2026-11-26T14:00".to_owned()], None));
}

#[tokio::test]
async fn setting_is_checked_and_written_back() {
    let (shop, _) = shop().await;
    let (business, organization) = (Business::new(shop.world.app.clone()), shop.world.organization);
    let edit = |value: Value| Edit::Change {
        section: Section::Organization,
        name: String::new(),
        fields: vec![("scheduling.automatic_reminder_minutes".to_owned(), FieldEdit::Set(value))],
    };
    for (wrong, told) in [
        (json!([0]), "write a whole number from 1 to 527040"),
        (json!([-5]), "write a whole number from 1 to 527040"),
        (json!([527_041]), "write a whole number from 1 to 527040"),
        (json!([60, 30, 60]), "invalid minutes 60; the list has them already"),
        (json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]), "expected at most 10"),
        (json!(60), "a list is expected"),
    ] {
        let refused = business.plan_edit(organization, edit(wrong.clone())).await.unwrap().unwrap_err();
        assert!(refused.to_string().contains(told), "{wrong}: {refused}");
    }
    for (value, exported) in
        [(json!([120, 2880]), json!([2880, 120])), (json!([]), json!([])), (json!([60, 1440]), Value::Null)]
    {
        let (file, plan) = business.plan_edit(organization, edit(value.clone())).await.unwrap().unwrap();
        business.apply(organization, file, plan.hash, "Renata".to_owned()).await.unwrap().unwrap();
        let document = business.export(organization).await.unwrap();
        assert_eq!(document["organization"]["scheduling"]["automatic_reminder_minutes"], exported, "{value}");
    }
}
