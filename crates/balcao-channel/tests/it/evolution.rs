//! What is special about the gateway.

use balcao_channel::inbound::{Media, MediaKind};
use balcao_channel::outbound::{InlineFile, MediaSource, Outbound, OutboundContent};
use balcao_channel::{
    Channel, DownloadLimits, MediaError, Number, ProviderMediaId, ProviderMessageId, Recipient, SendClass, UserId,
};
use balcao_domain::AttachmentId;
use balcao_testkit::fakes::evolution::{FakeEvolution, Gateway};

use crate::contract::gateway;

fn joao() -> Recipient {
    Recipient::Number(Number::new("554187654321"))
}

fn voice(id: &str) -> Media {
    Media {
        media: MediaKind::Audio,
        id: ProviderMediaId::new(id),
        mime: None,
        sha256: None,
        caption: None,
        filename: None,
        voice: true,
    }
}

#[tokio::test]
async fn files_and_places_are_sent() {
    let fake = FakeEvolution::start().unwrap();
    let channel = gateway(&fake);
    let media = |media, link: &str| OutboundContent::Media {
        media,
        source: MediaSource::Link(link.to_owned()),
        caption: None,
        filename: None,
        voice: false,
    };
    let place = OutboundContent::Location { latitude: -19.9, longitude: -43.9, name: None, address: None };
    let all = [
        media(MediaKind::Image, "https://shop.example/a.png"),
        media(MediaKind::Audio, "https://shop.example/a.ogg"),
        place,
    ];
    for content in all {
        channel.send(&Outbound::new(content).unwrap(), &joao()).await.unwrap();
    }
    let kinds: Vec<String> = fake.sent().into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["sendMedia", "sendWhatsAppAudio", "sendLocation"]);
}

#[tokio::test]
async fn a_file_of_ours_travels_within_its_message() {
    let fake = FakeEvolution::start().unwrap();
    let channel = gateway(&fake);
    for (kind, mime, name) in
        [(MediaKind::Document, "application/pdf", "tabela.pdf"), (MediaKind::Audio, "audio/ogg", "oi.ogg")]
    {
        let content = OutboundContent::Media {
            media: kind,
            source: MediaSource::Kept(AttachmentId::try_from(9).unwrap()),
            caption: None,
            filename: None,
            voice: false,
        };
        let file = InlineFile { kind, mime: mime.to_owned(), name: name.to_owned(), bytes: b"bytes".as_slice().into() };
        let there = channel.upload_media(file).await.unwrap();
        let message = Outbound::new(content).unwrap().with_source(there).unwrap();
        channel.send(&message, &joao()).await.unwrap();
    }
    let sent = fake.sent();
    let document = &sent[0].1;
    assert_eq!((sent[0].0.as_str(), document["media"].as_str()), ("sendMedia", Some("Ynl0ZXM=")));
    assert_eq!(
        (document["fileName"].as_str(), document["mimetype"].as_str()),
        (Some("tabela.pdf"), Some("application/pdf"))
    );
    assert_eq!((sent[1].0.as_str(), sent[1].1["audio"].as_str()), ("sendWhatsAppAudio", Some("Ynl0ZXM=")));
}

#[tokio::test]
async fn a_hidden_number_is_answered_and_an_answer_quotes() {
    let fake = FakeEvolution::start().unwrap();
    let quoting = Outbound::text("Oi!").unwrap().quoting(ProviderMessageId::new("3A01"));
    gateway(&fake).send(&quoting, &Recipient::User(UserId::new("987@lid"))).await.unwrap();
    let (_, body) = fake.sent().remove(0);
    assert_eq!(
        (body["number"].as_str(), body.pointer("/quoted/key/id").unwrap().as_str()),
        (Some("987@lid"), Some("3A01"))
    );
    for nobody in [Recipient::User(UserId::new("987")), Recipient::Number(Number::new("../x"))] {
        let refused = gateway(&fake).send(&Outbound::text("Oi!").unwrap(), &nobody).await.unwrap_err();
        assert!(matches!(refused.class, SendClass::GiveUp { .. }));
    }
    assert_eq!(fake.sent().len(), 1);
}

#[tokio::test]
async fn refusals_are_told_apart() {
    let fake = FakeEvolution::start().unwrap();
    for (status, class) in [
        (401, SendClass::Misconfigured),
        (404, SendClass::Misconfigured),
        (429, SendClass::retry()),
        (500, SendClass::Unknown),
    ] {
        fake.next(Gateway::Status(status));
        let refused = gateway(&fake).send(&Outbound::text("Oi!").unwrap(), &joao()).await.unwrap_err();
        assert_eq!(refused.class, class, "{status}");
    }
}

/// It was taken, so it is not sent again.
#[tokio::test]
async fn an_answer_to_a_send_that_does_not_end_leaves_the_outcome_unknown() {
    let fake = FakeEvolution::start().unwrap();
    fake.next(Gateway::Endless);
    let error = gateway(&fake).send(&Outbound::text("Oi!").unwrap(), &joao()).await.unwrap_err();
    assert_eq!(error.class, SendClass::Unknown);
    assert!(error.message.contains("too large"), "{error}");
}

#[tokio::test]
async fn a_file_comes_by_its_message_within_the_limits() {
    let fake = FakeEvolution::start().unwrap();
    fake.keep_file("3A01", "audio/ogg; codecs=opus", "T2dnUw==");
    let channel = gateway(&fake);
    let limits = DownloadLimits { max_bytes: 1_000, ..DownloadLimits::default() };
    let file = channel.fetch(&voice("3A01"), limits).await.unwrap();
    assert_eq!((file.mime.as_str(), file.bytes.as_slice()), ("audio/ogg", b"OggS".as_slice()));
    assert_eq!(channel.fetch(&voice("gone"), limits).await, Err(MediaError::Gone));
    fake.keep_file("3A02", "audio/ogg", &"QUFB".repeat(334));
    assert_eq!(channel.fetch(&voice("3A02"), limits).await, Err(MediaError::TooLarge { limit: 1_000 }));
    fake.next(Gateway::Endless);
    assert_eq!(channel.fetch(&voice("3A01"), limits).await, Err(MediaError::TooLarge { limit: 1_000 }));
    fake.keep_file("3A03", "application/zip", "QUFB");
    assert!(matches!(channel.fetch(&voice("3A03"), limits).await, Err(MediaError::Type { .. })));
    fake.next(Gateway::Status(500));
    assert_eq!(channel.fetch(&voice("3A01"), limits).await.unwrap_err().class(), SendClass::retry());
}
