//! What a message of a contact answers, by the channel's name of another message.

use balcao_domain::outbox::{AttemptOutcome, SETTLE, after_attempt};
use balcao_store::messaging::message::{self, Answered, Author, NewMessage, Notification};
use balcao_store::messaging::outbox::{self, NewOutbox};
use balcao_store::{Store, Tx};

use super::Case;
use super::delivery::{at, write};
use super::store::{open_turn, world};
use super::talk::{begin, say};

cases!(a_quoted_message_names_its_matter);

/// By the channel's name of the message, in its own conversation only; an answer of ours has no matter.
pub async fn a_quoted_message_names_its_matter(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let (conversation, other) = (begin(tx, world, 0, "a")?.id, begin(tx, world, 1, "b")?.id);
        say(tx, world, conversation, None, Author::System, "lembrete", 1)?;
        say(tx, world, conversation, None, Author::Agent, "até lá", 2)?;
        for (name, about, seconds) in [("w1", Some("appointment:7:0"), 1), ("w2", None, 2)] {
            let new = NewOutbox {
                conversation,
                turn: None,
                message: None,
                part: 1,
                kind: "reminder",
                channel: "whatsapp",
                account: "7001",
                recipient: "{}",
                body: "{}",
                correlation: name,
                about,
                fallback: None,
            };
            outbox::push(tx, world.organization, &new, at(seconds))?;
            let claimed = outbox::claim(tx, name, at(seconds), at(seconds + 30), 10)?;
            for one in &claimed {
                let next = after_attempt(AttemptOutcome::Accepted, one.attempts, 0, SETTLE, at(seconds));
                outbox::record(tx, one, next, Some(name), None, at(seconds))?;
            }
        }
        let told = |tx: &mut Tx<'_>, conversation, name| {
            message::find_quoted_notification(tx, world.organization, conversation, name)
        };
        let reminder = Notification { subject: "lembrete".to_owned(), about: Some("appointment:7:0".to_owned()) };
        assert_eq!(told(tx, conversation, "w1")?, Some(reminder.clone()));
        assert_eq!(told(tx, conversation, "w2")?, None);
        assert_eq!(told(tx, conversation, "w3")?, None);
        assert_eq!(told(tx, other, "w1")?, None);
        let answered =
            |tx: &mut Tx<'_>, conversation, name| message::find_answered(tx, world.organization, conversation, name);
        for (conversation, name, expected) in [
            (conversation, "w1", Answered::Last),
            (conversation, "w2", Answered::Last),
            (conversation, "w3", Answered::Other),
            (other, "w2", Answered::Other),
        ] {
            assert_eq!(answered(tx, conversation, name)?, expected, "{name}");
        }
        assert_eq!(message::find_last_notification(tx, world.organization, conversation, at(0))?, None);
        say(tx, world, conversation, None, Author::Contact, "oi", 3)?;
        assert_eq!(answered(tx, conversation, "w2")?, Answered::Last);
        // What a service says to a turn was not sent to the contact, even if it came at the instant of a message of ours.
        let turn = open_turn(tx, world.organization, conversation, at(3))?;
        let of_service =
            NewMessage { conversation, turn: Some(turn), author: Author::System, text: "o pedido saiu", subject: None };
        message::insert(tx, world.organization, &of_service, at(2))?;
        assert_eq!(answered(tx, conversation, "w2")?, Answered::Last);
        say(tx, world, conversation, None, Author::System, "lembrete", 1)?;
        message::insert(tx, world.organization, &of_service, at(4))?;
        assert_eq!(answered(tx, conversation, "w2")?, Answered::Earlier("até lá".to_owned()));
        assert_eq!(message::find_last_notification(tx, world.organization, conversation, at(0))?, Some(reminder));
        Ok(())
    })
    .await;
}
