//! A program's day: turns, the inbox, contacts, the agenda.

use std::time::Duration;

use balcao_domain::outbox::OutboxState;
use balcao_llm::providers::scripted::says;
use reqwest::Method;
use serde_json::{Value, json};

use super::world::{Shop, quiet, shop};

const DAVI: &str = "davi@figueira.example";

#[tokio::test]
async fn a_turn_is_with_whoever_has_the_phone_and_its_name_leads_back_to_it() {
    let shop = shop([says("Oi, Caio!"), says("Claro, que dia?"), says("Oi!")]).await;
    let caio = shop.contact("caio").await;
    let contact = json!({ "phone": "31 99640-1177", "name": "Outro nome" });
    let first = shop.post("/v1/turn", json!({ "conversation": "visit 1", "text": "oi", "contact": contact })).await;
    assert_eq!((&first.body["outcome"], &first.body["contact_id"]), (&json!("reply"), &json!(caio)));
    let second = shop.post("/v1/turn", json!({ "conversation": "visit 1", "text": "tem quarta?" })).await;
    assert_eq!((&second.body["reply"], &second.body["contact_id"]), (&json!("Claro, que dia?"), &json!(caio)));
    assert_eq!(second.body["conversation_id"], first.body["conversation_id"]);
    let known = shop.get(&format!("/v1/contacts/{caio}")).await;
    assert_eq!(known.body["name"], "Caio Brandão", "a known name was overwritten");
    let contact = json!({ "phone": "31 98432-7788" });
    let other = shop.post("/v1/turn", json!({ "conversation": "visit 1", "text": "oi", "contact": contact })).await;
    assert_eq!(other.problem(), (409, "other_contact"));
    let nobody = shop.post("/v1/turn", json!({ "conversation": "visit 2", "text": "oi" })).await;
    assert_ne!(nobody.body["contact_id"], json!(caio));
    shop.model.finish().unwrap();
}

#[tokio::test]
async fn p_08_whoever_asks_for_a_person_is_handed_over_and_staff_answer_and_give_back() {
    let shop = shop([says("Bom dia de novo!")]).await;
    let turn = |text: &str| json!({ "conversation": "c", "text": text, "contact": { "phone": "31 99640-1177" } });
    let handed = shop.post("/v1/turn", turn("quero falar com um atendente")).await;
    assert_eq!(handed.body["outcome"], "handoff", "{handed:?}");
    assert!(handed.body["reply"].is_string());
    let id = handed.body["conversation_id"].as_str().unwrap().to_owned();

    let waiting = shop.get("/v1/conversations?state=waiting_human").await;
    assert_eq!((&waiting.body["items"][0]["id"], &waiting.body["items"][0]["channel"]), (&json!(id), &json!("api")));
    let handoffs = shop.get("/v1/handoffs?open=true").await;
    assert_eq!(handoffs.body["items"][0]["conversation_id"], json!(id));
    assert_eq!(handoffs.body["items"][0]["turn_id"], handed.body["turn_id"]);

    let taken = shop.post(&format!("/v1/conversations/{id}/take"), json!({ "staff": DAVI })).await;
    assert_eq!((taken.status, taken.body), (200, json!({ "taken_from": null })));
    let again = json!({ "staff": "RENATA@figueira.example" });
    let again = shop.post(&format!("/v1/conversations/{id}/take"), again).await;
    assert_eq!(again.body["taken_from"], "Davi Lopes");
    let silent = shop.post("/v1/turn", turn("oi?")).await;
    assert_eq!((&silent.body["outcome"], &silent.body["reply"]), (&json!("silence"), &Value::Null));

    let unknown = json!({ "staff": "ninguem@figueira.example", "text": "oi" });
    let unknown = shop.post(&format!("/v1/conversations/{id}/reply"), unknown).await;
    assert!(unknown.body["detail"].as_str().unwrap().contains(DAVI), "{unknown:?}");
    let text = json!({ "staff": DAVI, "text": "Oi, aqui é o Davi." });
    shop.post(&format!("/v1/conversations/{id}/reply"), text).await;
    let detail = shop.get(&format!("/v1/conversations/{id}")).await;
    assert_eq!(detail.body["conversation"]["state"], "human");
    let authors: Vec<&str> =
        detail.body["messages"].as_array().unwrap().iter().map(|one| one["author"].as_str().unwrap()).collect();
    assert_eq!(authors, ["contact", "agent", "contact", "staff"]);

    let give_back = format!("/v1/conversations/{id}/give-back");
    let more = shop.post(&give_back, json!({ "reason": "x" })).await;
    assert_eq!(more.status, 422, "what is not looked at is not taken");
    let nobody = shop.post(&give_back, json!({ "staff": "ninguem@figueira.example" })).await;
    assert_eq!(nobody.fields(), unknown.fields(), "{nobody:?}");
    let back = shop.post(&give_back, json!({ "staff": DAVI })).await;
    assert_eq!((back.status, &back.body), (200, &json!({ "conversation_id": id, "unanswered": 0 })));
    assert_eq!(shop.get("/v1/handoffs?open=true").await.body["items"], json!([]));
    let resolved = shop.get("/v1/handoffs").await;
    assert!(resolved.body["items"][0]["resolved_at"].is_string(), "{resolved:?}");
    assert_eq!(shop.post("/v1/turn", turn("oi")).await.body["reply"], "Bom dia de novo!");
}

#[tokio::test]
async fn what_staff_do_in_a_conversation_stands_in_the_audit_log_with_who_and_before_and_after() {
    let shop = shop([says("Oi!")]).await;
    let id = shop.post("/v1/turn", json!({ "conversation": "c", "text": "oi" })).await.body["conversation_id"].clone();
    let act = |what: &str| format!("/v1/conversations/{}/{what}", id.as_str().unwrap());
    for (what, body) in [
        ("take", json!({ "staff": "RENATA@figueira.example" })),
        ("reply", json!({ "staff": DAVI, "text": "Oi!" })),
        ("notes", json!({ "staff": DAVI, "text": "Prefere ligação." })),
        ("give-back", json!({ "staff": DAVI })),
        ("take", json!({ "staff": DAVI })),
    ] {
        assert_eq!(shop.post(&act(what), body).await.status, 200, "{what}");
    }
    // A program that gives back in nobody's name does it in its own: no body is needed.
    assert_eq!(shop.send(Method::POST, &act("give-back"), &shop.key, None, None).await.status, 200);
    let log = shop.audit(id.as_str().unwrap()).await;
    let shown: Vec<_> = log.iter().map(|one| (one.action.as_str(), one.actor.as_str())).collect();
    let (davi, renata) = (DAVI, "renata@figueira.example");
    assert_eq!(
        shown.first_chunk(),
        Some(&[
            ("conversation.take", renata),
            ("conversation.reply", davi),
            ("conversation.note", davi),
            ("conversation.give_back", davi),
            ("conversation.take", davi),
        ])
    );
    assert_eq!((shown.len(), shown[5].1.starts_with("api:key_")), (6, true), "{shown:?}");
    let state =
        |text: &Option<String>| serde_json::from_str::<Value>(text.as_deref().unwrap()).unwrap()["state"].clone();
    assert_eq!((state(&log[0].before), state(&log[0].after)), (json!("ai"), json!("human")));
    assert_eq!((state(&log[3].before), state(&log[3].after)), (json!("human"), json!("ai")));
    assert!(!log.iter().any(|one| format!("{one:?}").contains("ligação")), "words are not kept in the log: {log:?}");
}

#[tokio::test]
async fn lists_are_read_page_by_page_without_gap_or_repeat() {
    let shop = shop((0..7).map(|number| says(&format!("Oi, {number}!")))).await;
    for number in 0..7 {
        // Two of them at one instant: the id decides between them.
        shop.clock.advance(jiff::SignedDuration::from_secs(number / 2 * 7));
        let turn =
            json!({ "conversation": format!("c{number}"), "text": "oi", "contact": { "name": format!("N{number}") } });
        assert_eq!(shop.post("/v1/turn", turn).await.status, 200);
    }
    let whole = shop.get("/v1/conversations?limit=100").await;
    assert_eq!((whole.body["items"].as_array().unwrap().len(), &whole.body["next_cursor"]), (7, &Value::Null));
    assert_eq!(pages(&shop, "/v1/conversations?limit=3", 3).await, ids(&whole.body));
    assert_eq!(pages(&shop, "/v1/conversations?limit=7", 1).await, ids(&whole.body));
    let whole = shop.get("/v1/contacts?limit=100").await;
    assert_eq!(pages(&shop, "/v1/contacts?limit=4", 3).await, ids(&whole.body));
    assert_eq!(pages(&shop, "/v1/contacts?search=n&limit=1", 9).await.len(), 9);
    let id = ids(&shop.get("/v1/conversations?limit=1").await.body).remove(0);
    let path = format!("/v1/conversations/{id}/messages");
    let whole = shop.get(&path).await;
    assert_eq!(whole.body["items"][0]["text"], "Oi, 6!", "the latest is not first");
    assert_eq!(pages(&shop, &format!("{path}?limit=1"), 2).await, ids(&whole.body));
    let appointments = "/v1/appointments?from=2026-10-01&to=2026-12-31";
    let whole = shop.get(appointments).await;
    assert_eq!(whole.body["items"].as_array().unwrap().len(), 5);
    assert_eq!(pages(&shop, &format!("{appointments}&limit=2"), 3).await, ids(&whole.body));
}

fn ids(page: &Value) -> Vec<String> {
    page["items"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

/// The ids of all pages, which must be so many.
async fn pages(shop: &Shop, first: &str, expected: usize) -> Vec<String> {
    let (mut found, mut target, mut count) = (Vec::new(), first.to_owned(), 0);
    loop {
        let page = shop.get(&target).await;
        assert_eq!(page.status, 200, "{target}: {page:?}");
        found.extend(ids(&page.body));
        count += 1;
        let Some(cursor) = page.body["next_cursor"].as_str() else { break };
        target = format!("{first}&cursor={cursor}");
    }
    assert_eq!(count, expected, "{first}");
    found
}

#[tokio::test]
async fn contacts_are_found_whatever_the_accents_and_changed_with_the_old_value_kept() {
    let shop = quiet([], Duration::ZERO).await;
    let caio = shop.contact("caio").await;
    for search in ["CAIO", "brandao", "brandão caio", "caio.brandao@example.com", "31 99640-1177", "%2B5531996401177"]
    {
        assert_eq!(shop.contact(search).await, caio, "{search}");
    }
    for search in ["caio lívia", "zzz", "31 99999-9999"] {
        assert_eq!(shop.get(&format!("/v1/contacts?search={search}")).await.body["items"], json!([]), "{search}");
    }
    let path = format!("/v1/contacts/{caio}");
    let change = json!({ "preferred_name": " Caião ", "email": "CAIO@example.com", "custom_fields": { "time": "", "mesa": "4" } });
    let changed = shop.patch(&path, change.clone()).await;
    assert_eq!(changed.body["updated"], json!(["preferred_name", "email", "mesa", "time"]));
    let shown = shop.get(&path).await;
    assert_eq!(shown.body["preferred_name"], "Caião");
    assert_eq!(shown.body["custom_fields"], json!({ "café": "sem açúcar", "mesa": "4" }));
    assert_eq!(
        (&shown.body["tags"], &shown.body["phone"]),
        (&json!(["Mensalista", "Prefere manhã"]), &json!("+5531996401177"))
    );
    assert_eq!(shop.count("SELECT COUNT(*) FROM audit_log WHERE actor LIKE 'api:key_%'").await, 1);
}

#[tokio::test]
async fn a_42_what_is_searched_for_and_written_is_text_whatever_a_database_would_read_in_it() {
    let shop = quiet([], Duration::ZERO).await;
    let caio = shop.contact("caio").await;
    let many = shop.count("SELECT COUNT(*) FROM contact").await;
    for text in ["' OR 1=1 --", "cai_", "c%25o", "%25", "_", "caio'; DROP TABLE contact", "[a-z]*", "${name}"] {
        let found = shop.get(&format!("/v1/contacts?search={}", text.replace(' ', "%20"))).await;
        assert_eq!((found.status, &found.body["items"]), (200, &json!([])), "{text}");
        let written = json!({ "address": text });
        assert_eq!(shop.patch(&format!("/v1/contacts/{caio}"), written).await.status, 200, "{text}");
        assert_eq!(shop.get(&format!("/v1/contacts/{caio}")).await.body["address"], json!(text), "as it was written");
    }
    assert_eq!(shop.count("SELECT COUNT(*) FROM contact").await, many);
}

#[tokio::test]
async fn the_agenda_is_read_booked_moved_and_cancelled_by_the_rules_of_the_house() {
    let shop = quiet([], Duration::ZERO).await;
    let services = shop.get("/v1/services").await;
    assert_eq!(services.body["items"][0]["name"], "Corte na tesoura");
    assert_eq!(services.body["items"][0]["price"], json!({ "cents": 7000, "currency": "BRL" }));
    let service_id = services.body["items"][0]["id"].clone();
    let professionals = shop.get("/v1/professionals").await;
    assert_eq!(professionals.body["items"][0]["works_today"], json!(["09:00-12:00", "13:30-20:00"]));
    let free = shop.get("/v1/availability?date=2026-11-25&service=tesoura&professional=otavio").await;
    assert_eq!((&free.body["service"], &free.body["duration_min"]), (&json!("Corte na tesoura"), &json!(45)));
    let start = free.body["results"][0]["slots"][0].clone();

    let livia = shop.contact("livia").await;
    let booking = json!({ "contact_id": livia, "service_id": service_id, "professional": "Otávio", "date": "2026-11-25",
        "start": start });
    let booked = shop.post("/v1/appointments", booking.clone()).await;
    assert_eq!(booked.status, 201, "{booked:?}");
    assert_eq!(booked.body["appointment"]["finish"], "09:45");
    let again = shop.post("/v1/appointments", booking).await;
    assert_eq!(
        (&again.body["already_booked"], &again.body["appointment"]["id"]),
        (&json!(true), &booked.body["appointment"]["id"])
    );
    let id = booked.body["appointment"]["id"].as_str().unwrap().to_owned();
    let mut shown = shop.get(&format!("/v1/appointments/{id}")).await.body;
    assert!(shown.as_object_mut().unwrap().remove("reminders").is_some(), "{shown}");
    assert_eq!(shown, booked.body["appointment"]);
    assert_eq!(ids(&shop.get("/v1/appointments?from=2026-11-25").await.body), std::slice::from_ref(&id));
    assert_eq!(ids(&shop.get("/v1/appointments").await.body), [""; 0], "today is empty");

    let caio = shop.contact("caio").await;
    let taken = json!({ "contact_id": caio, "service": "tesoura", "professional": "Otávio", "date": "2026-11-25", "start": start });
    let taken = shop.post("/v1/appointments", taken).await;
    assert_eq!(taken.problem(), (409, "slot_taken"));
    assert_eq!(
        (taken.body["facts"]["alternatives"].as_array().unwrap().len(), &taken.body["title"]),
        (5, &json!("Slot taken"))
    );

    // What costs and lasts more today keeps its price and its length, by an alias, too.
    let mut dearer = json!({ "section": "services", "action": "change", "name": "Corte na tesoura",
        "set": { "price": "80.00", "duration_minutes": 60 } });
    let shown = shop.post("/v1/business/edit", dearer.clone()).await;
    assert!(shown.body.to_string().contains("also if it is moved to another time"), "{shown:?}");
    dearer["plan"] = shown.body["hash"].clone();
    assert_eq!(shop.post("/v1/business/edit", dearer).await.status, 200, "{shown:?}");
    let moved = json!({ "date": "2026-11-25", "start": "14:00", "service": "corte longo" });
    let moved = shop.post(&format!("/v1/appointments/{id}/reschedule"), moved).await;
    let one = &moved.body["new"]["appointment"];
    assert_eq!((&one["price"]["cents"], &one["finish"]), (&json!(7_000), &json!("14:45")), "{moved:?}");
    let (first, id) = (id, one["id"].as_str().unwrap().to_owned());

    // The service stays by its name, too, although it is offered no longer.
    let gone = json!({ "section": "services", "action": "remove", "name": "Corte na tesoura" });
    let shown = shop.post("/v1/business/edit", gone.clone()).await;
    let agreed =
        json!({ "section": "services", "action": "remove", "name": "Corte na tesoura", "plan": shown.body["hash"] });
    assert_eq!(shop.post("/v1/business/edit", agreed).await.status, 200, "{shown:?}");
    let moved = json!({ "date": "2026-11-25", "start": "15:00", "service": "corte na tesoura" });
    let moved = shop.post(&format!("/v1/appointments/{id}/reschedule"), moved).await;
    assert_eq!(moved.status, 200, "{moved:?}");
    assert_eq!(
        (&moved.body["old"]["status"], &moved.body["new"]["appointment"]["start"]),
        (&json!("cancelled"), &json!("15:00"))
    );
    let new = moved.body["new"]["appointment"]["id"].as_str().unwrap();
    let cancelled = shop.post(&format!("/v1/appointments/{new}/cancel"), json!({})).await;
    assert_eq!((&cancelled.body["status"], &cancelled.body["contact_id"]), (&json!("cancelled"), &json!(livia)));

    let mut log = shop.audit(&first).await;
    log.extend(shop.audit(&id).await);
    log.extend(shop.audit(new).await);
    let acts: Vec<_> = log.iter().map(|one| one.action.as_str()).collect();
    assert_eq!(
        acts,
        ["appointment.book", "appointment.reschedule", "appointment.reschedule", "appointment.cancel"],
        "a value that was there already makes no act"
    );
    assert!(log.iter().all(|one| one.actor.starts_with("api:key_")), "{log:?}");
    let read = |text: &Option<String>| serde_json::from_str::<Value>(text.as_deref().unwrap()).unwrap();
    let (before, after) = (read(&log[1].before), read(&log[1].after));
    assert_eq!((&before["start"], &after["start"], &before["status"]), (&start, &json!("14:00"), &json!("confirmed")));
    assert_eq!(
        (read(&log[3].before)["status"].clone(), read(&log[3].after)["status"].clone()),
        (json!("confirmed"), json!("cancelled"))
    );
}

#[tokio::test]
async fn what_cannot_be_booked_says_why() {
    let shop = quiet([], Duration::ZERO).await;
    let caio = shop.contact("caio").await;
    for (extra, code) in [
        (json!({ "date": "2026-11-23", "start": "14:00" }), "past_date"),
        (json!({ "date": "2026-11-24", "start": "09:15" }), "too_soon"),
        (json!({ "date": "2027-03-01", "start": "14:00" }), "too_far"),
        (json!({ "date": "2026-11-25", "start": "14:03" }), "off_grid"),
        (json!({ "date": "2026-11-29", "start": "14:00" }), "outside_hours"),
        (
            json!({ "date": "2026-11-25", "start": "14:00", "professional": "Wesley", "service": "tesoura" }),
            "not_offered",
        ),
        (json!({ "date": "2026-12-03", "start": "09:30", "attendee": "Bento, filho" }), "other_at_that_time"),
    ] {
        let mut booking = json!({ "contact_id": caio, "service": "Sobrancelha" });
        booking.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        assert_eq!(shop.post("/v1/appointments", booking.clone()).await.problem(), (409, code), "{booking}");
    }
    for (query, code) in [("date=2026-11-23", "past_date"), ("date=2030-01-01", "too_far")] {
        assert_eq!(shop.get(&format!("/v1/availability?{query}")).await.problem(), (409, code), "{query}");
    }
    let unknown = shop.get("/v1/availability?service=Depilação").await;
    assert_eq!(unknown.fields(), [("/service".to_owned(), "unknown_name".to_owned())]);
}

#[tokio::test]
async fn a_clock_far_away_breaks_nothing() {
    let shop = quiet([], Duration::ZERO).await;
    for query in ["from=9999-12-31", "from=0001-01-01&to=9999-12-31"] {
        assert_eq!(shop.get(&format!("/v1/appointments?{query}")).await.status, 200, "{query}");
    }
    assert_eq!(shop.get("/v1/availability?date=9999-12-31").await.status, 409);
    let caio = shop.contact("caio").await;
    for date in ["0001-01-01", "9999-12-31"] {
        let booking = json!({ "contact_id": caio, "date": date, "start": "10:00" });
        assert_eq!(shop.post("/v1/appointments", booking).await.status, 409, "{date}");
    }
}

#[tokio::test]
async fn what_failed_is_listed_sent_again_and_given_up_and_that_is_written_down() {
    let shop = shop([says("Oi!")]).await;
    let turn = json!({ "conversation": "c", "text": "oi", "contact": { "phone": "31 99640-1177" } });
    let conversation = shop.post("/v1/turn", turn).await.body["conversation_id"].as_str().unwrap().to_owned();
    let dead = shop.failed_message(&conversation, OutboxState::Dead, "um").await;
    let unknown = shop.failed_message(&conversation, OutboxState::Unknown, "dois").await;
    let page = shop.get("/v1/outbox?limit=1").await;
    assert_eq!((&page.body["items"][0]["id"], &page.body["items"][0]["text"]), (&json!(unknown), &json!("dois")));
    let cursor = page.body["next_cursor"].as_str().unwrap();
    let rest = shop.get(&format!("/v1/outbox?cursor={cursor}")).await;
    assert_eq!((rest.body["items"].as_array().unwrap().len(), &rest.body["items"][0]["id"]), (1, &json!(dead)));
    assert_eq!(
        (&rest.body["next_cursor"], &rest.body["items"][0]["contact_name"]),
        (&Value::Null, &json!("Caio Brandão"))
    );

    let retry = |id: &str| format!("/v1/outbox/{id}/retry");
    let warned = shop.post(&retry(&unknown), json!({ "staff": DAVI })).await;
    assert_eq!(warned.problem(), (409, "may_arrive_twice"));
    assert!(warned.body["detail"].as_str().unwrap().contains("twice"), "{warned:?}");
    let accepted = json!({ "staff": DAVI, "may_arrive_twice": true });
    assert_eq!(shop.post_once(&retry(&unknown), "again", accepted.clone()).await.status, 200);
    let repeated = shop.post_once(&retry(&unknown), "again", accepted).await;
    assert_eq!(repeated.status, 200);
    assert_eq!(shop.get(&format!("/v1/outbox/{unknown}")).await.status, 404, "it waits to be sent");
    assert_eq!(shop.post(&retry("out_999"), json!({ "staff": DAVI })).await.status, 404);
    let nobody = json!({ "staff": "ninguem@figueira.example" });
    assert_eq!(shop.post(&retry(&dead), nobody).await.status, 422);

    let give_up = format!("/v1/outbox/{dead}/give-up");
    assert_eq!(shop.post(&give_up, json!({ "staff": DAVI })).await.status, 200);
    assert_eq!(shop.post(&give_up, json!({ "staff": DAVI })).await.problem(), (409, "given_up"));
    assert_eq!(shop.get("/v1/outbox").await.body["items"], json!([]));
    assert_eq!(shop.get("/v1/outbox?all=true").await.body["items"][0]["id"], json!(dead));
    let audited = "SELECT COUNT(*) FROM audit_log WHERE actor = 'davi@figueira.example'
                   AND action IN ('outbox.retry', 'outbox.give_up')";
    assert_eq!(shop.count(audited).await, 2);
}
