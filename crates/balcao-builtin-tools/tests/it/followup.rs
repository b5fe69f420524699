//! Pack `followup`.

use balcao_tool::ReceiptKind;
use serde_json::{Value, json};

use crate::world::{Problems, bad, error, figueira, no, proven, settings};

fn later(minutes: u32) -> Value {
    json!({"delay_minutes": minutes, "message_hint": "Ficou de escolher o horário.", "followup_type": "value"})
}

#[tokio::test]
async fn schedule_followup_plans_at_most_three() {
    let world = figueira().await;
    let livia = world.livia().await;
    let result = world.twice(livia, "schedule_followup", later(1440)).await;
    let value = world.listed("schedule_followup", &result, &["success", "followup_id", "send_at", "message"]);
    let id = value["followup_id"].as_i64().unwrap();
    let expected =
        json!({"success": true, "followup_id": id, "send_at": "2026-11-25T10:00", "message": "Retomada agendada."});
    assert_eq!((value, proven(&result)), (expected, vec![ReceiptKind::MessagePlanned]));
    let english = world.call(livia.in_english(), "schedule_followup", later(30)).await.value;
    assert_eq!((&english["send_at"], &english["message"]), (&json!("2026-11-24T10:30"), &json!("Follow-up planned.")));
    world.call(livia, "schedule_followup", later(4320)).await;
    let fourth = world.call(livia, "schedule_followup", later(30)).await;
    let value = no(&fourth);
    world.demanded("schedule_followup", &value, &["success", "reason", "message"]);
    assert_eq!((&value["success"], &value["reason"], &value["limit"]), (&json!(false), &json!("TOO_MANY"), &json!(3)));
    assert!(fourth.receipts.is_empty());
    // Another contact has three of their own.
    assert_eq!(world.call(world.caio().await, "schedule_followup", later(30)).await.value["success"], true);
}

#[tokio::test]
async fn schedule_followup_names_each_bad_field() {
    let world = figueira().await;
    let livia = world.livia().await;
    let table: [(Value, Problems); 5] = [
        (json!({}), &[("/delay_minutes", "missing"), ("/followup_type", "missing"), ("/message_hint", "missing")]),
        (later(60), &[("/delay_minutes", "not_allowed")]),
        (
            json!({"delay_minutes": 30, "message_hint": "", "followup_type": "urgent"}),
            &[("/followup_type", "not_allowed"), ("/message_hint", "too_short")],
        ),
        (json!({"delay_minutes": 30, "message_hint": "  ", "followup_type": "value"}), &[("/message_hint", "empty")]),
        (
            json!({"delay_minutes": "logo", "message_hint": "x", "followup_type": "value", "phone": "1"}),
            &[("/delay_minutes", "wrong_type"), ("/phone", "unknown_field")],
        ),
    ];
    for (args, expected) in table {
        let expected: Vec<_> = expected.iter().map(|(at, what)| ((*at).to_owned(), (*what).to_owned())).collect();
        assert_eq!(bad(&world.call(livia, "schedule_followup", args.clone()).await), expected, "{args}");
    }
    let fields = error(&world.call(livia, "schedule_followup", later(60)).await, "invalid_arguments")["fields"].clone();
    assert_eq!(
        (&fields[0]["got"], &fields[0]["nearest"], &fields[0]["expected"]),
        (&json!(60), &json!(30), &json!("one of [30,1440,4320]"))
    );
    let fields = json!({"delay_minutes": 30, "message_hint": "x", "followup_type": "curious"});
    let fields = error(&world.call(livia, "schedule_followup", fields).await, "invalid_arguments")["fields"].clone();
    assert_eq!(fields[0]["nearest"], "curiosity");
}

#[tokio::test]
async fn cancel_followup_says_how_many_and_proves_only_what_it_did() {
    let world = figueira().await;
    let (livia, caio) = (world.livia().await, world.caio().await);
    let none = world.call(livia, "cancel_followup", json!({})).await;
    let value = world.listed("cancel_followup", &none, &["success", "cancelled"]);
    assert_eq!(value, json!({"success": true, "cancelled": 0, "message": "Não havia retomada agendada."}));
    assert_eq!(proven(&none), []);
    let mut ids = Vec::new();
    for minutes in [30, 1440, 4320] {
        ids.push(world.call(livia, "schedule_followup", later(minutes)).await.value["followup_id"].clone());
    }
    // Somebody else's is as if it did not exist.
    let foreign = world.call(caio, "cancel_followup", json!({"followup_id": ids[0]})).await;
    assert_eq!((foreign.value["cancelled"].clone(), proven(&foreign)), (json!(0), vec![]));
    let one = world.twice(livia, "cancel_followup", json!({"followup_id": ids[0]})).await;
    assert_eq!(one.value, json!({"success": true, "cancelled": 1, "message": "Retomada cancelada."}));
    assert_eq!(proven(&one), [ReceiptKind::MessageCancelled]);
    let rest = world.call(livia.in_english(), "cancel_followup", json!({})).await.value;
    assert_eq!(rest, json!({"success": true, "cancelled": 2, "message": "Follow-up dropped."}));
    for id in [json!(0), json!(2_147_483_648_i64)] {
        let result = world.call(livia, "cancel_followup", json!({"followup_id": id})).await;
        assert_eq!(bad(&result), [("/followup_id".to_owned(), "out_of_range".to_owned())]);
    }
}

#[tokio::test]
async fn trigger_flow_is_not_offered_and_refuses_who_reaches_it() {
    let world = figueira().await;
    assert!(world.tools().get("trigger_flow").is_none());
    let livia = world.livia().await;
    let result = world.call(livia, "trigger_flow", json!({"flow_id": "boas_vindas"})).await;
    assert_eq!(result.value["code"], "unknown_tool");
    // A run by hand reaches the handler, as the pack has it.
    let handlers = balcao_builtin_tools::tools::handlers(&world.app, &settings());
    let handler = handlers.get("trigger_flow").unwrap();
    let answer = handler.call(&world.context(livia), json!({"flow_id": "boas_vindas"})).await.unwrap();
    assert_eq!((&answer.value["success"], &answer.value["reason"]), (&json!(false), &json!("not_available")));
    assert!(answer.receipts.is_empty());
}
