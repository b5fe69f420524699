//! What staff send to a visitor is read by that visitor, and by nobody else; what a visitor sends, by staff and themselves.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Request, Response};
use balcao_app::messaging::files::Files;
use balcao_web::chat::{ChatLimits, RequestRate};
use serde_json::json;

use super::world::{ORIGIN, STAFF, Shop, Visit, body_of, says, shop, shop_with};

const PDF: &[u8] = b"%PDF-1.7\ntabela";

#[tokio::test]
async fn a_file_of_staff_is_shown_to_its_visitor_alone() {
    let shop = shop([says("Olá!")]).await;
    let (ana, bia) = (shop.visitor().await, shop.visitor().await);
    shop.writes(&ana, "message-1", "tem tabela?").await;
    shop.works().await;
    let id = shop.conversation().await;
    let files = Files::new(shop.chats.app().clone());
    let add = async |name: &str| {
        let taken = files.take_in(shop.organization, id, STAFF.to_owned(), name.to_owned(), PDF.to_vec()).await;
        taken.unwrap().unwrap().id
    };
    let (file, unsent) = (add("tabela.pdf").await, add("rascunho.pdf").await);
    let text = "Aqui está.".to_owned();
    shop.staff.send_file(shop.organization, id, STAFF.to_owned(), file, text).await.unwrap().unwrap();
    shop.sends().await;
    let mut page = shop.listens(&ana, Some("2")).await;
    let shown = page.next_of("message").await.data;
    assert_eq!((&shown["author"], &shown["text"]), (&json!("staff"), &json!("Aqui está.")));
    assert_eq!(
        shown["file"],
        json!({ "id": file.to_string(), "kind": "document", "name": "tabela.pdf", "size": PDF.len() })
    );
    let name = shown["file"]["id"].as_str().unwrap_or_default().to_owned();
    let get = async |token: &str, name: &str| {
        let bearer = format!("Bearer {token}");
        shop.get(&format!("/chat/v1/files/{name}"), &[("authorization", &bearer), ("origin", ORIGIN)]).await
    };
    let answer = get(&ana.token, &name).await;
    assert_eq!(answer.status(), 200);
    let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
    assert!(header("content-disposition").starts_with("attachment; "));
    assert!(header("content-security-policy").contains("sandbox"));
    assert_eq!(
        (header("x-content-type-options"), header("content-type")),
        ("nosniff".into(), "application/pdf".into())
    );
    assert_eq!(to_bytes(answer.into_body(), usize::MAX).await.unwrap(), PDF);
    for (token, name, status) in [
        (&bia.token, name.as_str(), 404),
        (&ana.token, &unsent.to_string(), 404),
        (&ana.token, "att_99", 404),
        (&ana.token, "..%2f..%2fetc", 404),
        (&ana.token, "%ff", 404),
        (&"x".to_owned(), name.as_str(), 401),
    ] {
        let refused = get(token, name).await;
        assert_eq!(refused.status(), status, "{name}");
        assert_eq!(refused.headers()["content-type"], "application/problem+json", "{name}");
    }
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";

async fn sends(shop: &Shop, visitor: Option<&Visit>, query: &str, bytes: &[u8]) -> Response<Body> {
    let request = Request::post(format!("/chat/v1/files{query}")).header("origin", ORIGIN);
    let request = match visitor {
        Some(visitor) => request.header("authorization", format!("Bearer {}", visitor.token)),
        None => request,
    };
    shop.answers(request.body(Body::from(bytes.to_vec())).unwrap()).await
}

#[tokio::test]
async fn a_file_of_a_visitor_is_stored_once_read_by_the_agent_and_staff_and_shown_to_them_alone() {
    let shop = shop([says("Recebi a foto!")]).await;
    let (ana, bia) = (shop.visitor().await, shop.visitor().await);
    for attempt in 0..3 {
        // The name says something else than the bytes are, and tries to leave its folder.
        let answer = sends(&shop, Some(&ana), "?id=message-1&name=..%2F..%2Fcorte.exe", PNG).await;
        let told = (answer.status().as_u16(), body_of(answer).await);
        assert_eq!(told, (202, json!({ "id": "message-1", "repeated": attempt > 0 })));
    }
    let mut page = shop.listens(&ana, None).await;
    let shown = page.next_of("message").await.data;
    let file = &shown["file"];
    assert_eq!((&shown["author"], &shown["text"], &shown["id"]), (&json!("visitor"), &json!(""), &json!("message-1")));
    assert_eq!(
        (&file["kind"], &file["name"], &file["size"]),
        (&json!("image"), &json!("corte.exe.png"), &json!(PNG.len()))
    );
    shop.works().await;
    let asked = format!("{:?}", shop.model.last_request().unwrap().messages);
    assert!(asked.contains("[imagem") && !asked.contains("corte.exe"), "what it is called says nothing: {asked}");
    let id = shop.conversation().await;
    let said = shop.staff.show(shop.organization, id).await.unwrap().unwrap().messages;
    let attached = &said[0].attachments[0];
    assert_eq!((attached.name.as_str(), attached.mime.as_deref()), ("corte.exe.png", Some("image/png")));
    let files = Files::new(shop.chats.app().clone());
    assert_eq!(files.open(shop.organization, attached.id).await.unwrap().unwrap().bytes, PNG);
    let get = async |visitor: &Visit| {
        let bearer = format!("Bearer {}", visitor.token);
        shop.get(&format!("/chat/v1/files/{}", attached.id), &[("authorization", &bearer)]).await.status().as_u16()
    };
    assert_eq!((get(&ana).await, get(&bia).await), (200, 404));
    assert_eq!(shop.count("attachment").await, 1);
}

#[tokio::test]
async fn what_is_no_file_that_is_taken_is_refused_in_words_and_nothing_is_stored() {
    let limits = ChatLimits {
        file_bytes: 4_000,
        files: RequestRate { burst: 99, every: Duration::from_secs(1) },
        messages: RequestRate { burst: 99, every: Duration::from_secs(1) },
        ..ChatLimits::default()
    };
    let shop = shop_with([], limits).await;
    let ana = shop.visitor().await;
    let good = "?id=message-1&name=a.png";
    let large = [PNG, &[0; 4_000]].concat();
    for (visitor, query, bytes, status) in [
        (None, good, PNG, 401),
        (Some(&ana), "", PNG, 422),
        (Some(&ana), "?id=message-1", PNG, 422),
        (Some(&ana), "?id=short&name=a.png", PNG, 422),
        (Some(&ana), "?id=message-1&name=a.png&more=1", PNG, 422),
        (Some(&ana), good, b"".as_slice(), 422),
        (Some(&ana), good, large.as_slice(), 413),
        (Some(&ana), good, b"MZ\x90\0program".as_slice(), 415),
        (Some(&ana), "?id=message-1&name=foto.png", b"<html><script>alert(1)</script>\0".as_slice(), 415),
    ] {
        let answer = sends(&shop, visitor, query, bytes).await;
        assert_eq!(answer.status().as_u16(), status, "{query}");
        assert_eq!(answer.headers()["content-type"], "application/problem+json", "{query}");
        assert_eq!(answer.headers()["access-control-allow-origin"], ORIGIN, "{query}");
    }
    assert_eq!((shop.count("inbox").await, shop.count("attachment").await), (0, 0));
}

#[tokio::test]
async fn a_visitor_sends_so_many_files_and_all_of_them_together_so_many() {
    let (few, some) = (
        RequestRate { burst: 2, every: Duration::from_secs(60) },
        RequestRate { burst: 3, every: Duration::from_secs(5) },
    );
    let shop = shop_with([], ChatLimits { files: few, files_of_all: some, ..ChatLimits::default() }).await;
    let (ana, bia) = (shop.visitor().await, shop.visitor().await);
    // What is refused is not counted, however often it comes.
    for id in 1..=3 {
        let answer = sends(&shop, Some(&ana), &format!("?id=refused-{id}&name=a.html"), b"<html></html>").await;
        assert_eq!(answer.status().as_u16(), 415);
    }
    for (visitor, id, status) in [(&ana, 1, 202), (&ana, 2, 202), (&ana, 3, 429), (&bia, 1, 202), (&bia, 2, 429)] {
        let answer = sends(&shop, Some(visitor), &format!("?id=message-{id}&name=a.png"), PNG).await;
        assert_eq!(answer.status().as_u16(), status, "{id}");
        assert_eq!(answer.headers().contains_key("retry-after"), status == 429);
    }
    // Words are not held back by it.
    assert_eq!(shop.writes(&ana, "message-9", "oi").await.0, 202);
}
