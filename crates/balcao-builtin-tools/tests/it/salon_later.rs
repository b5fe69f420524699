//! Pack `salon`: reminders and offers of the waitlist, which reach the customer later.

use balcao_tool::ReceiptKind;
use serde_json::json;

use crate::salon_writes::book;
use crate::world::{error, figueira, no, proven, settings, vereda};

#[tokio::test]
async fn schedule_appointment_reminder_plans_one() {
    let world = figueira().await;
    let livia = world.livia().await;
    let args = json!({"minutes_before": 60});
    let result = world.twice(livia, "schedule_appointment_reminder", args).await;
    let value = world.listed("schedule_appointment_reminder", &result, &["success", "remind_at", "message"]);
    let read = (&value["success"], &value["remind_at"], &value["minutes_before"], &value["message"]);
    assert_eq!(read, (&json!(true), &json!("2026-12-04T13:00"), &json!(60), &json!("Lembrete agendado.")));
    assert_eq!(value["appointment"]["service"], "Coloração");
    assert_eq!(proven(&result), [ReceiptKind::MessagePlanned, ReceiptKind::Existing]);
    let english = world.call(livia.in_english(), "schedule_appointment_reminder", json!({})).await.value;
    assert_eq!(english["message"], "Reminder planned.");
    let none = no(&world.call(world.visitor().await, "schedule_appointment_reminder", json!({})).await);
    world.demanded("schedule_appointment_reminder", &none, &["success", "reason", "message"]);
    assert_eq!((&none["success"], &none["reason"]), (&json!(false), &json!("NO_UPCOMING")));
    world.set_local("2026-12-04T13:30");
    let late = no(&world.call(livia, "schedule_appointment_reminder", json!({"minutes_before": 60})).await);
    assert_eq!((&late["reason"], &late["minutes_left"]), (&json!("TOO_LATE"), &json!(30)));
    let told = "A hora desse lembrete já passou: o seu horário é daqui a 30 min, e o lembrete seria 1 h antes.";
    assert!(late["message"].as_str().unwrap().starts_with(told), "{late}");
}

#[tokio::test]
async fn the_lead_of_a_reminder_is_asked_for_or_the_businesss_or_the_profiles() {
    let silent = |text: String| text.replace("    reminder_minutes: 1440\n", "");
    let usual = crate::world::world("barbearia-figueira.yaml", "2026-11-24T10:00", &settings(), silent).await;
    let own = figueira().await;
    let table = [
        (&own, json!({"minutes_before": 120}), "2026-12-04T12:00", 120),
        (&own, json!({}), "2026-12-03T14:00", 1440),
        (&usual, json!({}), "2026-12-04T13:00", 60),
    ];
    for (world, args, at, minutes) in table {
        let value = world.call(world.livia().await, "schedule_appointment_reminder", args.clone()).await.value;
        assert_eq!((&value["remind_at"], &value["minutes_before"]), (&json!(at), &json!(minutes)), "{args}");
    }
}

#[tokio::test]
async fn a_reminder_of_one_of_several_that_day_is_asked_about() {
    let world = figueira().await;
    let livia = world.livia().await;
    book(&world, livia, "2026-11-26", "11:00").await;
    let second = book(&world, livia, "2026-11-26", "15:00").await;
    let vague = world.call(livia, "schedule_appointment_reminder", json!({"minutes_before": 30})).await;
    assert_eq!(error(&vague, "ambiguous")["candidates"].as_array().unwrap().len(), 2);
    let args = json!({"appointment_id": second, "minutes_before": 30});
    let value = world.call(livia, "schedule_appointment_reminder", args).await.value;
    assert_eq!(value["remind_at"], "2026-11-26T14:30");
}

#[tokio::test]
async fn join_waitlist_gives_a_place_once() {
    let world = figueira().await;
    let (livia, caio) = (world.livia().await, world.caio().await);
    let args = json!({"date": "sábado", "barber_name": "Iris", "service_name": "tintura", "period": "morning"});
    let result = world.twice(livia, "join_waitlist", args.clone()).await;
    let value = world.listed("join_waitlist", &result, &["success", "position", "message"]);
    assert_eq!(
        value,
        json!({
            "success": true,
            "date": "2026-11-28",
            "weekday": "sábado",
            "barber": "Íris Valente",
            "service": "Coloração",
            "position": 1,
            "message": "Na lista de espera; avisamos se abrir um horário.",
        })
    );
    // The receipt has the names of the business, not those that the model wrote.
    let receipt = &result.receipts[0];
    assert_eq!((receipt.kind, receipt.day.unwrap().to_string().as_str()), (ReceiptKind::Waitlisted, "2026-11-28"));
    assert_eq!(
        (receipt.service.as_deref(), receipt.professional.as_deref()),
        (Some("Coloração"), Some("Íris Valente"))
    );
    let again = world.call(livia.in_english(), "join_waitlist", args).await.value;
    assert_eq!((&again["position"], &again["message"]), (&json!(1), &json!("You were on the waiting list already.")));
    let next = world.call(caio, "join_waitlist", json!({"date": "2026-11-28"})).await.value;
    assert_eq!((&next["position"], &next["barber"], &next["service"]), (&json!(2), &json!(null), &json!(null)));
}

#[tokio::test]
async fn join_waitlist_refuses_days_on_which_nothing_can_free() {
    let world = figueira().await;
    let livia = world.livia().await;
    let table = [
        (json!({"date": "2026-11-23"}), "PAST_DATE", "today", json!("2026-11-24")),
        (json!({"date": "2027-01-09"}), "TOO_FAR", "last_date", json!("2027-01-08")),
        (json!({"date": "2026-12-30", "service_name": "Coloração"}), "TOO_FAR", "last_date", json!("2026-12-24")),
        (json!({"date": "domingo"}), "OUTSIDE_HOURS", "open", json!([])),
        (json!({"date": "2026-12-12"}), "OUTSIDE_HOURS", "note", json!("Fechado: aniversário da cidade")),
        (json!({"date": "2026-12-25"}), "OUTSIDE_HOURS", "note", json!("Natal")),
        // Íris does not work on Tuesdays; Wesley is away that week.
        (
            json!({"date": "2026-12-01", "barber_name": "Íris"}),
            "OUTSIDE_HOURS",
            "open",
            json!([{"opens": "09:00", "closes": "20:00"}]),
        ),
        (json!({"date": "2027-01-05", "barber_name": "Wesley"}), "OUTSIDE_HOURS", "date", json!("2027-01-05")),
        (
            json!({"date": "2026-11-28", "period": "evening"}),
            "OUTSIDE_HOURS",
            "open",
            json!([{"opens": "08:00", "closes": "17:00"}]),
        ),
        (
            json!({"date": "2026-11-26", "barber_name": "Wesley", "service_name": "tesoura"}),
            "NOT_OFFERED",
            "offered_by",
            json!(["Otávio Prado", "Íris Valente"]),
        ),
    ];
    for (args, reason, fact, expected) in table {
        let result = world.call(livia, "join_waitlist", args.clone()).await;
        let value = no(&result);
        world.demanded("join_waitlist", &value, &["success", "reason", "message"]);
        let read = (&value["success"], &value["reason"], &value[fact]);
        assert_eq!(read, (&json!(false), &json!(reason), &expected), "{args}: {value}");
        assert!(result.receipts.is_empty());
    }
    // Today, when what is left of it is too short.
    world.set_local("2026-11-24T19:45");
    let late = no(&world.call(livia.in_english(), "join_waitlist", json!({"date": "today"})).await);
    assert_eq!(
        (&late["reason"], &late["message"]),
        (&json!("OUTSIDE_HOURS"), &json!("No time that would serve can open on that day."))
    );
    let nobody = error(
        &world.call(livia, "join_waitlist", json!({"date": "2026-11-26", "barber_name": "Zuleica"})).await,
        "not_found",
    );
    assert_eq!(nobody["argument"], "barber_name");
    let vague = error(
        &world.call(livia, "join_waitlist", json!({"date": "2026-11-26", "service_name": "corte"})).await,
        "ambiguous",
    );
    assert_eq!(vague["argument"], "service_name");
    // A full day is what the list is for.
    let world = vereda().await;
    let full = world
        .call(
            world.who("81 98655-4410").await,
            "join_waitlist",
            json!({"date": "2026-12-02", "barber_name": "Pilates"}),
        )
        .await;
    assert_eq!(world.listed("join_waitlist", &full, &["position"])["position"], 1);
}
