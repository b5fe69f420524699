//! While it is attacked, the program answers requests for its health, and its memory stays below a limit. The nightly run
//! (`BALCAO_GATE_SCALE=10`) repeats each attack and also limits how long an answer takes.
#![expect(clippy::print_stderr, reason = "figures are for whoever runs the gate")]

use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use balcao_testkit::fakes::model::{FakeModel, calls, says};
use balcao_testkit::wait::until;
use serde_json::json;
use tempfile::TempDir;

use super::packs::{TOKEN, Upstream, command, pack};
use crate::ops::model_config;
use crate::web_chat::{Running, exchange, read, shop, token, write};

/// The most memory that the program may ever have taken, in KiB.
const MOST: u64 = 400 << 10;

/// The longest that an answer for health may take in the nightly run, whose program is built in release.
const SLOWEST: Duration = Duration::from_millis(500);

/// How often an attack is repeated; more than once in the nightly run.
fn repeats() -> usize {
    std::env::var_os("BALCAO_GATE_SCALE").and_then(|text| text.to_str()?.parse().ok()).unwrap_or(1)
}

/// Runs an attack while another thread asks for the program's health, again and again.
fn while_health_answers(server: &Running, attack: impl Fn(usize)) {
    let over = AtomicBool::new(false);
    let (answered, slowest) = std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let (mut answered, mut slowest) = (0, Duration::ZERO);
            while !over.load(Ordering::Relaxed) || answered == 0 {
                let began = Instant::now();
                let answer = exchange(server.address(), "GET /healthz HTTP/1.1\r\nhost: x", "", None);
                assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
                slowest = slowest.max(began.elapsed());
                answered += 1;
            }
            (answered, slowest)
        });
        (0..repeats()).for_each(attack);
        over.store(true, Ordering::Relaxed);
        asking.join().unwrap()
    });
    eprintln!("{answered} answers, the slowest in {} ms", slowest.as_millis());
    assert!(repeats() == 1 || slowest < SLOWEST, "{slowest:?}");
}

/// The program took less than [`MOST`] at any time since it began, where the system tells.
fn has_stayed_small(server: &Running) {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{}/status", server.id())) else {
        eprintln!("\n*** SKIPPED: this system does not say what a program uses.\n");
        return;
    };
    let peak =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB")?.trim().parse().ok());
    let peak: u64 = peak.unwrap();
    eprintln!("at most {} MiB", peak >> 10);
    assert!(peak < MOST, "{peak} KiB");
}

/// The sample shop with a web chat; more of its configuration.
fn shop_with(more: &str) -> TempDir {
    let shop = shop();
    let file = shop.path().join("balcao.toml");
    let config = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{config}{more}")).unwrap();
    shop
}

/// An answer of a service with this body.
fn answer(body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

#[test]
fn u07_under_what_strangers_send_health_answers_and_memory_stays() {
    let shop = shop_with("");
    let server = Running::start(shop.path(), &["serve", "--model", "offline"]);
    let address = server.address();
    let visitor = token(address);
    while_health_answers(&server, |number| {
        // Five hundred days in one message.
        let days: Vec<String> = (0..500).map(|day| format!("dia {}/{}", day % 28 + 1, day % 12 + 1)).collect();
        let days = days.join(" ou ");
        let said = write(address, &visitor, &format!("message-days-{number}"), days.get(..2_000).unwrap_or(&days));
        assert!(said.starts_with("HTTP/1.1 202"), "{said}");
        read(address, &visitor, "\"author\":\"agent\"");
    });
    while_health_answers(&server, |_| {
        // Half a request each, and a whole one whose answer is never read.
        let mut held: Vec<TcpStream> = Vec::new();
        for number in 0..200 {
            let Ok(mut stream) = TcpStream::connect(address) else { continue };
            let half = if number % 2 == 0 { "POST /chat/v1/messages HTTP/1.1\r\nhost: x\r\ncontent-le" } else { "" };
            let whole = "GET /chat/widget.js HTTP/1.1\r\nhost: x\r\n\r\n".repeat(20);
            // Who is turned away early cannot write all of it.
            drop(stream.write_all(if half.is_empty() { whole.as_bytes() } else { half.as_bytes() }));
            held.push(stream);
        }
        let said = exchange(address, "GET /healthz HTTP/1.1\r\nhost: x", "", None);
        assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    });
    while_health_answers(&server, |_| {
        // An unsigned body with as many values as fit.
        let body = format!("[{}0]", "{\"\":0},".repeat(400_000));
        for path in ["/webhooks/whatsapp", "/webhooks/packs/up", "/chat/v1/messages"] {
            let Ok(mut stream) = TcpStream::connect(address) else { continue };
            let head = format!("POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", body.len());
            drop(stream.write_all(head.as_bytes()));
            drop(stream.write_all(body.as_bytes()));
        }
    });
    has_stayed_small(&server);
}

#[test]
fn u08_under_what_services_answer_health_answers_and_memory_stays() {
    let many = format!("[{}0]", "{\"\":0},".repeat(120_000));
    let page = format!(r#"{{"items":["{}"],"last":false}}"#, "x".repeat(900_000));
    let words: Vec<String> = (0..5_000).map(|one| format!("other{one}")).collect();
    let words = json!({ "words": words }).to_string();
    let (values, pages, odd) =
        (Upstream::start(answer(&many)), Upstream::start(answer(&page)), Upstream::start(answer(&words)));
    let paged = "method: GET, path: /pages, pagination: {style: page, items: /items, param: p, last: /last, max_pages: 100, max_items: 100000}";
    let known: Vec<String> = (0..400).map(|one| format!("word{one}")).collect();
    let strict = format!(
        "output_schema: {{type: object, properties: {{words: {{type: array, items: {{enum: [{}]}}}}}}}}",
        known.join(", ")
    );
    let get = |id: &str| command(id, "read", "method: GET, path: /x");
    let echo = Upstream::start(answer(&json!({ "seen": format!("Bearer {TOKEN}") }).to_string()));
    let packs = [
        ("echo", &echo, get("get_echo")),
        ("values", &values, get("get_values")),
        ("pages", &pages, command("get_pages", "read", paged)),
        ("odd", &odd, get("get_words").replace("output_schema: {type: object}", &strict)),
    ];
    let sorry = || says("Não consegui ver isso agora.");
    let turns = ["get_echo", "get_values", "get_pages", "get_words"].into_iter().flat_map(|tool| vec![tool; repeats()]);
    let model = FakeModel::start(turns.flat_map(|tool| [calls(tool, json!({})), sorry()])).unwrap();
    let accounts: String = packs
        .iter()
        .map(|(id, ..)| format!("[[packs.accounts]]\npack = \"{id}\"\nsettings = {{ token = \"${{UP_TOKEN}}\" }}\n"))
        .collect();
    let shop = shop_with(&format!(
        "[agents]\nprofile = \"casa\"\n[packs]\nfolders = [\"packs\"]\nallow_networks = [\"127.0.0.0/8\"]\nplain_http = true\n{accounts}{}",
        model_config(&model)
    ));
    for (id, upstream, commands) in &packs {
        let folder = shop.path().join("packs").join(id);
        std::fs::create_dir_all(&folder).unwrap();
        let text = pack("http", &upstream.connection(), commands).replace("id: up\n", &format!("id: {id}\n"));
        std::fs::write(folder.join("tool.yaml"), text).unwrap();
    }
    std::fs::create_dir(shop.path().join("agents")).unwrap();
    let profile = "profile: {id: casa, name: Casa, packs: [crm, echo, values, pages, odd], protocol: native}\n";
    std::fs::write(shop.path().join("agents/casa.yaml"), profile).unwrap();
    let server = Running::start_in(&[("UP_TOKEN", TOKEN)], shop.path(), &["serve"]);
    let address = server.address();
    for upstream in [&echo, &values, &pages, &odd] {
        let visitor = token(address);
        while_health_answers(&server, |number| {
            let said = write(address, &visitor, &format!("message-{number}"), "o que tem?");
            assert!(said.starts_with("HTTP/1.1 202"), "{said}");
            // Each message and each reply is an event of the page.
            let seen = read(address, &visitor, &format!("id: {}\n", 2 * number + 2));
            assert!(seen.contains("\"author\":\"agent\"") && !seen.contains(TOKEN), "{seen}");
        });
        until("the service is asked", || (!upstream.asked().is_empty()).then_some(()));
    }
    has_stayed_small(&server);
    // What the service repeated of its token went neither to the model nor into the record.
    let asked = json!(model.asked()).to_string();
    assert!(asked.contains("seen") && !asked.contains(TOKEN), "{asked}");
    drop(server);
    for file in ["balcao.db", "balcao.db-wal"] {
        let kept = std::fs::read(shop.path().join(file)).unwrap_or_default();
        assert!(!kept.windows(TOKEN.len()).any(|piece| piece == TOKEN.as_bytes()), "{file}");
    }
}
