//! Deliveries of packs that start a turn of the agent, through the route of the real server.

use std::process::Command;
use std::time::Duration;

use balcao_testkit::clock::{OutsideClock, VARIABLE};
use balcao_testkit::wait::until;
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::delivery_commands::{SECRET, clock, config, deliver, write_pack};
use crate::observed::{Observed, serve, text};
use crate::{balcao, code, err, out};

/// The rule of the operator for an order that left.
const RULE: &str = "[[packs.accounts.on_delivery]]\nwhen = { \"/order/status\" = \"sent\" }\n\
                    turn = { phone = \"/order/phone\", text = \"O pedido {order} saiu para entrega.\" }\n\
                    fields = { order = \"/order/id\" }\n";
const TOLD: &str = "O pedido o-7 saiu para entrega.";

fn started(clock: &OutsideClock) -> impl Fn(&mut Command) {
    let clock = clock.address();
    move |command| {
        write_pack(command.get_current_dir().unwrap(), "https://orders.example");
        let serves = command.get_args().any(|argument| argument == "serve");
        command.env("ORDERS_SECRET", SECRET);
        if serves {
            command.env(VARIABLE, &clock);
        }
    }
}

/// A shop to which customer 1 has written.
fn shop(clock: &OutsideClock) -> Observed {
    let shop = serve(&config(RULE), started(clock));
    shop.delivers(&text("wamid.1", 1, "oi"));
    clock.advance_until("the greeting", || (!shop.said().is_empty()).then_some(()));
    shop
}

fn sent(id: &str, order: &str, phone: &str) -> Value {
    json!({ "id": id, "order": { "id": order, "status": "sent", "phone": phone } })
}

fn count(shop: &Observed, words: &str) -> usize {
    shop.said().iter().filter(|said| said.contains(words)).count()
}

#[test]
fn a_delivery_starts_a_turn_with_the_contact_once_also_over_a_crash() {
    let clock = clock();
    let mut shop = shop(&clock);
    let first = sent("1", "o-7", "+55 31 98888-0001");
    assert_eq!([deliver(&shop, &first), deliver(&shop, &first)], [200, 200]);
    shop.crash_and_start(started(&clock));
    clock.advance_until("the news", || (count(&shop, TOLD) > 0).then_some(()));
    assert_eq!(deliver(&shop, &first), 200, "sent again");
    clock.advance(Duration::from_hours(1));
    clock.advance(Duration::from_hours(1));
    assert_eq!(count(&shop, TOLD), 1, "{:?}", shop.said());
    // The thread shows who said it, and the agent goes on as before.
    let inbox = balcao(shop.folder.path()).env("ORDERS_SECRET", SECRET).args(["inbox", "list"]).output().unwrap();
    assert_eq!(code(&inbox), 0, "{}", err(&inbox));
    let before = shop.said().len();
    shop.delivers(&text("wamid.2", 1, "quais os serviços?"));
    clock.advance_until("the next answer", || (shop.said().len() > before).then_some(()));
    shop.stop();
}

#[test]
fn a_delivery_for_nobody_whom_the_business_knows_is_set_aside() {
    let clock = clock();
    let shop = shop(&clock);
    let nobody = sent("1", "o-9", "+55 31 97777-0009");
    let mut wrong = sent("2", "o-9", "sem telefone");
    wrong["order"]["note"] = json!("segredo");
    assert_eq!([deliver(&shop, &nobody), deliver(&shop, &wrong)], [200, 200]);
    for told in ["no contact has the phone or the id", "`/order/phone` holds no phone number"] {
        clock.advance_until(told, || shop.log().contains(told).then_some(()));
    }
    until("both are set aside", || {
        clock.advance(Duration::from_mins(30));
        let doctor = balcao(shop.folder.path()).env("ORDERS_SECRET", SECRET).arg("doctor").output().unwrap();
        out(&doctor).contains("2 deliveries of packs could not be read and were set aside").then_some(())
    });
    assert_eq!(count(&shop, "o-9"), 0);
    assert!(!shop.log().contains("97777") && !shop.log().contains("sem telefone"), "no value is logged");
    shop.stop();
}

#[test]
fn turns_that_cannot_work_are_refused_and_say_what_would_be_right() {
    let folder = tempdir().unwrap();
    write_pack(folder.path(), "https://orders.example");
    let run = |text: String, command: &[&str]| {
        std::fs::write(folder.path().join("balcao.toml"), text).unwrap();
        balcao(folder.path()).env("ORDERS_SECRET", SECRET).args(command).output().unwrap()
    };
    let rule = |rule: &str| config(&format!("[[packs.accounts.on_delivery]]\n{rule}\n"));
    let turn = |text: &str| format!("turn = {{ phone = \"/order/phone\", text = \"{text}\" }}");
    let id = "fields = { order = \"/order/id\" }";
    for (wrong, told) in [
        (rule(id), "a rule starts nothing"),
        (rule(&format!("command = \"note_order\"\n{}\n{id}", turn("O pedido {order}."))), "both `command` and `turn`"),
        (rule(&format!("{}\n{id}", turn("O pedido {ordr}."))), "did you mean `{order}`?"),
        (rule(&format!("{}\n{id}", turn("O pedido {order} de {who}."))), "unknown field `{who}`"),
        (rule(&format!("{}\n{id}", turn("O pedido."))), "the field `order` is not in the text"),
        (rule(&format!("{}\n{id}", turn("O pedido {order"))), "invalid braces"),
        (rule(&turn(&"x".repeat(501))), "invalid `text` of 501 characters; expected 1 to 500"),
        (rule(&turn(" ")), "expected 1 to 500"),
        (rule("turn = { text = \"Oi.\" }"), "expected one field that identifies the contact"),
        (rule("turn = { phone = \"/a\", contact = \"/b\", text = \"Oi.\" }"), "expected one field that identifies"),
        (rule("turn = { phone = \"order.phone\", text = \"Oi.\" }"), "write `/order/phone`"),
        (rule("turn = { fone = \"/order/phone\", text = \"Oi.\" }"), "fone"),
        (rule(&format!("{}\n{id}\nvalues = {{ a = 1 }}", turn("O pedido {order}."))), "invalid `values` with `a`"),
    ] {
        let output = run(wrong, &["tools", "--profile", "eli"]);
        assert_eq!(code(&output), 2, "{told}: {}{}", out(&output), err(&output));
        assert!(err(&output).contains(told), "{told}: {}", err(&output));
    }
    let fine = run(config(RULE), &["tools", "--profile", "eli"]);
    assert_eq!(code(&fine), 0, "{}", err(&fine));
    let shown = out(&run(config(RULE), &["config", "show"]));
    assert!(shown.contains("deliveries start a turn with phone /order/phone"), "{shown}");
}
