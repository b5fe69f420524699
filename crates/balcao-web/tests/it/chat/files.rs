//! What staff send to a visitor is read by that visitor, and by nobody else.

use axum::body::to_bytes;
use balcao_app::files::Files;
use serde_json::json;

use super::world::{ORIGIN, STAFF, says, shop};

const PDF: &[u8] = b"%PDF-1.7\ntabela";

#[tokio::test]
async fn a_file_of_staff_is_shown_to_its_visitor_alone() {
    let shop = shop([says("Olá!")]).await;
    let (ana, bia) = (shop.visitor().await, shop.visitor().await);
    shop.writes(&ana, "message-1", "tem tabela?").await;
    shop.works().await;
    let id = shop.conversation().await;
    let files = Files::new(shop.chats.desk().clone());
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
