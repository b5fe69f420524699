//! What we send, judged by Meta's own specification in a validating mock (Prism), where both are there.
//!
//! A pass is worth something; the specification refuses things that the live API takes (templates without components, read
//! marks, places with numbers), so only what it can judge is asked.

use balcao_channel::channels::whatsapp::{Config, WhatsApp};
use balcao_channel::inbound::MediaKind;
use balcao_channel::outbound::{
    Button, CorrelationId, InlineFile, MediaSource, Outbound, OutboundContent, Row, Section, Template,
    TemplateParameter,
};
use balcao_channel::{Channel, ProviderMediaId, ProviderMessageId};
use balcao_testkit::mock::{ValidatingMock, material};

use crate::support::{config, joao};

fn button(id: &str) -> Button {
    Button { id: format!("balcao:{id}"), title: id.to_owned() }
}

#[tokio::test]
async fn metas_own_specification_takes_what_we_send() {
    let Some(mock) = ValidatingMock::over(&material("whatsapp/business-messaging-api_v23.0.yaml")).unwrap() else {
        return;
    };
    let account = WhatsApp::new(Config { version: "v23.0".to_owned(), ..config(mock.url()) }).unwrap();
    let row = |id: &str| Row { id: format!("balcao:{id}"), title: id.to_owned(), description: Some("com Rafa".into()) };
    let list = OutboundContent::List {
        header: None,
        body: "Qual horário?".to_owned(),
        footer: None,
        open: "Ver horários".to_owned(),
        sections: vec![Section { title: Some("sexta, 27/11".into()), rows: vec![row("14:00"), row("15:00")] }],
    };
    let file = |media, caption: Option<&str>, filename: Option<&str>| OutboundContent::Media {
        media,
        source: MediaSource::Uploaded(ProviderMediaId::new("1234")),
        caption: caption.map(str::to_owned),
        filename: filename.map(str::to_owned),
        voice: false,
    };
    // The document knows neither gaps with names nor what a quick reply brings back.
    let gap = |text: &str| TemplateParameter { name: None, text: text.to_owned() };
    let template = OutboundContent::Template(Template {
        name: "lembrete".to_owned(),
        language: "pt_BR".to_owned(),
        body: vec![gap("João"), gap("15h")],
        quick_replies: Vec::new(),
    });
    let message = ProviderMessageId::new("wamid.1");
    let content = |content| Outbound::new(content).unwrap();
    let good = [
        ("text", Outbound::text("Olá, João!").unwrap()),
        ("answer", Outbound::text("Pode sim!").unwrap().quoting(message)),
        ("buttons", Outbound::buttons("Às 14h ou 15h?", vec![button("14:00"), button("15:00")]).unwrap()),
        ("list", content(list)),
        ("image", content(file(MediaKind::Image, Some("Tabela"), None))),
        ("video", content(file(MediaKind::Video, None, None))),
        ("audio", content(file(MediaKind::Audio, None, None))),
        ("document", content(file(MediaKind::Document, Some("Aqui está."), Some("tabela.pdf")))),
        ("template", content(template)),
    ];
    for (what, message) in good {
        let sent = account.send(&message, &joao()).await;
        assert!(sent.is_ok(), "{what}: {sent:?}");
    }
    let name = "tabela.pdf".to_owned();
    let pdf = InlineFile {
        kind: MediaKind::Document,
        mime: "application/pdf".to_owned(),
        name,
        bytes: (*b"%PDF-1.7").into(),
    };
    let there = account.upload_media(pdf).await;
    assert!(matches!(there, Ok(MediaSource::Uploaded(_))), "{there:?}");
    // The mock does refuse: our own name of a message is not in this version of the document, though the live API echoes it.
    let tracked = Outbound::text("Oi").unwrap().tracked(CorrelationId::new("outbox:1").unwrap());
    let refused = account.send(&tracked, &joao()).await.unwrap_err();
    assert!(refused.message.contains("422"), "the mock judges nothing: {refused}");
}
