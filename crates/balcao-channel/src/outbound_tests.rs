use serde_json::{Value, json};

use super::*;

fn button(id: &str, title: &str) -> Button {
    Button { id: id.to_owned(), title: title.to_owned() }
}

fn row(id: &str, title: &str) -> Row {
    Row { id: id.to_owned(), title: title.to_owned(), description: None }
}

fn rows(count: usize) -> Vec<Row> {
    (0..count).map(|n| row(&format!("r{n}"), &format!("Row {n}"))).collect()
}

fn media(kind: MediaKind) -> OutboundContent {
    let source = MediaSource::Uploaded(ProviderMediaId::new("m1"));
    OutboundContent::Media { media: kind, source, caption: None, filename: None, voice: false }
}

fn template(change: impl FnOnce(&mut Template)) -> OutboundContent {
    let mut template = Template {
        name: "lembrete_horario".to_owned(),
        language: "pt_BR".to_owned(),
        body: vec![TemplateParameter { name: Some("nome".to_owned()), text: "Marina".to_owned() }],
        quick_replies: vec!["CONFIRMAR:apt_7".to_owned()],
    };
    change(&mut template);
    OutboundContent::Template(template)
}

fn list(sections: Vec<Section>) -> OutboundContent {
    OutboundContent::List { header: None, body: "Qual?".into(), footer: None, open: "Ver".into(), sections }
}

/// Every content, once, at the edge of what is allowed.
fn allowed() -> Vec<OutboundContent> {
    let captioned = |kind| OutboundContent::Media {
        media: kind,
        source: MediaSource::Uploaded(ProviderMediaId::new("m1")),
        caption: Some("a".repeat(1024)),
        filename: None,
        voice: false,
    };
    vec![
        OutboundContent::Text { body: "é".repeat(4096), preview_url: true },
        captioned(MediaKind::Image),
        captioned(MediaKind::Video),
        OutboundContent::Media {
            media: MediaKind::Audio,
            source: MediaSource::Link("https://example.com/a.ogg".into()),
            caption: None,
            filename: None,
            voice: true,
        },
        OutboundContent::Media {
            media: MediaKind::Document,
            source: MediaSource::Uploaded(ProviderMediaId::new("m1")),
            caption: Some("Tabela".into()),
            filename: Some("tabela.pdf".into()),
            voice: false,
        },
        media(MediaKind::Sticker),
        OutboundContent::Location { latitude: -90.0, longitude: 180.0, name: Some("Loja".into()), address: None },
        OutboundContent::Buttons {
            header: Some("h".repeat(60)),
            body: "b".repeat(1024),
            footer: Some("f".repeat(60)),
            buttons: vec![button(&"i".repeat(256), &"t".repeat(20)), button("2", "B"), button("3", "C")],
        },
        list(vec![
            Section { title: Some("s".repeat(24)), rows: rows(9) },
            Section {
                title: Some("Two".into()),
                rows: vec![Row { id: "x".repeat(200), title: "t".repeat(24), description: Some("d".repeat(72)) }],
            },
        ]),
        OutboundContent::AskNumber { body: "Qual o número?".into() },
        template(|_| {}),
    ]
}

#[test]
fn what_is_allowed_is_stored_and_read_back_as_it_was() {
    for content in allowed() {
        let message = Outbound::new(content)
            .unwrap()
            .quoting(ProviderMessageId::new("wamid.0"))
            .tracked(CorrelationId::new("outbox:1").unwrap());
        let stored = serde_json::to_string(&message).unwrap();
        assert_eq!(serde_json::from_str::<Outbound>(&stored).unwrap(), message, "{stored}");
    }
}

#[test]
fn what_is_stored_is_checked_when_it_is_read() {
    let stored = json!({ "content": { "kind": "text", "body": "  " } });
    let error = serde_json::from_value::<Outbound>(stored).unwrap_err();
    assert!(error.to_string().contains("the text is empty"), "{error}");
    let stored = json!({ "content": { "kind": "text", "body": "a" }, "correlation": "two words" });
    serde_json::from_value::<Outbound>(stored).unwrap_err();
}

#[test]
fn each_limit_is_refused_with_what_to_do() {
    let text = |body: String| OutboundContent::Text { body, preview_url: false };
    let buttons = |buttons| OutboundContent::Buttons { header: None, body: "Qual?".into(), footer: None, buttons };
    let with = |kind, caption: Option<&str>, filename: Option<&str>, voice| OutboundContent::Media {
        media: kind,
        source: MediaSource::Uploaded(ProviderMediaId::new("m")),
        caption: caption.map(str::to_owned),
        filename: filename.map(str::to_owned),
        voice,
    };
    let linked = |url: &str| OutboundContent::Media {
        media: MediaKind::Image,
        source: MediaSource::Link(url.to_owned()),
        caption: None,
        filename: None,
        voice: false,
    };
    let at = |latitude, longitude| OutboundContent::Location { latitude, longitude, name: None, address: None };
    let parameter = |text: &str| {
        let text = text.to_owned();
        template(move |template| template.body = vec![TemplateParameter { name: None, text }])
    };
    let titled = |title: Option<&str>, rows| Section { title: title.map(str::to_owned), rows };
    for (content, words) in [
        (text("a".repeat(4097)), "4097 characters, and at most 4096 are allowed: cut it"),
        (text("😀".repeat(2049)), "4098 characters"),
        (text(" \n".into()), "the text is empty"),
        (buttons(vec![]), "there are 0 buttons: give 1 to 3"),
        (buttons((0..4).map(|n| button(&n.to_string(), &n.to_string())).collect()), "there are 4 buttons"),
        (buttons(vec![button("1", &"t".repeat(21))]), "a button's title has 21"),
        (buttons(vec![button(&"i".repeat(257), "A")]), "a button's id has 257"),
        (buttons(vec![button("1", "A"), button("1", "B")]), "`1` stands twice among the ids"),
        (buttons(vec![button("1", "A"), button("2", "A ")]), "`A ` stands twice among the titles"),
        (list(vec![]), "there are 0 sections"),
        (list(vec![titled(None, vec![])]), "there are 0 rows"),
        (list(vec![titled(None, rows(11))]), "there are 11 rows: give 1 to 10"),
        (list(vec![titled(Some("A"), rows(5)), titled(None, rows(5))]), "a title for each"),
        (list(vec![titled(Some("A"), rows(5)), titled(Some("B"), vec![])]), "0 rows of a section"),
        (list(vec![titled(Some("A"), rows(2)), titled(Some("B"), rows(2))]), "`r0` stands twice"),
        (list(vec![titled(None, vec![row("1", &"t".repeat(25))])]), "a row's title has 25"),
        (linked("http://example.com/a.jpg"), "https://"),
        (linked("https:///a.jpg"), "https://"),
        (linked("https://example.com/a b"), "https://"),
        (with(MediaKind::Audio, Some("a"), None, false), "audio cannot have a caption"),
        (with(MediaKind::Image, None, Some("a.png"), false), "image cannot have a file name"),
        (with(MediaKind::Document, None, None, true), "only audio"),
        (with(MediaKind::Image, Some(&"a".repeat(1025)), None, false), "the caption has 1025"),
        (at(90.5, 0.0), "latitude"),
        (at(0.0, f64::NAN), "latitude"),
        (template(|template| template.name = "Lembrete".into()), "invalid template name `Lembrete`"),
        (template(|template| template.language = "português".into()), "invalid template language"),
        (
            template(|template| template.body.push(TemplateParameter { name: None, text: "x".into() })),
            "either all parameters",
        ),
        (parameter("a\nb"), "one line"),
        (parameter("a     b"), "four spaces"),
        (OutboundContent::AskNumber { body: "b".repeat(1025) }, "at most 1024"),
    ] {
        let error = Outbound::new(content).unwrap_err().to_string();
        assert!(error.contains(words), "`{error}` does not say `{words}`");
    }
}

#[test]
fn a_stored_message_is_flat_and_named() {
    let message = Outbound::buttons("Confirma?", vec![button("ok", "Sim")]).unwrap();
    let stored: Value = serde_json::to_value(&message).unwrap();
    assert_eq!(
        stored,
        json!({ "content": { "kind": "buttons", "header": null, "body": "Confirma?", "footer": null,
            "buttons": [{ "id": "ok", "title": "Sim" }] } })
    );
}
