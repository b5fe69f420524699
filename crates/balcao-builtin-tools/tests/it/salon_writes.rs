//! Pack `salon`: what is booked, cancelled and moved.

use balcao_tool::{CallResult, ErrorCode, ReceiptKind, ResultClass};
use serde_json::{Value, json};

use crate::world::{Problems, Who, World, bad, error, figueira, no, proven};

const BOOKED: [&str; 11] = [
    "success",
    "appointment_id",
    "barber",
    "date",
    "start_hour",
    "finish_hour",
    "service",
    "type",
    "is_subscriber",
    "plan_name",
    "message",
];

async fn upcoming(world: &World, who: Who) -> Vec<(i64, String)> {
    let value = world.call(who, "get_appointment_history", json!({})).await.value;
    let one = |view: &Value| {
        let at = format!("{}T{}", view["date"].as_str().unwrap(), view["start_hour"].as_str().unwrap());
        (view["appointment_id"].as_i64().unwrap(), at)
    };
    value["upcoming"].as_array().unwrap().iter().map(one).collect()
}

async fn starts(world: &World, who: Who) -> Vec<String> {
    upcoming(world, who).await.into_iter().map(|(_, at)| at).collect()
}

fn cut(date: &str, start: &str) -> Value {
    json!({"barber_name": "Wesley", "date": date, "start_hour": start, "service_name": "Corte na máquina"})
}

pub(crate) async fn book(world: &World, who: Who, date: &str, start: &str) -> i64 {
    let booked = world.call(who, "create_appointment", cut(date, start)).await;
    booked.value["appointment_id"].as_i64().unwrap_or_else(|| unreachable!("{}", booked.value))
}

/// The receipt says exactly what the result says.
fn receipt_of(result: &CallResult, kind: ReceiptKind) -> (String, String, String, String, i64) {
    assert_eq!(proven(result).first(), Some(&kind));
    let one = result.receipts[0].clone();
    let time = |time: Option<jiff::civil::Time>| time.unwrap().strftime("%H:%M").to_string();
    (
        one.day.unwrap().to_string(),
        time(one.start),
        one.professional.unwrap(),
        one.service.unwrap(),
        one.price_cents.unwrap(),
    )
}

#[tokio::test]
async fn create_appointment_books_once_for_who_writes() {
    let world = figueira().await;
    let livia = world.livia().await;
    let result = world.twice(livia, "create_appointment", cut("amanhã", "15:00")).await;
    let value = world.listed("create_appointment", &result, &BOOKED);
    assert_eq!(
        value,
        json!({
            "success": true,
            "appointment_id": value["appointment_id"].as_i64().unwrap(),
            "barber": "Wesley Moura",
            "date": "2026-11-25",
            "weekday": "quarta",
            "start_hour": "15:00",
            "finish_hour": "15:30",
            "service": "Corte na máquina",
            "price": "R$ 50,00",
            "type": "single",
            "is_subscriber": false,
            "plan_name": null,
            "plan_notice": "O plano Raiz está com o pagamento em atraso: este horário custa R$ 50,00.",
            "already_booked": false,
            "message": "Marcado. O plano Raiz está com o pagamento em atraso: este horário custa R$ 50,00.",
        })
    );
    let facts = ("2026-11-25", "15:00", "Wesley Moura", "Corte na máquina", 5000);
    let receipt = receipt_of(&result, ReceiptKind::Booked);
    assert_eq!((receipt.0.as_str(), receipt.1.as_str(), receipt.2.as_str(), receipt.3.as_str(), receipt.4), facts);
    assert_eq!(starts(&world, livia).await, ["2026-11-25T15:00", "2026-12-04T14:00"]);
    // Another call for the same is told that it is there; nothing is booked again.
    let again = world.call(livia.in_english(), "create_appointment", cut("2026-11-25", "15:00")).await.value;
    assert_eq!(again["message"], "You had exactly this appointment; nothing changed.");
    assert_eq!(
        (again["appointment_id"].clone(), starts(&world, livia).await.len()),
        (value["appointment_id"].clone(), 2)
    );
}

#[tokio::test]
async fn create_appointment_knows_whether_a_plan_pays() {
    let world = figueira().await;
    let caio = world.caio().await;
    let args = json!({"barber_name": "Otávio", "date": "2026-11-26", "start_hour": "9:00", "service_name": "combo"});
    let covered = world.call(caio, "create_appointment", args).await;
    let value = world.listed("create_appointment", &covered, &BOOKED);
    let read = (&value["type"], &value["is_subscriber"], &value["plan_name"], &value["price"], &value["start_hour"]);
    assert_eq!(read, (&json!("plan"), &json!(true), &json!("Copa"), &json!("R$ 0,00"), &json!("09:00")));
    // Otávio has his own duration for it.
    assert_eq!(value["finish_hour"], "09:50");
    // A payment of Lívia's plan is late: the customer hears so before the question, and the model after the booking.
    let livia = world.livia().await;
    let args = json!({"barber_name": "Otávio", "date": "2026-11-25", "start_hour": "9:00", "service_name": "Corte na máquina"});
    let value = world.call(livia, "create_appointment", args.clone()).await.value;
    let notice = "O plano Raiz está com o pagamento em atraso: este horário custa R$ 50,00.";
    let read = (&value["type"], &value["plan_notice"], &value["message"], &value["price"]);
    assert_eq!(read, (&json!("single"), &json!(notice), &json!(format!("Marcado. {notice}")), &json!("R$ 50,00")));
}

#[tokio::test]
async fn price_that_a_subscriber_does_not_expect_is_named_before_the_yes() {
    let world = figueira().await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    let late = "O plano Raiz está com o pagamento em atraso: este horário custa R$ 50,00.";
    let other = "O plano Copa não inclui este serviço: este horário custa R$ 25,00.";
    let brow =
        json!({"barber_name": "Wesley", "date": "2026-11-26", "start_hour": "11:00", "service_name": "Sobrancelha"});
    for (who, args, notice) in [(livia, cut("2026-11-25", "15:00"), late), (caio, brow, other)] {
        let before = starts(&world, who).await;
        let asked = world.call_unasked(who, "create_appointment", args.clone()).await;
        let question = asked.confirm.clone().unwrap();
        assert!(question.starts_with(&format!("{notice} Posso marcar ")), "{question}");
        assert_eq!(Some(question), world.ask(who, "create_appointment", args.clone()).await.confirm);
        assert_eq!((asked.code, starts(&world, who).await), (Some(ErrorCode::ConfirmationRequired), before));
        assert_eq!(world.call(who, "create_appointment", args).await.value["plan_notice"], json!(notice));
    }
    // What a plan pays for, and what costs the same as before, needs no further word.
    let covered = json!({"barber_name": "Otávio", "date": "2026-11-26", "start_hour": "9:00", "service_name": "combo"});
    let booked = world.call_unasked(caio, "create_appointment", covered).await.value;
    assert_eq!((&booked["price"], &booked["plan_notice"]), (&json!("R$ 0,00"), &json!(null)));
    let hour = json!({"appointment_id": booked["appointment_id"], "new_date": "2026-11-26", "new_start_hour": "10:00"});
    let moved = world.call_unasked(caio, "reschedule_appointment", hour).await;
    assert_eq!((&moved.value["success"], &moved.confirm), (&json!(true), &None));
    // A move to a service that the plan does not pay for is dearer.
    let id = moved.value["new_appointment"]["appointment_id"].clone();
    let colour = world.call(caio, "get_services", json!({})).await.value["services"].clone();
    let colour = colour.as_array().unwrap().iter().find(|one| one["name"] == "Sobrancelha").unwrap()["id"].clone();
    let dearer = json!({"appointment_id": id, "new_date": "2026-11-27", "new_start_hour": "11:00",
        "barber_name": "Wesley", "service_id": colour});
    let asked = world.call_unasked(caio, "reschedule_appointment", dearer.clone()).await.confirm.unwrap();
    assert!(asked.starts_with(&format!("{other} Posso trocar ")), "{asked}");
    // Staff know their prices.
    let staff = world.call_unasked(caio.of_staff(), "reschedule_appointment", dearer).await;
    assert_eq!(staff.value["plan_notice"], json!(other));
}

#[tokio::test]
async fn create_appointment_takes_a_service_by_name_by_id_or_by_neither() {
    let world = figueira().await;
    let livia = world.livia().await;
    let services = world.call(livia, "get_services", json!({})).await.value["services"].clone();
    let id = |name: &str| services.as_array().unwrap().iter().find(|one| one["name"] == name).unwrap()["id"].clone();
    let brow =
        json!({"barber_name": "Wesley", "date": "2026-11-26", "start_hour": "11:00", "service_id": id("Sobrancelha")});
    assert_eq!(world.call(livia, "create_appointment", brow.clone()).await.value["service"], "Sobrancelha");
    // Name and id that do not agree: asked, not guessed.
    let mut both = brow.clone();
    both["service_name"] = json!("Barba desenhada");
    let details = error(&world.call(livia, "create_appointment", both).await, "ambiguous");
    assert_eq!(details["candidates"], json!(["Barba desenhada", "Sobrancelha"]));
    let mut unknown = brow;
    unknown["service_id"] = json!(2_147_483_647);
    let details = error(&world.call(livia, "create_appointment", unknown).await, "not_found");
    assert_eq!((&details["argument"], details["available"].as_array().unwrap().len()), (&json!("service_id"), 7));
}

#[tokio::test]
async fn a_taken_slot_is_refused_with_the_nearest_alternatives() {
    let world = figueira().await;
    let (livia, visitor) = (world.livia().await, world.visitor().await);
    book(&world, livia, "2026-11-25", "15:00").await;
    let taken = world.twice(visitor, "create_appointment", cut("2026-11-25", "15:00")).await;
    let value = no(&taken);
    world.demanded("create_appointment", &value, &["success", "reason", "message"]);
    assert_eq!((&value["success"], &value["reason"]), (&json!(false), &json!("SLOT_TAKEN")));
    assert_eq!(value["message"], "Esse horário está ocupado.");
    let alternatives = value["alternatives"].as_array().unwrap();
    assert!(alternatives.contains(&json!({
        "date": "2026-11-25", "weekday": "quarta", "start_hour": "15:30", "barber": "Wesley Moura"
    })));
    assert!(alternatives.len() <= 5 && taken.receipts.is_empty());
    assert!(starts(&world, visitor).await.is_empty());
    let english = no(&world.call(visitor.in_english(), "create_appointment", cut("2026-11-25", "15:15")).await);
    assert_eq!(
        (&english["message"], &english["alternatives"][0]["weekday"]),
        (&json!("That time is taken."), &json!("Wednesday"))
    );
}

#[tokio::test]
async fn create_appointment_refuses_with_the_reason_and_its_facts() {
    let world = figueira().await;
    let livia = world.livia().await;
    let with = |barber: &str, service: &str, date: &str, start: &str| json!({"barber_name": barber, "service_name": service, "date": date, "start_hour": start});
    let table = [
        (with("Wesley", "máquina", "2026-11-23", "15:00"), "PAST_DATE", "today", json!("2026-11-24")),
        (with("Wesley", "máquina", "2026-11-24", "10:15"), "TOO_SOON", "notice_minutes", json!(30)),
        (with("Íris", "Coloração", "2026-11-25", "09:15"), "TOO_SOON", "notice_minutes", json!(1440)),
        (with("Wesley", "máquina", "2027-01-15", "15:00"), "TOO_FAR", "last_date", json!("2027-01-08")),
        (with("Wesley", "máquina", "2026-11-29", "15:00"), "OUTSIDE_HOURS", "works", json!([])),
        (with("Wesley", "máquina", "2026-12-25", "15:00"), "OUTSIDE_HOURS", "note", json!("Natal")),
        (
            with("Otávio", "máquina", "2026-11-25", "12:30"),
            "OUTSIDE_HOURS",
            "works",
            json!([{"opens": "09:00", "closes": "12:00"}, {"opens": "13:30", "closes": "20:00"}]),
        ),
        (
            with("Wesley", "tesoura", "2026-11-25", "15:00"),
            "NOT_OFFERED",
            "offered_by",
            json!(["Otávio Prado", "Íris Valente"]),
        ),
        (with("Wesley", "máquina", "2026-11-25", "15:07"), "OFF_GRID", "success", json!(false)),
        (with("Wesley", "máquina", "2026-12-04", "14:00"), "ALREADY_BOOKED_THEN", "success", json!(false)),
    ];
    for (args, reason, fact, expected) in table {
        let result = world.call(livia, "create_appointment", args.clone()).await;
        let value = no(&result);
        assert_eq!((&value["reason"], &value[fact]), (&json!(reason), &expected), "{args}: {value}");
        // Nothing was done; what stands there already may be said.
        let kinds: Vec<ReceiptKind> = result.receipts.iter().map(|receipt| receipt.kind).collect();
        let known: &[ReceiptKind] = if reason == "ALREADY_BOOKED_THEN" { &[ReceiptKind::Existing] } else { &[] };
        assert!(kinds == known && value["message"].is_string(), "{args}: {kinds:?}");
    }
    let other = no(&world.call(livia, "create_appointment", with("Wesley", "máquina", "2026-12-04", "14:00")).await);
    assert_eq!(other["existing"]["service"], "Coloração");
    assert_eq!(starts(&world, livia).await, ["2026-12-04T14:00"]);
    // As many appointments as the business allows, and no more.
    for start in ["10:00", "11:00", "12:00"] {
        book(&world, livia, "2026-11-26", start).await;
    }
    let value = no(&world.call(livia, "create_appointment", cut("2026-11-26", "13:00")).await);
    let read = (&value["reason"], &value["limit"], value["upcoming"].as_array().unwrap().len());
    assert_eq!(read, (&json!("TOO_MANY_OPEN"), &json!(4), 4));
}

#[tokio::test]
async fn names_that_lead_nowhere_or_to_several_are_asked_about() {
    let world = figueira().await;
    let livia = world.livia().await;
    let wish = |barber: &str, service: &str| json!({"barber_name": barber, "service_name": service, "date": "2026-11-26", "start_hour": "15:00"});
    let call = |args| world.call(livia, "create_appointment", args);
    // A near spelling is used, and the answer says who it is.
    let near = call(wish("Wesley Mora", "sobrancelia")).await.value;
    assert_eq!((&near["barber"], &near["service"]), (&json!("Wesley Moura"), &json!("Sobrancelha")), "{near}");
    let nobody = error(&call(wish("Zuleica", "máquina")).await, "not_found");
    assert_eq!((&nobody["argument"], nobody["available"].as_array().unwrap().len()), (&json!("barber_name"), 3));
    let nothing = error(&call(wish("Wesley", "massagem")).await, "not_found");
    assert_eq!(nothing["argument"], "service_name");
    let vague = error(&call(wish("Wesley", "corte")).await, "ambiguous");
    assert_eq!(vague["argument"], "service_name");
    assert!(vague["candidates"].as_array().unwrap().len() >= 3);
}

#[tokio::test]
async fn bad_arguments_are_named_before_anything_runs() {
    let world = figueira().await;
    let livia = world.livia().await;
    let good = cut("2026-11-26", "15:00");
    let changed = |field: &str, value: Value| {
        let mut args = good.clone();
        args[field] = value;
        args
    };
    let table: [(&str, Value, Problems); 16] = [
        (
            "create_appointment",
            json!({}),
            &[("/barber_name", "missing"), ("/date", "missing"), ("/start_hour", "missing")],
        ),
        ("create_appointment", changed("start_hour", json!("três")), &[("/start_hour", "bad_format")]),
        ("create_appointment", changed("start_hour", json!("24:00")), &[("/start_hour", "bad_format")]),
        ("create_appointment", changed("start_hour", json!("15:60")), &[("/start_hour", "bad_format")]),
        ("create_appointment", changed("service_id", json!(0)), &[("/service_id", "out_of_range")]),
        ("create_appointment", changed("service_id", json!(2_147_483_648_i64)), &[("/service_id", "out_of_range")]),
        ("create_appointment", changed("service_id", json!("um")), &[("/service_id", "wrong_type")]),
        ("create_appointment", changed("client_phone", json!("31 99640-1177")), &[("/client_phone", "unknown_field")]),
        ("cancel_appointment", json!({"appointment_id": 0}), &[("/appointment_id", "out_of_range")]),
        ("cancel_appointment", json!({"appointment_id": 2_147_483_648_i64}), &[("/appointment_id", "out_of_range")]),
        ("cancel_appointment", json!({"appointment_id": 1.5}), &[("/appointment_id", "wrong_type")]),
        ("reschedule_appointment", json!({"new_date": "sábado"}), &[("/new_start_hour", "missing")]),
        (
            "reschedule_appointment",
            json!({"new_date": "", "new_start_hour": "9h", "service_id": -1}),
            &[("/new_date", "too_short"), ("/new_start_hour", "bad_format"), ("/service_id", "out_of_range")],
        ),
        ("schedule_appointment_reminder", json!({"minutes_before": 4}), &[("/minutes_before", "out_of_range")]),
        ("schedule_appointment_reminder", json!({"minutes_before": 10_081}), &[("/minutes_before", "out_of_range")]),
        ("join_waitlist", json!({"period": "manhã"}), &[("/date", "missing"), ("/period", "not_allowed")]),
    ];
    for (tool, args, expected) in table {
        let expected: Vec<_> = expected.iter().map(|(at, what)| ((*at).to_owned(), (*what).to_owned())).collect();
        assert_eq!(bad(&world.call(livia, tool, args.clone()).await), expected, "{tool} {args}");
    }
    let odd = error(&world.call(livia, "create_appointment", changed("barber", json!("x"))).await, "invalid_arguments");
    assert_eq!(odd["fields"][0]["nearest"], "barber_name");
    let odd =
        error(&world.call(livia, "create_appointment", changed("service_id", json!(0))).await, "invalid_arguments");
    assert_eq!(
        (&odd["fields"][0]["got"], &odd["fields"][0]["expected"]),
        (&json!(0), &json!("integer from 1 to 2147483647"))
    );
    let weekday = world.call(livia, "create_appointment", changed("date", json!("sexta, 26/11"))).await;
    let fields = error(&weekday, "invalid_arguments")["fields"].clone();
    assert_eq!((&fields[0]["pointer"], &fields[0]["nearest"]), (&json!("/date"), &json!("2026-11-26")));
    assert_eq!(starts(&world, livia).await.len(), 1);
}

#[tokio::test]
async fn cancel_appointment_cancels_once() {
    let world = figueira().await;
    let caio = world.caio().await;
    let id = upcoming(&world, caio).await[0].0;
    let result = world.twice(caio, "cancel_appointment", json!({"appointment_id": id})).await;
    let value = world.listed("cancel_appointment", &result, &["success", "appointment_id", "message"]);
    let read = (&value["success"], &value["appointment_id"], &value["message"], &value["cancelled"]["status"]);
    assert_eq!(read, (&json!(true), &json!(id), &json!("Cancelado."), &json!("cancelled")));
    let receipt = receipt_of(&result, ReceiptKind::Cancelled);
    assert_eq!((receipt.0.as_str(), receipt.1.as_str()), ("2026-12-03", "09:30"));
    assert!(starts(&world, caio).await.is_empty());
    let again = no(&world.call(caio.in_english(), "cancel_appointment", json!({"appointment_id": id})).await);
    let read = (&again["reason"], &again["message"]);
    assert_eq!(read, (&json!("ALREADY_CANCELLED"), &json!("That appointment was cancelled already.")));
    let none = no(&world.call(caio, "cancel_appointment", json!({})).await);
    assert_eq!((&none["success"], &none["reason"]), (&json!(false), &json!("NO_UPCOMING")));
}

#[tokio::test]
async fn cancel_appointment_without_an_id_means_the_next_one() {
    let world = figueira().await;
    let livia = world.livia().await;
    let next = book(&world, livia, "2026-11-26", "11:00").await;
    // Two on that day: asked, not guessed.
    let second = book(&world, livia, "2026-11-26", "15:00").await;
    let vague = error(&world.call(livia, "cancel_appointment", json!({})).await, "ambiguous");
    let ids: Vec<_> = vague["candidates"].as_array().unwrap().iter().map(|one| one["appointment_id"].clone()).collect();
    assert_eq!(ids, [json!(next), json!(second)]);
    world.call(livia, "cancel_appointment", json!({"appointment_id": second})).await;
    let done = world.call(livia, "cancel_appointment", json!({})).await;
    assert_eq!(world.listed("cancel_appointment", &done, &[])["appointment_id"], next);
    assert_eq!(starts(&world, livia).await, ["2026-12-04T14:00"]);
}

#[tokio::test]
async fn a_31_an_appointment_of_somebody_else_is_as_if_it_did_not_exist() {
    let world = figueira().await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    let (own, others) = (upcoming(&world, livia).await[0].0, upcoming(&world, caio).await[0].0);
    let calls = [
        ("cancel_appointment", json!({})),
        ("reschedule_appointment", json!({"new_date": "2026-11-27", "new_start_hour": "15:00"})),
        ("schedule_appointment_reminder", json!({})),
    ];
    for (tool, args) in calls {
        let of = |id: i64| {
            let mut args = args.clone();
            args["appointment_id"] = json!(id);
            args
        };
        let foreign = world.call(livia, tool, of(others)).await;
        let upcoming = error(&foreign, "not_found")["upcoming"].clone();
        assert_eq!((upcoming.as_array().unwrap().len(), &upcoming[0]["appointment_id"]), (1, &json!(own)), "{tool}");
        // It is not told apart from an id that nobody has.
        assert_eq!(foreign.value, world.call(livia, tool, of(999_999)).await.value, "{tool}");
        assert!(!foreign.value.to_string().contains("Corte de menino"), "{tool}");
    }
    assert_eq!(starts(&world, caio).await, ["2026-12-03T09:30"]);
}

#[tokio::test]
async fn what_is_over_or_too_close_is_not_changed() {
    let world = figueira().await;
    let livia = world.livia().await;
    let id = book(&world, livia, "2026-11-26", "15:00").await;
    let table = [
        ("2026-11-26T12:01", "CANCELLATION_NOTICE"),
        ("2026-11-26T15:00", "PAST_DATE"),
        ("2026-11-27T09:00", "PAST_DATE"),
    ];
    for (now, reason) in table {
        world.set_local(now);
        let cancel = no(&world.call(livia, "cancel_appointment", json!({"appointment_id": id})).await);
        assert_eq!((&cancel["success"], &cancel["reason"]), (&json!(false), &json!(reason)), "{now}");
        let args = json!({"appointment_id": id, "new_date": "2026-11-28", "new_start_hour": "10:00"});
        let moved = no(&world.call(livia, "reschedule_appointment", args).await);
        assert_eq!((&moved["success"], &moved["reason"]), (&json!(false), &json!(reason)), "{now}");
        if reason == "CANCELLATION_NOTICE" {
            assert_eq!((&cancel["notice_minutes"], &moved["notice_minutes"]), (&json!(180), &json!(180)));
        }
    }
    // At the last minute of the deadline it still may be.
    world.set_local("2026-11-26T12:00");
    let done = world.call(livia, "cancel_appointment", json!({"appointment_id": id})).await;
    assert_eq!(world.listed("cancel_appointment", &done, &[])["success"], true);
    // A service has a deadline of its own.
    world.set_local("2026-12-03T14:01");
    let dye = no(&world.call(livia, "cancel_appointment", json!({})).await);
    assert_eq!((&dye["reason"], &dye["notice_minutes"]), (&json!("CANCELLATION_NOTICE"), &json!(1440)));
}

#[tokio::test]
async fn reschedule_appointment_moves_in_one_go_and_once() {
    let world = figueira().await;
    let livia = world.livia().await;
    let old = book(&world, livia, "2026-11-26", "15:00").await;
    let args = json!({"new_date": "sábado", "new_start_hour": "10:00", "appointment_id": old});
    let result = world.twice(livia, "reschedule_appointment", args).await;
    let fields = ["success", "old_appointment_cancelled", "new_appointment", "message"];
    let value = world.listed("reschedule_appointment", &result, &fields);
    world.demanded(
        "reschedule_appointment",
        &value,
        &[
            "new_appointment/appointment_id",
            "new_appointment/date",
            "new_appointment/start_hour",
            "new_appointment/barber",
        ],
    );
    let new = json!({
        "appointment_id": value["new_appointment"]["appointment_id"].as_i64().unwrap(),
        "date": "2026-11-28",
        "weekday": "sábado",
        "start_hour": "10:00",
        "finish_hour": "10:30",
        "service": "Corte na máquina",
        "barber": "Wesley Moura",
        "status": "confirmed",
        "price": "R$ 50,00",
    });
    let read = (&value["old_appointment_cancelled"], &value["new_appointment"], &value["message"]);
    assert_eq!(
        read,
        (
            &json!(true),
            &new,
            // It costs what it cost before the move.
            &json!("Remarcado.")
        )
    );
    assert_eq!(
        (&value["old_appointment"]["appointment_id"], &value["old_appointment"]["status"]),
        (&json!(old), &json!("cancelled"))
    );
    let receipt = receipt_of(&result, ReceiptKind::Rescheduled);
    assert_eq!((receipt.0.as_str(), receipt.1.as_str()), ("2026-11-28", "10:00"));
    assert_eq!(starts(&world, livia).await, ["2026-11-28T10:00", "2026-12-04T14:00"]);
}

#[tokio::test]
async fn a_move_that_fails_changes_nothing() {
    let world = figueira().await;
    let (livia, visitor) = (world.livia().await, world.visitor().await);
    book(&world, visitor, "2026-11-28", "10:00").await;
    let id = book(&world, livia, "2026-11-26", "15:00").await;
    let before = upcoming(&world, livia).await;
    let to = |date: &str, start: &str| json!({"appointment_id": id, "new_date": date, "new_start_hour": start});
    let taken = world.twice(livia, "reschedule_appointment", to("2026-11-28", "10:00")).await;
    let value = no(&taken);
    assert_eq!((&value["success"], &value["reason"]), (&json!(false), &json!("SLOT_TAKEN")));
    let free = value["available_slots"].as_array().unwrap();
    assert!(free.iter().any(|slot| slot["start_hour"] == "10:30" && slot["barber"] == "Wesley Moura"), "{value}");
    assert!(taken.receipts.is_empty());
    for (date, start, reason) in [
        ("2026-11-29", "10:00", "OUTSIDE_HOURS"),
        ("2027-02-01", "10:00", "TOO_FAR"),
        ("2026-11-23", "15:00", "PAST_DATE"),
    ] {
        assert_eq!(no(&world.call(livia, "reschedule_appointment", to(date, start)).await)["reason"], reason);
    }
    let mut nobody = to("2026-11-28", "11:00");
    nobody["barber_name"] = json!("Zuleica");
    let details = error(&world.call(livia, "reschedule_appointment", nobody).await, "not_found");
    assert_eq!(details["argument"], "barber_name");
    assert_eq!(upcoming(&world, livia).await, before);
    // Several that day, and no id: asked.
    book(&world, livia, "2026-11-26", "17:00").await;
    let vague =
        world.call(livia, "reschedule_appointment", json!({"new_date": "2026-11-27", "new_start_hour": "11:00"})).await;
    assert_eq!(error(&vague, "ambiguous")["candidates"].as_array().unwrap().len(), 2);
    let none = world.call(world.caio().await, "cancel_appointment", json!({})).await;
    assert_eq!(none.class, ResultClass::Success);
    let args = json!({"new_date": "2026-11-27", "new_start_hour": "12:00"});
    let none = no(&world.call(world.caio().await, "reschedule_appointment", args).await);
    assert_eq!(none["reason"], "NO_UPCOMING");
}

#[tokio::test]
async fn a_move_may_change_the_professional_and_the_service() {
    let world = figueira().await;
    let livia = world.livia().await;
    let services = world.call(livia, "get_services", json!({})).await.value["services"].clone();
    let id = book(&world, livia, "2026-11-26", "15:00").await;
    let args = json!({
        "appointment_id": id, "new_date": "2026-11-26", "new_start_hour": "15:15", "barber_name": "Tavinho",
        "service_id": services[0]["id"],
    });
    let asked = world.ask(livia, "reschedule_appointment", args.clone()).await.confirm.unwrap();
    let new = "por Corte na tesoura com Otávio Prado, quinta, 26/11 às 15h15?";
    let begin = "Este horário custa R$ 70,00. Posso trocar Corte na máquina com ";
    assert!(asked.starts_with(begin) && asked.ends_with(new), "both are named: {asked}");
    let moved = world.call(livia, "reschedule_appointment", args).await.value;
    let new = &moved["new_appointment"];
    let read = (&new["barber"], &new["service"], &new["finish_hour"], &new["price"]);
    assert_eq!(read, (&json!("Otávio Prado"), &json!("Corte na tesoura"), &json!("16:00"), &json!("R$ 70,00")));
}

#[tokio::test]
async fn the_customer_is_asked_in_one_sentence_and_nothing_happens() {
    let world = figueira().await;
    let caio = world.caio().await;
    let moved = json!({"new_date": "2026-12-04", "new_start_hour": "10:00"});
    let booked =
        json!({"barber_name": "Wesley", "date": "2026-11-25", "start_hour": "15:30", "service_name": "máquina"});
    let table = [
        (
            "cancel_appointment",
            json!({}),
            "Posso cancelar o seu horário de Corte de menino com Íris Valente, quinta, 03/12 às 9h30?",
            "May I cancel your appointment for Corte de menino with Íris Valente, Thursday",
        ),
        (
            "reschedule_appointment",
            moved,
            "Posso remarcar Corte de menino com Íris Valente de quinta, 03/12 às 9h30 para sexta, 04/12 às 10h?",
            "May I move Corte de menino with Íris Valente from Thursday",
        ),
        (
            "create_appointment",
            booked,
            "Posso marcar Corte na máquina com Wesley Moura, quarta, 25/11 às 15h30?",
            "May I book Corte na máquina with Wesley Moura, Wednesday",
        ),
    ];
    for (tool, args, pt, en) in table {
        let asked = world.ask(caio, tool, args.clone()).await;
        assert_eq!((asked.code, asked.class), (Some(ErrorCode::ConfirmationRequired), ResultClass::Refusal), "{tool}");
        assert_eq!(
            (&asked.value["code"], &asked.value["details"]["summary"]),
            (&json!("confirmation_required"), &json!(pt))
        );
        assert_eq!((asked.confirm.as_deref(), asked.receipts.len()), (Some(pt), 0));
        let english = world.ask(caio.in_english(), tool, args).await.confirm.unwrap();
        assert!(english.starts_with(en) && english.ends_with('?'), "{english}");
    }
    assert_eq!(starts(&world, caio).await, ["2026-12-03T09:30"]);
    // What would be refused is refused at once: nobody is asked in vain.
    let none = world.ask(world.visitor().await, "cancel_appointment", json!({})).await;
    assert_eq!((no(&none)["reason"].clone(), none.confirm), (json!("NO_UPCOMING"), None));
    let foreign = world.ask(caio, "cancel_appointment", json!({"appointment_id": 999_999})).await;
    assert_eq!(error(&foreign, "not_found")["upcoming"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn move_says_its_price_only_where_the_move_changes_it() {
    let world = figueira().await;
    let livia = world.livia().await;
    let brow = |start: &str| json!({"barber_name": "Wesley", "date": "2026-11-26", "start_hour": start, "service_name": "Sobrancelha"});
    let booked = world.call(livia, "create_appointment", brow("11:00")).await.value["appointment_id"].clone();
    world
        .change_business(|text| {
            text.replace(
                r#"{name: Sobrancelha, price: "25.00", duration_minutes: 15}"#,
                r#"{name: Sobrancelha, price: "35.00", duration_minutes: 30}"#,
            )
        })
        .await;
    // The same professional does the same service: nothing new is to be said.
    let later = json!({"appointment_id": booked, "new_date": "2026-11-26", "new_start_hour": "14:00"});
    let moved = world.call_unasked(livia, "reschedule_appointment", later).await.value;
    let one = &moved["new_appointment"];
    let read = [&one["price"], &one["finish_hour"], &moved["price_notice"], &moved["plan_notice"], &moved["message"]];
    assert_eq!(read, [&json!("R$ 25,00"), &json!("14:15"), &json!(null), &json!(null), &json!("Remarcado.")]);
    // Another professional has the terms of today, and the customer hears the price before their yes.
    let iris = json!({"appointment_id": one["appointment_id"], "new_date": "2026-11-26", "new_start_hour": "15:00", "barber_name": "Íris"});
    let notice = "Este horário custa R$ 35,00.";
    let asked = world.call_unasked(livia, "reschedule_appointment", iris.clone()).await.confirm.unwrap();
    assert!(asked.starts_with(&format!("{notice} Posso trocar ")), "{asked}");
    let moved = world.call(livia, "reschedule_appointment", iris).await.value;
    let one = &moved["new_appointment"];
    let read = [&one["price"], &one["finish_hour"], &moved["price_notice"], &moved["message"]];
    assert_eq!(read, [&json!("R$ 35,00"), &json!("15:30"), &json!(notice), &json!(format!("Remarcado. {notice}"))]);
}
