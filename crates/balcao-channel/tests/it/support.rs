//! An account of the fake.

use balcao_channel::channels::whatsapp::{Config, WhatsApp};
use balcao_channel::{AccountId, Number, Outbound, Recipient, SendReceipt, UserId};
use balcao_testkit::fakes::graph::{ACCOUNT, FakeGraph, TOKEN};

pub(crate) fn config(base_url: &str) -> Config {
    Config { base_url: base_url.to_owned(), ..Config::new(AccountId::new(ACCOUNT), TOKEN.into()) }
}

pub(crate) fn account(graph: &FakeGraph) -> WhatsApp {
    WhatsApp::new(config(&graph.url())).unwrap()
}

pub(crate) fn joao() -> Recipient {
    Recipient::Number(Number::new("5541987654321"))
}

pub(crate) fn hidden() -> Recipient {
    Recipient::User(UserId::new("BR.1234567890"))
}

pub(crate) fn hello() -> Outbound {
    Outbound::text("Olá, João!").unwrap()
}

pub(crate) fn id(receipt: &SendReceipt) -> &str {
    receipt.message.as_str()
}
