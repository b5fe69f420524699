//! A message that kills whoever works on it, among healthy ones.

use std::io::{BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};

use balcao_testkit::wait::until;
use serde_json::json;

use super::{SECRET, post, shop};
use crate::observed::text;

/// What kills.
const POISON: &str = "veneno";
const HEALTHY: u32 = 20;

/// A model that greets; asked about the poison it tells so and never answers.
fn model() -> (String, Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let (sender, poisoned) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let sender = sender.clone();
            // A client that dies has its reasons.
            std::thread::spawn(move || answer(stream, &sender).ok());
        }
    });
    (address, poisoned)
}

fn answer(mut stream: TcpStream, poisoned: &Sender<()>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(body) = crate::request_body(&mut reader)? {
        if String::from_utf8_lossy(&body).contains(POISON) {
            poisoned.send(()).ok();
            return reader.read_to_end(&mut Vec::new()).map(drop);
        }
        let said = json!({ "choices": [{ "index": 0, "delta": { "role": "assistant", "content": "Oi! Como posso ajudar?" } }] });
        let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
        let events = format!("data: {said}\n\ndata: {end}\n\ndata: [DONE]\n\n");
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length:";
        stream.write_all(format!("{head} {}\r\n\r\n{events}", events.len()).as_bytes())?;
    }
    Ok(())
}

#[test]
fn f_16_f_130_a_poisonous_message_costs_a_few_deaths_and_no_neighbour_its_answer() {
    let shop = shop().with_leases(2);
    let (model, poisoned) = model();
    let file = shop.folder.path().join("balcao.toml");
    let config = std::fs::read_to_string(&file).unwrap();
    let ours =
        format!("[[model.providers]]\nname = \"ours\"\nkind = \"compatible\"\nbase_url = \"{model}\"\nmodel = \"x\"\n");
    std::fs::write(&file, format!("{config}{ours}")).unwrap();
    let mut server = Some(shop.start_with(&["serve"]));
    let address = server.as_ref().unwrap().address.clone();
    for customer in 0..=HEALTHY {
        let words = if customer == HEALTHY / 2 { POISON } else { "oi" };
        let message = text(&format!("wamid.{customer}"), customer, words);
        assert_eq!(post(&address, &message, SECRET), Some(200));
    }
    let mut deaths = 0;
    until("it comes to rest", || {
        if poisoned.try_recv().is_ok() {
            drop(server.take());
            // What it was asked while it died.
            while poisoned.try_recv().is_ok() {}
            deaths += 1;
            server = Some(shop.start_with(&["serve"]));
        }
        (shop.left() == 0).then_some(())
    });
    assert!(server.unwrap().stop().success());
    // Whoever was there at the first death is only suspected; three deaths alone with it are its own.
    assert!((3..=4).contains(&deaths), "{deaths} deaths");
    let given = shop.count("SELECT COUNT(*) FROM conversation WHERE state = 'waiting_human'");
    let answered = shop.count("SELECT COUNT(*) FROM inbox WHERE kind = 'message' AND state = 'answered'");
    assert_eq!((given, answered), (1, i64::from(HEALTHY)));
    // A death may come while something is being sent: that is not sent again.
    let unknown = usize::try_from(shop.count("SELECT COUNT(*) FROM outbox WHERE state = 'unknown'")).unwrap();
    let accepted = shop.accepted();
    let names: std::collections::BTreeSet<&String> = accepted.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), accepted.len(), "sent twice: {accepted:?}");
    let greeted = accepted.iter().filter(|(_, words)| words == "Oi! Como posso ajudar?").count();
    let healthy = usize::try_from(HEALTHY).unwrap();
    assert!((healthy - unknown..=healthy).contains(&greeted), "{unknown} unknown, {accepted:?}");
    assert_eq!(shop.count("SELECT COUNT(*) FROM outbox"), i64::from(HEALTHY) + 1);
    eprintln!("F-130: 1 poisonous message among {HEALTHY}: {deaths} deaths, {answered} answered, it went to a person");
}
