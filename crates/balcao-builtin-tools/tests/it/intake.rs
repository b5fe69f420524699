//! The pack `intake`: sessions with the conversation's professional, and what nobody can do to others by it.

use balcao_domain::Phone;
use balcao_store::{
    StoreError, crm::contact, messaging::conversation, scheduling::agenda_feed, scheduling::appointment,
    scheduling::catalog,
};
use balcao_tool::ResultClass;
use serde_json::{Value, json};

use crate::world::{Who, World, figueira};

const WRITER: &str = "31 98432-7788";
const OTHER: &str = "31 99640-1177";

/// Lívia, whose conversation is about Wesley.
async fn livia(world: &World) -> Who {
    let who = world.livia().await;
    about_wesley(world, who).await;
    who
}

async fn about_wesley(world: &World, who: Who) {
    let organization = world.organization;
    let set = world.app.store.write(move |tx| {
        let wesley = 2.try_into().unwrap();
        conversation::set_professional(tx, organization, who.conversation, Some(wesley))
    });
    set.await.map_err(|error: StoreError| error).unwrap();
}

fn booking(name: &str, phone: &str) -> Value {
    json!({"date": "2026-11-25", "time": "11:00", "client_name": name, "client_phone": phone})
}

/// Everything that is kept of a contact with a number, as text; empty if there is none.
async fn kept(world: &World, phone: &str) -> String {
    let (organization, phone) = (world.organization, Phone::parse(phone).unwrap());
    let read = world.app.store.read(move |tx| {
        let Some(found) = contact::find_by_phone(tx, organization, &phone)? else { return Ok(String::new()) };
        let all = appointment::of_contact(tx, organization, found.id, balcao_domain::Currency::BRL)?;
        Ok::<_, StoreError>(format!("{found:?} {all:?}"))
    });
    read.await.unwrap()
}

#[tokio::test]
async fn a_session_is_offered_booked_once_and_told() {
    let world = figueira().await;
    let who = livia(&world).await;
    let free = world.call(who, "get_available_slots", json!({"date": "amanhã"})).await;
    assert_eq!((&free.value["date"], &free.value["professional"]), (&json!("2026-11-25"), &json!("Wesley Moura")));
    assert!(free.value["slots"].as_array().unwrap().contains(&json!("11:00")), "{}", free.value);
    assert_eq!((&free.value["session_minutes"], &free.value["timezone"]), (&json!(30), &json!("America/Sao_Paulo")));
    let booked = world.call(who, "book_appointment", booking("Lívia", WRITER)).await;
    assert_eq!(booked.class, ResultClass::Success, "{}", booked.value);
    assert_eq!((&booked.value["time"], &booked.value["finish"]), (&json!("11:00"), &json!("11:30")));
    assert_eq!((&booked.value["for_somebody_else"], &booked.value["price"]), (&json!(false), &json!("R$ 50,00")));
    let again = world.call(who, "book_appointment", booking("Lívia", "+55 (31) 98432-7788")).await;
    assert_eq!(again.value["appointment_id"], booked.value["appointment_id"]);
    assert!(again.value["message"].as_str().unwrap().contains("nada mudou"));
    let info = world.call(who, "get_professional_info", json!({})).await.value;
    assert_eq!(
        (&info["name"], &info["profession"], &info["price"]),
        (&json!("Wesley Moura"), &json!("Barbeiro"), &json!("R$ 50,00"))
    );
    assert_eq!(info["working_hours"][0]["date"], "2026-11-24");
    assert_eq!(info["working_hours"].as_array().unwrap().len(), 7);
}

/// Gives every service this price.
async fn set_prices(world: &World, cents: i64) {
    let organization = world.organization;
    let raised = world.app.store.write(move |tx| {
        for service in catalog::list_services(tx, organization, balcao_domain::Currency::BRL)? {
            let price = balcao_domain::Money { cents, ..service.price };
            catalog::update_service(tx, organization, &balcao_domain::service::Service { price, ..service })?;
        }
        Ok(())
    });
    raised.await.map_err(|error: StoreError| error).unwrap();
}

#[tokio::test]
async fn a_yes_to_a_price_that_has_changed_since_is_asked_for_again() {
    let world = figueira().await;
    let who = livia(&world).await;
    let asked = world.ask(who, "book_appointment", booking("Lívia", WRITER)).await.confirm.unwrap();
    assert!(asked.contains("R$ 50,00"), "{asked}");
    set_prices(&world, 6_500).await;
    let again = world.call_agreed(who, "book_appointment", booking("Lívia", WRITER), asked).await;
    let question = again.confirm.unwrap();
    assert!(question.contains("R$ 65,00") && kept(&world, WRITER).await.find("2026-11-25").is_none(), "{question}");
    let booked = world.call_agreed(who, "book_appointment", booking("Lívia", WRITER), question).await;
    assert_eq!((booked.class, &booked.value["price"]), (ResultClass::Success, &json!("R$ 65,00")));
}

#[tokio::test]
async fn a_time_that_is_taken_is_refused_with_others_of_the_same_professional() {
    let world = figueira().await;
    let (first, second) = (world.caio().await, livia(&world).await);
    about_wesley(&world, first).await;
    assert_eq!(world.call(first, "book_appointment", booking("Caio", OTHER)).await.class, ResultClass::Success);
    let taken = world.call(second, "book_appointment", booking("Lívia", WRITER)).await;
    assert_eq!((taken.class, &taken.value["reason"]), (ResultClass::Refusal, &json!("SLOT_TAKEN")));
    let others = taken.value["alternatives"].as_array().unwrap();
    assert!(!others.is_empty() && others.iter().all(|one| one["barber"] == "Wesley Moura"), "{}", taken.value);
}

#[tokio::test]
async fn a_33_a_number_of_somebody_else_reads_changes_and_tells_nothing_of_them() {
    let world = figueira().await;
    let who = livia(&world).await;
    let before = kept(&world, OTHER).await;
    assert!(before.contains("Caio"), "{before}");
    let known = world.call(who, "book_appointment", booking("Bento", OTHER)).await;
    assert_eq!((known.class, &known.value["for_somebody_else"]), (ResultClass::Success, &json!(true)));
    assert_eq!(kept(&world, OTHER).await, before, "nothing of theirs changed");
    let mut later = booking("Rosa Lima", "31 91234-5678");
    later["time"] = json!("14:00");
    let fresh = world.call(who, "book_appointment", later).await;
    // Whether a number was known shows nowhere.
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&known.value), keys(&fresh.value));
    assert_eq!((&known.value["message"], &known.value["price"]), (&fresh.value["message"], &fresh.value["price"]));
    assert!(kept(&world, "31 91234-5678").await.contains("Rosa Lima"));
    // Both are the writer's, and recorded as being for somebody else.
    let history = world.call(who, "get_appointment_history", json!({})).await.value.to_string();
    assert!(history.contains("2026-11-25"), "{history}");
    let (organization, id) = (world.organization, fresh.value["appointment_id"].as_i64().unwrap());
    let read = world.app.store.read(move |tx| agenda_feed::entry(tx, organization, id.try_into().unwrap()));
    let entry = read.await.map_err(|error: StoreError| error).unwrap();
    assert_eq!(
        (entry.attendee.as_deref(), entry.attendee_phone.as_deref()),
        (Some("Rosa Lima"), Some("+5531912345678"))
    );
    assert_eq!(entry.contact.as_deref(), Some("Lívia Campos"));
}

#[tokio::test]
async fn a_34_the_writers_own_name_with_another_number_is_asked_about() {
    let world = figueira().await;
    let who = livia(&world).await;
    let refused = world.call(who, "book_appointment", booking("livia campos", OTHER)).await;
    assert_eq!((refused.class, &refused.value["reason"]), (ResultClass::Refusal, &json!("OTHER_NUMBER")));
    let visitor = world.visitor().await;
    about_wesley(&world, visitor).await;
    let before = kept(&world, OTHER).await;
    let booked = world.call(visitor, "book_appointment", booking("Caio", OTHER)).await;
    assert_eq!(booked.class, ResultClass::Success, "{}", booked.value);
    assert_eq!(kept(&world, OTHER).await, before, "a number that somebody types makes nobody of them");
}

#[tokio::test]
async fn somebody_else_counts_against_the_writers_own_limit() {
    let world = figueira().await;
    let who = livia(&world).await;
    let mut last = Value::Null;
    for (number, name) in ["Bia", "Rui", "Léo", "Eva", "Ivo", "Ada", "Noé"].into_iter().enumerate() {
        let mut wish = booking(name, &format!("31 91234-560{number}"));
        wish["time"] = json!(format!("{}:00", 11 + number));
        last = world.call(who, "book_appointment", wish).await.value;
    }
    assert_eq!(last["reason"], "TOO_MANY_OPEN", "{last}");
}

#[tokio::test]
async fn without_a_professional_the_customer_is_asked_and_nothing_is_booked() {
    let world = figueira().await;
    let who = world.livia().await;
    for (tool, args) in [
        ("get_available_slots", json!({"date": "2026-11-25"})),
        ("get_professional_info", json!({})),
        ("book_appointment", booking("Lívia", WRITER)),
    ] {
        let result = world.call(who, tool, args).await;
        assert_eq!(result.value["code"], "not_found", "{tool}: {}", result.value);
        assert_eq!(
            result.value["details"]["available"],
            json!(["Otávio Prado", "Wesley Moura", "Íris Valente"]),
            "{}",
            result.value
        );
    }
}

#[tokio::test]
async fn what_is_no_number_or_no_day_is_said_with_what_would_be_right() {
    let world = figueira().await;
    let who = livia(&world).await;
    for (phone, says) in
        [("9999-99999999999", "country code"), ("98432-7788", "country code"), ("20 98432-7788", "no area code 20")]
    {
        let result = world.call(who, "book_appointment", booking("Lívia", phone)).await;
        assert_eq!(result.class, ResultClass::Correction, "{}", result.value);
        assert!(result.value.to_string().contains(says), "{}", result.value);
    }
    let past = world.call(who, "get_available_slots", json!({"date": "2026-11-20"})).await;
    assert_eq!((&past.value["reason"], &past.value["slots"]), (&json!("PAST_DATE"), &json!([])));
    let wrong = world.call(who, "get_available_slots", json!({"date": "segunda, 24/11"})).await;
    assert_eq!(wrong.class, ResultClass::Correction, "{}", wrong.value);
}
