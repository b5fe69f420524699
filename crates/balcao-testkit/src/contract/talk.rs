//! What every database must do for conversations, messages and turns. Each function is one case, as in [`super::store`].
#![expect(clippy::unwrap_used, clippy::panic, reason = "a case fails by panicking")]

use balcao_domain::conversation::ConversationState;
use balcao_domain::staff::Role;
use balcao_domain::{ConversationId, StaffId, TurnId};
use balcao_store::crm::staff::{self, Staff};
use balcao_store::messaging::conversation::{self, Conversation};
use balcao_store::messaging::handoff::{self, NewHandoff};
use balcao_store::messaging::message::{self, Author, NewMessage, Notification};
use balcao_store::turns::turn::{self, Closing, Spent};
use balcao_store::{Store, StoreError, Tx, turns::ledger};

use jiff::SignedDuration;

use super::Case;
use super::delivery::{at, write};
use super::outbox::push;
use super::store::{World, now, open_turn, world};

cases!(
    a_turn_that_is_over_has_no_more_effects,
    a_conversation_begins_once_and_keeps_what_is_written,
    those_who_wait_longest_come_first,
    whoever_opted_out_on_one_channel_has_opted_out,
    whom_the_web_chat_alone_knows_is_a_stranger,
    conversations_go_to_the_least_loaded_on_duty,
    a_conversation_has_one_open_turn,
    a_closed_turn_cannot_be_saved_or_closed_again,
    transcripts_are_the_last_ones_oldest_first,
    what_turns_used_up_is_summed,
    the_last_messages_come_oldest_first,
    a_turn_has_one_reply_and_it_can_be_taken_back,
    what_nobody_answered_is_counted,
    the_last_message_that_was_said_is_no_draft,
    what_was_written_after_a_text_is_counted,
    the_last_thing_told_is_the_last_thing_that_we_said,
    the_words_of_a_turn_are_the_contacts,
    f_154_a_conversation_has_one_open_handoff,
    handoffs_are_open_until_they_are_resolved,
);

pub(super) fn begin(tx: &mut Tx<'_>, world: World, contact: usize, channel: &str) -> Result<Conversation, StoreError> {
    let contact = *world.contacts.get(contact).unwrap_or_else(|| panic!("a world has two contacts"));
    conversation::find_or_begin(tx, world.organization, contact, channel, now())
}

/// A contact who also wrote on another channel is not a stranger to the web chat.
pub async fn whom_the_web_chat_alone_knows_is_a_stranger(store: &Store) {
    let (world, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let web = begin(tx, world, 0, "web")?;
        assert!(conversation::is_with_a_stranger(tx, world.organization, web.id)?);
        assert!(!conversation::is_with_a_stranger(tx, theirs.organization, web.id)?);
        let phone = begin(tx, world, 1, "whatsapp")?;
        assert!(!conversation::is_with_a_stranger(tx, world.organization, phone.id)?);
        begin(tx, world, 0, "whatsapp")?;
        assert!(!conversation::is_with_a_stranger(tx, world.organization, web.id)?);
        Ok(())
    })
    .await;
}

pub(super) fn closing(id: TurnId, transcript: &str) -> Closing<'_> {
    Closing {
        id,
        outcome: "reply",
        reason: None,
        machine: "{}",
        prompt_hash: "h",
        transcript,
        spent: Spent { model_calls: 2, tool_calls: 1, tokens: 1_000, cost_micro_usd: 50 },
    }
}

pub(super) fn say(
    tx: &mut Tx<'_>,
    world: World,
    conversation: ConversationId,
    turn: Option<TurnId>,
    author: Author,
    text: &str,
    seconds: i64,
) -> Result<(), StoreError> {
    let subject = (author == Author::System).then_some(text);
    let new = NewMessage { conversation, turn, author, text, subject };
    message::insert(tx, world.organization, &new, at(seconds)).map(drop)
}

/// The same contact and channel give the same conversation, with all that was written into it.
pub async fn a_conversation_begins_once_and_keeps_what_is_written(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let begun = begin(tx, world, 0, "whatsapp")?;
        assert_eq!(begin(tx, world, 0, "whatsapp")?, begun);
        assert_ne!(begin(tx, world, 0, "web")?.id, begun.id);
        let changed = Conversation {
            state: ConversationState::Human,
            breaker: Some("{}".to_owned()),
            pending_confirmation: Some("{\"a\":1}".to_owned()),
            memory: Some("[]".to_owned()),
            context_from: 7,
            episode: 2,
            opted_out_at: Some(at(1)),
            last_message_at: at(2),
            ..begun
        };
        conversation::update(tx, world.organization, &changed)?;
        conversation::set_summary(tx, world.organization, changed.id, "resumo")?;
        let expected = Conversation { summary: Some("resumo".to_owned()), ..changed };
        assert_eq!(conversation::get(tx, world.organization, expected.id)?, expected);
        assert_eq!(conversation::of_contact(tx, world.organization, expected.contact)?.first(), Some(&expected));
        Ok(())
    })
    .await;
}

/// First who waits for a person, the longest silent foremost; then the rest, the latest first.
pub async fn those_who_wait_longest_come_first(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        use ConversationState::{Ai, Closed, Human, WaitingHuman};
        let mut put = |contact, channel, state, seconds| {
            let begun = begin(tx, world, contact, channel)?;
            let changed = Conversation { state, last_message_at: at(seconds), ..begun };
            conversation::update(tx, world.organization, &changed)?;
            Ok::<_, StoreError>(changed.id)
        };
        let recent = put(0, "a", WaitingHuman, 50)?;
        let old = put(1, "a", WaitingHuman, 10)?;
        let early = put(0, "b", Ai, 20)?;
        let late = put(1, "b", Ai, 90)?;
        let person = put(0, "c", Human, 5)?;
        let closed = put(1, "c", Closed, 99)?;
        let mut list = |states: &[ConversationState], limit| {
            let found = conversation::list(tx, world.organization, states, limit)?;
            Ok::<_, StoreError>(found.into_iter().map(|one| one.id).collect::<Vec<_>>())
        };
        assert_eq!(list(&[Ai, WaitingHuman, Human], 10)?, [old, recent, person, late, early]);
        assert_eq!(list(&[Closed], 10)?, [closed]);
        assert_eq!(list(&[WaitingHuman], 1)?, [old]);
        Ok(())
    })
    .await;
}

/// A contact who opted out on one channel receives no proactive messages on any channel.
pub async fn whoever_opted_out_on_one_channel_has_opted_out(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let [contact, other] = world.contacts;
        let begun = begin(tx, world, 0, "web")?;
        begin(tx, world, 0, "whatsapp")?;
        assert!(!conversation::opted_out(tx, world.organization, contact)?);
        conversation::update(tx, world.organization, &Conversation { opted_out_at: Some(now()), ..begun })?;
        assert!(conversation::opted_out(tx, world.organization, contact)?);
        assert!(!conversation::opted_out(tx, world.organization, other)?);
        Ok(())
    })
    .await;
}

/// Attendants come before managers, and among equals the earlier record comes first. Staff off duty receive nothing.
pub async fn conversations_go_to_the_least_loaded_on_duty(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        assert_eq!(conversation::least_loaded(tx, organization)?, None);
        let mut hire = |name: &str, role: Role, on_duty| {
            let (id, phone, professional, active) = (StaffId::try_from(1).unwrap(), None, None, true);
            let (name, email) = (name.to_owned(), format!("{name}@example.com"));
            staff::insert(tx, organization, &Staff { id, name, email, role, phone, on_duty, professional, active })
        };
        let boss = hire("boss", Role::Owner, true)?;
        let (bia, caio) = (hire("bia", Role::Attendant, true)?, hire("caio", Role::Attendant, true)?);
        hire("dora", Role::Attendant, false)?;
        let mut next = |contact, channel| {
            let (id, _name) = conversation::least_loaded(tx, organization)?.unwrap();
            let begun = begin(tx, world, contact, channel)?;
            let state = ConversationState::WaitingHuman;
            conversation::update(tx, organization, &Conversation { state, assigned_staff: Some(id), ..begun })?;
            Ok::<_, StoreError>(id)
        };
        assert_eq!([next(0, "a")?, next(1, "a")?, next(0, "b")?, next(1, "b")?], [bia, caio, boss, bia]);
        assert_eq!(staff::list(tx, organization)?.len(), 4);
        // A staff member may also write through a contact; one contact belongs to at most one staff member.
        let [contact, other] = world.contacts;
        assert_eq!(staff::contact_of(tx, organization, bia)?, None);
        staff::set_contact(tx, organization, bia, contact)?;
        assert_eq!(staff::contact_of(tx, organization, bia)?, Some(contact));
        assert_eq!(staff::of_contact(tx, organization, contact)?.unwrap().id, bia);
        assert_eq!(staff::of_contact(tx, organization, other)?, None);
        assert!(tx.savepoint(|tx| Ok::<_, StoreError>(staff::set_contact(tx, organization, caio, contact)))?.is_err());
        Ok(())
    })
    .await;
}

/// The index refuses a second one; another conversation has its own.
pub async fn a_conversation_has_one_open_turn(store: &Store) {
    let world = world(store, "a").await;
    let ids = write(store, move |tx| {
        let (one, other) = (begin(tx, world, 0, "a")?.id, begin(tx, world, 1, "a")?.id);
        let turn = open_turn(tx, world.organization, one, now())?;
        open_turn(tx, world.organization, other, now())?;
        assert_eq!(turn::find_open(tx, world.organization, one)?, Some((turn, None)));
        assert_eq!(conversation::last_turn(tx, world.organization, one)?, Some(turn));
        Ok((one, turn))
    })
    .await;
    let second = move |tx: &mut Tx<'_>| open_turn(tx, world.organization, ids.0, now());
    assert!(store.write(second).await.is_err_and(|error: StoreError| error.is_unique_violation()));
    write(store, move |tx| {
        turn::close(tx, world.organization, &closing(ids.1, "[]"), at(1))?;
        assert_eq!(turn::find_open(tx, world.organization, ids.0)?, None);
        open_turn(tx, world.organization, ids.0, at(2)).map(drop)
    })
    .await;
}

/// A late process receives an error, because another process closed the turn.
pub async fn a_closed_turn_cannot_be_saved_or_closed_again(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let conversation = begin(tx, world, 0, "a")?.id;
        let id = open_turn(tx, organization, conversation, now())?;
        turn::save(tx, organization, id, "{\"step\":1}", "h")?;
        let saved = turn::find_open(tx, organization, conversation)?;
        assert_eq!(saved, Some((id, Some("{\"step\":1}".to_owned()))));
        turn::restart(tx, organization, id, Spent { model_calls: 3, tool_calls: 1, tokens: 70, cost_micro_usd: 4 })?;
        assert_eq!(turn::find_open(tx, organization, conversation)?, Some((id, None)));
        turn::close(tx, organization, &closing(id, "[]"), at(1))?;
        assert_eq!(turn::record(tx, organization, id)?, Some("{}".to_owned()));
        let all = Spent { model_calls: 5, tool_calls: 2, tokens: 1_070, cost_micro_usd: 54 };
        assert_eq!(turn::spent_since(tx, organization, Some(conversation), at(0))?, all, "what was given up cost, too");
        let next = open_turn(tx, organization, conversation, at(5))?;
        let latest = turn::latest(tx, organization, conversation, 9)?;
        let told: Vec<_> = latest.iter().map(|one| (one.id, one.open, one.closed_at)).collect();
        assert_eq!(told, [(next, true, None), (id, false, Some(at(1)))]);
        let late = [
            turn::close(tx, organization, &closing(id, "[]"), at(2)),
            turn::save(tx, organization, id, "{}", "h"),
            turn::restart(tx, organization, id, Spent::default()),
        ];
        assert!(late.into_iter().all(|result| matches!(result, Err(StoreError::NoRow { .. }))));
        Ok(())
    })
    .await;
}

/// Open turns have none, and those before `from` are left out.
pub async fn transcripts_are_the_last_ones_oldest_first(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let conversation = begin(tx, world, 0, "a")?.id;
        let mut ids = Vec::new();
        for text in ["1", "2", "3"] {
            let id = open_turn(tx, organization, conversation, now())?;
            turn::close(tx, organization, &closing(id, text), at(1))?;
            ids.push(id);
        }
        open_turn(tx, organization, conversation, now())?;
        let mut last = |from, limit| {
            let found = turn::transcripts(tx, organization, conversation, from, limit)?;
            Ok::<_, StoreError>(found.into_iter().map(|one| one.messages).collect::<Vec<_>>())
        };
        assert_eq!(last(0, 2)?, ["2", "3"]);
        let third = ids.get(2).map_or(0, |id| i64::from(*id));
        assert_eq!(last(third, 9)?, ["3"]);
        let mut count = |from| turn::count_transcripts(tx, organization, conversation, from);
        assert_eq!((count(0)?, count(third)?), (3, 1));
        Ok(())
    })
    .await;
}

/// Of the organization or of one conversation, since an instant; nothing is zero.
pub async fn what_turns_used_up_is_summed(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        assert_eq!(turn::spent_since(tx, organization, None, now())?, Spent::default());
        let (one, other) = (begin(tx, world, 0, "a")?.id, begin(tx, world, 1, "a")?.id);
        for (conversation, seconds) in [(one, 0), (one, 10), (other, 20)] {
            let id = open_turn(tx, organization, conversation, at(seconds))?;
            turn::close(tx, organization, &closing(id, "[]"), at(30))?;
            turn::add_model_call(tx, organization, id, 5, 1)?;
        }
        let mut spent = |conversation, seconds| turn::spent_since(tx, organization, conversation, at(seconds));
        let both = Spent { model_calls: 9, tool_calls: 3, tokens: 3_015, cost_micro_usd: 153 };
        assert_eq!(spent(None, 0)?, both);
        assert_eq!(spent(Some(one), 0)?.model_calls, 6);
        assert_eq!(spent(Some(one), 10)?.tokens, 1_005);
        assert_eq!(spent(None, 21)?, Spent::default());
        Ok(())
    })
    .await;
}

/// The limit cuts at the beginning.
pub async fn the_last_messages_come_oldest_first(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = begin(tx, world, 0, "a")?.id;
        for (text, seconds) in [("one", 0), ("two", 1), ("three", 2)] {
            say(tx, world, conversation, None, Author::Contact, text, seconds)?;
        }
        let last = message::last(tx, world.organization, conversation, 2)?;
        assert_eq!(last.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(), ["two", "three"]);
        let since = |tx: &mut Tx<'_>, author| message::count_since(tx, world.organization, conversation, author, at(1));
        assert_eq!((since(tx, Author::Contact)?, since(tx, Author::Agent)?), (2, 0));
        Ok(())
    })
    .await;
}

/// A second reply is a unique violation; a draft does not count.
pub async fn a_turn_has_one_reply_and_it_can_be_taken_back(store: &Store) {
    let world = world(store, "a").await;
    let (conversation, turn) = write(store, move |tx| {
        let conversation = begin(tx, world, 0, "a")?.id;
        let turn = open_turn(tx, world.organization, conversation, now())?;
        say(tx, world, conversation, Some(turn), Author::Contact, "oi", 0)?;
        say(tx, world, conversation, Some(turn), Author::Agent, "olá", 1)?;
        Ok((conversation, turn))
    })
    .await;
    let second = move |tx: &mut Tx<'_>| say(tx, world, conversation, Some(turn), Author::Agent, "olá!", 2);
    assert!(store.write(second).await.is_err_and(|error| error.is_unique_violation()));
    write(store, move |tx| {
        message::unsend(tx, world.organization, turn)?;
        let authors: Vec<Author> =
            message::last(tx, world.organization, conversation, 9)?.into_iter().map(|one| one.author).collect();
        assert_eq!(authors, [Author::Contact, Author::Draft]);
        say(tx, world, conversation, Some(turn), Author::Agent, "olá!", 2)
    })
    .await;
}

/// Not those of the turn that asks, and only if the text was said.
pub async fn what_was_written_after_a_text_is_counted(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = begin(tx, world, 0, "a")?.id;
        let turn = open_turn(tx, world.organization, conversation, now())?;
        say(tx, world, conversation, None, Author::Agent, "confirma?", 1)?;
        say(tx, world, conversation, None, Author::Contact, "sim", 2)?;
        say(tx, world, conversation, Some(turn), Author::Contact, "e amanhã?", 3)?;
        let mut since =
            |text: &str, when| message::written_since(tx, world.organization, conversation, text, at(when), turn);
        assert_eq!(since("confirma?", 0)?, Some(1));
        assert_eq!(since("confirma?", 2)?, None);
        assert_eq!(since("outra coisa", 0)?, None);
        Ok(())
    })
    .await;
}

/// What the agent had still to say when a person took over was not said.
pub async fn the_last_message_that_was_said_is_no_draft(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let (one, other) = (begin(tx, world, 0, "a")?.id, begin(tx, world, 1, "b")?.id);
        let last = |tx: &mut Tx<'_>| Ok(message::last_said(tx, world.organization, one)?.map(|message| message.text));
        assert_eq!(last(tx)?, None);
        say(tx, world, one, None, Author::Contact, "oi", 1)?;
        say(tx, world, one, None, Author::Draft, "olá", 2)?;
        say(tx, world, other, None, Author::Staff, "bom dia", 3)?;
        assert_eq!(last(tx)?.as_deref(), Some("oi"));
        say(tx, world, one, None, Author::Agent, "olá!", 4)?;
        assert_eq!(last(tx)?.as_deref(), Some("olá!"));
        Ok::<_, StoreError>(())
    })
    .await;
}

/// Counts the contact's messages since the last message of the agent, the staff or the system. A draft and the message of a service did
/// not reach the contact.
pub async fn what_nobody_answered_is_counted(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let (one, other) = (begin(tx, world, 0, "a")?.id, begin(tx, world, 1, "b")?.id);
        let unanswered = |tx: &mut Tx<'_>| message::unanswered(tx, world.organization, one);
        assert_eq!(unanswered(tx)?, 0);
        say(tx, world, one, None, Author::Contact, "oi", 1)?;
        say(tx, world, one, None, Author::Contact, "tem horário?", 2)?;
        say(tx, world, one, None, Author::Draft, "tem", 3)?;
        say(tx, world, other, None, Author::Staff, "olá", 4)?;
        assert_eq!(unanswered(tx)?, 2);
        for author in [Author::Staff, Author::Agent, Author::System] {
            say(tx, world, one, None, author, "tem, sim", 5)?;
            assert_eq!(unanswered(tx)?, 0, "{author:?}");
            say(tx, world, one, None, Author::Contact, "obrigado", 6)?;
            assert_eq!(unanswered(tx)?, 1, "{author:?}");
        }
        // What a turn has that still runs, it answers.
        let turn = open_turn(tx, world.organization, one, now())?;
        say(tx, world, one, Some(turn), Author::Contact, "e amanhã?", 7)?;
        assert_eq!(unanswered(tx)?, 1);
        turn::close(tx, world.organization, &closing(turn, "[]"), now())?;
        assert_eq!(unanswered(tx)?, 2);
        say(tx, world, one, Some(turn), Author::System, "o pedido saiu", 7)?;
        assert_eq!(unanswered(tx)?, 2);
        // Its answer is one, until it is known that it did not arrive.
        say(tx, world, one, Some(turn), Author::Agent, "amanhã também", 8)?;
        push(tx, world, one, Some(turn), "a1")?;
        assert_eq!(unanswered(tx)?, 0);
        tx.execute("UPDATE outbox SET state = 'dead'", &[])?;
        assert_eq!(unanswered(tx)?, 2);
        Ok(())
    })
    .await;
}

/// What we said after it takes its place; what the contact said does not.
pub async fn the_last_thing_told_is_the_last_thing_that_we_said(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = begin(tx, world, 0, "a")?.id;
        say(tx, world, conversation, None, Author::System, "lembrete", 1)?;
        say(tx, world, conversation, None, Author::Contact, "ok", 2)?;
        let told =
            |tx: &mut Tx<'_>, when| message::find_last_notification(tx, world.organization, conversation, at(when));
        assert_eq!(told(tx, 0)?, Some(Notification { subject: "lembrete".to_owned(), about: None }));
        assert_eq!(told(tx, 2)?, None);
        say(tx, world, conversation, None, Author::Agent, "até lá", 3)?;
        assert_eq!(told(tx, 0)?, None);
        Ok(())
    })
    .await;
}

/// Only what the contact wrote, of that turn and since that instant.
pub async fn the_words_of_a_turn_are_the_contacts(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = begin(tx, world, 0, "a")?.id;
        let turn = open_turn(tx, world.organization, conversation, at(1))?;
        say(tx, world, conversation, None, Author::Contact, "oi", 1)?;
        say(tx, world, conversation, Some(turn), Author::Contact, "sim", 2)?;
        say(tx, world, conversation, Some(turn), Author::Contact, "pode ser", 3)?;
        say(tx, world, conversation, Some(turn), Author::Agent, "combinado", 4)?;
        let words =
            |tx: &mut Tx<'_>, since| message::texts_of_turn(tx, world.organization, (conversation, turn), at(since));
        assert_eq!(words(tx, 0)?, ["sim", "pode ser"]);
        assert_eq!(words(tx, 3)?, ["pode ser"]);
        Ok(())
    })
    .await;
}

fn hand_over(
    tx: &mut Tx<'_>,
    world: World,
    conversation: ConversationId,
    reason: &str,
    seconds: i64,
) -> Result<i64, StoreError> {
    let new = NewHandoff { conversation, turn: None, reason, summary: None, note: None, assigned_staff: None };
    handoff::insert(tx, world.organization, &new, at(seconds))
}

/// However often a conversation is handed over, one task is open; the next one only after it was resolved.
pub async fn f_154_a_conversation_has_one_open_handoff(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = begin(tx, world, 0, "a")?.id;
        let first = hand_over(tx, world, conversation, "asked", 10)?;
        assert_eq!(hand_over(tx, world, conversation, "later", 20)?, first);
        let open = handoff::open_of(tx, world.organization, conversation)?.map(|open| (open.reason, open.created_at));
        assert_eq!(open, Some(("asked".to_owned(), at(10))));
        assert_eq!(handoff::resolve(tx, world.organization, conversation, at(30))?, 1);
        assert_ne!(hand_over(tx, world, conversation, "again", 40)?, first);
        Ok(())
    })
    .await;
}

/// The first open one is since when the contact waits.
pub async fn handoffs_are_open_until_they_are_resolved(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = begin(tx, world, 0, "a")?.id;
        hand_over(tx, world, conversation, "asked", 10)?;
        let after = [10, 20, 30].map(SignedDuration::from_secs);
        let untaken = |tx: &mut Tx<'_>, seconds| handoff::untaken(tx, after, at(seconds), 10);
        let before = untaken(tx, 1_000)?;
        assert!(before.is_empty(), "nobody waits for a person: {before:?}");
        let mut waits = conversation::get(tx, world.organization, conversation)?;
        waits.state = ConversationState::WaitingHuman;
        conversation::update(tx, world.organization, &waits)?;
        for told in 0..3 {
            let seconds = 1_000 + i64::from(told);
            let found = untaken(tx, seconds)?;
            assert!(found.iter().all(|one| (one.conversation, one.told) == (conversation, told)), "{found:?}");
            assert!(!found.is_empty());
            for one in &found {
                assert!(handoff::count_alert(tx, one)?);
                assert!(!handoff::count_alert(tx, one)?, "somebody else told it");
            }
        }
        assert_eq!(untaken(tx, 2_000)?, []);
        let open = handoff::open_of(tx, world.organization, conversation)?.unwrap();
        assert_eq!((open.reason.as_str(), open.created_at), ("asked", at(10)));
        assert_eq!(handoff::set_summary(tx, world.organization, conversation, "wants a cut")?, 1);
        let told = handoff::open_of(tx, world.organization, conversation)?.unwrap().summary;
        assert_eq!(told.as_deref(), Some("wants a cut"));
        assert_eq!(handoff::resolve(tx, world.organization, conversation, at(30))?, 1);
        assert_eq!(handoff::open_of(tx, world.organization, conversation)?, None);
        assert_eq!(handoff::resolve(tx, world.organization, conversation, at(31))?, 0);
        assert_eq!(handoff::set_summary(tx, world.organization, conversation, "too late")?, 0);
        Ok(())
    })
    .await;
}

/// A process that slept while another process ended its turn can no longer have an effect (I-5). Recorded results stay known.
pub async fn a_turn_that_is_over_has_no_more_effects(store: &Store) {
    let world = world(store, "a").await;
    let done = store.write(move |tx| {
        let organization = world.organization;
        let talk = begin(tx, world, 0, "terminal")?;
        let id = open_turn(tx, organization, talk.id, now())?;
        let key = |key: &str| ledger::EffectKey {
            key: key.to_owned(),
            args_hash: "h".to_owned(),
            turn: Some(id),
            tool: "t".to_owned(),
        };
        let effect = |tx: &mut Tx<'_>, name: &str| {
            ledger::once(tx, organization, &key(name), now(), |_tx| Ok::<_, StoreError>(name.len()))
        };
        assert!(!effect(tx, "before")?.repeated);
        // Nor while a person has the conversation (I-17).
        let mut taken = conversation::get(tx, organization, talk.id)?;
        let before = std::mem::replace(&mut taken.state, ConversationState::Human);
        conversation::update(tx, organization, &taken)?;
        assert!(effect(tx, "before")?.repeated);
        assert!(matches!(ledger::demand_open(tx, organization, &key("meanwhile")), Err(StoreError::TakenOver { .. })));
        let kept = effect(tx, "meanwhile");
        assert!(matches!(kept, Err(StoreError::TakenOver { conversation }) if conversation == talk.id), "{kept:?}");
        taken.state = before;
        conversation::update(tx, organization, &taken)?;
        assert!(!effect(tx, "meanwhile")?.repeated);
        turn::close(tx, organization, &closing(id, "[]"), now())?;
        assert!(effect(tx, "before")?.repeated);
        assert!(matches!(ledger::demand_open(tx, organization, &key("after")), Err(StoreError::LeaseLost { .. })));
        let late = effect(tx, "after");
        assert!(matches!(late, Err(StoreError::LeaseLost { conversation }) if conversation == talk.id), "{late:?}");
        Ok::<_, StoreError>(())
    });
    done.await.unwrap();
}
