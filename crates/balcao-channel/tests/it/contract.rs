//! One suite, all channels.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use balcao_channel::channels::evolution::{Config, Evolution};
use balcao_channel::channels::web::{Mailbox, WebChat};
use balcao_channel::{AccountId, Channel, Number, Recipient, UserId};
use balcao_domain::AttachmentId;
use balcao_testkit::contract::channel::{Harness, all};
use balcao_testkit::fakes::evolution::{self, FakeEvolution, Gateway};
use balcao_testkit::fakes::graph::{Behaviour, FakeGraph, TOKEN};
use serde_json::Value;

use crate::support::{account, joao};

struct OnWhatsApp(FakeGraph);

impl Harness for OnWhatsApp {
    fn channel(&self) -> Arc<dyn Channel> {
        Arc::new(account(&self.0))
    }

    fn customer(&self) -> Recipient {
        joao()
    }

    fn arrived(&self) -> Vec<String> {
        let words = |message: Value| {
            let text = message.pointer("/text/body").or(message.pointer("/interactive/body/text"));
            text.and_then(Value::as_str).map(str::to_owned)
        };
        self.0.accepted().into_iter().filter_map(words).collect()
    }

    fn loses_the_next_answer(&self) {
        self.0.next(Behaviour::AcceptThenDrop);
    }

    fn is_busy_once(&self) {
        self.0.next(Behaviour::Error { status: 500, code: 131_016, details: "Service overloaded".to_owned() });
    }

    fn secret(&self) -> &str {
        TOKEN
    }
}

struct OnEvolution(FakeEvolution);

pub(crate) fn gateway(fake: &FakeEvolution) -> Evolution {
    let (instance, key) = (evolution::INSTANCE.to_owned(), evolution::KEY.into());
    Evolution::new(Config { base_url: fake.url(), instance, key, within: Duration::from_mins(1) }).unwrap()
}

impl Harness for OnEvolution {
    fn channel(&self) -> Arc<dyn Channel> {
        Arc::new(gateway(&self.0))
    }

    fn customer(&self) -> Recipient {
        Recipient::Number(Number::new("554187654321"))
    }

    fn arrived(&self) -> Vec<String> {
        self.0.sent().into_iter().filter_map(|(_, body)| body["text"].as_str().map(str::to_owned)).collect()
    }

    fn loses_the_next_answer(&self) {
        self.0.next(Gateway::AcceptThenDrop);
    }

    fn is_busy_once(&self) {
        self.0.next(Gateway::Status(503));
    }

    fn secret(&self) -> &str {
        evolution::KEY
    }
}

/// A mailbox in memory.
#[derive(Debug, Default)]
struct Box_ {
    kept: Mutex<BTreeMap<String, String>>,
    order: Mutex<Vec<String>>,
    busy: AtomicBool,
}

#[async_trait]
impl Mailbox for Box_ {
    async fn put(&self, _visitor: &UserId, name: &str, text: &str, _file: Option<AttachmentId>) -> Result<(), String> {
        if self.busy.swap(false, Ordering::SeqCst) {
            return Err("busy".to_owned());
        }
        if self.kept.lock().unwrap().insert(name.to_owned(), text.to_owned()).is_none() {
            self.order.lock().unwrap().push(text.to_owned());
        }
        Ok(())
    }
}

struct OnTheWeb(Arc<Box_>);

impl Harness for OnTheWeb {
    fn channel(&self) -> Arc<dyn Channel> {
        Arc::new(WebChat::new(AccountId::new("site"), Arc::<Box_>::clone(&self.0)))
    }

    fn customer(&self) -> Recipient {
        Recipient::User(UserId::new("visitor"))
    }

    fn arrived(&self) -> Vec<String> {
        self.0.order.lock().unwrap().clone()
    }

    /// There is no answer that could be lost between a mailbox and its channel.
    fn loses_the_next_answer(&self) {}

    fn is_busy_once(&self) {
        self.0.busy.store(true, Ordering::SeqCst);
    }

    fn secret(&self) -> &str {
        ""
    }
}

async fn passes(fresh: impl Fn() -> Box<dyn Harness>) {
    for (name, case) in all() {
        eprintln!("{name}");
        case(fresh()).await;
    }
}

#[tokio::test]
async fn whatsapp_is_a_channel() {
    passes(|| Box::new(OnWhatsApp(FakeGraph::start().unwrap()))).await;
}

#[tokio::test]
async fn evolution_is_a_channel() {
    passes(|| Box::new(OnEvolution(FakeEvolution::start().unwrap()))).await;
}

#[tokio::test]
async fn the_web_chat_is_a_channel() {
    passes(|| Box::new(OnTheWeb(Arc::default()))).await;
}
