//! Pack `calendar`: names, shapes and messages of the seed, and whose events anybody sees.

use balcao_app::crm::contacts::Contacts;
use balcao_app::crm::notes::Notes;
use balcao_builtin_tools::{Settings, registry};
use balcao_tool::{CallResult, ReceiptKind, ResultClass};
use serde_json::{Value, json};

use crate::world::{Problems, Who, World, bad, error, figueira, proven, settings, world};

/// The value of a correct "no" of this pack: it has its reason, and says it in `error`.
fn no(result: &CallResult) -> Value {
    assert_eq!((result.class, result.code), (ResultClass::Refusal, None), "{}", result.value);
    assert!(result.value["error"].is_string() && result.receipts.is_empty(), "{}", result.value);
    result.value.clone()
}

fn cut(date: &str, time: &str) -> Value {
    json!({"serviceName": "degradê", "appointmentDate": date, "appointmentTime": time})
}

async fn events(world: &World, who: Who) -> Vec<(String, String)> {
    let listed = world.call(who, "listEventsTool", json!({"startDate": "hoje", "endDate": "31/12/2026"})).await;
    let text = |event: &Value, key: &str| event[key].as_str().unwrap().to_owned();
    let all = listed.value["events"].as_array().unwrap();
    all.iter().map(|event| (text(event, "id"), text(event, "start"))).collect()
}

async fn slots(world: &World, who: Who, start: &str, end: &str) -> Value {
    world.call(who, "getAvailableSlotsTool", json!({"startDate": start, "endDate": end})).await.value
}

#[tokio::test]
async fn an_appointment_is_saved_once_and_the_message_tells_with_whom() {
    let world = figueira().await;
    let caio = world.caio().await;
    let booked = world.twice(caio, "scheduleAppointmentTool", cut("25/11/2026", "15:00")).await;
    let value = &booked.value;
    assert_eq!(
        value["message"],
        "Agendamento salvo com sucesso no sistema. Corte na máquina com Otávio Prado, quarta, 25/11 às 15h."
    );
    assert_eq!(
        (&value["date"], &value["start"], &value["end"]),
        (&json!("25/11/2026"), &json!("15:00"), &json!("15:30"))
    );
    assert_eq!(proven(&booked), [ReceiptKind::Booked]);
    assert_eq!(
        events(&world, caio).await[0],
        (value["eventId"].as_str().unwrap().to_owned(), "25/11/2026 15:00".to_owned())
    );
    // Another turn that asks for the very same thing is told that it is there.
    let again = world.call(caio, "scheduleAppointmentTool", cut("amanhã", "15:00")).await;
    assert_eq!(again.value["eventId"], value["eventId"]);
    assert!(again.value["message"].as_str().unwrap().starts_with("Você já tinha"));
}

#[tokio::test]
async fn of_a_service_that_not_everybody_offers_only_their_times_are_told() {
    let world = figueira().await;
    let caio = world.caio().await;
    let value = slots(&world, caio, "27/11/2026", "27/11/2026").await;
    let starts = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|start| start.as_str().unwrap().to_owned()).collect()
    };
    let day = &value["days"][0];
    // Only Íris dyes hair, until six; the others work until nine.
    let (all, dye) = (starts(&day["freeSlots"]), starts(&day["freeSlotsOf"]["Coloração"]));
    assert!(all.contains(&"20:00".to_owned()), "{day}");
    // Nothing is booked with her that day: one run.
    let [run] = dye.as_slice() else { panic!("{dye:?}") };
    let (first, last) = run.split_once('-').unwrap();
    assert!(last <= "16:30", "{run}");
    for start in all.iter().filter(|start| (first..=last).contains(&start.as_str())) {
        let booked = json!({"serviceName": "Coloração", "appointmentDate": "27/11/2026", "appointmentTime": start});
        let preview = world.call(caio, "scheduleAppointmentTool", booked).await;
        assert_eq!(preview.value["professional"], "Íris Valente", "{start}: {}", preview.value);
        let id = preview.value["eventId"].clone();
        world.call(caio, "cancelAppointmentTool", json!({"eventId": id})).await;
    }
}

#[tokio::test]
async fn a_day_that_may_be_several_is_asked_about() {
    let world = figueira().await;
    let caio = world.caio().await;
    let told = error(&world.call(caio, "scheduleAppointmentTool", cut("sexta ou sábado", "15:00")).await, "ambiguous");
    assert_eq!(
        (&told["argument"], &told["candidates"]),
        (&json!("appointmentDate"), &json!(["27/11/2026", "28/11/2026"]))
    );
    // The pack's own dates are day before month in every language.
    let booked = world.call(caio, "scheduleAppointmentTool", cut("04/12/2026", "15:00")).await;
    assert_eq!(booked.value["date"], "04/12/2026");
}

#[tokio::test]
async fn anybody_free_who_offers_the_service_is_booked_unless_the_profile_names_one() {
    let world = figueira().await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    let professional = |result: &CallResult| result.value["professional"].as_str().unwrap().to_owned();
    let first = world.call(caio, "scheduleAppointmentTool", cut("25/11/2026", "15:00")).await;
    let second = world.call(livia, "scheduleAppointmentTool", cut("25/11/2026", "15:00")).await;
    assert_eq!((professional(&first), professional(&second)), ("Otávio Prado".to_owned(), "Wesley Moura".to_owned()));
    let only = Settings { professional: Some("Wesley Moura".to_owned()), ..settings() };
    let world = self::world("barbearia-figueira.yaml", "2026-11-24T10:00", &only, |text| text).await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    let first = world.call(caio, "scheduleAppointmentTool", cut("25/11/2026", "15:00")).await;
    assert_eq!(professional(&first), "Wesley Moura");
    let told = no(&world.call(livia, "scheduleAppointmentTool", cut("25/11/2026", "15:00")).await);
    assert_eq!((&told["reason"], &told["error"]), (&json!("SLOT_TAKEN"), &json!("Esse horário está ocupado.")));
    assert!(told.get("message").is_none());
    let busy = slots(&world, livia, "25/11/2026", "25/11/2026").await;
    assert_eq!(busy["days"][0]["businessHours"], "10:00-20:00");
    assert_eq!(busy["days"][0]["busySlots"], json!([{"start": "15:00", "end": "15:30"}]));
    assert_eq!(busy["professionals"], json!(["Wesley Moura"]));
    let names: Vec<&str> =
        busy["services"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Corte na máquina", "Barba desenhada", "Corte e barba", "Sobrancelha"]);
    // Wesley does not work on Mondays, but the shop is open.
    let days = slots(&world, livia, "29/11/2026", "30/11/2026").await;
    let hours = ["days/0/businessHours", "days/1/businessHours"].map(|at| days.pointer(&format!("/{at}")).unwrap());
    assert_eq!(hours, [&json!("Fechado"), &json!("Sem atendimento")]);
}

#[tokio::test]
async fn a_refusal_has_its_reason_and_dates_as_the_pack_writes_them() {
    let world = figueira().await;
    let caio = world.caio().await;
    let schedule =
        |date: &'static str, time: &'static str| world.call(caio, "scheduleAppointmentTool", cut(date, time));
    let sunday = no(&schedule("29/11/2026", "10:00").await);
    assert_eq!((&sunday["reason"], &sunday["businessHours"]), (&json!("OUTSIDE_HOURS"), &json!("")));
    let slot = &sunday["alternatives"][0];
    assert!(slot["date"].as_str().unwrap().ends_with("/2026") && slot["professional"].is_string(), "{slot}");
    let late = no(&schedule("24/11/2026", "09:00").await);
    assert_eq!((&late["reason"], &late["today"]), (&json!("PAST_DATE"), &json!("24/11/2026")));
    let far = no(&schedule("24/11/2027", "10:00").await);
    assert_eq!((&far["reason"], &far["lastDate"]), (&json!("TOO_FAR"), &json!("08/01/2027")));
    for value in [&sunday, &late, &far] {
        for word in ["appointment_id", "barber", "start_hour", "available_slots"] {
            assert!(!value.to_string().contains(word), "{word}: {value}");
        }
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_named_with_what_would_be_right() {
    let world = figueira().await;
    let caio = world.caio().await;
    let cases: [(&str, Value, Problems); 6] = [
        ("scheduleAppointmentTool", cut("31/02/2026", "10:00"), &[("/appointmentDate", "")]),
        ("scheduleAppointmentTool", cut("25/11/2026", "25:00"), &[("/appointmentTime", "")]),
        ("scheduleAppointmentTool", cut("sexta, 25/11/2026", "10:00"), &[("/appointmentDate", "")]),
        ("getAvailableSlotsTool", json!({"startDate": "27/11/2026", "endDate": "26/11/2026"}), &[("/endDate", "")]),
        ("getAvailableSlotsTool", json!({"startDate": "27/11/2026", "endDate": "27/01/2027"}), &[("/endDate", "")]),
        ("listEventsTool", json!({"startDate": "esta semana", "endDate": "hoje"}), &[("/startDate", "")]),
    ];
    for (tool, args, problems) in cases {
        let result = world.call(caio, tool, args).await;
        let pointers: Vec<String> = bad(&result).into_iter().map(|(pointer, _)| pointer).collect();
        assert_eq!(pointers, problems.iter().map(|(pointer, _)| *pointer).collect::<Vec<_>>(), "{}", result.value);
    }
    let mismatch = world.call(caio, "scheduleAppointmentTool", cut("sexta, 25/11/2026", "10:00")).await;
    assert_eq!(error(&mismatch, "invalid_arguments")["fields"][0]["nearest"], "25/11/2026");
    let service = json!({"serviceName": "massagem", "appointmentDate": "amanhã", "appointmentTime": "10:00"});
    let unknown = error(&world.call(caio, "scheduleAppointmentTool", service).await, "not_found");
    assert!(unknown["available"].as_array().unwrap().contains(&json!("Sobrancelha")), "{unknown}");
}

#[tokio::test]
async fn each_day_of_a_period_has_its_hours_and_its_busy_times() {
    let world = figueira().await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    let value = slots(&world, livia, "28/11/2026", "30/11/2026").await;
    let day = |value: &Value, index: usize| {
        let day = &value["days"][index];
        (
            day["date"].as_str().unwrap().to_owned(),
            day["businessHours"].as_str().unwrap().to_owned(),
            day["busySlots"].clone(),
        )
    };
    assert_eq!(day(&value, 0), ("28/11/2026".to_owned(), "08:00-17:00".to_owned(), json!([])));
    assert_eq!(day(&value, 1), ("29/11/2026".to_owned(), "Fechado".to_owned(), json!([])));
    assert_eq!(day(&value, 2), ("30/11/2026".to_owned(), "13:00-20:00".to_owned(), json!([])));
    // On Monday only Otávio works: what he has is busy. With two at work, only what both have.
    world.call(caio, "scheduleAppointmentTool", cut("30/11/2026", "15:00")).await;
    assert_eq!(
        day(&slots(&world, livia, "30/11/2026", "30/11/2026").await, 0).2,
        json!([{"start": "15:00", "end": "15:30"}])
    );
    world.call(caio, "scheduleAppointmentTool", cut("25/11/2026", "15:00")).await;
    assert_eq!(day(&slots(&world, livia, "25/11/2026", "25/11/2026").await, 0).2, json!([]));
    // A holiday says why; a period that goes beyond the calendar says until when it is open.
    assert_eq!(
        slots(&world, livia, "12/12/2026", "12/12/2026").await["days"][0]["note"],
        "Fechado: aniversário da cidade"
    );
    let long = slots(&world, livia, "28/12/2026", "20/01/2027").await;
    assert_eq!(long["days"].as_array().unwrap().last().unwrap()["date"], "08/01/2027");
    assert!(long["message"].as_str().unwrap().contains("08/01"), "{long}");
    // Today, what is over is busy.
    let today = day(&slots(&world, livia, "hoje", "hoje").await, 0).2;
    assert_eq!(today[0], json!({"start": "09:00", "end": "10:30"}));
    let over = no(&world
        .call(livia, "getAvailableSlotsTool", json!({"startDate": "20/11/2026", "endDate": "23/11/2026"}))
        .await);
    assert_eq!(over["reason"], "PAST_DATE");
}

/// `freeSlotsOf` holds names of the public list, and times or runs of them; nothing else.
fn only_public_services_have_times_of_their_own(value: &Value) {
    let names: Vec<&str> =
        value["services"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    let is_time = |text: &str| {
        let (hour, minute) = text.split_once(':').unwrap_or_default();
        let number = |digits: &str| digits.parse::<u8>().ok().filter(|_| digits.len() == 2);
        number(hour).is_some_and(|hour| hour < 24) && number(minute).is_some_and(|minute| minute < 60)
    };
    let mut seen = 0;
    for day in value["days"].as_array().unwrap() {
        for (name, starts) in day["freeSlotsOf"].as_object().into_iter().flatten() {
            assert!(names.contains(&name.as_str()), "{name} is on no list: {names:?}");
            for run in starts.as_array().unwrap() {
                let run = run.as_str().unwrap();
                assert!(run.split('-').count() <= 2 && run.split('-').all(is_time), "{run}");
                seen += 1;
            }
        }
    }
    assert!(seen > 0, "nothing to look at: {value}");
}

#[tokio::test]
async fn nothing_of_an_event_but_its_time_reaches_the_model_and_nothing_of_anybody_elses() {
    let world = figueira().await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    let listed = world.call(caio, "listEventsTool", json!({"startDate": "24/11/2026", "endDate": "31/12/2026"})).await;
    let own = listed.value["events"].as_array().unwrap();
    assert_eq!(own.len(), 1);
    assert_eq!(own[0]["summary"], "Compromisso Ocupado");
    assert_eq!((&own[0]["start"], &own[0]["end"]), (&json!("03/12/2026 09:30"), &json!("03/12/2026 10:00")));
    let theirs = events(&world, livia).await[0].0.clone();
    let others = slots(&world, caio, "03/12/2026", "04/12/2026").await;
    only_public_services_have_times_of_their_own(&others);
    // People of every role: whose the events are, their guests, and the numbers of both.
    for value in [&listed.value, &others] {
        for word in ["Bento", "Lívia", "Campos", "Caio", "Brandão", "99640", "1177", "98432", "7788"] {
            assert!(!value.to_string().contains(word), "{word}: {value}");
        }
    }
    // For what the others come is not told either: services stand in the list that everybody sees, and as keys of times.
    for service in ["Coloração", "Corte de menino"] {
        let mut bare = others.clone();
        bare["services"] = json!([]);
        for day in bare["days"].as_array_mut().unwrap() {
            day.as_object_mut().unwrap().remove("freeSlotsOf");
        }
        assert!(!format!("{bare} {}", listed.value).contains(service), "{service}: {bare}");
    }
    // A foreign id, one that nobody has and one that is none are told apart by nothing.
    let mut told = Vec::new();
    for id in [theirs.as_str(), "2147483000", "evt_7c0d2f9ab1e6", "-1"] {
        let asked = world.ask(caio, "cancelAppointmentTool", json!({"eventId": id})).await;
        let ran = world.call(caio, "cancelAppointmentTool", json!({"eventId": id})).await;
        assert_eq!(error(&ran, "not_found"), json!({"argument": "eventId"}));
        told.extend([asked.value, ran.value]);
    }
    told.dedup();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(events(&world, livia).await.len(), 1);
}

#[tokio::test]
async fn an_event_is_cancelled_once_after_a_question_that_names_its_time() {
    let world = figueira().await;
    let caio = world.caio().await;
    let id = events(&world, caio).await[0].0.clone();
    let asked = world.ask(caio, "cancelAppointmentTool", json!({"eventId": id})).await;
    assert_eq!(asked.confirm.as_deref(), Some("Posso cancelar o seu horário de quinta, 03/12 às 9h30?"));
    assert_eq!(events(&world, caio).await.len(), 1);
    let done = world.twice(caio, "cancelAppointmentTool", json!({"eventId": id})).await;
    assert_eq!(done.value["message"], "O agendamento foi cancelado com sucesso.");
    assert_eq!(proven(&done), [ReceiptKind::Cancelled]);
    assert!(events(&world, caio).await.is_empty());
    let again = no(&world.call(caio, "cancelAppointmentTool", json!({"eventId": id})).await);
    assert_eq!(again["reason"], "ALREADY_CANCELLED");
}

#[tokio::test]
async fn event_is_moved_in_one_act_after_a_question_that_names_both_times() {
    let world = figueira().await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    let id = events(&world, caio).await[0].0.clone();
    let to = |date: &str, time: &str| json!({"eventId": id, "newDate": date, "newTime": time});
    let asked = world.ask(caio, "rescheduleAppointmentTool", to("27/11/2026", "10:00")).await;
    let question = "Posso remarcar o seu horário de quinta, 03/12 às 9h30 para sexta, 27/11 às 10h?";
    assert_eq!(asked.confirm.as_deref(), Some(question));
    assert_eq!(events(&world, caio).await[0].1, "03/12/2026 09:30", "nothing changed");
    // Íris does not work on Mondays: the old time is kept.
    let refused = no(&world.call(caio, "rescheduleAppointmentTool", to("30/11/2026", "10:00")).await);
    assert_eq!(refused["reason"], "OUTSIDE_HOURS");
    assert_eq!(events(&world, caio).await[0].1, "03/12/2026 09:30");
    let done = world.twice(caio, "rescheduleAppointmentTool", to("27/11/2026", "10:00")).await;
    assert_eq!(
        done.value["message"],
        "O agendamento foi remarcado: Corte de menino com Íris Valente, sexta, 27/11 às 10h."
    );
    assert_eq!(proven(&done), [ReceiptKind::Rescheduled]);
    let now = events(&world, caio).await;
    assert_eq!((now.len(), now[0].1.as_str()), (1, "27/11/2026 10:00"));
    assert_eq!(done.value["eventId"], json!(now[0].0));
    let theirs = events(&world, livia).await[0].0.clone();
    let args = json!({"eventId": theirs, "newDate": "27/11/2026", "newTime": "11:00"});
    assert_eq!(
        error(&world.call(caio, "rescheduleAppointmentTool", args).await, "not_found"),
        json!({"argument": "eventId"})
    );
}

#[tokio::test]
async fn a_name_beside_the_booking_is_the_writers_or_that_of_who_comes() {
    let world = figueira().await;
    let (caio, contacts) = (world.caio().await, Contacts::new(world.app.clone()));
    let named = |name: &str, time: &str| {
        let mut args = cut("25/11/2026", time);
        args["clientFullName"] = name.into();
        args
    };
    world.call(caio, "scheduleAppointmentTool", named("caio brandão", "15:00")).await;
    world.call(caio, "scheduleAppointmentTool", named("Bento Brandão", "16:00")).await;
    let history = balcao_app::scheduling::appointments::Appointments::new(world.app.clone());
    let upcoming = history.history(world.organization, caio.contact).await.unwrap().upcoming;
    let who: Vec<Option<&str>> = upcoming.iter().take(2).map(|one| one.attendee.as_deref()).collect();
    assert_eq!(who, [None, Some("Bento Brandão")]);
    let nameless = world.nameless("31 95555-0001").await;
    world.call(nameless, "scheduleAppointmentTool", named("Rita Paes", "17:00")).await;
    assert_eq!(contacts.info(world.organization, nameless.contact).await.unwrap().name.as_deref(), Some("Rita Paes"));
    // Who said what to call them has a name: another is that of who comes.
    let preferred = world.nameless("31 95555-0002").await;
    world.call(preferred, "updateClientInfoTool", json!({"preferredName": "Rafael"})).await;
    world.call(preferred, "scheduleAppointmentTool", named("Pedro Silva", "18:00")).await;
    assert_eq!(contacts.info(world.organization, preferred.contact).await.unwrap().name, None);
    let upcoming = history.history(world.organization, preferred.contact).await.unwrap().upcoming;
    assert_eq!(upcoming.first().unwrap().attendee.as_deref(), Some("Pedro Silva"));
}

#[tokio::test]
async fn services_cost_and_take_what_they_do_with_whoever_may_be_booked() {
    let world = figueira().await;
    let caio = world.caio().await;
    let terms = async |world: &World, name: &str| {
        let services = slots(world, caio, "25/11/2026", "25/11/2026").await["services"].clone();
        let one = services.as_array().unwrap().iter().find(|one| one["name"] == name).cloned().unwrap_or_default();
        (one["price"].clone(), one["durationMinutes"].clone())
    };
    assert_eq!(terms(&world, "Corte na tesoura").await, (json!("R$ 70,00"), json!(45)));
    // Otávio asks more and is quicker; Wesley does it as it stands in the list.
    assert_eq!(terms(&world, "Corte e barba").await, (json!("R$ 88,00 a R$ 95,00"), json!(60)));
    let organization = world.organization;
    let set = world.app.store.write(move |tx| {
        let otavio = 1.try_into().unwrap();
        balcao_store::messaging::conversation::set_professional(tx, organization, caio.conversation, Some(otavio))
    });
    set.await.map_err(|error: balcao_store::StoreError| error).unwrap();
    assert_eq!(terms(&world, "Corte e barba").await, (json!("R$ 95,00"), json!(50)));
    assert_eq!(terms(&world, "Coloração").await, (Value::Null, Value::Null));
}

#[tokio::test]
async fn what_the_customer_tells_is_kept_and_the_message_confirms_it() {
    let world = figueira().await;
    let caio = world.caio().await;
    let args = json!({"preferredName": "Cacá", "addressText": "Rua Sergipe, 91", "notes": "Prefere de manhã."});
    let kept = world.twice(caio, "updateClientInfoTool", args).await;
    assert_eq!(
        kept.value["message"],
        "Dados do cliente foram salvos no sistema: Nome Preferido='Cacá', Endereço='Rua Sergipe, 91', Anotações='Prefere de manhã.'."
    );
    let info = Contacts::new(world.app.clone()).info(world.organization, caio.contact).await.unwrap();
    assert_eq!((info.preferred_name.as_deref(), info.address.as_deref()), (Some("Cacá"), Some("Rua Sergipe, 91")));
    let notes = Notes::new(world.app.clone()).list(world.organization, caio.contact).await.unwrap();
    assert_eq!(notes.iter().filter(|note| note.content == "Prefere de manhã.").count(), 1);
    let blank = world.call(caio, "updateClientInfoTool", json!({"preferredName": "  ", "notes": "x"})).await;
    assert_eq!(bad(&blank), [("/preferredName".to_owned(), "empty".to_owned())]);
    let notes = Notes::new(world.app.clone()).list(world.organization, caio.contact).await.unwrap();
    assert!(notes.iter().all(|note| note.content != "x"), "nothing of a call that is refused is kept");
    let blank = world.call(caio, "updateClientInfoTool", json!({"preferredName": "Caíque", "notes": "  "})).await;
    assert_eq!(bad(&blank), [("/notes".to_owned(), "empty".to_owned())]);
    let info = Contacts::new(world.app.clone()).info(world.organization, caio.contact).await.unwrap();
    assert_eq!(info.preferred_name.as_deref(), Some("Cacá"), "nothing of a call that is refused is kept");
}

#[tokio::test]
async fn tags_are_put_on_and_new_ones_made_where_the_profile_allows_it() {
    let free = Settings { allow_new_tags: true, ..settings() };
    let world = self::world("barbearia-figueira.yaml", "2026-11-24T10:00", &free, |text| text).await;
    let livia = world.livia().await;
    let args = json!({"tags": ["mensalista", "Orçamento"]});
    let kept = world.twice(livia, "updateConversationTagsTool", args.clone()).await;
    assert_eq!(kept.value["message"], "As etiquetas foram salvas com sucesso na conversa.");
    assert_eq!(kept.value["tags"], json!(["Mensalista", "Orçamento"]));
    assert!(kept.receipts.is_empty());
    let closed = figueira().await;
    let livia = closed.livia().await;
    let told = error(&closed.call(livia, "updateConversationTagsTool", args).await, "not_found");
    assert_eq!((told.get("saved"), &told["argument"]), (None, &json!("tags")));
    let info = Contacts::new(closed.app.clone()).info(closed.organization, livia.contact).await.unwrap();
    assert!(
        !info.tags.contains(&"Mensalista".to_owned()),
        "nothing of a call that is refused is kept: {:?}",
        info.tags
    );
}

#[tokio::test]
async fn a_person_and_the_end_are_receipts_that_closing_the_turn_carries_out() {
    let world = figueira().await;
    let caio = world.caio().await;
    let called = world.call(caio, "requestHumanSupportTool", json!({"reason": "Cliente irritado."})).await;
    assert_eq!(
        called.value,
        json!({"success": true, "message": "A conversa foi transferida para um atendente humano."})
    );
    assert_eq!(proven(&called), [ReceiptKind::HandedOff]);
    let ended = world.call(caio, "endConversationTool", json!({})).await;
    assert_eq!(ended.value, json!({"success": true, "message": "A conversa foi finalizada e arquivada."}));
    assert_eq!(proven(&ended), [ReceiptKind::Ended]);
    let english = world.call(caio.in_english(), "endConversationTool", json!({"reason": "done"})).await;
    assert_eq!(english.value["message"], "The conversation was ended and archived.");
}

#[tokio::test]
async fn the_summary_is_for_the_program_alone() {
    let world = figueira().await;
    let caio = world.caio().await;
    let asked = world.call(caio, "summarizeConversationTool", json!({})).await;
    assert_eq!(asked.value["code"], "unknown_tool");
    let tools = registry(&world.app, &settings()).unwrap();
    let summarize = tools.get("summarizeConversationTool").unwrap();
    assert!(summarize.spec.internal);
    // Nothing was said in this conversation yet: there is nothing to write down.
    let result = summarize.execute(&world.context(caio), json!({}), balcao_tool::RunMode::Execute).await;
    assert_eq!((result.class, &result.value["reason"]), (ResultClass::Refusal, &json!("NOTHING_SAID")));
}

#[tokio::test]
async fn the_conversations_professional_is_booked_where_the_profile_names_none() {
    let world = figueira().await;
    let caio = world.caio().await;
    let organization = world.organization;
    let set = world.app.store.write(move |tx| {
        let wesley = 2.try_into().unwrap();
        balcao_store::messaging::conversation::set_professional(tx, organization, caio.conversation, Some(wesley))
    });
    set.await.map_err(|error: balcao_store::StoreError| error).unwrap();
    let free = slots(&world, caio, "25/11/2026", "25/11/2026").await;
    assert_eq!(free["professionals"], json!(["Wesley Moura"]));
    let booked = world.call(caio, "scheduleAppointmentTool", cut("25/11/2026", "15:00")).await;
    assert_eq!(booked.value["professional"], "Wesley Moura", "{}", booked.value);
    // Another conversation is about nobody yet: whoever is free.
    let booked = world.call(world.livia().await, "scheduleAppointmentTool", cut("25/11/2026", "15:00")).await;
    assert_eq!(booked.value["professional"], "Otávio Prado", "{}", booked.value);
}

/// Open until midnight, also on the day on which the clock goes back from 24:00 to 23:00.
const LATE: &str = r#"
organization:
  name: Noturna
  slug: noturna
  timezone: America/Sao_Paulo
  locale: pt-BR
  currency: BRL
  hours: {fri: ["22:00-24:00"], sat: ["22:00-24:00"]}
  scheduling: {slot_step_minutes: 30, minimum_notice_minutes: 0, maximum_advance_days: 60, cancellation_notice_minutes: 0}
services:
  - {name: Corte, price: "50.00", duration_minutes: 30}
professionals:
  - {name: Ana, hours: {fri: ["22:00-24:00"], sat: ["22:00-24:00"]}, services: [Corte]}
contacts:
  - {name: Caio, phone: "+55 31 99640-1177"}
"#;

#[tokio::test]
async fn a_visit_until_midnight_and_one_where_the_clock_goes_back_are_busy_and_end_when_they_do() {
    let world = self::world("barbearia-figueira.yaml", "2018-02-16T10:00", &settings(), |_| LATE.to_owned()).await;
    let caio = world.caio().await;
    for date in ["16/02/2018", "17/02/2018"] {
        let what = json!({"serviceName": "Corte", "appointmentDate": date, "appointmentTime": "23:30"});
        assert_eq!(world.call(caio, "scheduleAppointmentTool", what).await.value["success"], true, "{date}");
        let day = slots(&world, caio, date, date).await["days"][0].clone();
        assert_eq!(day["busySlots"], json!([{"start": "23:30", "end": "24:00"}]), "{day}");
        assert_eq!(day["freeSlots"], json!(["22:00", "22:30", "23:00"]), "{day}");
    }
    let listed = world.call(caio, "listEventsTool", json!({"startDate": "16/02/2018", "endDate": "18/02/2018"})).await;
    let ends: Vec<&str> =
        listed.value["events"].as_array().unwrap().iter().map(|event| event["end"].as_str().unwrap()).collect();
    // On the 17th half past eleven is half an hour before eleven, which comes twice.
    assert_eq!(ends, ["17/02/2018 00:00", "17/02/2018 23:00"]);
    // All else is free: an hour that comes twice is not busy for that.
    let empty = self::world("barbearia-figueira.yaml", "2018-02-16T10:00", &settings(), |_| LATE.to_owned()).await;
    let caio = empty.caio().await;
    let day = slots(&empty, caio, "17/02/2018", "17/02/2018").await["days"][0].clone();
    assert_eq!(day["busySlots"], json!([]), "{day}");
}
