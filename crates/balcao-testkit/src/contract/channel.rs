//! What every channel must do. Each function is one case; [`all`] has them with their names.
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use std::pin::Pin;
use std::sync::Arc;

use balcao_channel::outbound::{Button, CorrelationId, Outbound};
use balcao_channel::{Channel, ProviderMessageId, Recipient, SendClass};

/// A channel over a fake of its provider.
pub trait Harness: Send + Sync {
    /// The channel.
    fn channel(&self) -> Arc<dyn Channel>;

    /// A contact that the channel can reach.
    fn customer(&self) -> Recipient;

    /// The words that reached customers, in order.
    fn arrived(&self) -> Vec<String>;

    /// The provider accepts the next message, and the sender receives no answer.
    fn loses_the_next_answer(&self);

    /// The next message is certainly not accepted, because the provider is busy.
    fn is_busy_once(&self);

    /// A secret that no log may contain.
    fn secret(&self) -> &str;
}

/// A case, over a fresh harness.
pub type Case = (&'static str, fn(Box<dyn Harness>) -> Pin<Box<dyn Future<Output = ()>>>);

/// Every case with its name.
#[must_use]
pub fn all() -> Vec<Case> {
    vec![
        ("a_text_arrives_and_has_a_name", |on| Box::pin(async move { a_text_arrives_and_has_a_name(&*on).await })),
        ("words_arrive_where_buttons_cannot", |on| {
            Box::pin(async move { words_arrive_where_buttons_cannot(&*on).await })
        }),
        ("a_lost_answer_is_no_licence_to_repeat", |on| {
            Box::pin(async move { a_lost_answer_is_no_licence_to_repeat(&*on).await })
        }),
        ("what_is_busy_may_be_asked_again", |on| Box::pin(async move { what_is_busy_may_be_asked_again(&*on).await })),
        ("nobody_waits_for_a_sign_of_life", |on| Box::pin(async move { nobody_waits_for_a_sign_of_life(&*on).await })),
        ("secrets_are_not_shown", |on| Box::pin(async move { secrets_are_not_shown(&*on) })),
    ]
}

fn text(words: &str, name: &str) -> Outbound {
    Outbound::text(words).unwrap().tracked(CorrelationId::new(name).unwrap())
}

/// A receipt names the message, and two messages have two names.
pub async fn a_text_arrives_and_has_a_name(on: &dyn Harness) {
    let (channel, to) = (on.channel(), on.customer());
    let first = channel.send(&text("Olá, João! 👋", "a"), &to).await.unwrap();
    let second = channel.send(&text("Tudo bem?", "b"), &to).await.unwrap();
    assert_ne!(first.message, second.message);
    assert_eq!(on.arrived(), ["Olá, João! 👋", "Tudo bem?"]);
}

/// What a channel cannot show is said in words.
pub async fn words_arrive_where_buttons_cannot(on: &dyn Harness) {
    let channel = on.channel();
    let button = |id: &str| Button { id: id.to_owned(), title: id.to_owned() };
    let buttons = Outbound::buttons("Às 14h ou 15h?", vec![button("14:00"), button("15:00")]).unwrap();
    let buttons = buttons.tracked(CorrelationId::new("a").unwrap());
    channel.send(&buttons.adapted_to(&channel.capabilities()), &on.customer()).await.unwrap();
    assert_eq!(on.arrived(), ["Às 14h ou 15h?"]);
}

/// Where no answer came, the outcome is unknown; unless sending twice is sending once.
pub async fn a_lost_answer_is_no_licence_to_repeat(on: &dyn Harness) {
    let (channel, to) = (on.channel(), on.customer());
    on.loses_the_next_answer();
    let lost = channel.send(&text("Olá!", "a"), &to).await;
    if channel.capabilities().idempotent {
        channel.send(&text("Olá!", "a"), &to).await.unwrap();
    } else {
        assert_eq!(lost.unwrap_err().class, SendClass::Unknown);
    }
    assert_eq!(on.arrived(), ["Olá!"]);
}

/// What was certainly not accepted may be tried again, and no method does so by itself.
pub async fn what_is_busy_may_be_asked_again(on: &dyn Harness) {
    let (channel, to) = (on.channel(), on.customer());
    on.is_busy_once();
    let busy = channel.send(&text("Olá!", "a"), &to).await.unwrap_err();
    assert!(matches!(busy.class, SendClass::Retry { .. }), "{busy:?}");
    assert!(on.arrived().is_empty());
    channel.send(&text("Olá!", "a"), &to).await.unwrap();
    assert_eq!(on.arrived(), ["Olá!"]);
}

/// A channel that shows no reading and no writing says nothing instead.
pub async fn nobody_waits_for_a_sign_of_life(on: &dyn Harness) {
    let (channel, message) = (on.channel(), ProviderMessageId::new("wamid.1"));
    channel.mark_read(&message).await.unwrap();
    channel.typing(&message).await.unwrap();
    assert!(on.arrived().is_empty());
}

/// `Debug` is for logs.
pub fn secrets_are_not_shown(on: &dyn Harness) {
    let shown = format!("{:?}", on.channel());
    assert!(on.secret().is_empty() || !shown.contains(on.secret()), "{shown}");
}
