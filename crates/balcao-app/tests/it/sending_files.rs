//! Staff send files: in order, once, or they know why not; what customers sent, they read.

use balcao_app::conversations::{ConversationRefusal, Conversations};
use balcao_app::messaging::files::{FileRefusal, Files};
use balcao_domain::attachment::AttachmentState;
use balcao_domain::outbox::OutboxState;
use balcao_domain::{AttachmentId, ConversationId, OrganizationId};
use balcao_llm::providers::scripted::says;
use balcao_store::{StoreError, messaging::attachment};
use balcao_testkit::fakes::graph::Behaviour;
use serde_json::json;

use crate::messaging_harness::{MessagingHarness, start_harness};

const DAVI: &str = "davi@figueira.example";
const PDF: &[u8] = b"%PDF-1.7\ntabela";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

/// A conversation in which the agent said hello.
async fn begun() -> (MessagingHarness, OrganizationId, ConversationId) {
    let shop = start_harness([says("Olá!")]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
    let (organization, id) = (shop.world.organization, shop.conversation().await.id);
    (shop, organization, id)
}

async fn added(shop: &MessagingHarness, name: &str, bytes: &[u8]) -> AttachmentId {
    let (files, id) = (Files::new(shop.world.app.clone()), shop.conversation().await.id);
    let taken = files.take_in(shop.world.organization, id, DAVI.to_owned(), name.to_owned(), bytes.to_vec()).await;
    taken.unwrap().unwrap().id
}

async fn sends(shop: &MessagingHarness, file: AttachmentId, text: &str) -> Result<(), ConversationRefusal> {
    let staff = Conversations::new(shop.world.app.clone());
    let id = shop.conversation().await.id;
    staff.send_file(shop.world.organization, id, DAVI.to_owned(), file, text.to_owned()).await.unwrap()
}

#[tokio::test]
async fn a_file_leaves_with_its_words_and_takes_the_conversation_over() {
    let (shop, organization, id) = begun().await;
    let file = added(&shop, "../tabela.pdf", PDF).await;
    sends(&shop, file, "A tabela.").await.unwrap();
    shop.sender.work_off().await.unwrap();
    let sent = shop.graph.accepted().pop().unwrap();
    assert_eq!(sent["type"], "document");
    assert_eq!(
        (&sent["document"]["caption"], &sent["document"]["filename"]),
        (&json!("A tabela."), &json!("tabela.pdf"))
    );
    assert_eq!(shop.graph.file(sent["document"]["id"].as_str().unwrap()), Some(PDF.to_vec()));
    assert!(!shop.conversation().await.state.agent_speaks());
    let shown = Conversations::new(shop.world.app.clone()).show(organization, id).await.unwrap().unwrap();
    let last = shown.messages.last().unwrap();
    assert_eq!(last.message.text, "A tabela.\n[documento: tabela.pdf]");
    let [shown] = last.attachments.as_slice() else { panic!("{last:?}") };
    assert_eq!((shown.id, shown.kind.as_str(), shown.name.as_str()), (file, "document", "tabela.pdf"));
}

#[tokio::test]
async fn words_that_do_not_fit_below_a_file_follow_it_in_order() {
    let (shop, _, _) = begun().await;
    let sound =
        added(&shop, "oi.ogg", b"OggS\0\x02\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\x01\x13OpusHead\x01\x01\x38\x01")
            .await;
    sends(&shop, sound, "Ouça até o fim.").await.unwrap();
    let picture = added(&shop, "a.png", PNG).await;
    sends(&shop, picture, &"longo ".repeat(300)).await.unwrap();
    shop.sender.work_off().await.unwrap();
    let kinds: Vec<_> = shop.graph.accepted().iter().map(|sent| sent["type"].as_str().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["text", "audio", "text", "image", "text"]);
}

#[tokio::test]
async fn a_file_that_cannot_be_handed_in_now_is_tried_again_and_handed_in_once() {
    let (shop, _, _) = begun().await;
    let file = added(&shop, "a.png", PNG).await;
    sends(&shop, file, "").await.unwrap();
    // The upload is lost, then made; the message is refused for a moment, and sent with the file that is there.
    shop.graph.next(Behaviour::AcceptThenDrop);
    shop.sender.work_off().await.unwrap();
    assert_eq!(shop.outbox_states().await, [OutboxState::Sent, OutboxState::Pending]);
    shop.graph.next(Behaviour::Normal);
    shop.graph.next(Behaviour::Error { status: 500, code: 131_016, details: "Service overloaded".to_owned() });
    shop.advance_secs(400);
    shop.sender.work_off().await.unwrap();
    assert_eq!(shop.outbox_states().await, [OutboxState::Sent, OutboxState::Pending]);
    let uploads = || shop.graph.asked().iter().filter(|asked| asked.target.ends_with("/media")).count();
    assert_eq!(uploads(), 2);
    shop.advance_secs(400);
    shop.sender.work_off().await.unwrap();
    assert_eq!((shop.outbox_states().await, uploads()), (vec![OutboxState::Sent; 2], 2));
    assert_eq!(shop.graph.accepted().len(), 2);
}

#[tokio::test]
async fn f_13_a_file_that_may_have_arrived_is_not_sent_again() {
    let (shop, _, _) = begun().await;
    let file = added(&shop, "a.png", PNG).await;
    sends(&shop, file, "").await.unwrap();
    shop.graph.next(Behaviour::Normal);
    shop.graph.next(Behaviour::AcceptThenDrop);
    shop.sender.work_off().await.unwrap();
    assert_eq!(shop.outbox_states().await, [OutboxState::Sent, OutboxState::Unknown]);
    shop.advance_secs(100_000);
    assert_eq!(shop.sender.work_off().await.unwrap(), 0);
    assert_eq!(shop.graph.accepted().len(), 2);
}

/// A crash during the upload of a file has shown the customer nothing yet.
#[tokio::test]
async fn a_death_before_the_file_is_there_costs_another_attempt_and_one_after_it_is_unknown() {
    let (shop, organization, _) = begun().await;
    let file = added(&shop, "a.png", PNG).await;
    sends(&shop, file, "").await.unwrap();
    let dies = async || {
        let now = balcao_domain::Clock::now(shop.world.clock.as_ref());
        let until = now.checked_add(jiff::SignedDuration::from_secs(30)).unwrap();
        shop.in_transaction(move |tx| balcao_store::messaging::outbox::claim(tx, "test", now, until, 10))
            .await
            .remove(0)
    };
    dies().await;
    shop.advance_secs(31);
    shop.graph.next(Behaviour::Normal);
    shop.graph.next(Behaviour::Error { status: 500, code: 131_016, details: "Service overloaded".to_owned() });
    shop.sender.work_off().await.unwrap();
    assert_eq!(shop.outbox_states().await, [OutboxState::Sent, OutboxState::Pending], "the file is there");
    shop.advance_secs(400);
    dies().await;
    shop.advance_secs(31);
    shop.sender.work_off().await.unwrap();
    assert_eq!(shop.outbox_states().await, [OutboxState::Sent, OutboxState::Unknown]);
    let found = shop.in_transaction(move |tx| attachment::find(tx, organization, file)).await.unwrap();
    assert_eq!(found.state, AttachmentState::Stored);
}

#[tokio::test]
async fn what_cannot_be_sent_is_refused_and_leaves_nothing_behind() {
    let (shop, organization, id) = begun().await;
    let files = Files::new(shop.world.app.clone());
    let take = |email: &str, bytes: &[u8]| {
        files.take_in(organization, id, email.to_owned(), "a.exe".to_owned(), bytes.to_vec())
    };
    assert_eq!(take(DAVI, b"").await.unwrap(), Err(FileRefusal::Empty));
    let program = take(DAVI, b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0").await.unwrap().unwrap_err();
    assert!(matches!(program, FileRefusal::Type { .. }), "{program}");
    let mut large = PNG.to_vec();
    large.resize(5 * 1024 * 1024 + 1, 0);
    assert_eq!(take(DAVI, &large).await.unwrap(), Err(FileRefusal::TooLarge { limit: 5 * 1024 * 1024 }));
    let stranger = take("ninguem@figueira.example", PNG).await.unwrap().unwrap_err();
    assert!(matches!(stranger, FileRefusal::UnknownStaff(_)), "{stranger}");
    let before = shop.thread().await;
    let unknown = AttachmentId::try_from(99).unwrap();
    assert_eq!(sends(&shop, unknown, "oi").await, Err(ConversationRefusal::NoFile { id: unknown }));
    let file = added(&shop, "a.png", PNG).await;
    sends(&shop, file, "").await.unwrap();
    assert_eq!(sends(&shop, file, "de novo").await, Err(ConversationRefusal::NoFile { id: file }));
    assert_eq!(shop.thread().await.len(), before.len() + 1);
    assert_eq!(shop.outbox().await.len(), 2);
}

#[tokio::test]
async fn a_file_that_was_deleted_before_it_left_is_a_dead_letter() {
    let (shop, organization, _) = begun().await;
    let file = added(&shop, "a.png", PNG).await;
    sends(&shop, file, "").await.unwrap();
    let forget = move |tx: &mut balcao_store::Tx<'_>| {
        tx.execute(
            "UPDATE attachment SET bytes = NULL, state = 'expired' WHERE organization_id = ?1 AND id = ?2",
            &[organization.into(), i64::from(file).into()],
        )
    };
    let forgotten: Result<usize, StoreError> = shop.world.app.store.write(forget).await;
    assert_eq!(forgotten.unwrap(), 1);
    shop.sender.work_off().await.unwrap();
    let dead = shop.outbox().await.pop().unwrap();
    assert_eq!(dead.state, OutboxState::Dead);
    assert!(dead.failure.unwrap().contains("not here any more"));
}

#[tokio::test]
async fn a_customers_picture_is_shown_with_its_message_and_read() {
    let shop = start_harness([says("Bonito!")]).await;
    shop.graph.keep_file("m1", "image/png", PNG);
    let image = json!({ "id": "m1", "mime_type": "image/png", "caption": "quero assim" });
    shop.joao_sends("wamid.1", json!({ "type": "image", "image": image })).await;
    shop.files.work_off().await.unwrap();
    shop.run_until_idle().await;
    let (organization, id) = (shop.world.organization, shop.conversation().await.id);
    let shown = Conversations::new(shop.world.app.clone()).show(organization, id).await.unwrap().unwrap();
    let [picture] = shown.messages[0].attachments.as_slice() else { panic!("{:?}", shown.messages) };
    assert_eq!((picture.kind.as_str(), picture.mime.as_deref()), ("image", Some("image/png")));
    assert!(shown.messages[1].attachments.is_empty());
    let opened = Files::new(shop.world.app.clone()).open(organization, picture.id).await.unwrap().unwrap();
    assert_eq!((opened.name, opened.mime, opened.bytes), (format!("{}.png", picture.id), "image/png", PNG.to_vec()));
}
