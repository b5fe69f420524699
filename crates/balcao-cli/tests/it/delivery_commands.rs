//! Deliveries of packs that start commands, through the route of the real server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use balcao_testkit::clock::{OutsideClock, VARIABLE};
use balcao_testkit::wait::until;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use tempfile::tempdir;

use crate::observed::{Observed, request, serve};
use crate::{balcao, code, err, out};

pub(crate) const SECRET: &str = "orders-secret-of-the-shop";
/// What the operator wants done with an order that was paid.
const RULE: &str = "[[packs.accounts.on_delivery]]\nwhen = { \"/order/status\" = \"paid\" }\ncommand = \"note_order\"\n\
                    fields = { order_id = \"/order/id\", by = \"/order/by\" }\nvalues = { text = \"pago\" }\n";

/// A service that notes what it is asked, answers it, and answers nothing about orders whose id begins with `silent`.
struct Service {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Service {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let noted = Arc::clone(&asked);
        std::thread::spawn(move || {
            let mut held = Vec::new();
            for mut stream in listener.incoming().flatten() {
                let Some(line) = read(&mut BufReader::new(stream.try_clone().unwrap())) else { continue };
                let silent = line.contains("/silent");
                noted.lock().unwrap().push(line);
                if silent {
                    held.push(stream);
                    continue;
                }
                let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}";
                // A client that leaves early has its reasons.
                stream.write_all(answer.as_bytes()).ok();
            }
        });
        Self { url, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// Method, target and body of a request.
fn read(reader: &mut impl BufRead) -> Option<String> {
    let (mut first, mut length) = (String::new(), 0);
    (reader.read_line(&mut first).ok()? > 0).then_some(())?;
    loop {
        let mut line = String::new();
        (reader.read_line(&mut line).ok()? > 0).then_some(())?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(bytes) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = bytes.trim().parse().ok()?;
        }
    }
    let mut body = String::new();
    reader.take(length).read_to_string(&mut body).ok()?;
    Some(format!("{} {body}", first.trim().trim_end_matches(" HTTP/1.1")))
}

pub(crate) fn write_pack(folder: &Path, service: &str) {
    let command = |id: &str, flags: &str, handler: &str| {
        format!(
            "    - id: {id}\n      description: {{pt-BR: Faz., en: Does.}}\n      {flags}\n      handler: {{{handler}}}\n      \
             input_schema: {{type: object, additionalProperties: false, required: [order_id], properties: {{order_id: {{type: string}}, \
             text: {{type: string, maxLength: 20}}, by: {{type: string}}}}}}\n      output_schema: {{type: object}}\n"
        )
    };
    let noting = "method: POST, path: \"/orders/{order_id}/notes\", body_fields: [text, by]";
    let pack = format!(
        "tool:\n  id: orders\n  type: http\n  name: Orders\n  version: 1.0.0\n  description: {{pt-BR: Pedidos., en: Orders.}}\n  \
         connection:\n    base_url: \"{service}\"\n    deliveries: {{signature_header: X-Signature, once: [/id]}}\n  commands:\n{}{}{}",
        command("note_order", "effect: write\n      effect_class: blind\n      confirm: none", noting),
        command("cancel_order", "effect: write\n      effect_class: blind\n      confirm: customer", noting),
        command("get_order", "effect: read", "method: GET, path: \"/orders/{order_id}\", query_fields: [text, by]"),
    );
    std::fs::create_dir_all(folder.join("packs/orders")).unwrap();
    std::fs::write(folder.join("packs/orders/tool.yaml"), pack).unwrap();
}

pub(crate) fn config(rules: &str) -> String {
    format!(
        "[packs]\nfolders = [\"packs\"]\nallow_networks = [\"127.0.0.0/8\"]\nplain_http = true\n\
         [[packs.accounts]]\npack = \"orders\"\nwebhook_secrets = [\"${{ORDERS_SECRET}}\"]\n{rules}"
    )
}

/// A shop on the clock, with the pack of the service.
fn shop(service: &Service, clock: &OutsideClock) -> Observed {
    serve(&config(RULE), started(service, clock))
}

fn started(service: &Service, clock: &OutsideClock) -> impl Fn(&mut Command) {
    let (url, clock) = (service.url.clone(), clock.address());
    move |command| {
        write_pack(command.get_current_dir().unwrap(), &url);
        let serves = command.get_args().any(|argument| argument == "serve");
        command.env("ORDERS_SECRET", SECRET);
        if serves {
            command.env(VARIABLE, &clock);
        }
    }
}

pub(crate) fn clock() -> OutsideClock {
    OutsideClock::start("2026-11-24T13:00:00Z".parse().unwrap()).unwrap()
}

pub(crate) fn deliver(shop: &Observed, body: &Value) -> u16 {
    let body = body.to_string();
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(body.as_bytes());
    let digits: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let length = body.len();
    let head = format!("POST /webhooks/packs/orders HTTP/1.1\r\ncontent-length: {length}\r\nX-Signature: {digits}");
    request(&shop.address, &head, body.as_bytes()).unwrap().0
}

fn paid(id: &str, order: &Value) -> Value {
    json!({ "id": id, "order": { "id": order, "status": "paid", "by": null } })
}

#[test]
fn a_delivery_starts_its_command_once_however_often_it_is_sent() {
    let (service, clock) = (Service::start(), clock());
    let shop = shop(&service, &clock);
    let first = paid("1", &json!("o-7"));
    assert_eq!([deliver(&shop, &first), deliver(&shop, &first)], [200, 200]);
    clock.advance_until("the note", || service.asked().pop());
    // Another status starts nothing; another delivery of the same order is another delivery.
    let mut open = paid("2", &json!("o-8"));
    open["order"]["status"] = json!("open");
    assert_eq!([deliver(&shop, &open), deliver(&shop, &first)], [200, 200]);
    assert_eq!(deliver(&shop, &paid("3", &json!("o-7"))), 200);
    clock.advance_until("the second note", || service.asked().get(1).cloned());
    for _ in 0..3 {
        clock.advance(Duration::from_hours(1));
    }
    let doctor = balcao(shop.folder.path()).env("ORDERS_SECRET", SECRET).arg("doctor").output().unwrap();
    assert!(!out(&doctor).contains("were set aside"), "{}", out(&doctor));
    let note = "POST /orders/o-7/notes {\"text\":\"pago\"}";
    assert_eq!(service.asked(), [note, note]);
    shop.stop();
}

#[test]
fn what_a_delivery_says_of_a_secret_goes_no_further() {
    let (service, clock) = (Service::start(), clock());
    let shop = shop(&service, &clock);
    let mut echo = paid("1", &json!("o-9"));
    echo["order"]["by"] = json!(format!("Ana, {SECRET}"));
    assert_eq!(deliver(&shop, &echo), 200);
    let asked = clock.advance_until("the note", || service.asked().pop());
    assert!(asked.starts_with("POST /orders/o-9/notes") && asked.contains("Ana, …"), "{asked}");
    assert!(!asked.contains(SECRET), "{asked}");
    shop.stop();
}

#[test]
fn a_command_that_a_crash_cut_short_is_not_begun_again_and_staff_are_told() {
    let (service, clock) = (Service::start(), clock());
    let mut shop = shop(&service, &clock);
    assert_eq!(deliver(&shop, &paid("1", &json!("silent-1"))), 200);
    clock.advance_until("the request", || service.asked().pop());
    shop.crash_and_start(started(&service, &clock));
    clock.advance(Duration::from_mins(11));
    clock.advance_until("it is set aside", || shop.log().contains("command of a delivery set aside").then_some(()));
    assert_eq!(deliver(&shop, &paid("1", &json!("silent-1"))), 200, "sent again");
    clock.advance(Duration::from_hours(3));
    // Work goes on with the next delivery.
    assert_eq!(deliver(&shop, &paid("2", &json!("o-2"))), 200);
    clock.advance_until("the next note", || service.asked().get(1).cloned());
    assert_eq!(service.asked().len(), 2, "{:?}", service.asked());
    let doctor = balcao(shop.folder.path()).env("ORDERS_SECRET", SECRET).arg("doctor").output().unwrap();
    assert!(out(&doctor).contains("1 commands that deliveries started were set aside"), "{}", out(&doctor));
    shop.stop();
}

#[test]
fn a_delivery_that_lacks_a_field_is_told_tried_again_and_set_aside() {
    let (service, clock) = (Service::start(), clock());
    let shop = shop(&service, &clock);
    let lacking = json!({ "id": "1", "order": { "status": "paid", "by": "11 99999-0000" } });
    assert_eq!([deliver(&shop, &lacking), deliver(&shop, &paid("2", &json!(7)))], [200, 200]);
    for told in [
        "the prepared delivery has no `/order/id` for the argument `order_id`",
        "invalid arguments: `/order_id` wrong type",
    ] {
        clock.advance_until(told, || shop.log().contains(told).then_some(()));
    }
    let doctor = || {
        let output = balcao(shop.folder.path()).env("ORDERS_SECRET", SECRET).arg("doctor").output().unwrap();
        out(&output)
    };
    for _ in 0..3 {
        clock.advance(Duration::from_hours(1));
        clock.advance(Duration::from_secs(1));
    }
    until("both are set aside", || {
        clock.advance(Duration::from_mins(30));
        doctor().contains("2 deliveries of packs could not be read and were set aside").then_some(())
    });
    assert_eq!(service.asked(), Vec::<String>::new());
    assert!(!shop.log().contains("99999"), "no value of a delivery is logged: {}", shop.log());
    shop.stop();
}

#[test]
fn a_delivery_of_a_pack_that_takes_none_any_more_waits_until_it_does() {
    let (service, clock) = (Service::start(), clock());
    let mut shop = shop(&service, &clock);
    assert_eq!(deliver(&shop, &json!({ "id": "1", "order": { "status": "paid", "by": "11 99999-0000" } })), 200);
    let lacks = "has no `/order/id`";
    clock.advance_until("it is put off", || shop.log().contains(lacks).then_some(()));
    let file = shop.folder.path().join("balcao.toml");
    let served = std::fs::read_to_string(&file).unwrap();
    let without = served.replace(&config(RULE), &config("").replace("webhook_secrets", "# webhook_secrets"));
    assert_ne!(without, served);
    std::fs::write(&file, without).unwrap();
    shop.crash_and_start(started(&service, &clock));
    clock.advance(Duration::from_mins(11));
    let reason = "the pack `orders` takes no deliveries; expected `connection.deliveries`";
    clock.advance_until(reason, || shop.log().contains(reason).then_some(()));
    // It is not lost: with its secret it is read as before.
    std::fs::write(&file, served).unwrap();
    shop.crash_and_start(started(&service, &clock));
    clock.advance(Duration::from_mins(11));
    clock.advance_until("it is read again", || shop.log().contains(lacks).then_some(()));
    assert_eq!(service.asked(), Vec::<String>::new());
    shop.stop();
}

#[test]
fn a_short_secret_of_deliveries_is_refused_when_packs_are_loaded() {
    let folder = tempdir().unwrap();
    write_pack(folder.path(), "https://orders.example");
    std::fs::write(folder.path().join("balcao.toml"), config(RULE)).unwrap();
    let run = |secret: &str| {
        balcao(folder.path()).env("ORDERS_SECRET", secret).args(["tools", "--profile", "eli"]).output().unwrap()
    };
    for secret in ["e", "status", "fifteen-letters", "e               "] {
        let output = run(secret);
        assert_eq!(code(&output), 2, "{secret}: {}{}", out(&output), err(&output));
        let reason = "webhook_secrets: invalid length of a secret; expected at least 16 characters";
        assert!(err(&output).contains(reason), "{secret}: {}", err(&output));
    }
    let fine = run("sixteen--letters");
    assert_eq!(code(&fine), 0, "{}", err(&fine));
}

#[test]
fn rules_that_cannot_work_are_refused_when_packs_are_loaded_and_say_what_would_be_right() {
    let folder = tempdir().unwrap();
    write_pack(folder.path(), "https://orders.example");
    let run = |text: String, command: &[&str]| {
        std::fs::write(folder.path().join("balcao.toml"), text).unwrap();
        balcao(folder.path()).env("ORDERS_SECRET", SECRET).args(command).output().unwrap()
    };
    let rule = |rule: &str| config(&format!("[[packs.accounts.on_delivery]]\n{rule}\n"));
    let id = "fields = { order_id = \"/order/id\" }";
    for (wrong, told) in [
        (rule(&format!("command = \"note_ordr\"\n{id}")), "did you mean `note_order`?"),
        (rule(&format!("command = \"get_order\"\n{id}")), "`get_order` only reads"),
        (rule(&format!("command = \"cancel_order\"\n{id}")), "`cancel_order` runs only after a person agreed"),
        (rule("command = \"note_order\""), "`note_order` needs the argument `order_id`"),
        (rule("command = \"note_order\"\nfields = { order_id = \"order.id\" }"), "write `/order/id`"),
        (rule(&format!("command = \"note_order\"\n{id}\nvalues = {{ txt = \"x\" }}")), "did you mean `text`?"),
        (
            rule(&format!("command = \"note_order\"\n{id}\nvalues = {{ text = 7 }}")),
            "the value `/text` of `note_order`",
        ),
        (
            rule(&format!("command = \"note_order\"\n{id}\nvalues = {{ order_id = \"7\" }}")),
            "both `fields` and `values`",
        ),
        (rule(&format!("comand = \"note_order\"\n{id}")), "comand"),
        (config(RULE).replace("webhook_secrets", "# webhook_secrets"), "no deliveries without a secret"),
        (config(RULE).replace("pack = \"orders\"", "pack = \"order\""), "unknown pack `order`"),
        (config(&RULE.repeat(51)), "51 rules; expected at most 50"),
    ] {
        let output = run(wrong, &["tools", "--profile", "eli"]);
        assert_eq!(code(&output), 2, "{told}: {}{}", out(&output), err(&output));
        assert!(err(&output).contains(told), "{told}: {}", err(&output));
    }
    for rules in [1, 50] {
        let fine = run(config(&RULE.repeat(rules)), &["tools", "--profile", "eli"]);
        assert_eq!(code(&fine), 0, "{rules}: {}", err(&fine));
    }
    let shown = out(&run(config(RULE), &["config", "show"]));
    assert!(shown.contains("webhooks are taken; deliveries start note_order"), "{shown}");
}
