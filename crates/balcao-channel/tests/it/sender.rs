//! What is sent, and what is known afterwards.

use std::sync::Arc;

use balcao_channel::channels::whatsapp::{Clocks, Config, ConfigError, WhatsApp};
use balcao_channel::inbound::MediaKind;
use balcao_channel::outbound::{
    Button, CorrelationId, MediaSource, OutboundContent, Row, Section, Template, TemplateParameter,
};
use balcao_channel::{
    AccountId, Channel, GiveUpReason, Number, Outbound, PaceLimit, ProviderMediaId, ProviderMessageId, Recipient,
    SendClass, UserId,
};
use balcao_domain::ManualClock;
use balcao_testkit::fakes::graph::{self, Behaviour, FakeGraph, TOKEN};
use balcao_testkit::wait;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::support::{account, config, hello, hidden, id, joao};

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn file(media: MediaKind, caption: Option<&str>, filename: Option<&str>, voice: bool) -> OutboundContent {
    let source = MediaSource::Uploaded(ProviderMediaId::new("m1"));
    let (caption, filename) = (caption.map(str::to_owned), filename.map(str::to_owned));
    OutboundContent::Media { media, source, caption, filename, voice }
}

fn button(id: &str, title: &str) -> Button {
    Button { id: id.to_owned(), title: title.to_owned() }
}

fn list() -> OutboundContent {
    let row = |n: usize, description| Row { id: format!("s:{n}"), title: format!("{}:00", 14 + n), description };
    OutboundContent::List {
        header: text("Horários"),
        body: "Qual?".into(),
        footer: text("Barbearia"),
        open: "Ver horários".into(),
        sections: vec![
            Section { title: text("Sexta"), rows: vec![row(1, text("com Rafa")), row(2, None)] },
            Section { title: text("Sábado"), rows: vec![row(3, None)] },
        ],
    }
}

fn reminder() -> OutboundContent {
    let gap = |name: &str, words: &str| TemplateParameter { name: text(name), text: words.to_owned() };
    OutboundContent::Template(Template {
        name: "lembrete_horario".into(),
        language: "pt_BR".into(),
        body: vec![gap("nome", "Marina"), gap("quando", "sexta, 27/11, às 15h")],
        quick_replies: vec!["CONFIRMAR:apt_7".into(), "REMARCAR:apt_7".into()],
    })
}

/// What Meta approved for it.
fn approved() -> graph::Template {
    graph::Template::new("lembrete_horario", "Oi {{nome}}, seu horário é {{quando}}. Confirma?")
        .with_buttons(&["Confirmar", "Remarcar"])
}

/// Each kind with what must stand on the wire.
fn kinds() -> Vec<(OutboundContent, &'static str, Value)> {
    let linked = OutboundContent::Media {
        media: MediaKind::Image,
        source: MediaSource::Link("https://example.com/a.png".into()),
        caption: None,
        filename: None,
        voice: false,
    };
    vec![
        (
            OutboundContent::Text { body: "Oi".into(), preview_url: false },
            "text",
            json!({ "body": "Oi", "preview_url": false }),
        ),
        (file(MediaKind::Image, Some("Assim"), None, false), "image", json!({ "id": "m1", "caption": "Assim" })),
        (linked, "image", json!({ "link": "https://example.com/a.png" })),
        (file(MediaKind::Audio, None, None, true), "audio", json!({ "id": "m1", "voice": true })),
        (
            file(MediaKind::Document, None, Some("tabela.pdf"), false),
            "document",
            json!({ "id": "m1", "filename": "tabela.pdf" }),
        ),
        (
            OutboundContent::Location {
                latitude: -23.55,
                longitude: -46.63,
                name: text("Loja"),
                address: text("Rua A"),
            },
            "location",
            json!({ "latitude": -23.55, "longitude": -46.63, "name": "Loja", "address": "Rua A" }),
        ),
        (
            OutboundContent::Buttons {
                header: None,
                body: "Confirma?".into(),
                footer: None,
                buttons: vec![button("sim", "Sim"), button("não", "Não")],
            },
            "interactive",
            json!({ "type": "button", "body": { "text": "Confirma?" }, "action": { "buttons": [
                { "type": "reply", "reply": { "id": "sim", "title": "Sim" } },
                { "type": "reply", "reply": { "id": "não", "title": "Não" } }] } }),
        ),
        (
            list(),
            "interactive",
            json!({ "type": "list", "header": { "type": "text", "text": "Horários" }, "body": { "text": "Qual?" },
                "footer": { "text": "Barbearia" }, "action": { "button": "Ver horários", "sections": [
                    { "title": "Sexta", "rows": [{ "id": "s:1", "title": "15:00", "description": "com Rafa" },
                        { "id": "s:2", "title": "16:00" }] },
                    { "title": "Sábado", "rows": [{ "id": "s:3", "title": "17:00" }] }] } }),
        ),
        (
            OutboundContent::AskNumber { body: "Qual é seu número?".into() },
            "interactive",
            json!({ "type": "request_contact_info", "body": { "text": "Qual é seu número?" },
                "action": { "name": "request_contact_info" } }),
        ),
        (
            reminder(),
            "template",
            json!({ "name": "lembrete_horario", "language": { "code": "pt_BR", "policy": "deterministic" }, "components": [
                { "type": "body", "parameters": [
                    { "type": "text", "parameter_name": "nome", "text": "Marina" },
                    { "type": "text", "parameter_name": "quando", "text": "sexta, 27/11, às 15h" }] },
                { "type": "button", "sub_type": "quick_reply", "index": "0",
                    "parameters": [{ "type": "payload", "payload": "CONFIRMAR:apt_7" }] },
                { "type": "button", "sub_type": "quick_reply", "index": "1",
                    "parameters": [{ "type": "payload", "payload": "REMARCAR:apt_7" }] }] }),
        ),
    ]
}

#[tokio::test]
async fn every_kind_is_sent_as_documented() {
    let graph = FakeGraph::start().unwrap();
    let channel = account(&graph);
    graph.keep_template(approved());
    for (content, kind, part) in kinds() {
        let uploaded = match kind {
            "audio" => "audio/ogg",
            "video" => "video/mp4",
            "document" => "application/pdf",
            "sticker" => "image/webp",
            _ => "image/png",
        };
        graph.keep_file("m1", uploaded, b"x");
        channel.send(&Outbound::new(content).unwrap(), &joao()).await.unwrap_or_else(|error| panic!("{kind}: {error}"));
        let sent = graph.accepted().pop().unwrap();
        assert_eq!((&sent["type"], &sent[kind], &sent["to"]), (&json!(kind), &part, &json!("+5541987654321")));
    }
}

#[tokio::test]
async fn a_receipt_names_the_message_and_the_number_to_send_to_from_now_on() {
    let graph = FakeGraph::start().unwrap();
    let channel = account(&graph);
    let receipt = channel.send(&hello(), &joao()).await.unwrap();
    assert_eq!(id(&receipt), "wamid.OUT1");
    assert_eq!(receipt.number, Some(Number::new("554187654321")), "the fake knows him without the ninth digit");
    assert!(!receipt.held);
    let again = channel.send(&hello(), &Recipient::Number(receipt.number.unwrap())).await.unwrap();
    assert_eq!(id(&again), "wamid.OUT2");
    assert_eq!(graph.accepted()[1]["to"], json!("+554187654321"));
}

#[tokio::test]
async fn a_hidden_number_is_reached_by_user_id() {
    let graph = FakeGraph::start().unwrap();
    let receipt = account(&graph).send(&hello(), &hidden()).await.unwrap();
    assert_eq!(receipt.number, None);
    let sent = graph.accepted().pop().unwrap();
    assert_eq!((&sent["recipient"], sent.get("to")), (&json!("BR.1234567890"), None));
}

#[tokio::test]
async fn quote_and_correlation_travel_with_the_message() {
    let graph = FakeGraph::start().unwrap();
    let message = hello().quoting(ProviderMessageId::new("wamid.IN1")).tracked(CorrelationId::new("outbox:7").unwrap());
    account(&graph).send(&message, &joao()).await.unwrap();
    let sent = graph.accepted().pop().unwrap();
    assert_eq!(sent["context"], json!({ "message_id": "wamid.IN1" }));
    assert_eq!(sent["biz_opaque_callback_data"], json!("outbox:7"));
}

#[tokio::test]
async fn a_recipient_that_cannot_be_one_is_not_asked_about() {
    let graph = FakeGraph::start().unwrap();
    let channel = account(&graph);
    for to in [
        Recipient::Number(Number::new("")),
        Recipient::Number(Number::new("41 98765-4321")),
        Recipient::Number(Number::new("123")),
        Recipient::User(UserId::new("")),
        Recipient::User(UserId::new("BR.1\",\"to\":\"+55")),
    ] {
        let error = channel.send(&hello(), &to).await.unwrap_err();
        assert_eq!(error.class, SendClass::give_up(GiveUpReason::Rejected), "{to:?}");
    }
    assert!(graph.asked().is_empty());
}

#[tokio::test]
async fn an_answer_of_meta_decides_the_class() {
    let graph = FakeGraph::start().unwrap();
    let channel = account(&graph);
    for (status, code, class) in [
        (400, 131_056, SendClass::TooFast { limit: PaceLimit::Customer }),
        (400, 130_429, SendClass::TooFast { limit: PaceLimit::Account }),
        (500, 131_000, SendClass::retry()),
        (400, 131_026, SendClass::give_up(GiveUpReason::Unreachable)),
        (401, 190, SendClass::Misconfigured),
        (400, 132_001, SendClass::give_up(GiveUpReason::Template)),
        // A status is not reliable: the code decides.
        (200, 131_047, SendClass::OutsideWindow),
    ] {
        graph.next(Behaviour::Error { status, code, details: "As told.".into() });
        let error = channel.send(&hello(), &joao()).await.unwrap_err();
        assert_eq!((error.class, error.code), (class, Some(code)));
        assert_eq!(error.to_string(), format!("As told. (error {code}, trace Afake1)"));
    }
    assert!(graph.accepted().is_empty());
}

/// It may have been taken, so it is not sent again.
#[tokio::test]
async fn an_answer_to_a_send_that_does_not_end_leaves_the_outcome_unknown() {
    let graph = FakeGraph::start().unwrap();
    graph.next(Behaviour::Endless);
    let error = account(&graph).send(&hello(), &joao()).await.unwrap_err();
    assert_eq!(error.class, SendClass::Unknown, "{error}");
}

#[tokio::test]
async fn a_closed_window_lets_only_templates_through() {
    let graph = FakeGraph::start().unwrap();
    let channel = account(&graph);
    graph.keep_template(approved());
    graph.close_window("+5541987654321");
    let error = channel.send(&hello(), &joao()).await.unwrap_err();
    assert_eq!(error.class, SendClass::OutsideWindow);
    channel.send(&Outbound::new(reminder()).unwrap(), &joao()).await.unwrap();
}

#[tokio::test]
async fn a_template_that_meta_has_otherwise_is_a_fault_of_the_template() {
    let message = Outbound::new(reminder()).unwrap();
    for (code, there) in [
        (132_001, None),
        (132_001, Some(approved().in_language("en"))),
        (132_001, Some(approved().in_state("PENDING"))),
        (132_015, Some(approved().in_state("PAUSED"))),
        (132_016, Some(approved().in_state("DISABLED"))),
        (132_000, Some(graph::Template::new("lembrete_horario", "Oi {{nome}}, você vem?"))),
        (132_012, Some(graph::Template::new("lembrete_horario", "Oi {{1}}, às {{2}}, você vem?"))),
        (132_018, Some(approved().with_buttons(&["Confirmar"]))),
    ] {
        let graph = FakeGraph::start().unwrap();
        there.into_iter().for_each(|template| graph.keep_template(template));
        let error = account(&graph).send(&message, &joao()).await.unwrap_err();
        assert_eq!((error.class, error.code), (SendClass::give_up(GiveUpReason::Template), Some(code)));
    }
}

#[tokio::test]
async fn a_customer_who_got_too_many_gets_no_more_for_now_and_others_do() {
    let clock = Arc::new(ManualClock::at(Timestamp::UNIX_EPOCH));
    let graph = FakeGraph::start_by(clock.clone()).unwrap();
    let channel = account(&graph);
    for _ in 0..45 {
        channel.send(&hello(), &joao()).await.unwrap();
    }
    let error = channel.send(&hello(), &joao()).await.unwrap_err();
    assert_eq!((error.class, error.code), (SendClass::TooFast { limit: PaceLimit::Customer }, Some(131_056)));
    channel.send(&hello(), &hidden()).await.unwrap();
    clock.advance(SignedDuration::from_secs(6));
    channel.send(&hello(), &joao()).await.unwrap();
}

#[tokio::test]
async fn no_answer_after_accepting_is_unknown_and_nothing_is_sent_twice() {
    for behaviour in [
        Behaviour::AcceptThenDrop,
        Behaviour::AcceptThenCut,
        Behaviour::AcceptThenEmpty,
        Behaviour::Edge { status: 502 },
        Behaviour::Drop,
    ] {
        let graph = FakeGraph::start().unwrap();
        graph.next(behaviour.clone());
        let error = account(&graph).send(&hello(), &joao()).await.unwrap_err();
        assert_eq!(error.class, SendClass::Unknown, "{behaviour:?}");
        assert_eq!(graph.asked().len(), 1, "{behaviour:?}");
    }
    let graph = FakeGraph::start().unwrap();
    graph.next(Behaviour::AcceptThenSilence);
    wait::stand_until(graph.was_asked(1));
    let error = account(&graph).send(&hello(), &joao()).await.unwrap_err();
    assert_eq!((error.class, graph.asked().len()), (SendClass::Unknown, 1));
}

#[tokio::test]
async fn nothing_is_sent_twice_on_a_connection_that_served_before() {
    for behaviour in [Behaviour::AcceptThenDrop, Behaviour::Drop] {
        let graph = FakeGraph::start().unwrap();
        let channel = account(&graph);
        channel.send(&hello(), &joao()).await.unwrap();
        graph.next(behaviour.clone());
        let error = channel.send(&hello(), &joao()).await.unwrap_err();
        assert_eq!(error.class, SendClass::Unknown, "{behaviour:?}");
        assert_eq!(graph.asked().len(), 2, "{behaviour:?}");
    }
}

#[tokio::test]
async fn f_114_without_a_connection_nothing_was_sent() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let error = WhatsApp::new(config(&url)).unwrap().send(&hello(), &joao()).await.unwrap_err();
    assert_eq!((error.class, error.to_string().as_str()), (SendClass::retry(), "no connection"));
}

#[tokio::test]
async fn something_in_front_of_meta_is_told_from_meta() {
    let graph = FakeGraph::start().unwrap();
    let channel = account(&graph);
    for (status, class) in [
        (429, SendClass::retry()),
        (403, SendClass::Misconfigured),
        (302, SendClass::Misconfigured),
        (500, SendClass::Unknown),
    ] {
        graph.next(Behaviour::Edge { status });
        assert_eq!(channel.send(&hello(), &joao()).await.unwrap_err().class, class, "{status}");
    }
}

#[tokio::test]
async fn read_marks_and_typing_are_sent_and_may_be_repeated() {
    let graph = FakeGraph::start().unwrap();
    let channel = account(&graph);
    let message = ProviderMessageId::new("wamid.IN1");
    channel.mark_read(&message).await.unwrap();
    channel.typing(&message).await.unwrap();
    assert_eq!(graph.read(), ["wamid.IN1", "wamid.IN1"]);
    assert_eq!(graph.asked()[0].body.get("typing_indicator"), None);
    assert_eq!(graph.asked()[1].body["typing_indicator"], json!({ "type": "text" }));
    graph.next(Behaviour::AcceptThenDrop);
    assert_eq!(channel.typing(&message).await.unwrap_err().class, SendClass::retry());
    graph.next(Behaviour::Error { status: 401, code: 190, details: "expired".into() });
    assert_eq!(channel.mark_read(&message).await.unwrap_err().class, SendClass::Misconfigured);
}

#[tokio::test]
async fn a_wrong_token_is_told_and_never_shown() {
    let graph = FakeGraph::start().unwrap();
    let wrong = "EAAwrongwrongwrongwrong";
    let channel = WhatsApp::new(Config { token: wrong.into(), ..config(&graph.url()) }).unwrap();
    let error = channel.send(&hello(), &joao()).await.unwrap_err();
    assert_eq!((error.class, error.code), (SendClass::Misconfigured, Some(190)));
    for shown in [format!("{error} {error:?}"), format!("{channel:?}")] {
        assert!(!shown.contains(wrong), "{shown}");
    }
    assert!(!format!("{:?}", config(&graph.url())).contains(TOKEN));
}

#[tokio::test]
async fn an_error_repeats_neither_number_nor_token() {
    let graph = FakeGraph::start().unwrap();
    let details = format!("Invalid to +5541987654321 with {TOKEN}{TOKEN}{TOKEN}");
    graph.next(Behaviour::Error { status: 400, code: 100, details });
    let error = account(&graph).send(&hello(), &joao()).await.unwrap_err();
    assert_eq!(error.message, "Invalid to … with …");
}

#[test]
fn a_configuration_that_cannot_work_is_refused_with_what_to_mend() {
    let good = config("https://graph.facebook.com");
    assert!(WhatsApp::new(good.clone()).is_ok());
    let with = |change: fn(&mut Config)| {
        let mut config = good.clone();
        change(&mut config);
        WhatsApp::new(config).unwrap_err()
    };
    assert!(matches!(with(|config| config.token = " ".into()), ConfigError::Token));
    assert!(matches!(with(|config| config.account = AccountId::new("../x")), ConfigError::Account { .. }));
    assert!(matches!(with(|config| config.account = AccountId::new("")), ConfigError::Account { .. }));
    assert!(matches!(with(|config| config.version = "25".into()), ConfigError::Version { .. }));
    assert!(matches!(with(|config| config.version = "v25.0/..".into()), ConfigError::Version { .. }));
    for url in [
        "http://graph.facebook.com",
        "http://127.0.0.1.example.com",
        "ftp://graph.facebook.com",
        "https://user:pass@graph.facebook.com",
        "https://graph.facebook.com?x",
        "graph.facebook.com",
        "",
    ] {
        let refused = WhatsApp::new(Config { base_url: url.to_owned(), ..good.clone() }).unwrap_err();
        assert!(matches!(refused, ConfigError::BaseUrl { .. }), "{url}");
    }
    for url in ["http://localhost:1", "http://[::1]:1", "https://proxy.example.com/graph/"] {
        WhatsApp::new(Config { base_url: url.to_owned(), ..good.clone() }).unwrap();
    }
    assert_eq!(good.clocks, Clocks::default());
}

#[test]
fn the_account_and_what_it_can_do_are_told() {
    let channel: Box<dyn Channel> = Box::new(WhatsApp::new(config("https://graph.facebook.com")).unwrap());
    assert_eq!((channel.kind(), channel.account().as_str()), ("whatsapp", "7001"));
    let can = channel.capabilities();
    assert_eq!((can.max_text, can.max_buttons, can.max_rows), (4096, 3, 10));
}
