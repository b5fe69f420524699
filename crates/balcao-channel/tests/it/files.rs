//! Files up and down.

use balcao_channel::channels::whatsapp::media::{DownloadLimits, MediaError};
use balcao_channel::inbound::MediaKind;
use balcao_channel::outbound::{InlineFile, MediaSource, Outbound, OutboundContent};
use balcao_channel::{Channel, GiveUpReason, ProviderMediaId, SendClass};
use balcao_domain::AttachmentId;
use balcao_testkit::fakes::graph::{Behaviour, FakeGraph};
use balcao_testkit::wait;

use crate::support::{account, joao};

const OGG: &str = "audio/ogg; codecs=opus";

fn id(text: &str) -> ProviderMediaId {
    ProviderMediaId::new(text)
}

#[tokio::test]
async fn a_file_goes_up_and_is_sent_by_its_id() {
    let graph = FakeGraph::start().unwrap();
    let channel = account(&graph);
    let bytes = b"%PDF-1.7 \r\n\r\n--bytes--".to_vec();
    let id = channel.upload(MediaKind::Document, "application/pdf", "tabela.pdf", bytes.clone()).await.unwrap();
    assert_eq!(graph.file(id.as_str()), Some(bytes));
    let content = OutboundContent::Media {
        media: MediaKind::Document,
        source: MediaSource::Uploaded(id),
        caption: None,
        filename: Some("tabela.pdf".into()),
        voice: false,
    };
    channel.send(&Outbound::new(content).unwrap(), &joao()).await.unwrap();
}

#[tokio::test]
async fn a_file_of_ours_is_handed_in_before_its_message_and_without_that_nothing_is_sent() {
    let graph = FakeGraph::start().unwrap();
    let channel = account(&graph);
    let kept = OutboundContent::Media {
        media: MediaKind::Image,
        source: MediaSource::Kept(AttachmentId::try_from(9).unwrap()),
        caption: Some("o novo corte".into()),
        filename: None,
        voice: false,
    };
    let message = Outbound::new(kept).unwrap();
    let refused = channel.send(&message, &joao()).await.unwrap_err();
    assert_eq!(refused.class, SendClass::give_up(GiveUpReason::Rejected));
    assert!(graph.asked().is_empty());
    let name = "corte.png".to_owned();
    let file =
        InlineFile { kind: MediaKind::Image, mime: "image/png".to_owned(), name, bytes: b"png".as_slice().into() };
    let there = channel.upload_media(file).await.unwrap();
    channel.send(&message.with_source(there).unwrap(), &joao()).await.unwrap();
    let [sent] = graph.accepted().try_into().unwrap();
    assert_eq!(graph.file(sent["image"]["id"].as_str().unwrap()), Some(b"png".to_vec()));
    assert_eq!(sent["image"]["caption"], "o novo corte");
}

#[tokio::test]
async fn what_does_not_fit_its_kind_is_not_uploaded() {
    let graph = FakeGraph::start().unwrap();
    let channel = account(&graph);
    let upload = |kind, mime: &'static str, size: usize| channel.upload(kind, mime, "a", vec![0; size]);
    let large = upload(MediaKind::Image, "image/png", 5 * 1024 * 1024 + 1).await;
    assert_eq!(large, Err(MediaError::TooLarge { limit: 5 * 1024 * 1024 }));
    let gif = upload(MediaKind::Image, "image/gif", 10).await;
    assert_eq!(gif, Err(MediaError::Type { mime: "image/gif".into() }));
    assert_eq!(upload(MediaKind::Image, "image/png", 0).await, Err(MediaError::Empty));
    assert!(graph.asked().is_empty());
    upload(MediaKind::Audio, OGG, 10).await.unwrap();
}

#[tokio::test]
async fn an_upload_may_be_repeated_whatever_happened() {
    let graph = FakeGraph::start().unwrap();
    let channel = account(&graph);
    for behaviour in [Behaviour::AcceptThenDrop, Behaviour::AcceptThenEmpty, Behaviour::Edge { status: 502 }] {
        graph.next(behaviour.clone());
        let error = channel.upload(MediaKind::Image, "image/png", "a.png", vec![1]).await.unwrap_err();
        assert_eq!(error.class(), SendClass::retry(), "{behaviour:?}");
    }
    graph.next(Behaviour::AcceptThenSilence);
    wait::stand_until(graph.was_asked(graph.asked().len() + 1));
    let error = channel.upload(MediaKind::Image, "image/png", "a.png", vec![1]).await.unwrap_err();
    assert_eq!(error.class(), SendClass::retry());
}

#[tokio::test]
async fn a_voice_note_comes_down_with_its_type() {
    let graph = FakeGraph::start().unwrap();
    graph.keep_file("m1", OGG, b"OggS");
    // In base64, as the webhook says it.
    let announced = "aNntKtskRY/xc9sGtBudG24ih2TEVwMNY/rRGwK/rh4=";
    let other = "LNRghf4Q0bEkpi4wHyrt5Zl0UH1TFAegB2TKhHhwTc0=";
    let wrong = account(&graph).download(&id("m1"), Some(other), DownloadLimits::default()).await;
    assert_eq!(wrong, Err(MediaError::Altered));
    let file = account(&graph).download(&id("m1"), Some(announced), DownloadLimits::default()).await.unwrap();
    assert_eq!((file.mime.as_str(), file.bytes.as_slice()), ("audio/ogg", &b"OggS"[..]));
    assert!(!format!("{file:?}").contains("79"), "bytes are not shown");
}

#[tokio::test]
async fn an_expired_address_is_asked_for_once_more() {
    let graph = FakeGraph::start().unwrap();
    graph.keep_file_expiring_once("m1", "image/png", b"png");
    let file = account(&graph).download(&id("m1"), None, DownloadLimits::default()).await.unwrap();
    assert_eq!(file.bytes, b"png");
    assert_eq!(graph.asked().len(), 4);
}

#[tokio::test]
async fn size_and_type_are_looked_at_before_anything_is_fetched() {
    let graph = FakeGraph::start().unwrap();
    let channel = account(&graph);
    graph.keep_file("large", "image/png", &[0; 11]);
    graph.keep_file("zip", "application/zip", b"PK");
    let limits = DownloadLimits { max_bytes: 10, ..DownloadLimits::default() };
    let large = channel.download(&id("large"), None, limits).await;
    assert_eq!(large, Err(MediaError::TooLarge { limit: 10 }));
    let zip = channel.download(&id("zip"), None, limits).await.unwrap_err();
    assert_eq!(zip, MediaError::Type { mime: "application/zip".into() });
    assert_eq!(zip.class(), SendClass::give_up(GiveUpReason::Media));
    assert!(graph.asked().iter().all(|asked| !asked.target.contains("/files/")));
}

#[tokio::test]
async fn a_59_the_token_goes_to_no_strange_host() {
    let graph = FakeGraph::start().unwrap();
    let thief = FakeGraph::start().unwrap();
    let channel = account(&graph);
    for url in [
        format!("{}/files/m1", thief.url()),
        "https://example.com/files/m1".into(),
        "https://notfbcdn.net/1".into(),
        "https://fbcdn.net.example.com/1".into(),
        "http://lookaside.fbsbx.com/1".into(),
        "https://lookaside.fbsbx.com:8443/1".into(),
        "https://user@lookaside.fbsbx.com/1".into(),
        "file:///etc/passwd".into(),
    ] {
        graph.keep_file_elsewhere("m1", "image/png", &url);
        let error = channel.download(&id("m1"), None, DownloadLimits::default()).await.unwrap_err();
        assert!(matches!(error, MediaError::Host { .. }), "{url}: {error}");
    }
    assert!(thief.asked().is_empty());
}

#[tokio::test]
async fn what_is_gone_or_no_id_is_told() {
    let graph = FakeGraph::start().unwrap();
    let channel = account(&graph);
    assert_eq!(channel.download(&id("m9"), None, DownloadLimits::default()).await, Err(MediaError::Gone));
    let asked = graph.asked().len();
    for bad in ["", "..", "../7001/messages", "a/b", "a?x", &"a".repeat(129)] {
        assert_eq!(channel.download(&id(bad), None, DownloadLimits::default()).await, Err(MediaError::Id), "{bad}");
    }
    assert_eq!(graph.asked().len(), asked);
}

#[tokio::test]
async fn a_file_that_breaks_off_may_be_fetched_again() {
    let graph = FakeGraph::start().unwrap();
    graph.keep_file("m1", "image/png", &[7; 1000]);
    graph.next(Behaviour::Normal);
    graph.next(Behaviour::AcceptThenCut);
    let error = account(&graph).download(&id("m1"), None, DownloadLimits::default()).await.unwrap_err();
    assert_eq!(error.class(), SendClass::retry());
}
