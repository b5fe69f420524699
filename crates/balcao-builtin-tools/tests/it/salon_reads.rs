//! Pack `salon`: what is looked up.

use balcao_tool::ReceiptKind;
use serde_json::{Value, json};

use crate::salon_writes::book;
use crate::world::{bad, error, figueira, no, proven, settings, vereda};

#[tokio::test]
async fn get_services_lists_what_is_active() {
    let inactive = |text: String| text.replace("name: Sobrancelha, price", "name: Sobrancelha, active: false, price");
    let world = crate::world::world("barbearia-figueira.yaml", "2026-11-24T10:00", &settings(), inactive).await;
    let result = world.call(world.caio().await, "get_services", json!({})).await;
    let fields = [
        "services",
        "services/0/id",
        "services/0/name",
        "services/0/price",
        "services/0/duration_minutes",
        "services/0/duration_display",
        "barbers",
        "barbers/0/name",
        "barbers/0/restrictions",
        "total_services",
        "total_barbers",
    ];
    let value = world.listed("get_services", &result, &fields);
    let services = value["services"].as_array().unwrap();
    let rows: Vec<_> = services
        .iter()
        .map(|one| {
            assert!(one["id"].as_i64().unwrap() >= 1);
            (one["name"].as_str().unwrap(), one["price"].as_str().unwrap(), one["duration_display"].as_str().unwrap())
        })
        .collect();
    let expected = [
        ("Corte na tesoura", "R$ 70,00", "45 min"),
        ("Corte na máquina", "R$ 50,00", "30 min"),
        ("Barba desenhada", "R$ 42,00", "25 min"),
        ("Corte e barba", "R$ 88,00", "1h"),
        ("Corte de menino", "R$ 45,00", "30 min"),
        ("Coloração", "R$ 120,00", "1h30"),
    ];
    assert_eq!(rows, expected);
    assert_eq!((&services[5]["duration_minutes"], &value["total_services"]), (&json!(90), &json!(6)));
    let barbers: Vec<_> =
        value["barbers"].as_array().unwrap().iter().map(|one| (&one["name"], &one["restrictions"])).collect();
    assert_eq!(
        barbers,
        [
            (&json!("Otávio Prado"), &json!(null)),
            (&json!("Wesley Moura"), &json!("Não faz corte na tesoura")),
            (&json!("Íris Valente"), &json!(null)),
        ]
    );
    assert_eq!(value["total_barbers"], 3);
    let extra = world.call(world.caio().await, "get_services", json!({"name": "Corte"})).await;
    assert_eq!(bad(&extra), [("/name".to_owned(), "unknown_field".to_owned())]);
}

#[tokio::test]
async fn get_barbers_tells_who_works_that_day() {
    let world = figueira().await;
    let caio = world.caio().await;
    let result = world.call(caio, "get_barbers", json!({})).await;
    let fields = [
        "barbers",
        "total",
        "barbers/0/name",
        "barbers/0/services",
        "barbers/0/works",
        "barbers/0/works/0/opens",
        "barbers/0/works/0/closes",
    ];
    let value = world.listed("get_barbers", &result, &fields);
    assert_eq!(
        (&value["date"], &value["weekday"], &value["total"]),
        (&json!("2026-11-24"), &json!("terça"), &json!(2))
    );
    let first = json!({
        "name": "Otávio Prado",
        "services": ["Corte na tesoura", "Corte na máquina", "Barba desenhada", "Corte e barba"],
        "works": [{"opens": "09:00", "closes": "12:00"}, {"opens": "13:30", "closes": "20:00"}],
        "restrictions": null,
    });
    assert_eq!(value["barbers"][0], first);
    // A near spelling is used, and what was understood is said.
    let dyers = world.call(caio, "get_barbers", json!({"date": "sábado", "service_name": "coloracáo"})).await.value;
    assert_eq!(
        (&dyers["service"], &dyers["total"], &dyers["barbers"][0]["name"]),
        (&json!("Coloração"), &json!(1), &json!("Íris Valente"))
    );
    // A closed day and a holiday: nobody, which is no error.
    for date in ["domingo", "2026-12-25", "2026-12-12"] {
        let closed = world.call(caio, "get_barbers", json!({"date": date})).await;
        assert_eq!(world.listed("get_barbers", &closed, &["barbers", "total"])["total"], 0, "{date}");
    }
    let unknown = world.call(caio, "get_barbers", json!({"service_name": "massagem"})).await;
    let details = error(&unknown, "not_found");
    assert_eq!((&details["argument"], details["available"].as_array().unwrap().len()), (&json!("service_name"), 7));
    let vague = world.call(caio, "get_barbers", json!({"service_name": "corte"})).await;
    assert!(error(&vague, "ambiguous")["candidates"].as_array().unwrap().len() >= 3);
}

#[tokio::test]
async fn check_availability_lists_free_starts_by_professional() {
    let world = figueira().await;
    let caio = world.caio().await;
    let args = json!({"date": "amanhã", "barber_name": "tavinho", "service_name": "combo"});
    let result = world.call(caio, "check_availability", args).await;
    let fields = [
        "date",
        "duration_minutes",
        "available",
        "total_free_slots",
        "results",
        "results/0/barber",
        "results/0/available_slots",
    ];
    let value = world.listed("check_availability", &result, &fields);
    let slots = value["results"][0]["available_slots"].as_array().unwrap();
    let read = (&value["date"], &value["weekday"], &value["barber"], &value["service"], &slots[0]);
    let expected =
        (json!("2026-11-25"), json!("quarta"), json!("Otávio Prado"), json!("Corte e barba"), json!("09:00"));
    assert_eq!(read, (&expected.0, &expected.1, &expected.2, &expected.3, &expected.4));
    // Otávio's own duration; the price and the grid are the business's.
    assert_eq!((&value["duration_minutes"], &value["available"]), (&json!(50), &json!(true)));
    assert_eq!(value["total_free_slots"], json!(slots.len()));
    assert!(value.get("next_available").is_none());
    let english = world.call(caio.in_english(), "check_availability", json!({"date": "2026-11-28"})).await.value;
    assert_eq!(english["weekday"], "Saturday");
}

#[tokio::test]
async fn check_availability_takes_the_duration_from_the_service_else_the_argument_else_the_default() {
    let world = figueira().await;
    let caio = world.caio().await;
    // A day that can be booked, one that is full of nothing, one that is over and one that is too far: always the same rule.
    for date in ["2026-11-26", "2026-11-29", "2026-11-20", "2027-03-02"] {
        let table = [
            (json!({"date": date, "service_name": "Coloração", "duration_minutes": 20}), 90),
            (json!({"date": date, "service_name": "combo", "barber_name": "Otávio"}), 50),
            (json!({"date": date, "duration_minutes": 120}), 120),
            (json!({"date": date}), 30),
        ];
        for (args, minutes) in table {
            let value = world.call(caio, "check_availability", args.clone()).await.value;
            assert_eq!(value["duration_minutes"], minutes, "{args}: {value}");
        }
    }
}

#[tokio::test]
async fn check_availability_shows_to_which_times_a_booking_that_keeps_its_length_can_be_moved() {
    let world = figueira().await;
    let (livia, caio) = (world.livia().await, world.caio().await);
    let id = book(&world, livia, "2026-11-25", "10:00").await;
    let ask = async |who, args: &Value| world.call(who, "check_availability", args.clone()).await.value;
    let wesley = json!({"date": "2026-11-25", "barber_name": "Wesley", "service_name": "degradê"});
    let anybody = json!({"date": "2026-11-25", "service_name": "Corte na máquina"});
    assert_eq!(ask(livia, &wesley).await.get("to_move"), None, "a new visit lasts as long");
    // Half an hour is free at 14:00; a new visit takes three quarters of one from now on, and hers keeps its half hour.
    book(&world, caio, "2026-11-25", "14:30").await;
    world
        .change_business(|text| {
            let cut = |minutes: u32| format!("corte curto], price: \"50.00\", duration_minutes: {minutes}");
            text.replace(&cut(30), &cut(45))
        })
        .await;
    for question in [&wesley, &anybody] {
        let shown = ask(livia, question).await;
        let of_wesley = shown["results"].as_array().unwrap().iter().find(|one| one["barber"] == "Wesley Moura");
        let starts = of_wesley.unwrap()["available_slots"].as_array().unwrap();
        assert!(shown["duration_minutes"] == 45 && !starts.contains(&json!("14:00")), "{shown}");
        let times = &shown["to_move"];
        let told = (&times["appointment_id"], &times["barber"], &times["duration_minutes"]);
        assert_eq!(told, (&json!(id), &json!("Wesley Moura"), &json!(30)), "{shown}");
        assert!(times["available_slots"].as_array().unwrap().contains(&json!("14:00")), "{shown}");
    }
    let english = ask(livia.in_english(), &wesley).await;
    assert!(english["to_move"]["note"].as_str().unwrap().starts_with("To move the appointment"), "{english}");
    // Another service or professional is a new visit, and so is every visit of who has none of the service.
    let brow = json!({"date": "2026-11-25", "service_name": "Sobrancelha"});
    let otavio = json!({"date": "2026-11-25", "barber_name": "Otávio", "service_name": "Corte na máquina"});
    for (who, question) in [(livia, &brow), (livia, &otavio), (world.visitor().await, &wesley)] {
        assert_eq!(ask(who, question).await.get("to_move"), None, "{question}");
    }
    // The time that was shown is taken by the move; of two bookings it is open which is meant.
    let to = json!({"appointment_id": id, "new_date": "2026-11-25", "new_start_hour": "14:00"});
    let moved = world.call(livia, "reschedule_appointment", to).await.value;
    assert_eq!(moved["success"], true, "{moved}");
    book(&world, livia, "2026-11-27", "15:00").await;
    assert_eq!(ask(livia, &wesley).await.get("to_move"), None);
}

#[tokio::test]
async fn check_availability_says_no_with_the_reason() {
    let world = figueira().await;
    let caio = world.caio().await;
    let call = |args| world.call(caio, "check_availability", args);
    let empty = |value: &Value| {
        world.demanded(
            "check_availability",
            value,
            &["date", "duration_minutes", "available", "total_free_slots", "results"],
        );
        let read = (&value["available"], &value["total_free_slots"], &value["results"]);
        assert_eq!(read, (&json!(false), &json!(0), &json!([])), "{value}");
    };
    // A day without free times gives the next one.
    let closed = no(&call(json!({"date": "2026-12-25", "barber_name": "Íris", "service_name": "Sobrancelha"})).await);
    empty(&closed);
    assert_eq!(closed["note"], "Natal");
    let next = json!({"date": "2026-12-26", "weekday": "sábado", "start_hour": "08:00", "barber": "Íris Valente"});
    assert_eq!(closed["next_available"], next);
    let past = no(&call(json!({"date": "2026-11-20"})).await);
    empty(&past);
    assert_eq!((&past["reason"], &past["today"]), (&json!("PAST_DATE"), &json!("2026-11-24")));
    let far = no(&world.call(caio.in_english(), "check_availability", json!({"date": "2027-03-02"})).await);
    empty(&far);
    assert_eq!((&far["reason"], &far["last_date"]), (&json!("TOO_FAR"), &json!("2027-01-08")));
    assert!(far["message"].as_str().unwrap().starts_with("The calendar is not open"));
    // A service has its own horizon.
    let dye = no(&call(json!({"date": "2026-12-30", "service_name": "Coloração"})).await);
    assert_eq!((&dye["reason"], &dye["last_date"]), (&json!("TOO_FAR"), &json!("2026-12-24")));
    let other = no(&call(json!({"date": "2026-11-26", "barber_name": "Wesley", "service_name": "tesoura"})).await);
    empty(&other);
    assert_eq!(
        (&other["reason"], &other["offered_by"]),
        (&json!("NOT_OFFERED"), &json!(["Otávio Prado", "Íris Valente"]))
    );
    assert_eq!((&other["service"], &other["barber"]), (&json!("Corte na tesoura"), &json!("Wesley Moura")));
}

#[tokio::test]
async fn check_availability_of_whom_nobody_can_book_says_how_far_it_looked() {
    let without_hours = |text: String| {
        let hours = text.lines().position(|line| line.contains("aliases: [Íris, Iris]")).unwrap() + 2;
        let lines = text.lines().enumerate().map(|(at, line)| if at == hours { "    hours: {}" } else { line });
        lines.collect::<Vec<_>>().join("\n")
    };
    let world = crate::world::world("barbearia-figueira.yaml", "2026-11-24T10:00", &settings(), without_hours).await;
    let caio = world.caio().await;
    let ask = |args| async { no(&world.call(caio, "check_availability", args).await) };
    for (question, reason, told) in [
        (
            json!({"date": "2026-11-26", "barber_name": "Íris"}),
            "NO_HOURS",
            "Íris Valente ainda não tem horários de atendimento cadastrados.",
        ),
        (
            json!({"date": "2026-11-26", "service_name": "Coloração"}),
            "NONE_FREE",
            "Não há horário livre nesse dia nem nos 30 dias seguintes.",
        ),
    ] {
        let answer = ask(question.clone()).await;
        assert_eq!((&answer["reason"], &answer["total_free_slots"]), (&json!(reason), &json!(0)), "{question}");
        assert_eq!((&answer["message"], answer.get("next_available")), (&json!(told), None), "{question}");
    }
}

#[tokio::test]
async fn check_availability_asks_which_of_the_days_that_may_be_meant() {
    let world = figueira().await;
    let caio = world.caio().await;
    for (date, candidates) in [
        ("quinta ou sábado", json!(["2026-11-26", "2026-11-28"])),
        ("dia 5 ou 6", json!(["2026-12-05", "2026-12-06"])),
        ("on 03/04", json!(["2027-04-03", "2027-03-04"])),
    ] {
        let told = error(&world.call(caio, "check_availability", json!({"date": date})).await, "ambiguous");
        assert_eq!((&told["argument"], &told["candidates"]), (&json!("date"), &candidates), "{date}");
    }
}

#[tokio::test]
async fn check_availability_understands_names_and_days_or_says_what_would_be_right() {
    let world = figueira().await;
    let caio = world.caio().await;
    let call = |args| world.call(caio, "check_availability", args);
    // An alias, and a near spelling: used, and reported.
    for name in ["Uéslei", "ueslei", "Wesly"] {
        let value = call(json!({"date": "2026-11-26", "barber_name": name})).await.value;
        assert_eq!(value["barber"], "Wesley Moura", "{name}: {value}");
    }
    let nobody = error(&call(json!({"date": "2026-11-26", "barber_name": "Zuleica"})).await, "not_found");
    assert_eq!(nobody["argument"], "barber_name");
    assert_eq!(nobody["available"], json!(["Otávio Prado", "Wesley Moura", "Íris Valente"]));
    let vague = error(&call(json!({"date": "2026-11-26", "service_name": "corte"})).await, "ambiguous");
    assert_eq!(
        (&vague["argument"], vague["candidates"].as_array().unwrap().is_empty()),
        (&json!("service_name"), false)
    );
    let table = [
        (json!({}), "/date", "missing"),
        (json!({"date": "2026-11-26", "barber_name": ""}), "/barber_name", "too_short"),
        (json!({"date": "2026-11-26", "duration_minutes": 4}), "/duration_minutes", "out_of_range"),
        (json!({"date": "2026-11-26", "duration_minutes": 725}), "/duration_minutes", "out_of_range"),
        (json!({"date": "2026-11-26", "duration_minutes": 7}), "/duration_minutes", "not_allowed"),
        (json!({"date": "2026-11-26", "service": "Corte"}), "/service", "unknown_field"),
    ];
    for (args, at, what) in table {
        assert_eq!(bad(&call(args.clone()).await), [(at.to_owned(), what.to_owned())], "{args}");
    }
    let odd = error(&call(json!({"date": "2026-11-26", "duration_minutes": 7})).await, "invalid_arguments");
    assert_eq!(odd["fields"][0]["got"], 7);
    // Weekday and date that do not match, several days, no day at all: said, never guessed.
    for (text, nearest) in [("sexta, 26/11", json!("2026-11-26")), ("quando der", json!(null)), ("31/02", json!(null))]
    {
        let fields = error(&call(json!({"date": text})).await, "invalid_arguments")["fields"].clone();
        assert_eq!(
            (&fields[0]["pointer"], &fields[0]["got"], &fields[0]["nearest"]),
            (&json!("/date"), &json!(text), &nearest)
        );
    }
}

#[tokio::test]
async fn get_subscriber_status_tells_active_overdue_and_cancelled_apart() {
    let world = figueira().await;
    let result = world.call(world.caio().await, "get_subscriber_status", json!({})).await;
    let fields =
        ["found", "client_name", "phone", "is_subscriber", "active_plans", "active_count", "due_date", "message"];
    let value = world.listed("get_subscriber_status", &result, &fields);
    let copa = json!({
        "name": "Copa",
        "price": "R$ 159,00",
        "status": "active",
        "due_date": "2026-12-10",
        "quota": null,
        "used": 0,
        "period": "month",
        "ends_on": null,
        "benefits": ["Cortes e barba à vontade", "10% nos produtos"],
    });
    assert_eq!(
        value,
        json!({
            "found": true,
            "client_name": "Caio Brandão",
            "phone": "+5531996401177",
            "is_subscriber": true,
            "active_plans": [copa],
            "active_count": 1,
            "other_plans": [],
            "status": "active",
            "due_date": "2026-12-10",
            "message": "Plano ativo.",
        })
    );
    // Overdue: not among the active ones, and said to be overdue.
    let livia = world.livia().await;
    let value = world.call(livia, "get_subscriber_status", json!({})).await.value;
    let read = (&value["is_subscriber"], &value["active_plans"], &value["active_count"], &value["status"]);
    assert_eq!(read, (&json!(false), &json!([]), &json!(0), &json!("overdue")));
    let other = &value["other_plans"][0];
    assert_eq!(
        (&other["name"], &other["status"], &value["due_date"]),
        (&json!("Raiz"), &json!("overdue"), &json!("2026-11-08"))
    );
    assert!(value["message"].as_str().unwrap().contains("atraso"));
    let english = world.call(livia.in_english(), "get_subscriber_status", json!({})).await.value;
    assert_eq!(english["message"], "The plan is overdue: it covers nothing until it is paid.");
    let visitor = world.call(world.visitor().await, "get_subscriber_status", json!({})).await.value;
    let read = (&visitor["found"], &visitor["status"], &visitor["due_date"], &visitor["phone"], &visitor["message"]);
    assert_eq!(read, (&json!(true), &json!("none"), &json!(null), &json!(null), &json!("Não é assinante.")));
    let world = vereda().await;
    let alice = world.call(world.who("81 98201-9090").await, "get_subscriber_status", json!({})).await.value;
    let read = (&alice["active_plans"], &alice["other_plans"][0]["status"], &alice["status"], &alice["message"]);
    assert_eq!(read, (&json!([]), &json!("cancelled"), &json!("cancelled"), &json!("Plano cancelado.")));
}

#[tokio::test]
async fn get_subscriber_status_looks_up_only_who_writes() {
    let world = figueira().await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    // One's own number, however it is written; the ninth digit may be missing.
    for phone in ["31 99640-1177", "+55 (31) 9640-1177", "5531996401177"] {
        let own = world.call(caio, "get_subscriber_status", json!({"phone": phone})).await;
        assert_eq!(world.listed("get_subscriber_status", &own, &[])["client_name"], "Caio Brandão", "{phone}");
    }
    // Another contact's number and nobody's are refused alike: nothing is given away.
    let other = world.call(livia, "get_subscriber_status", json!({"phone": "31 99640-1177"})).await;
    let nobody = world.call(livia, "get_subscriber_status", json!({"phone": "31 97777-0000"})).await;
    assert_eq!(error(&other, "forbidden"), json!(null));
    assert_eq!(other.value, nobody.value);
    assert!(other.value["_context"].as_str().unwrap().contains("sem `phone`"));
    // Staff may.
    let staff = world.call(livia.of_staff(), "get_subscriber_status", json!({"phone": "31 99640-1177"})).await;
    assert_eq!(world.listed("get_subscriber_status", &staff, &[])["client_name"], "Caio Brandão");
    let missing = no(&world.call(livia.of_staff(), "get_subscriber_status", json!({"phone": "31 97777-0000"})).await);
    assert_eq!(
        (&missing["found"], &missing["client_name"], &missing["phone"]),
        (&json!(false), &json!(null), &json!("+5531977770000"))
    );
    let table = [("abcdefghij", "bad_format"), ("12", "too_short")];
    for (phone, what) in table {
        let result = world.call(caio, "get_subscriber_status", json!({"phone": phone})).await;
        assert_eq!(bad(&result), [("/phone".to_owned(), what.to_owned())]);
        assert_eq!(result.value["details"]["fields"][0]["got"], phone);
    }
}

#[tokio::test]
async fn get_subscription_plans_lists_what_is_on_sale() {
    let world = figueira().await;
    let result = world.call(world.visitor().await, "get_subscription_plans", json!({})).await;
    let fields = ["plans", "plans/0/id", "plans/0/name", "plans/0/price", "plans/0/benefits", "plans/0/services"];
    let value = world.listed("get_subscription_plans", &result, &fields);
    let plans = value["plans"].as_array().unwrap();
    let raiz = json!({
        "id": plans[0]["id"].as_i64().unwrap(),
        "name": "Raiz",
        "price": "R$ 89,00",
        "period": "month",
        "benefits": ["2 cortes na máquina por mês"],
        "services": ["Corte na máquina"],
        "quota": 2,
    });
    assert_eq!((plans.len(), &plans[0]), (2, &raiz));
    assert_eq!((&plans[1]["name"], &plans[1]["quota"]), (&json!("Copa"), &json!(null)));
    let off =
        |text: String| text.replace("\"10% nos produtos\"], active: true", "\"10% nos produtos\"], active: false");
    let world = crate::world::world("barbearia-figueira.yaml", "2026-11-24T10:00", &settings(), off).await;
    let plans = world.call(world.visitor().await, "get_subscription_plans", json!({})).await.value["plans"].clone();
    assert_eq!(plans.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn get_appointment_history_is_that_of_who_writes() {
    let world = figueira().await;
    let caio = world.caio().await;
    let result = world.call(caio, "get_appointment_history", json!({})).await;
    let fields = [
        "found",
        "client_name",
        "from",
        "to",
        "total_visits",
        "upcoming_count",
        "upcoming",
        "upcoming/0/appointment_id",
        "preferred_barber",
        "last_5",
        "message",
    ];
    let value = world.listed("get_appointment_history", &result, &fields);
    let next = json!({
        "appointment_id": value["upcoming"][0]["appointment_id"].as_i64().unwrap(),
        "date": "2026-12-03",
        "weekday": "quinta",
        "start_hour": "09:30",
        "finish_hour": "10:00",
        "service": "Corte de menino",
        "barber": "Íris Valente",
        "status": "confirmed",
        "price": "R$ 45,00",
        "attendee": "Bento, filho",
    });
    assert_eq!(value["upcoming"], json!([next]));
    let read = (&value["found"], &value["client_name"], &value["total_visits"], &value["upcoming_count"]);
    assert_eq!(read, (&json!(true), &json!("Caio Brandão"), &json!(2), &json!(1)));
    assert_eq!((&value["from"], &value["to"]), (&json!("2026-10-13"), &json!("2026-11-24")));
    assert_eq!(
        (&value["preferred_barber"], &value["message"]),
        (&json!("Otávio Prado"), &json!("Um horário marcado."))
    );
    let last: Vec<_> = value["last_5"].as_array().unwrap().iter().map(|one| (&one["date"], &one["status"])).collect();
    let completed = json!("completed");
    assert_eq!(last, [(&json!("2026-11-10"), &completed), (&json!("2026-10-13"), &completed)]);
    // Each may be stated as existing; nothing was made.
    assert_eq!(proven(&result), [ReceiptKind::Existing]);
    let visitor = world.visitor().await;
    let nothing = no(&world.call(visitor.in_english(), "get_appointment_history", json!({})).await);
    world.demanded("get_appointment_history", &nothing, &["found", "from", "to", "total_visits", "upcoming", "last_5"]);
    let read = (&nothing["found"], &nothing["total_visits"], &nothing["upcoming"], &nothing["message"]);
    assert_eq!(read, (&json!(false), &json!(0), &json!([]), &json!("No upcoming appointment.")));
    let other = world.call(caio, "get_appointment_history", json!({"phone": "31 98432-7788"})).await;
    assert_eq!(bad(&other), [("/phone".to_owned(), "unknown_field".to_owned())]);
}
