//! Files that customers send are fetched before the turn, for a while, and whatever they are the customer is answered.

use std::sync::Arc;

use balcao_app::context::budgets::{FileBudgets, StrangerBudgets};
use balcao_app::messaging::inbox::Inbox;
use balcao_app::messaging::web_chat::{Hub, Visitor, WebChats};
use balcao_domain::Clock;
use balcao_domain::attachment::{AttachmentState, MAX_ATTEMPTS};
use balcao_domain::burst::BurstRules;
use balcao_llm::providers::scripted::{Line, says};
use balcao_store::ops::day_budget::{self, Day};
use balcao_store::{OpenOptions, Store, Tx, messaging::attachment, messaging::inbox};
use balcao_testkit::fakes::graph::Behaviour;
use balcao_testkit::fakes::transcription::Heard;
use balcao_testkit::wait;
use serde_json::{Value, json};

use crate::messaging_harness::{MAX_BYTES, MessagingHarness, WAIT, eli, start_harness, start_on_store};

const ANSWER: &str = "Recebi! Como posso ajudar?";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
const NO_IMAGE: &str = "[o cliente enviou uma imagem que não pôde ser lida]";
const NO_AUDIO: &str = "[o cliente enviou um áudio que não pôde ser ouvido]";

/// A voice note of so many seconds.
fn note(seconds: u64) -> Vec<u8> {
    let page = |samples: u64| [b"OggS\0\x04".as_slice(), &samples.to_le_bytes(), &[0; 14]].concat();
    [page(0), b"OpusHead".to_vec(), page(seconds * 48_000)].concat()
}

fn image(more: Value) -> Value {
    let mut image = json!({ "id": "m1", "mime_type": "image/png" });
    image.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({ "type": "image", "image": image })
}

fn voice() -> Value {
    let audio = json!({ "id": "m1", "mime_type": "audio/ogg; codecs=opus", "voice": true });
    json!({ "type": "audio", "audio": audio })
}

async fn one(shop: &MessagingHarness) -> attachment::Attachment {
    let [one] = shop.attachments().await.try_into().unwrap();
    one
}

async fn got_an_image(answer: Option<Line>, prepare: impl FnOnce(&MessagingHarness)) -> MessagingHarness {
    let shop = start_harness(answer).await;
    prepare(&shop);
    shop.joao_sends("wamid.1", image(json!({}))).await;
    shop.files.work_off().await.unwrap();
    shop
}

#[tokio::test]
async fn an_image_is_fetched_and_kept_before_its_turn() {
    let shop = start_harness([says(ANSWER)]).await;
    shop.graph.keep_file("m1", "image/png", PNG);
    shop.joao_sends("wamid.1", image(json!({ "caption": "quero igual a esse" }))).await;
    shop.advance_secs(3);
    assert_eq!(shop.dispatcher.work_off().await.unwrap(), 0, "the burst is over, but the file is not here");
    shop.files.work_off().await.unwrap();
    shop.run_until_idle().await;
    assert_eq!(shop.texts(), [ANSWER]);
    assert_eq!(shop.asked(), "quero igual a esse\n[imagem, que não posso ver]");
    let kept = one(&shop).await;
    assert_eq!((kept.state, kept.mime.as_deref(), kept.attempts), (AttachmentState::Stored, Some("image/png"), 1));
    let organization = shop.world.organization;
    let bytes = shop.in_transaction(move |tx| attachment::bytes(tx, organization, kept.id)).await;
    assert_eq!(bytes, Some(("image/png".to_owned(), PNG.to_vec())));
}

#[tokio::test]
async fn a_voice_note_is_written_down_and_marked_as_such() {
    let shop = start_harness([says(ANSWER)]).await;
    shop.graph.keep_file("m1", "audio/ogg", &note(5));
    shop.speech.next(Heard::Words(" quero cortar o cabelo\namanhã ".to_owned()));
    shop.joao_sends("wamid.1", voice()).await;
    shop.joao_writes("wamid.2", "pode ser?").await;
    shop.files.work_off().await.unwrap();
    shop.run_until_idle().await;
    assert_eq!(shop.asked(), "quero cortar o cabelo amanhã\n[transcrição de áudio]\npode ser?");
    let [sound] = shop.speech.sounds().try_into().unwrap();
    assert_eq!((sound.filename.as_str(), sound.language.as_deref(), sound.bytes), ("audio.ogg", Some("pt"), note(5)));
    assert_eq!(one(&shop).await.transcript.as_deref(), Some("quero cortar o cabelo\namanhã"));
}

#[tokio::test]
async fn a_forwarded_voice_note_is_marked_as_the_words_of_another_person() {
    let shop = start_harness([says(ANSWER)]).await;
    shop.graph.keep_file("m1", "audio/ogg", &note(5));
    shop.speech.next(Heard::Words("sim, pode marcar".to_owned()));
    let mut forwarded = voice();
    forwarded["context"] = json!({ "forwarded": true });
    shop.joao_sends("wamid.1", forwarded).await;
    shop.files.work_off().await.unwrap();
    shop.run_until_idle().await;
    let asked = shop.asked();
    assert!(asked.starts_with("[Mensagem encaminhada pelo cliente"), "{asked}");
    assert!(asked.contains("sim, pode marcar") && !asked.contains('\n'), "{asked}");
}

#[tokio::test]
async fn a_voice_note_that_answers_another_message_stays_an_answer_to_it() {
    let shop = start_harness([says(ANSWER)]).await;
    shop.graph.keep_file("m1", "audio/ogg", &note(5));
    shop.speech.next(Heard::Words("sim".to_owned()));
    let mut answering = voice();
    answering["context"] = json!({ "from": "1", "id": "wamid.of.another" });
    shop.joao_sends("wamid.1", answering).await;
    shop.files.work_off().await.unwrap();
    shop.run_until_idle().await;
    let asked = shop.asked();
    assert!(asked.starts_with("[O cliente responde a uma mensagem anterior: ]\nsim"), "{asked}");
}

#[tokio::test]
async fn without_a_transcriber_sound_is_kept_and_the_model_told() {
    let shop = start_harness([says(ANSWER)]).await.deaf();
    shop.graph.keep_file("m1", "audio/ogg", &note(5));
    shop.joao_sends("wamid.1", voice()).await;
    shop.files.work_off().await.unwrap();
    shop.run_until_idle().await;
    assert_eq!(shop.asked(), "[áudio, que não posso ouvir]");
    assert_eq!(one(&shop).await.state, AttachmentState::Stored);
}

#[tokio::test]
async fn sound_that_cannot_be_heard_is_told_to_the_model() {
    for (seconds, heard, asked) in
        [(5, Some(Heard::Words("  ".to_owned())), 1), (5, Some(Heard::Status(400)), 1), (61, None, 0)]
    {
        let shop = start_harness([says(ANSWER)]).await;
        shop.graph.keep_file("m1", "audio/ogg", &note(seconds));
        heard.into_iter().for_each(|heard| shop.speech.next(heard));
        shop.joao_sends("wamid.1", voice()).await;
        shop.files.work_off().await.unwrap();
        shop.run_until_idle().await;
        assert_eq!((shop.asked().as_str(), shop.speech.sounds().len()), (NO_AUDIO, asked));
        let kept = one(&shop).await;
        assert_eq!((kept.state, kept.size.is_some()), (AttachmentState::Unreadable, true), "staff can hear it");
    }
}

#[tokio::test]
async fn what_was_fetched_is_not_fetched_again_to_be_heard() {
    let shop = start_harness([says(ANSWER)]).await;
    shop.graph.keep_file("m1", "audio/ogg", &note(5));
    for heard in [Heard::Status(500), Heard::Nonsense, Heard::Cut, Heard::Words("oi".to_owned())] {
        shop.speech.next(heard);
    }
    shop.joao_sends("wamid.1", voice()).await;
    shop.files.work_off().await.unwrap();
    let fetched = shop.graph.asked().len();
    for pause in [1, 2, 4] {
        assert_eq!(shop.files.work_off().await.unwrap(), 0, "the pause is not over");
        shop.advance_secs(pause);
        assert_eq!(shop.files.work_off().await.unwrap(), 1);
    }
    assert_eq!((one(&shop).await.transcript.as_deref(), shop.graph.asked().len()), (Some("oi"), fetched));
    shop.run_until_idle().await;
    assert_eq!(shop.asked(), "oi\n[transcrição de áudio]");
}

#[tokio::test]
async fn a_turn_does_not_wait_longer_than_it_should() {
    let shop = start_harness([says(ANSWER)]).await;
    shop.graph.keep_file("m1", "audio/ogg", &note(5));
    shop.joao_sends("wamid.1", voice()).await;
    shop.advance_secs(19);
    assert_eq!(shop.dispatcher.work_off().await.unwrap(), 0);
    shop.advance_secs(1);
    shop.run_until_idle().await;
    assert_eq!((shop.texts(), shop.asked().as_str()), (vec![ANSWER.to_owned()], "[áudio, que não posso ouvir]"));
    shop.speech.next(Heard::Words("tarde demais".to_owned()));
    shop.files.work_off().await.unwrap();
    shop.run_until_idle().await;
    assert_eq!(shop.texts().len(), 1, "what came late is for staff; nothing is answered twice");
    assert_eq!(one(&shop).await.transcript.as_deref(), Some("tarde demais"));
}

#[tokio::test]
async fn f_136_files_that_lie_or_are_gone_are_answered_all_the_same() {
    type Prepare = fn(&MessagingHarness);
    let cases: [(&str, Prepare); 6] = [
        ("larger than it may be", |shop| shop.graph.keep_file("m1", "image/png", &[0; MAX_BYTES + 1])),
        ("larger than it says", |shop| {
            let large = [PNG, &[0; MAX_BYTES]].concat();
            shop.graph.keep_file_saying("m1", "image/png", &large, 100);
        }),
        ("of another type than it says", |shop| shop.graph.keep_file("m1", "image/png", b"MZ\x90\0 a program")),
        ("of a type that is not taken", |shop| shop.graph.keep_file("m1", "image/svg+xml", b"<svg/>")),
        ("gone", |_shop| {}),
        ("without an end", |shop| {
            shop.graph.keep_file("m1", "image/png", PNG);
            shop.graph.next(Behaviour::Normal);
            shop.graph.next(Behaviour::Endless);
        }),
    ];
    for (what, prepare) in cases {
        let shop = got_an_image(Some(says(ANSWER)), prepare).await;
        let kept = one(&shop).await;
        assert_eq!((kept.state, kept.size), (AttachmentState::Unreadable, None), "{what}: {:?}", kept.failure);
        shop.run_until_idle().await;
        assert_eq!((shop.texts(), shop.asked().as_str()), (vec![ANSWER.to_owned()], NO_IMAGE), "{what}");
    }
}

#[tokio::test]
async fn a_file_whose_bytes_were_altered_is_fetched_again_and_given_up_at_last() {
    let shop = start_harness([]).await;
    shop.graph.keep_file("m1", "image/png", PNG);
    let announced = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    shop.joao_sends("wamid.1", image(json!({ "sha256": announced }))).await;
    for attempt in 1..=MAX_ATTEMPTS {
        assert_eq!(one(&shop).await.state, AttachmentState::Waiting);
        assert_eq!(shop.files.work_off().await.unwrap(), 1, "attempt {attempt}");
        shop.advance_secs(20);
    }
    let given_up = one(&shop).await;
    assert_eq!((given_up.state, given_up.attempts), (AttachmentState::Unreadable, MAX_ATTEMPTS));
    assert!(given_up.failure.unwrap().contains("hash"));
}

#[tokio::test]
async fn a_file_that_the_program_died_at_three_times_is_given_up_unseen() {
    let shop = start_harness([]).await;
    shop.graph.keep_file("m1", "image/png", PNG);
    shop.joao_sends("wamid.1", image(json!({}))).await;
    for death in 1..=3 {
        let now = shop.world.clock.now();
        let until = now + jiff::SignedDuration::from_secs(30);
        let claimed = shop.world.app.store.write(move |tx: &mut Tx<'_>| attachment::claim(tx, now, until, 10)).await;
        assert_eq!(claimed.unwrap().len(), 1, "death {death}");
        shop.advance_secs(31);
    }
    let asked = shop.graph.asked().len();
    assert_eq!(shop.files.work_off().await.unwrap(), 1);
    let given_up = one(&shop).await;
    assert_eq!((given_up.state, shop.graph.asked().len()), (AttachmentState::Unreadable, asked));
    assert!(given_up.failure.unwrap().contains("came to an end"));
}

#[tokio::test]
async fn a_file_that_is_slow_once_comes_the_next_time() {
    let shop = got_an_image(None, |shop| {
        shop.graph.keep_file("m1", "image/png", PNG);
        shop.graph.next(Behaviour::AcceptThenSilence);
        wait::stand_until(shop.graph.was_asked(1));
    })
    .await;
    let _time = wait::hold();
    assert_eq!(one(&shop).await.state, AttachmentState::Waiting);
    shop.advance_secs(1);
    shop.files.work_off().await.unwrap();
    assert_eq!(one(&shop).await.state, AttachmentState::Stored);
}

#[tokio::test]
async fn a_message_that_was_taken_back_takes_its_file_along() {
    let shop = got_an_image(None, |shop| shop.graph.keep_file("m1", "image/png", PNG)).await;
    let revoke = json!({ "original_message_id": "wamid.1" });
    shop.joao_sends("wamid.2", json!({ "type": "revoke", "revoke": revoke })).await;
    assert_eq!(shop.attachments().await, []);
    shop.run_until_idle().await;
    assert!(shop.texts().is_empty());
}

#[tokio::test]
async fn a_file_that_comes_during_a_turn_is_answered_by_the_next_one() {
    let shop = start_harness([]).await;
    shop.graph.keep_file("m1", "audio/ogg", &note(5));
    shop.speech.next(Heard::Words("às dez".to_owned()));
    let mut what = voice();
    what["timestamp"] = json!(shop.world.clock.now().as_second().to_string());
    let sent = balcao_testkit::fakes::graph::webhooks::message("wamid.2", what);
    shop.model.script([shop.after_delivery(&sent, says("Um.")), says("Dois.")]);
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
    assert_eq!(shop.texts(), ["Um."], "it does not begin again for something that it cannot read yet");
    shop.files.work_off().await.unwrap();
    shop.run_until_idle().await;
    assert_eq!((shop.texts().len(), shop.asked().as_str()), (2, "às dez\n[transcrição de áudio]"));
}

fn web_chats(shop: &MessagingHarness) -> WebChats {
    let (app, organization) = (shop.world.app.clone(), shop.world.organization);
    let inbox = Inbox::new(app.clone(), [WebChats::account(organization)], BurstRules::default(), Arc::default());
    WebChats::new(app, inbox.with_files(Arc::default(), WAIT), Hub::default(), organization)
}

#[tokio::test]
async fn h08_sound_of_strangers_is_counted_and_not_transcribed_once_their_budget_is_spent() {
    // Five seconds are 50 tokens and, at US$ 0.006 a minute, 500 millionths. 7,500 bytes are ten seconds at least.
    let lie = [note(5), vec![0; 7_500]].concat();
    for (tokens, cost, sound, transcribed) in [
        (Some(100), None, note(5), 2),
        (None, Some(1_000), note(5), 2),
        (Some(100), None, lie.clone(), 1),
        (None, Some(1_000), lie, 1),
    ] {
        let strangers = StrangerBudgets { tokens, cost_micro_usd: cost };
        let shop = start_harness([]).await.with_strangers(strangers, 6_000);
        let chats = web_chats(&shop);
        for number in 0..3 {
            shop.speech.next(Heard::Words("oi".to_owned()));
            let (visitor, id) = (Visitor::new(&format!("visitor-{number}")), format!("message-{number}"));
            assert!(chats.send_file(&visitor, &id, "nota.ogg", sound.clone()).await.unwrap().unwrap());
        }
        shop.files.work_off().await.unwrap();
        assert_eq!(shop.speech.sounds().len(), transcribed, "{strangers:?}");
        let left = "SELECT COUNT(*) FROM attachment WHERE failure LIKE 'strangers of the web chat have used up%'";
        let left: i64 = shop.in_transaction(move |tx| tx.query_one(left, &[], |row| row.get(0))).await;
        assert_eq!(left, 3 - i64::try_from(transcribed).unwrap(), "{strangers:?}");
        // Customers of another channel are heard all the same.
        shop.graph.keep_file("m1", "audio/ogg", &note(5));
        shop.joao_sends("wamid.1", voice()).await;
        shop.files.work_off().await.unwrap();
        assert_eq!(shop.speech.sounds().len(), transcribed + 1, "{strangers:?}");
    }
}

#[tokio::test]
async fn sound_that_a_visitor_of_the_web_chat_sends_is_written_down_before_its_turn() {
    let shop = start_harness([]).await;
    let (chats, organization) = (web_chats(&shop), shop.world.organization);
    shop.speech.next(Heard::Words("quero cortar o cabelo".to_owned()));
    assert!(chats.send_file(&Visitor::new("ana"), "message-1", "nota.ogg", note(5)).await.unwrap().unwrap());
    let conversation = chats.latest().await.unwrap().unwrap().0;
    let waits = async || {
        let of = move |tx: &mut Tx<'_>| attachment::awaited_until(tx, organization, conversation);
        shop.in_transaction(of).await.is_some()
    };
    assert!(waits().await);
    shop.files.work_off().await.unwrap();
    assert!(!waits().await);
    let of = move |tx: &mut Tx<'_>| inbox::of_conversation(tx, organization, conversation, 9);
    assert_eq!(shop.in_transaction(of).await.remove(0).text, "quero cortar o cabelo\n[transcrição de áudio]");
}

#[tokio::test]
async fn h09_a_contact_who_sent_enough_for_a_day_fills_no_disk() {
    let shop = start_harness([says(ANSWER)]).await;
    shop.graph.keep_file("m1", "image/png", PNG);
    shop.joao_sends("wamid.1", image(json!({}))).await;
    let (organization, conversation) = (shop.world.organization, shop.conversation().await.id);
    let ends_at = "2026-11-25T00:00:00-03:00".parse().unwrap();
    let day = Day { date: jiff::civil::date(2026, 11, 24), ends_at };
    shop.in_transaction(move |tx| {
        let name = format!("files/{conversation}");
        day_budget::spend(tx, organization, day.budget(&name), 50 << 20, 50 << 20, jiff::Timestamp::UNIX_EPOCH)
    })
    .await;
    shop.files.work_off().await.unwrap();
    let kept = one(&shop).await;
    assert_eq!((kept.state, kept.size), (AttachmentState::Unreadable, None));
    assert_eq!(kept.failure.as_deref(), Some("its contact has sent 50 MiB of files today, the most that is kept"));
    shop.advance_secs(3);
    shop.run_until_idle().await;
    assert_eq!(shop.texts(), [ANSWER], "the customer is answered all the same");
}

#[tokio::test]
async fn h09_a_file_of_a_channel_waits_while_the_disk_is_nearly_full_and_comes_once_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("balcao.db"), OpenOptions::default()).unwrap();
    // No disk is free to its last byte and one more.
    let full = FileBudgets { least_free_percent: 101, ..FileBudgets::default() };
    let shop = start_on_store(store, eli(), []).await.within(full);
    shop.graph.keep_file("m1", "image/png", PNG);
    shop.joao_sends("wamid.1", image(json!({}))).await;
    for _minute in 0..60 {
        assert_eq!(shop.files.work_off().await.unwrap(), 1);
        let waits = one(&shop).await;
        assert_eq!((waits.state, waits.size), (AttachmentState::Waiting, None));
        assert!(waits.failure.unwrap().contains("too little room on the disk"));
        shop.advance_secs(60);
    }
    assert_eq!(shop.graph.asked().len(), 0, "the channel is not asked for what has no room");
    let shop = shop.within(FileBudgets { least_free_percent: 0, ..full });
    assert_eq!(shop.files.work_off().await.unwrap(), 1);
    assert_eq!(one(&shop).await.state, AttachmentState::Stored);
}
